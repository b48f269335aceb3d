"""The package's own kernels as a backend."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core import isa
from teeny._core.driver cimport plan_batch, plan_t, run_plan
from teeny._core.leaves.table cimport SMALL_TABLE, small_table_t
from teeny._core.operands cimport describe, in_place
from teeny._core.run cimport leaf_t
from teeny._core.threads import MAX_WORKERS, positive
from teeny._core.vocabulary cimport anyrank_t, raise_status
from teeny.backends.base import Accepts, Backend
from teeny.ops cimport DET, INV, SOLVE, Operation

cnp.import_array()

__all__ = ["CpuKernels"]

cdef object capsule = isa.load("small").table()
cdef small_table_t *small = <small_table_t *> PyCapsule_GetPointer(capsule, SMALL_TABLE)


cdef leaf_t find_leaf(Operation op, int typenum, int64_t size) noexcept:
    cdef int storage = 0 if typenum == cnp.NPY_FLOAT32 else 1
    if not 1 <= size <= 8 or not (typenum == cnp.NPY_FLOAT32 or typenum == cnp.NPY_FLOAT64):
        return NULL
    if op is INV:
        return small.inv[storage][size - 1]
    if op is DET:
        return small.det[storage][size - 1]
    if op is SOLVE:
        return small.solve[storage][size - 1]
    return NULL


cdef int64_t apply_leaf(leaf_t leaf, Operation op, const anyrank_t *operands, int workers) except -1:
    cdef plan_t plan
    raise_status(plan_batch(&plan, leaf, NULL, operands, op.cell, op.input_count, op.output_count), op.name)
    return run_plan(&plan, workers)


class CpuKernels(Backend):
    """Static-size kernels over long runs of cells.

    Parameters
    ----------
    workers : int, optional
        Threads to use; by default as many as the work is worth.

    Examples
    --------
    >>> from teeny.backends import CpuKernels
    >>> CpuKernels(workers=2)
    CpuKernels(workers=2)
    """

    takes = "float32 and float64 matrices from 1 x 1 to 8 x 8"

    def __init__(self, workers=None):
        self.workers = None if workers is None else positive(workers, "CpuKernels", "workers")

    def __repr__(self):
        return "CpuKernels()" if self.workers is None else f"CpuKernels(workers={self.workers})"

    def accepts(self, op, *operands):
        return Accepts.NO if leaf_for(op, operands) == NULL else Accepts.YES

    def try_kernel(self, op, *operands):
        cdef anyrank_t carriers[8]
        cdef int64_t meta[8][128]
        cdef leaf_t leaf = leaf_for(op, operands)
        if leaf == NULL:
            return False
        for k, x in enumerate(operands):
            describe(x, &carriers[k], meta[k])
        apply_leaf(leaf, op, carriers, min(self.workers or 0, MAX_WORKERS))
        return True


cdef leaf_t leaf_for(Operation op, tuple operands):
    """The leaf for arrays as they come, or NULL where one of them does not fit."""
    if not op.fits(operands):
        return NULL
    cdef ndarray a = operands[0]
    for k, (name, x) in enumerate(zip([*op.inputs, *op.outputs], operands)):
        if x.dtype.num != (cnp.NPY_INT32 if name == "info" else a.dtype.num) or not in_place(x):
            return NULL
        if k >= op.input_count and not x.flags.writeable:
            return NULL
    return find_leaf(op, a.dtype.num, a.shape[a.ndim - 1])
