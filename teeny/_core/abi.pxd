"""Whether a compiled module and the teeny it meets belong together (see ``teeny/abi.h``)."""

cdef extern from "teeny/abi.h" nogil:
    const int ABI_VERSION "TEENY_ABI_VERSION"

    ctypedef struct abi_struct_t "teeny_abi_struct_t":
        const char *name
        size_t size

    const abi_struct_t *ABI_STRUCTS "teeny_abi_structs"

# ImportError if `module` was compiled with another version, or with other structs. Never changes.
cdef int check_abi(str module, int version, const abi_struct_t *structs) except -1

# For the top of every module that cimports teeny: refuses to be loaded beside a teeny that
# it was not compiled for, where it would read and write the wrong memory.
cdef inline int import_teeny() except -1:
    return check_abi(__name__, ABI_VERSION, ABI_STRUCTS)
