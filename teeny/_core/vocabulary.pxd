"""The words of the package: data types, devices, status codes (see ``teeny/vocabulary.h``).

The C names stand here once; every other module cimports them from here.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from numpy cimport dtype as np_dtype

cdef extern from "teeny/vocabulary.h" nogil:
    const int MAX_NDIM "TEENY_MAX_NDIM"

    ctypedef struct dtype_t "teeny_dtype_t":
        uint8_t code
        uint8_t bits
        uint16_t lanes

    ctypedef struct device_t "teeny_device_t":
        int32_t type
        int32_t id

    enum:
        INT "TEENY_INT"
        UINT "TEENY_UINT"
        FLOAT "TEENY_FLOAT"
        BFLOAT "TEENY_BFLOAT"
        COMPLEX "TEENY_COMPLEX"
        BOOL "TEENY_BOOL"

    enum:
        CPU "TEENY_CPU"
        CUDA "TEENY_CUDA"
        CUDA_HOST "TEENY_CUDA_HOST"
        CUDA_MANAGED "TEENY_CUDA_MANAGED"

    enum:
        OK "TEENY_OK"
        SINGULAR "TEENY_SINGULAR"
        ERROR_RANK "TEENY_ERROR_RANK"
        ERROR_RANGE "TEENY_ERROR_RANGE"
        ERROR_OVERFLOW "TEENY_ERROR_OVERFLOW"
        ERROR_BROADCAST "TEENY_ERROR_BROADCAST"

cdef extern from "teeny/anyrank.h" nogil:
    enum:
        VIEW "TEENY_VIEW"
        PINNED "TEENY_PINNED"
        MAPPED "TEENY_MAPPED"
        GPU_VIEW "TEENY_GPU_VIEW"

    enum:
        READONLY "TEENY_READONLY"
        UNALIGNED "TEENY_UNALIGNED"

    # An array of any rank; strides are in elements; owns nothing.
    ctypedef struct anyrank_t "teeny_anyrank_t":
        void *data
        const int64_t *shape
        const int64_t *strides
        int32_t ndim
        uint32_t flags
        dtype_t dtype
        uint32_t space
        device_t device

cdef class DType:
    cdef dtype_t c

cdef class Device:
    cdef device_t c

cdef DType make_dtype(dtype_t c)
cdef Device make_device(device_t c)

# Any spelling of a data type, and of a device, or an error that begins with `what`.
cdef DType as_dtype(object x, str what)
cdef Device as_device(object x, str what)

# A plain integer, one from low to high, and a truth value; or ArgumentError, beginning with `what` and `which`.
cdef object integer(object value, str what, str which=*)
cdef int64_t small(object value, int64_t low, int64_t high, str what, str which=*) except? -1
cdef bint flag(object value, str what, str which=*) except -1

# The C descriptor of a NumPy dtype; DTypeError, which begins with `what`, if there is none.
cdef dtype_t dtype_from_numpy(np_dtype dtype, str what) except *

# The one place where a negative status becomes an exception, whose text begins with `what`.
cdef int raise_status(int code, str what) except -1
