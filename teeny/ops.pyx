"""Operation tags: what is asked for, apart from who computes it.

A backend receives a tag and the operands in the tag's order, inputs before
outputs. The batch axes of all operands broadcast; an output has the full batch
shape. All operands have one dtype, but that ``real`` ones of a complex operation
are real, and ``int32`` ones int32. The output ``info`` is the status of each cell,
0, `FAILED` or `UNDEFINED`, and zeroed when a backend receives it.
"""

import re

from libc.stdint cimport int64_t

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.leaves cimport table
from teeny._core.run cimport CELL_FAILED, CELL_UNDEFINED

#: Status of a cell whose matrix is singular, not positive definite, not converged: see `Operation.failure`.
FAILED = CELL_FAILED

#: Status of a cell that is not finite: its result is NaN.
UNDEFINED = CELL_UNDEFINED


cdef int triangle(int64_t size) noexcept:
    """The n of which `size` is n (n + 1) / 2, or -1."""
    cdef int n
    for n in range(1, 9):
        if n * (n + 1) // 2 == size:
            return n
    return -1


cdef dict KINDS = {"": SAME, "real": REAL, "int32": STATUS}


cdef class Operation:
    """One operation on cells of a batch.

    Parameters
    ----------
    name : str
    signature : str
        The operands' names and the axes of a cell, ``"a(n,n),b(n,k)->x(n,k),int32 info()"``. Axes are
        letters: ``k`` counts right-hand sides, ``r`` is the smaller of ``m`` and ``n``, ``p`` is ``m`` or
        ``r``, ``q`` is ``n`` or ``r``, and ``t`` is ``n (n + 1) / 2``.
    id : int, optional
        Row in the table of leaves; -1 for an operation without any.
    failure : str, optional
        What is wrong with a matrix whose status is `FAILED`.
    inexact : bool, optional
        Whether integers count as float64.

    Attributes
    ----------
    inputs, outputs : dict of str to tuple of str
        The operands and the axes of their cells.

    Examples
    --------
    >>> from teeny.ops import SOLVE
    >>> SOLVE
    solve: a(n,n),b(n,k)->x(n,k),int32 info()
    >>> SOLVE.inputs
    {'a': ('n', 'n'), 'b': ('n', 'k')}
    """

    def __init__(self, str name, str signature, int id=-1, str failure="singular", bint inexact=True):
        cdef int k, j
        self.name = name
        self.signature = signature
        self.id = id
        self.failure = failure
        self.inexact = inexact
        self.inputs, self.outputs = (
            {operand: tuple(re.findall(r"\w+", axes)) for operand, axes in re.findall(r"(\w+)\(([^)]*)\)", side)}
            for side in signature.split("->")
        )
        self.names = (*self.inputs, *self.outputs)
        self.input_count = len(self.inputs)
        self.output_count = len(self.outputs)
        cells = [*self.inputs.values(), *self.outputs.values()]
        self.axes = tuple(dict.fromkeys(axis for axes in cells for axis in axes))
        self.axis_count = len(self.axes)
        for k, axis in enumerate(self.axes):
            self.letter[k] = ord(axis)
        self.bound = len({axis for axes in self.inputs.values() for axis in axes})
        kinds = [KINDS[kind] for kind in re.findall(r"(\w*?) ?\w+\(", signature)]
        for k, (axes, kind) in enumerate(zip(cells, kinds)):
            self.kind[k] = kind
            self.cell[k] = len(axes)
            for j in range(len(axes)):
                self.axis[k][j] = self.axes.index(axes[j])

    cdef bint bind(self, int k, ndarray x, int64_t *size) noexcept:
        cdef int j, axis, ndim = cnp.PyArray_NDIM(x)
        cdef int64_t found
        if ndim < self.cell[k]:
            return False
        for j in range(self.cell[k]):
            axis = self.axis[k][j]
            found = cnp.PyArray_DIM(x, ndim - self.cell[k] + j)
            if size[axis] < 0:
                size[axis] = found
            elif size[axis] != found:
                return False
        return True

    cdef int leaf_size(self, const int64_t *size) noexcept:
        cdef int axis, n
        cdef int64_t common = -1, rows = 0, cols = 0, found
        for axis in range(self.axis_count):
            if self.letter[axis] == b"m":
                rows = size[axis]
            elif self.letter[axis] == b"n":
                cols = size[axis]
        for axis in range(self.axis_count):
            found = size[axis]
            if self.letter[axis] == b"k":
                continue
            if self.letter[axis] == b"t":
                n = triangle(found)
                if cols not in (0, n):
                    return -1
                found = n
            elif self.letter[axis] == b"r" and found != min(rows, cols):
                return -1
            elif self.letter[axis] == b"p" and found not in (rows, min(rows, cols)):
                return -1
            elif self.letter[axis] == b"q" and found not in (cols, min(rows, cols)):
                return -1
            if not 1 <= found <= 8:
                return -1
            if axis < self.bound:
                common = found if common < 0 or common == found else 0
        return <int> common

    def __repr__(self):
        return f"{self.name}: {self.signature}"

    def __reduce__(self):
        return self.name.upper()


