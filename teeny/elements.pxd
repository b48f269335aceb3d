"""Functions of single elements: one call, from Python arguments to a kernel (see elements.pyx)."""


cdef class Function:
    """One function: its row in the table of kernels, and the NumPy function that has its every other case."""

    cdef int op
    cdef readonly str name
    cdef readonly tuple arguments
    cdef readonly object otherwise
    cdef bint compares


# `function` of `operands`, element by element. `out` and `workers` are as callers of the package give them.
cdef object call(Function function, tuple operands, object out, object workers)
