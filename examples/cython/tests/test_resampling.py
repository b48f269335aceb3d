"""resample against SciPy, against sums over padded images in plain NumPy, and where neither goes: infinity, NaN."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from fieldkernels import Bound, Order, resample
from fieldkernels.resampling import instantiations

import teeny as tny

SCIPY = {Bound.ZERO: "grid-constant", Bound.REPLICATE: "nearest", Bound.DCT2: "reflect", Bound.DFT: "grid-wrap"}
PAD = {Bound.ZERO: "constant", Bound.REPLICATE: "edge", Bound.DCT2: "symmetric", Bound.DFT: "wrap"}
DTYPES = [np.float32, np.float64]
everywhere = pytest.mark.parametrize("bound", Bound)
both_orders = pytest.mark.parametrize("order", Order)


def padded_sums(image, coordinates, order, bound, reach):
    """One image (*spatial, C) at points (N, D) less than `reach` outside: all voxels of the padded image, weighted."""
    dimension = coordinates.shape[-1]
    values = np.pad(image.astype(float), [(reach, reach)] * dimension + [(0, 0)], mode=PAD[bound])
    for axis in reversed(range(dimension)):
        x = coordinates[:, axis, None].astype(float) - np.arange(-reach, image.shape[axis] + reach)
        weight = np.maximum(1 - np.abs(x), 0) if order == Order.LINEAR else (x >= -0.5) & (x < 0.5)
        if axis == dimension - 1:
            values = np.einsum("...ic,ni->n...c", values, weight)
        else:
            values = np.einsum("n...ic,ni->n...c", values, weight)
    return values


def restrided(rng, x):
    """A view equal to `x` with axes in any order in memory, in either direction, one to three elements apart."""
    order, steps = rng.permutation(x.ndim), rng.choice([-3, -2, -1, 1, 2, 3], x.ndim)
    sizes = [max(1, x.shape[axis] * abs(steps[axis])) for axis in order]
    view = np.full(sizes, np.nan, x.dtype).transpose(np.argsort(order))[tuple(slice(None, None, s) for s in steps)]
    view = view[tuple(slice(size) for size in x.shape)]
    view[...] = x
    return view


def test_budget():
    assert instantiations() == len(DTYPES) * 3 * len(Order) * len(Bound) == 48


@everywhere
@both_orders
@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_scipy(dtype, dimension, order, bound):
    ndimage = pytest.importorskip("scipy.ndimage")
    rng = np.random.default_rng(dimension)
    image = rng.standard_normal((*(7, 4, 5)[:dimension], 2)).astype(dtype)
    coordinates = rng.uniform(-30, 30, (40, 3, dimension)).astype(dtype)
    values = resample(image, coordinates, order, bound)
    points = np.moveaxis(coordinates, -1, 0).astype(float)
    for channel in range(2):
        expected = ndimage.map_coordinates(image[..., channel].astype(float), points, order=order, mode=SCIPY[bound])
        np.testing.assert_allclose(values[..., channel], expected, atol=40 * np.finfo(dtype).eps)
    assert values.dtype == dtype


@pytest.mark.parametrize("seed", range(60))
def test_any_ranks_and_strides(seed):
    """Batches, points, channels and axes of any number and size, broadcast either way; halves of voxels among them."""
    rng = np.random.default_rng(seed)
    dimension, order, bound = rng.integers(1, 4), Order(rng.integers(2)), Bound(rng.integers(4))
    dtype = DTYPES[rng.integers(2)]
    batch = rng.integers(1, 4, rng.integers(4))
    points = rng.integers(1, 4, rng.integers(4))
    spatial = rng.integers(1, 5, dimension)
    image = rng.standard_normal((*np.where(rng.random(batch.size) < 0.3, 1, batch), *spatial, rng.integers(4)))
    coordinates = rng.integers(-24, 24, (*np.where(rng.random(batch.size) < 0.3, 1, batch), *points, dimension)) / 4
    image, coordinates = restrided(rng, image.astype(dtype)), restrided(rng, coordinates.astype(dtype))
    before = image.copy(), coordinates.copy()
    values = resample(image, coordinates, order, bound, workers=int(rng.integers(3)))
    np.testing.assert_array_equal(image, before[0])
    np.testing.assert_array_equal(coordinates, before[1])

    batches = np.broadcast_shapes(image.shape[: batch.size], coordinates.shape[: batch.size])
    assert values.shape == (*batches, *points, image.shape[-1])
    images = np.broadcast_to(image, batches + image.shape[batch.size :])
    grids = np.broadcast_to(coordinates, batches + coordinates.shape[batch.size :])
    for cell in np.ndindex(batches):
        expected = padded_sums(images[cell], grids[cell].reshape(-1, dimension), order, bound, reach=8)
        expected = expected.reshape(values[cell].shape)
        np.testing.assert_allclose(values[cell], expected, atol=20 * np.finfo(dtype).eps)


@both_orders
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_far_away(size, dtype, order):
    """No index is ever made of a number that is none, or too large for it; periods are taken off exactly."""
    voxels = np.arange(1, size + 1, dtype=dtype)
    far = np.array([1e6, 2.0**31, 2.0**53, 2.0**63, 1e30, np.finfo(dtype).max], dtype)
    far = np.concatenate([far, -far])

    def values(x, bound):
        return resample(voxels[:, None], x[:, None], order, bound)[:, 0]

    np.testing.assert_array_equal(values(far, Bound.ZERO), 0)
    np.testing.assert_array_equal(values(far, Bound.REPLICATE), np.where(far < 0, 1, size))
    wrapped = [int(x) % size for x in far]
    np.testing.assert_array_equal(values(far, Bound.DFT), voxels[wrapped])
    reflected = [min(int(x) % (2 * size), 2 * size - 1 - int(x) % (2 * size)) for x in far]
    np.testing.assert_array_equal(values(far, Bound.DCT2), voxels[reflected])

    infinite = np.array([-np.inf, np.inf], dtype)
    np.testing.assert_array_equal(values(infinite, Bound.ZERO), 0)
    np.testing.assert_array_equal(values(infinite, Bound.REPLICATE), [1, size])
    np.testing.assert_array_equal(values(infinite, Bound.DFT), np.nan)
    np.testing.assert_array_equal(values(infinite, Bound.DCT2), np.nan)


@everywhere
@both_orders
def test_nan_is_nan(order, bound):
    coordinates = np.array([[math.nan, 0], [0, math.nan], [math.nan, 99], [0, 0]])
    values = resample(np.ones((3, 3, 2)), coordinates, order, bound)
    np.testing.assert_array_equal(np.isnan(values), [[True, True]] * 3 + [[False, False]])


@everywhere
@both_orders
def test_voxels_themselves_are_exact(order, bound):
    """Neighbours of weight 0 do not matter, NaN though they be."""
    image = np.array([0.1, math.nan, 0.3, math.inf, 0.5])
    values = resample(image[:, None], np.arange(5.0)[:, None], order, bound)[:, 0]
    np.testing.assert_array_equal(values, image)


def test_nearest_rounds_halves_up_and_nothing_else():
    below = np.nextafter(0.5, 0)
    values = resample(np.array([[0.0], [1.0]]), np.array([[below], [0.5], [-0.5]]), Order.NEAREST, Bound.DFT)
    np.testing.assert_array_equal(values[:, 0], [0, 1, 0])


@everywhere
@pytest.mark.parametrize(
    ("image", "coordinates", "shape"),
    [
        ((0, 4, 2), (5, 2), (5, 2)),  # no voxels
        ((4, 4, 0), (5, 2), (5, 0)),  # no channels
        ((4, 4, 2), (0, 2), (0, 2)),  # no points
        ((0, 4, 4, 2), (1, 5, 2), (0, 5, 2)),  # no images
        ((3, 4, 2, 1), (3, 2), (3, 1)),  # one point each
        ((4, 1), (1,), (1,)),  # one point in all
        ((1,) * 40 + (4, 2), (1,) * 42 + (1,), (1,) * 42 + (2,)),
    ],
)
def test_empty_and_small(image, coordinates, shape, bound):
    values = resample(np.ones(image), np.full(coordinates, np.nan), bound=bound)
    assert values.shape == shape
    if 0 in image[-3:-1]:
        np.testing.assert_array_equal(values, 0)


def test_broadcast_memory_is_read_as_it_stands():
    image = np.broadcast_to(np.float64(3), (2**20, 2**20, 2**10, 1))
    values = resample(image, np.array([[1e6, 1e6, 1e3], [2.0**21, 0, 0]]))
    np.testing.assert_array_equal(values, [[3], [0]])


def test_workers_agree():
    rng = np.random.default_rng(0)
    image, coordinates = rng.standard_normal((2, 9, 8, 7, 3)), rng.uniform(-3, 12, (2, 30, 20, 10, 3))
    alone = resample(image, coordinates, workers=1)
    for workers in (0, 2, 5):
        np.testing.assert_array_equal(resample(image, coordinates, workers=workers), alone)


def test_readonly_arrays_are_fine():
    image, coordinates = np.ones((3, 1)), np.ones((2, 1))
    image.flags.writeable = coordinates.flags.writeable = False
    np.testing.assert_array_equal(resample(image, coordinates), [[1], [1]])


IMAGE, POINTS = np.zeros((5, 6, 1)), np.zeros((4, 2))
DEVICE = tny.AnyRank.from_pointer(4096, "float64", (4, 2), device="cuda")
SHIFTED = np.frombuffer(bytes(8 * 8 + 1), np.float64, offset=1).reshape(4, 2)
ENDLESS = tny.AnyRank.from_pointer(IMAGE.ctypes.data, "float64", (2**62, 1), (0, 1), owner=IMAGE)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((IMAGE.tolist(), POINTS), BufferError, "image: .*list"),
        ((IMAGE.astype(int), POINTS), TypeError, "image: found int64"),
        ((IMAGE, POINTS.astype("f4")), TypeError, "coordinates: found float32, expected float64"),
        ((IMAGE, POINTS.astype(complex)), TypeError, "coordinates: found complex128"),
        ((IMAGE, DEVICE), BufferError, "coordinates: found memory on cuda"),
        ((IMAGE, SHIFTED), ValueError, "coordinates: found unaligned"),
        ((IMAGE, np.zeros(())), ValueError, r"coordinates: found shape \(\)"),
        ((IMAGE, np.zeros((4, 0))), ValueError, r"coordinates: found shape \(4, 0\)"),
        ((np.zeros((2,) * 5), np.zeros((4, 4))), ValueError, r"coordinates: found shape \(4, 4\)"),
        ((IMAGE, np.zeros((4, 3))), ValueError, r"image: found shape \(5, 6, 1\), .* 3 spatial axes"),
        ((np.zeros((2, 2, 5, 6, 1)), POINTS), ValueError, r"coordinates: found shape \(4, 2\), .* 2 batch axes"),
        ((np.zeros((3, 5, 6, 1)), POINTS), ValueError, r"coordinates: found batch \(4,\), .* against \(3,\)"),
        ((ENDLESS, np.zeros((4, 1))), ValueError, r"image: found shape .* 2\*\*52"),
        ((np.zeros((1,) * 40 + (5, 6, 1)), np.zeros((1,) * 63 + (2,))), ValueError, "found 23 axes of points, .* 21 "),
        ((IMAGE, POINTS, 2), ValueError, "order: found 2, expected one of .<Order.NEAREST: 0>, <Order.LINEAR: 1>.$"),
        ((IMAGE, POINTS, 1, 4), ValueError, "bound: found 4, expected one of .<Bound.ZERO: 0>, "),
        ((IMAGE, POINTS, 1, -1), ValueError, "bound: found -1"),
        ((IMAGE, POINTS, 1, "zero"), ValueError, "bound: found 'zero'"),
        ((IMAGE, POINTS, 1, None), ValueError, "bound: found None"),
    ],
)
def test_refusals(arguments, error, said):
    with pytest.raises(error, match=said) as raised:
        resample(*arguments)
    assert isinstance(raised.value, (tny.Error, ValueError))


def test_negative_workers():
    with pytest.raises(ValueError, match="workers"):
        resample(IMAGE, POINTS, workers=-1)


# ------------------------------------------------------- the demo volume


@pytest.fixture(scope="module")
def demo():
    pytest.importorskip("nibabel")
    return runpy.run_path(Path(__file__).parents[1] / "demo.py")


def test_quarter_turn_of_a_frame_moves_whole_voxels(demo):
    frame, _ = demo["load"]()
    square = frame[16:112]
    turned = resample(square, np.rint(demo["rotated"](square.shape[:3], (1, 1, 1), 90)))
    np.testing.assert_array_equal(turned, np.rot90(square))


def test_rotation_is_one_in_space(demo):
    """Whatever the shape of voxels, distances and angles in mm are kept."""
    shape, spacing = (9, 6, 4), np.array([2, 3, 1.5])
    before, after = (
        (demo["rotated"](shape, spacing, degrees) - (np.array(shape) - 1) / 2) * spacing for degrees in (0, 30)
    )
    length = np.linalg.norm(before[..., :2], axis=-1)
    np.testing.assert_allclose(np.linalg.norm(after[..., :2], axis=-1), length, rtol=1e-5)
    np.testing.assert_allclose((before * after)[..., :2].sum(-1), length**2 * np.cos(np.pi / 6), rtol=1e-5)
    np.testing.assert_allclose(after[..., 2], before[..., 2])


def test_demo_runs(demo, capsys):
    demo["main"]()
    assert "turned (128, 96, 24) voxels" in capsys.readouterr().out
