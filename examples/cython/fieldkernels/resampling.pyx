"""Values of images between their voxels: nearest or linear, in one to three dimensions, with four bounds.

    axis       candidates                      tags
    storage    float32 float64                 real
    dimension  1 2 3                           dimension_tag
    order      NEAREST LINEAR                  order_tag
    bound      ZERO REPLICATE DCT2 DFT         bound_tag
                                               2 x 3 x 2 x 4 = 48 leaves in all
"""

from libc.math cimport floor, fmod
from libc.stdint cimport int64_t

from teeny cimport (AnyRank, Int1, Int2, Int3, anyrank_t, as_anyrank, batch_apply, cells_t, import_teeny, leaf_t, real,
                    run_t)

import numpy as np
import teeny as tny

from fieldkernels.boundary import operand

import_teeny()  # ImportError beside a teeny that this was not compiled for


# -------------------------------------------- candidates, and their tags

cpdef enum Order:
    NEAREST
    LINEAR

cpdef enum Bound:
    ZERO       # 0 outside
    REPLICATE  # the nearest voxel of the image: a a a | a b c | c c c
    DCT2       # reflection about the outer edges:  c b a | a b c | c b a
    DFT        # periodic:                          a b c | a b c | a b c

# The size of a tag is the value that it stands for, plus one.
cdef struct Nearest:
    char size[NEAREST + 1]

cdef struct Linear:
    char size[LINEAR + 1]

cdef struct Zero:
    char size[ZERO + 1]

cdef struct Replicate:
    char size[REPLICATE + 1]

cdef struct Dct2:
    char size[DCT2 + 1]

cdef struct Dft:
    char size[DFT + 1]

ctypedef fused dimension_tag:
    Int1
    Int2
    Int3

ctypedef fused order_tag:
    Nearest
    Linear

ctypedef fused bound_tag:
    Zero
    Replicate
    Dct2
    Dft


# ------------------------------------------------------------- the leaf


cdef inline double nearby(double x, int64_t n, bound_tag *_) noexcept nogil:
    """A coordinate with the value of `x`, within two images of this one; NaN if there is none."""
    if bound_tag is Dct2:
        return fmod(x, 2 * n)
    elif bound_tag is Dft:
        return fmod(x, n)
    else:
        return -2 if x < -2 else n + 1 if x > n + 1 else x


cdef inline int64_t voxel(int64_t i, int64_t n, bound_tag *_) noexcept nogil:
    """Which of n voxels has the value at `i`; -1 if none has."""
    cdef int64_t period = 2 * n if bound_tag is Dct2 else n
    if bound_tag is Zero:
        return i if 0 <= i < n else -1
    elif bound_tag is Replicate:
        return min(max(i, 0), n - 1)
    else:
        i += period if i < 0 else -period if i >= period else 0
        return i if i < n else period - 1 - i


cdef inline void split(double x, int64_t n, int64_t *index, double *weight, order_tag *_, bound_tag *b) noexcept nogil:
    """The voxels along one axis whose weighted sum is the value at `x`: one for NEAREST, two for LINEAR."""
    cdef int tap
    x = nearby(x, n, b)
    cdef bint number = x == x
    cdef double low = floor(x) if number else 0
    if order_tag is Nearest:
        index[0] = <int64_t> low + (x - low >= 0.5)
        weight[0] = 1 if number else x
    else:
        index[0], index[1] = <int64_t> low, <int64_t> low + 1
        weight[0], weight[1] = 1 - (x - low), x - low
    for tap in range(<int> sizeof(order_tag)):
        index[tap] = voxel(index[tap], n, b)
        if index[tap] < 0:
            index[tap] = 0
            weight[tap] = 0


cdef int64_t resample_leaf(const run_t *run, real *_, dimension_tag *d, order_tag *o, bound_tag *b) noexcept nogil:
    """Operands: image (*spatial, C), coordinates (D,), then values (C,)."""
    cdef const cells_t *image = &run.op[0]
    cdef const cells_t *coordinates = &run.op[1]
    cdef const cells_t *values = &run.op[2]
    cdef int dimension = sizeof(dimension_tag), taps = sizeof(order_tag), axis, tap, k, m
    cdef int64_t[2] index
    cdef int64_t[8] offset
    cdef double[2] along
    cdef double[8] weight
    cdef int64_t point, channel
    cdef double total
    cdef const real *x
    cdef const real *voxels
    cdef real *value
    for point in range(run.n):
        x = <const real *> coordinates.data + point * coordinates.step
        voxels = <const real *> image.data + point * image.step
        value = <real *> values.data + point * values.step
        offset[0] = 0
        weight[0] = m = 1
        for axis in range(dimension):  # m taps become taps * m, from the last to the first
            split(x[axis * coordinates.strides[0]], image.shape[axis], index, along, o, b)
            for tap in range(taps - 1, -1, -1):
                for k in range(m):
                    offset[tap * m + k] = offset[k] + index[tap] * image.strides[axis]
                    weight[tap * m + k] = weight[k] * along[tap]
            m *= taps
        for channel in range(values.shape[0]):
            total = 0
            for k in range(m):
                if weight[k] != 0:  # outside, there is nothing to read
                    total += weight[k] * voxels[offset[k] + channel * image.strides[dimension]]
            value[channel * values.strides[0]] = <real> total
    return 0


# ------------------------------------------------------------- the table

cdef leaf_t leaves[2][3][2][4]  # by storage, dimension - 1, order, bound


cdef void enter(real *t, dimension_tag *d, order_tag *o, bound_tag *b) noexcept:
    leaves[real is double][sizeof(dimension_tag) - 1][sizeof(order_tag) - 1][sizeof(bound_tag) - 1] = (
        <leaf_t> resample_leaf[real, dimension_tag, order_tag, bound_tag])


