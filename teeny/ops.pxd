"""Operation tags (see ops.pyx)."""

from libc.stdint cimport int64_t

from numpy cimport ndarray

cdef enum:
    MAX_AXES = 8  # different axes in the cells of an operation

cdef enum kind_t:
    SAME, REAL, STATUS

cdef class Operation:
    cdef readonly str name
    cdef readonly str signature
    cdef readonly str failure
    cdef readonly bint inexact
    cdef readonly tuple names         # of the operands
    cdef readonly tuple axes          # in order of appearance, so that those of inputs come first
    cdef readonly dict inputs
    cdef readonly dict outputs
    cdef int id                       # row of the table of leaves
    cdef int input_count, output_count
    cdef int cell[8]                  # axes of a cell, operand by operand
    cdef int axis[8][2]               # which, as a place in `axes`
    cdef kind_t kind[8]
    cdef int axis_count
    cdef int bound                    # of them, those that inputs have: they come first
    cdef char letter[8]               # their names

    # Enter the sizes of a cell of x, operand k, into `size`, where -1 is unknown. Whether they agree.
    cdef bint bind(self, int k, ndarray x, int64_t *size) noexcept

    # The size a leaf must be made for: that of all axes of inputs, 0 for different ones, -1 where none can be.
    cdef int leaf_size(self, const int64_t *size) noexcept

cdef Operation INV, DET, SLOGDET, SOLVE, SOLVEVEC
cdef Operation CHOLESKY, CHO_SOLVE, QR
cdef Operation EIGH, EIGVALSH, SVD, SVDVALS, PINV, LSTSQ
cdef Operation MATMUL, MATVEC, VECMAT, OUTER, TRACE, EXPM
cdef Operation SYM_PACK, SYM_UNPACK, SYM_MATVEC, SYM_SOLVE, SYM_INV, SYM_DET
