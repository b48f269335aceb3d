"""The package's own kernels as a backend."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core import isa
from teeny._core.driver cimport plan_batch, plan_t, run_plan
from teeny._core.leaves.table cimport LEAVES, OPS, leaves_t
from teeny._core.operands cimport describe, in_place
from teeny._core.run cimport leaf_t
from teeny._core.threads import MAX_WORKERS, positive
from teeny._core.vocabulary cimport anyrank_t, raise_status
from teeny.backends.base import Accepts, Backend
from teeny.ops cimport STATUS, Operation

cnp.import_array()

__all__ = ["CpuKernels"]

cdef leaves_t leaves


def load():
    """Collect the leaves of all families, each in the variant that suits this CPU."""
    cdef const leaves_t *family
    cdef int op, storage, size
    for name in sorted(isa.modules("teeny._core.leaves")):
        for variant in isa.load(name):
            capsule = variant.table()
            family = <const leaves_t *> PyCapsule_GetPointer(capsule, LEAVES)
            for op in range(OPS):
                for storage in range(2):
                    for size in range(9):
                        if family.leaf[op][storage][size] != NULL:
                            leaves.leaf[op][storage][size] = family.leaf[op][storage][size]


load()


cdef leaf_t find_leaf(Operation op, int typenum, int size) noexcept:
    cdef leaf_t *row
    if op.id < 0 or size < 0 or not (typenum == cnp.NPY_FLOAT32 or typenum == cnp.NPY_FLOAT64):
        return NULL
    row = leaves.leaf[op.id][0 if typenum == cnp.NPY_FLOAT32 else 1]
    return row[size] if row[size] != NULL else row[0]


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

    takes = "float32 and float64 cells, from 1 x 1 to 8 x 8"

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
    cdef int64_t size[8]
    cdef ndarray x
    cdef int k, axis, typenum = -1
    if len(operands) != op.input_count + op.output_count:
        return NULL
    for axis in range(8):
        size[axis] = -1
    for k in range(op.input_count + op.output_count):
        x = operands[k]
        if k == 0:
            typenum = cnp.PyArray_TYPE(x)
        if cnp.PyArray_TYPE(x) != (cnp.NPY_INT32 if op.kind[k] == STATUS else typenum) or not in_place(x):
            return NULL
        if k >= op.input_count and not cnp.PyArray_ISWRITEABLE(x):
            return NULL
        if not op.bind(k, x, size):
            return NULL
    return find_leaf(op, typenum, op.leaf_size(size))