cdef void enter_bounds(real *t, dimension_tag *d, order_tag *o) noexcept:
    enter(t, d, o, <Zero *> NULL)
    enter(t, d, o, <Replicate *> NULL)
    enter(t, d, o, <Dct2 *> NULL)
    enter(t, d, o, <Dft *> NULL)


cdef void enter_orders(real *t, dimension_tag *d) noexcept:
    enter_bounds(t, d, <Nearest *> NULL)
    enter_bounds(t, d, <Linear *> NULL)


cdef void enter_dimensions(real *t) noexcept:
    enter_orders(t, <Int1 *> NULL)
    enter_orders(t, <Int2 *> NULL)
    enter_orders(t, <Int3 *> NULL)


enter_dimensions(<float *> NULL)
enter_dimensions(<double *> NULL)


# ---------------------------------------------------------- the function

POINTS_PER_WORKER = 4096  # what makes up for waking one


def resample(image, coordinates, order=LINEAR, bound=ZERO, *, workers=0):
    """
    Values of an image at any points, whatever the ranks and strides; nothing is copied.

    Parameters
    ----------
    image : (*batch, *spatial, C) array
        In float32 or float64, with one to three spatial axes and C channels.
    coordinates : (*batch, *points, D) array
        In the dtype of the image: D coordinates in voxels, one for each spatial axis, 0 in the
        middle of the first voxel. D says how many axes of `image` are spatial; the batch axes in
        front of them are broadcast against as many first axes of `coordinates`, the others of which
        are points, any number.
    order : Order, optional
        NEAREST (up, halfway between two voxels) or LINEAR.
    bound : Bound, optional
        What the image is outside: ZERO, REPLICATE (the nearest voxel), DCT2 (reflected about the
        outer edges of the first and last voxel) or DFT (periodic).
    workers : int, optional
        Threads; 0 takes as many as the work is worth.

    Returns
    -------
    (*batch, *points, C) ndarray
        NaN where a coordinate is, or is infinite in a reflected or periodic image. An image without
        voxels is 0 everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from fieldkernels import Bound, resample
    >>> ramp = np.arange(4.0).reshape(4, 1)
    >>> resample(ramp, np.array([[0.25], [3.5], [-1.0]]), bound=Bound.REPLICATE)[:, 0]
    array([0.25, 3.  , 0.  ])
    """
    cdef AnyRank a = operand(image, "resample: image"), x = operand(coordinates, "resample: coordinates")
    cdef int dimension = x.shape[-1] if x.ndim > 0 and x.shape[-1] <= 3 else 0
    cdef int batch = a.ndim - dimension - 1, points = x.ndim - batch - 1
    if dimension == 0:
        raise tny.ShapeError(f"resample: coordinates: found shape {x.shape}, expected (*batch, *points, 1, 2 or 3)")
    if batch < 0:
        raise tny.ShapeError(f"resample: image: found shape {a.shape}, expected (*batch, *spatial, C) "
                             f"with {dimension} spatial axes, one for each coordinate")
    if points < 0:
        raise tny.ShapeError(f"resample: coordinates: found shape {x.shape}, expected (*batch, *points, {dimension}) "
                             f"with the {batch} batch axes of an image of shape {a.shape}")
    if a.ndim + points > 64:
        raise tny.ShapeError(f"resample: coordinates: found {points} axes of points, expected at most {64 - a.ndim} "
                             f"with an image of {a.ndim} axes")
    if a.dtype != x.dtype:
        raise tny.DTypeError(f"resample: coordinates: found {x.dtype}, expected {a.dtype} as in the image")
    for name, value, kind in (("order", order, Order), ("bound", bound, Bound)):
        if value not in list(kind):
            raise ValueError(f"resample: {name}: found {value!r}, expected one of {list(kind)}")
    pairs = list(zip(a.shape[:batch], x.shape[:batch], strict=True))
    if any(m != n and 1 not in (m, n) for m, n in pairs):
        raise tny.ShapeError(f"resample: coordinates: found batch {x.shape[:batch]}, expected it to broadcast "
                             f"against {a.shape[:batch]}, the batch of the image")
    shape = tuple(n if m == 1 else m for m, n in pairs) + x.shape[batch:-1] + a.shape[-1:]
    if max(a.shape[batch:-1]) > 2**52:
        raise tny.ShapeError(f"resample: image: found shape {a.shape}, expected at most 2**52 voxels along an axis")
    if 0 in a.shape[batch:-1]:
        return np.zeros(shape, a.dtype.numpy)
    values = np.empty(shape, a.dtype.numpy)
    # to the driver, points are batch: a cell is the whole image, the coordinates of a point, and its values
    cdef AnyRank y = as_anyrank(values)
    a = as_anyrank(a.fixed(a.ndim).unsqueeze(*range(batch, batch + points)))
    cdef anyrank_t[3] operands = [a.c, x.c, y.c]
    cdef int[3] core = [dimension + 1, 1, 1]
    if workers == 0:  # by bytes, as the driver counts, every point would be worth an image
        workers = max(1, min(tny.get_num_threads(), values.size // POINTS_PER_WORKER))
    batch_apply(leaves[a.dtype.bits == 64][dimension - 1][order][bound], NULL, operands, core, 2, 1, workers)
    return values


def instantiations():
    """How many leaves there are."""
    cdef leaf_t *first = &leaves[0][0][0][0]
    return len({<size_t> first[i] for i in range(sizeof(leaves) // sizeof(leaf_t))})