INV = Operation("inv", "a(n,n)->x(n,n),int32 info()", table.OP_INV)
DET = Operation("det", "a(n,n)->d()", table.OP_DET)
SLOGDET = Operation("slogdet", "a(n,n)->sign(),real logabsdet()", table.OP_SLOGDET)
SOLVE = Operation("solve", "a(n,n),b(n,k)->x(n,k),int32 info()", table.OP_SOLVE)
SOLVEVEC = Operation("solvevec", "a(n,n),b(n)->x(n),int32 info()", table.OP_SOLVEVEC)

CHOLESKY = Operation("cholesky", "a(n,n)->l(n,n),int32 info()", table.OP_CHOLESKY, "not positive definite")
CHO_SOLVE = Operation("cho_solve", "l(n,n),b(n,k)->x(n,k),int32 info()", table.OP_CHO_SOLVE)
QR = Operation("qr", "a(m,n)->q(m,p),r(p,n)", table.OP_QR)

EIGH = Operation("eigh", "a(n,n)->real w(n),v(n,n),int32 info()", table.OP_EIGH, "without converged eigenvalues")
EIGVALSH = Operation("eigvalsh", "a(n,n)->real w(n),int32 info()", table.OP_EIGVALSH, EIGH.failure)
SVD = Operation("svd", "a(m,n)->u(m,p),real s(r),vh(q,n),int32 info()", table.OP_SVD,
                "without converged singular values")
SVDVALS = Operation("svdvals", "a(m,n)->real s(r),int32 info()", table.OP_SVDVALS, SVD.failure)
PINV = Operation("pinv", "a(m,n),real rtol()->x(n,m),int32 info()", table.OP_PINV, SVD.failure)
LSTSQ = Operation("lstsq", "a(m,n),b(m,k),real rtol()->x(n,k),real residuals(k),int32 rank(),real s(r),int32 info()",
                  table.OP_LSTSQ, SVD.failure)

MATMUL = Operation("matmul", "a(m,l),b(l,n)->c(m,n)", table.OP_MATMUL, inexact=False)
MATVEC = Operation("matvec", "a(m,n),x(n)->y(m)", table.OP_MATVEC, inexact=False)
VECMAT = Operation("vecmat", "x(m),a(m,n)->y(n)", table.OP_VECMAT, inexact=False)
OUTER = Operation("outer", "x(m),y(n)->c(m,n)", table.OP_OUTER, inexact=False)
TRACE = Operation("trace", "a(m,n)->t()", table.OP_TRACE, inexact=False)
EXPM = Operation("expm", "a(n,n)->x(n,n),int32 info()", table.OP_EXPM)

SYM_PACK = Operation("sym_pack", "a(n,n)->x(t)", table.OP_SYM_PACK, inexact=False)
SYM_UNPACK = Operation("sym_unpack", "x(t)->a(n,n)", table.OP_SYM_UNPACK, inexact=False)
SYM_MATVEC = Operation("sym_matvec", "a(t),x(n)->y(n)", table.OP_SYM_MATVEC, inexact=False)
SYM_SOLVE = Operation("sym_solve", "a(t),b(n)->x(n),int32 info()", table.OP_SYM_SOLVE)
SYM_INV = Operation("sym_inv", "a(t)->x(t),int32 info()", table.OP_SYM_INV)
SYM_DET = Operation("sym_det", "a(t)->d()", table.OP_SYM_DET)

_operations = [INV, DET, SLOGDET, SOLVE, SOLVEVEC, CHOLESKY, CHO_SOLVE, QR, EIGH, EIGVALSH, SVD, SVDVALS, PINV, LSTSQ,
               MATMUL, MATVEC, VECMAT, OUTER, TRACE, EXPM, SYM_PACK, SYM_UNPACK, SYM_MATVEC, SYM_SOLVE, SYM_INV, SYM_DET]
globals().update({op.name.upper(): op for op in _operations})

__all__ = ["FAILED", "UNDEFINED", "Operation", *sorted(op.name.upper() for op in _operations)]
