"""NumPy operands of the public functions: acquired, checked, described, allocated.

Nothing here computes. Inputs that no kernel can read in place (byte-swapped,
unaligned, strides that are no multiple of the item) are copied; outputs like
that are refused.
"""

from libc.stdint cimport int64_t

from numpy cimport dtype as dtype_t, ndarray

from teeny._core.vocabulary cimport anyrank_t

# An input as an array of numbers. DTypeError for anything else; no copy unless it must be.
cdef ndarray acquire_input(object x, str function, str name)

# An input that a kernel can read in place, of dtype `dtype`.
cdef ndarray readable(ndarray x, dtype_t dtype)

# Whether a kernel can read or write `x` where it lies.
cdef bint in_place(ndarray x) noexcept

# `out`, or an error that says what is wrong with it, before anything is written.
cdef ndarray acquire_output(object out, str function, int ndim, const int64_t *shape, dtype_t dtype)

# A new array; its first `batch` axes in the order in which the inputs walk theirs.
cdef ndarray new_output(int ndim, const int64_t *shape, int batch, int typenum, bint zeros,
                        const anyrank_t *inputs, const int *core, int count)

# Whether writing `out` while reading `x` could be seen: true for overlaps, but not for
# the same cells in the same places.
cdef bint disturbs(ndarray out, ndarray x)

# Whether the ranges of addresses of two arrays overlap.
cdef bint meet_in_memory(ndarray a, ndarray b) noexcept

# The carrier of an array that is `in_place`; `meta` has room for twice its axes.
cdef void describe(ndarray x, anyrank_t *c, int64_t *meta) noexcept
