"""Operation tags (see ops.pyx)."""

cdef class Operation:
    cdef readonly str name
    cdef readonly str signature
    cdef readonly dict inputs
    cdef readonly dict outputs
    cdef int cell[8]          # axes of a cell, operand by operand
    cdef int input_count, output_count

cdef Operation INV, DET, SOLVE
