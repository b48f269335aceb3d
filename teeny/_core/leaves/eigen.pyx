"""Leaves for symmetric matrices: eigenvalues and eigenvectors.

Storage is float32 or float64; arithmetic is float64, rounded once. Each leaf
takes a bundle of cells at a time; 2 x 2 and 3 x 3 have leaves of their own:

    family      storage          sizes       leaves
    eigh        float32 float64  2 3 any      6
    eigvalsh    float32 float64  2 3 any      6
                                             12 in all

This module is compiled once per instruction set; `table` is all it exports.
"""

from libc.math cimport NAN
from libc.stdint cimport int64_t

from cpython.pycapsule cimport PyCapsule_New

from teeny._core.dispatch cimport real
from teeny._core.lanes cimport LANES, lane_mask_t, lanes_fill, lanes_select, lanes_t, mask_any, mask_none, mask_or
from teeny._core.leaves.cells cimport count, gather, matrices, matrices_t, report, scatter, vectors
from teeny._core.leaves.spectrum cimport BUNDLES, ascend, extreme_vector, join, spectrum2, split, standardise
from teeny._core.leaves.table cimport LEAVES, OP_EIGH, OP_EIGVALSH, leaves_t
from teeny._core.leaves.tridiagonal cimport common_part, diagonalise, refine, tridiagonalise
from teeny._core.run cimport leaf_t, run_t

cdef void spectrum(lanes_t *a, int n, int bundles, lanes_t *w, lanes_t *v, lane_mask_t *failed, bint wanted,
                   bint refined) noexcept nogil:
    """Any size. Results to be rounded to float32 are not worth refining."""
    cdef lanes_t e[BUNDLES * 8]
    cdef lanes_t vt[BUNDLES * 64]
    cdef lanes_t common[BUNDLES]
    cdef lanes_t t[64]
    cdef int b, i, j, cells = n * n
    for b in range(bundles):
        # what all eigenvalues have in common would only add its rounding errors
        common[b] = common_part(a + b * cells, n)
        for i in range(n):
            a[b * cells + i * n + i] = a[b * cells + i * n + i] - common[b]
        for i in range(cells):
            t[i] = a[b * cells + i]
        tridiagonalise(t, n, w + b * n, e + b * n, vt + b * cells, wanted)
    diagonalise(n, bundles, w, e, vt, wanted, failed)
    for b in range(bundles):
        if refined:
            refine(a + b * cells, n, w + b * n, vt + b * cells)
        for i in range(n):
            w[b * n + i] = w[b * n + i] + common[b]
        ascend(n, w + b * n, vt + b * cells, n if wanted else 0, n, 1)
        if wanted:
            for i in range(n):
                for j in range(n):
                    v[b * cells + i * n + j] = vt[b * cells + j * n + i]


cdef inline void finish(lanes_t *x, int size, lanes_t factor, lane_mask_t lost) noexcept nogil:
    """x times a power of two; NaN where lost. No negative zeros: a lane that waits for others may lose their sign."""
    cdef int i
    for i in range(size):
        x[i] = x[i] * factor + lanes_fill(0.0)
    if mask_any(lost):
        for i in range(size):
            x[i] = lanes_select(lost, lanes_fill(NAN), x[i])


cdef inline int64_t spectra(const run_t *run, int n, int leaf, bint wanted, real *r) noexcept nogil:
    """Operands: a (n, n), then w (n), v (n, n) if wanted, info (). `leaf` is n if that is static, else 0."""
    cdef matrices_t a = matrices(&run.op[0], n, n), w = vectors(&run.op[1], n), v
    cdef lanes_t ax[BUNDLES * 64]
    cdef lanes_t wx[BUNDLES * 8]
    cdef lanes_t vx[BUNDLES * 64]
    cdef lanes_t basis[BUNDLES * 9]
    cdef lanes_t between[BUNDLES * 6]
    cdef lanes_t scale[BUNDLES]
    cdef lane_mask_t undefined[BUNDLES]
    cdef lane_mask_t failed[BUNDLES]
    cdef lane_mask_t lost
    cdef int64_t start = 0, failures = 0
    cdef int b, m, bundles, cells = n * n
    if wanted:
        v = matrices(&run.op[2], n, n)
    while start < run.n:
        bundles = 0
        while bundles < BUNDLES and start + bundles * LANES < run.n:
            b = bundles
            bundles += 1
            gather(a, start + b * LANES, count(start + b * LANES, run.n), n, n, ax + b * cells, r)
            scale[b] = standardise(ax + b * cells, n, undefined + b)
            failed[b] = mask_none()
        if leaf == 2:
            for b in range(bundles):
                spectrum2(ax + b * cells, wx + b * n, vx + b * cells)
        elif leaf == 3:
            for b in range(bundles):
                extreme_vector(ax + b * cells, basis + b * 9)
            for b in range(bundles):
                split(ax + b * cells, basis + b * 9, between + b * 6)
            for b in range(bundles):
                join(basis + b * 9, between + b * 6, wx + b * n, vx + b * cells, wanted)
        else:
            spectrum(ax, n, bundles, wx, vx, failed, wanted, wanted and real is double)
        for b in range(bundles):
            m = count(start, run.n)
            lost = mask_or(failed[b], undefined[b])
            finish(wx + b * n, n, lanes_fill(1.0) / scale[b], lost)
            scatter(w, start, m, n, 1, wx + b * n, r)
            if wanted:
                finish(vx + b * cells, cells, lanes_fill(1.0), lost)
                scatter(v, start, m, n, n, vx + b * cells, r)
            failures += report(&run.op[3 if wanted else 2], start, m, failed[b], undefined[b])
            start += m
    return failures


# ------------------------------------------------------------------- leaves


cdef int64_t eigh2(const run_t *run, real *r) noexcept nogil:
    return spectra(run, 2, 2, True, r)


cdef int64_t eigh3(const run_t *run, real *r) noexcept nogil:
    return spectra(run, 3, 3, True, r)


cdef int64_t eigh(const run_t *run, real *r) noexcept nogil:
    return spectra(run, <int> run.op[0].shape[0], 0, True, r)


cdef int64_t eigvalsh2(const run_t *run, real *r) noexcept nogil:
    return spectra(run, 2, 2, False, r)


cdef int64_t eigvalsh3(const run_t *run, real *r) noexcept nogil:
    return spectra(run, 3, 3, False, r)


cdef int64_t eigvalsh(const run_t *run, real *r) noexcept nogil:
    return spectra(run, <int> run.op[0].shape[0], 0, False, r)


cdef leaves_t leaves


cdef void enter(int storage, real *_) noexcept:
    leaves.leaf[OP_EIGH][storage][0] = <leaf_t> eigh[real]
    leaves.leaf[OP_EIGH][storage][2] = <leaf_t> eigh2[real]
    leaves.leaf[OP_EIGH][storage][3] = <leaf_t> eigh3[real]
    leaves.leaf[OP_EIGVALSH][storage][0] = <leaf_t> eigvalsh[real]
    leaves.leaf[OP_EIGVALSH][storage][2] = <leaf_t> eigvalsh2[real]
    leaves.leaf[OP_EIGVALSH][storage][3] = <leaf_t> eigvalsh3[real]


enter(0, <float *> NULL)
enter(1, <double *> NULL)


def table():
    """The leaves of this instruction set: a capsule around a ``leaves_t``."""
    return PyCapsule_New(&leaves, LEAVES, NULL)
