"""Memory that crosses the border of the library: DLPack both ways, ``__cuda_array_interface__`` in.

What comes in is a `Loan`; what goes out is a capsule. `what` begins the text of errors.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from teeny._core.layout cimport Mapping
from teeny._core.vocabulary cimport anyrank_t, device_t, dtype_t

cdef extern from "teeny/dlpack.h" nogil:
    const uint32_t DLPACK_MAJOR "TEENY_DLPACK_MAJOR"
    const uint32_t DLPACK_MINOR "TEENY_DLPACK_MINOR"

    enum:
        DLPACK_READ_ONLY "TEENY_DLPACK_READ_ONLY"
        DLPACK_IS_COPIED "TEENY_DLPACK_IS_COPIED"

    ctypedef struct dltensor_t "teeny_dltensor_t":
        void *data
        device_t device
        int32_t ndim
        dtype_t dtype
        int64_t *shape
        int64_t *strides
        uint64_t byte_offset

    ctypedef struct dlmanaged_t "teeny_dlmanaged_t":
        dltensor_t dl_tensor
        void *manager_ctx
        void (*deleter)(dlmanaged_t *self) noexcept nogil

    ctypedef struct dlversion_t "teeny_dlversion_t":
        uint32_t major
        uint32_t minor

    ctypedef struct dlversioned_t "teeny_dlversioned_t":
        dlversion_t version
        void *manager_ctx
        void (*deleter)(dlversioned_t *self) noexcept nogil
        uint64_t flags
        dltensor_t dl_tensor

# Foreign memory, described and checked. Until `take` it stays its producer's, which frees it;
# from then on, it is freed with this object.
cdef class Loan:
    cdef anyrank_t c               # all but shape and strides, which are the mapping's
    cdef Mapping mapping
    cdef bint copied               # nobody else sees this memory
    cdef object lender             # keeps the memory alive: a producer, or a capsule until it is taken
    cdef dlmanaged_t *classic      # one of these two, if the lender is a capsule
    cdef dlversioned_t *versioned
    cdef bint taken
    cdef int take(self, str what) except -1

cdef Loan loan_of_dlpack(object producer, object stream, object copy, str what)
cdef Loan loan_of_capsule(object capsule, str what)
cdef Loan loan_of_tensor(const dltensor_t *tensor, object lender, str what)
cdef Loan loan_of_cuda(object interface, object producer, str what)

# A copy in C order, in host memory; of host memory.
cdef Loan loan_of_copy(const anyrank_t *c, str what)

# An attribute of a producer, or None; what it raises is passed on as a BoundaryError.
cdef object attribute(object producer, str name, str what)

# ArgumentError unless it is None, True or False; and unless it is None or a stream.
cdef int check_copy(object copy, str what) except -1
cdef int check_stream(object stream, str what) except -1

# What __dlpack__ returns. `keeper` keeps alive what `c` points to. Errors about the options begin with `function`,
# about the memory with `what`.
cdef object export(const anyrank_t *c, object keeper, object stream, object max_version, object dl_device,
                   object copy, str function, str what)

# BoundaryError for memory that must not be written: neither a bare DLTensor nor a classic capsule could say so.
cdef int check_writable(const anyrank_t *c, str what) except -1

# A bare DLTensor that points into `c`.
cdef int fill_tensor(dltensor_t *tensor, const anyrank_t *c, str what) except -1

# The member of enum teeny_space for memory on a device, or DeviceError, about `what`'s device.
cdef int space_of(device_t device, str what) except -1

# `ptr` as an address from which every element that the mapping reaches can lie in memory.
cdef object address(object ptr, Mapping mapping, int itemsize, str what)
