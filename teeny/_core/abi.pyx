"""Whether a compiled module and this teeny belong together.

What is compared was compiled into either side from ``teeny/abi.h``. Cython itself
compares the C functions a module uses, and the sizes of the classes it cimports.
"""

from teeny._version import __version__


def abi_version():
    """The version of the binary interface; equal versions work together.

    Examples
    --------
    >>> from teeny._core.abi import abi_version
    >>> abi_version() >= 1
    True
    """
    return ABI_VERSION


cdef dict sizes(const abi_struct_t *structs):
    found = {}
    while structs.name is not NULL:
        found[structs.name.decode()] = structs.size
        structs += 1
    return found


cdef int check_abi(str module, int version, const abi_struct_t *structs) except -1:
    remedy = f"rebuild {module} with this teeny, or install the teeny that it was compiled with"
    if version != ABI_VERSION:
        raise ImportError(
            f"{module}: compiled for ABI {version} of teeny, found ABI {ABI_VERSION} in teeny {__version__}: {remedy}"
        )
    here = sizes(ABI_STRUCTS)
    for name, size in sizes(structs).items():
        if size != here.get(name):
            found = f"{here[name]} bytes" if name in here else "none"
            raise ImportError(
                f"{module}: compiled with a {name} of {size} bytes, found {found} in teeny {__version__}: {remedy}"
            )
    return 0
