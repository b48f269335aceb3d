"""matmul, matvec, vecmat, outer, trace and matrix_power: NumPy's results, exact sums, layouts, outputs, bad input."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from variations import BATCH, check_count, check_overlaps, check_places

import teeny as tny
from teeny.linalg import matmul, matrix_power, matvec, outer, trace, vecmat

KERNELS = ["float32", "float64"]
OTHERS = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "c8", "c16"]
SIZES = range(1, 9)
SHAPES = [(m, inner, n) for m in (1, 2, 3, 5, 8, 9) for inner in (1, 2, 3, 7, 8, 9) for n in (1, 3, 4, 6, 8, 10)]

# By NumPy alone, each element a product summed over one axis.
EXPECTED = {
    matmul: lambda a, b: (a[..., :, :, None] * b[..., None, :, :]).sum(-2),
    matvec: lambda a, x: (a * x[..., None, :]).sum(-1),
    vecmat: lambda x, a: (x[..., :, None] * a).sum(-2),
    outer: lambda x, y: x[..., :, None] * y[..., None, :],
}


def operands(rng, function, batch, m, inner, n, dtype="float64"):
    shapes = {
        matmul: [(m, inner), (inner, n)],
        matvec: [(m, inner), (inner,)],
        vecmat: [(m,), (m, inner)],
        outer: [(m,), (n,)],
    }
    return [numbers(rng, (*batch, *shape), dtype) for shape in shapes[function]]


def numbers(rng, shape, dtype):
    x = np.dtype(dtype)
    if x.kind in "biu":
        return rng.integers(0, 2 if x.kind == "b" else 100, shape).astype(x)
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape)).astype(x) if x.kind == "c" else real.astype(x)


def close(found, function, inputs):
    """To the bound of a sum from left to right."""
    expected = np.asarray(EXPECTED[function](*inputs))
    assert found.shape == expected.shape
    if found.dtype.kind in "biu":
        assert np.array_equal(found, expected.astype(found.dtype))
        return
    wide = [x.astype("c16" if x.dtype.kind == "c" else "f8") for x in inputs]
    terms = EXPECTED[function](*map(np.abs, wide))
    eps = np.finfo(found.dtype).eps
    assert (np.abs(found - EXPECTED[function](*wide)) <= 16 * eps * terms).all()


# ------------------------------------------------------------------ values


@pytest.mark.parametrize("function", EXPECTED)
@pytest.mark.parametrize("dtype", KERNELS)
def test_sizes(rng, dtype, function):
    for m, inner, n in [*SHAPES, *((size,) * 3 for size in SIZES)]:
        inputs = operands(rng, function, (13,), m, inner, n, dtype)
        found = function(*inputs)
        assert found.dtype == dtype
        close(found, function, inputs)


@pytest.mark.parametrize("function", EXPECTED)
@pytest.mark.parametrize("dtype", OTHERS)
def test_other_dtypes(rng, dtype, function):
    for m, inner, n in [(2, 2, 2), (3, 2, 4), (9, 3, 2)]:
        inputs = operands(rng, function, (4,), m, inner, n, dtype)
        found = function(*inputs)
        assert found.dtype == dtype
        if dtype == "?":
            assert np.array_equal(found, EXPECTED[function](*(x.astype(int) for x in inputs)) > 0)
        else:
            close(found, function, inputs)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_halves_are_rounded_once(rng, dtype):
    a, b = (rng.standard_normal((20, 3, 3)).astype(dtype) for _ in range(2))
    expected = matmul(a.astype("f8"), b.astype("f8")).astype(dtype)
    assert matmul(a, b).dtype == dtype
    assert matmul(a, b).tobytes() == expected.tobytes()


@pytest.mark.parametrize("second", ["i4", "f4", "f8", "c8"])
@pytest.mark.parametrize("first", ["i4", "f4", "f8", "c8"])
def test_mixed_dtypes_promote_like_numpy(rng, first, second):
    a, b = rng.integers(-9, 9, (5, 3, 3)).astype(first), rng.integers(-9, 9, (5, 3, 3)).astype(second)
    expected = np.matmul(a, b)
    assert matmul(a, b).dtype == expected.dtype
    assert np.array_equal(matmul(a, b), expected)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", KERNELS)
def test_error_against_exact_sums(rng, dtype, size):
    """Within the bound of a sum from left to right, terms that cancel included; NumPy may fuse products into sums."""
    a = rng.standard_normal((8, size, size)).astype(dtype)
    b = rng.standard_normal((8, size, size)).astype(dtype)
    if size > 1:  # the first column nearly vanishes
        a[:4, :, -1] = -(a[:4, :, :-1] * b[:4, None, :-1, 0]).sum(-1)
        b[:4, -1, 0] = 1
    found, numpys = matmul(a, b), np.matmul(a, b)
    errors, others = [], []
    for cell, i, j in np.ndindex(8, size, size):
        terms = [Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a[cell, i], b[cell, :, j], strict=True)]
        bound = float(sum(map(abs, terms))) * np.finfo(dtype).eps
        errors.append(abs(float(Fraction(float(found[cell, i, j])) - sum(terms))) / bound)
        others.append(abs(float(Fraction(float(numpys[cell, i, j])) - sum(terms))) / bound)
    assert max(errors) <= size / 2
    assert np.mean(errors) <= 2 * np.mean(others)


# ------------------------------------------------------------------ shapes


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((3,), (5, 3, 2)),
        ((2, 3), (3,)),
        ((5, 2, 3), (3,)),
        ((5, 1, 2, 3), (4, 3, 2)),
        ((0, 2, 3), (3, 2)),
        ((5, 2, 0), (0, 3)),
        ((5, 0, 3), (3, 0)),
        ((9, 9), (9, 9)),
        ((1, 3, 3), (7, 3, 3)),
        ((7, 3, 3), (3, 3)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_shapes_follow_numpy(rng, dtype, a, b):
    a, b = numbers(rng, a, dtype), numbers(rng, b, dtype)
    expected = np.matmul(a, b)
    found = matmul(a, b)
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    assert found.dtype == dtype
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-5)
    out = np.empty(expected.shape, dtype)
    assert matmul(a, b, out=out) is out
    assert np.array_equal(out, found)


@pytest.mark.parametrize("function", EXPECTED)
def test_operands_broadcast(rng, function):
    """One cell for all, of either operand, in every size with its own code and in others."""
    for size in (1, 2, 3, 4, 6, 8, 9):
        one, many = operands(rng, function, (1,), size, size, size), operands(rng, function, (21,), size, size, size)
        for inputs in ([one[0], many[1]], [many[0], one[1]], [many[0][:, None], many[1][None]]):
            close(function(*inputs), function, inputs)


# ------------------------------------------------------------ places, outputs


@pytest.mark.parametrize("function", EXPECTED)
@pytest.mark.parametrize("dtype", KERNELS)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (6, 6, 6), (7, 7, 7), (2, 3, 5)])
def test_bits_do_not_depend_on_the_place(rng, sizes, dtype, function):
    inputs = operands(rng, function, BATCH, *sizes, dtype)
    check_places(function, *inputs)
    check_overlaps(function, *inputs)


@pytest.mark.parametrize("shift", [0, 1, 3])
@pytest.mark.parametrize("dtype", KERNELS)
def test_large_results(rng, dtype, shift):
    """Those that go past the caches: whole, in place, and wherever they begin."""
    n = 200_001
    a, b = rng.standard_normal((n, 3, 3)).astype(dtype), rng.standard_normal((n, 3, 3)).astype(dtype)
    expected = np.concatenate([matmul(a[k : k + 1000], b[k : k + 1000]) for k in range(0, n, 1000)])
    space = np.zeros(n * 9 + 8, dtype)
    out = space[shift : shift + n * 9].reshape(n, 3, 3)
    matmul(a, b, out=out)
    assert out.tobytes() == expected.tobytes()
    assert not space[:shift].any()
    assert not space[shift + n * 9 :].any()
    assert matmul(a, b, out=a).tobytes() == expected.tobytes()


@pytest.mark.parametrize("function", EXPECTED)
def test_nan_stays_in_its_cell(rng, function):
    inputs = operands(rng, function, (9,), 3, 3, 3, "float32")
    expected = function(*inputs)
    for place in range(9):
        spoilt = [x.copy() for x in inputs]
        spoilt[0][place] = np.nan
        spoilt[1][place - 1] = np.inf
        found = function(*spoilt)
        others = [k for k in range(9) if k not in (place, (place - 1) % 9)]
        assert np.isnan(found[place]).all()
        assert found[others].tobytes() == expected[others].tobytes()


@pytest.mark.parametrize("dtype", KERNELS)
def test_no_flag_but_those_of_the_cells(dtype):
    """A padding lane overflows no more than a real one."""
    a = np.full((11, 3, 3), np.sqrt(np.finfo(dtype).max) / 4, dtype)
    with np.errstate(all="raise"):
        assert np.isfinite(matmul(a, a)).all()


# ------------------------------------------------------------------- trace


@pytest.mark.parametrize("dtype", [*KERNELS, *OTHERS])
def test_trace(rng, dtype):
    for shape in [(3, 3), (2, 5), (5, 2), (8, 8), (9, 10), (0, 3), (1, 1)]:
        a = numbers(rng, (4, 3, *shape), dtype)
        for offset in (0, 1, -1, 2, -4, 100, -(2**70)):
            found = trace(a, offset=offset)
            expected = np.trace(a, max(offset, -100), -2, -1)
            assert found.dtype == expected.dtype
            assert np.allclose(found, expected, rtol=100 * eps(found.dtype), atol=100 * eps(found.dtype))
    assert np.isscalar(trace(np.eye(3)))


def eps(dtype):
    return 0 if dtype.kind in "biu" else np.finfo(dtype).eps


def test_trace_of_float32_is_rounded_once():
    a = np.diag(np.array([1, 2**-24, 2**-24], "f4"))
    assert trace(a) == np.float32(1 + 2**-23)


@pytest.mark.parametrize("dtype", KERNELS)
@pytest.mark.parametrize("shape", [(3, 3), (2, 7)])
def test_trace_does_not_depend_on_the_place(rng, shape, dtype):
    check_places(trace, numbers(rng, (*BATCH, *shape), dtype))


# ------------------------------------------------------------------ powers


@pytest.mark.parametrize("dtype", [*KERNELS, "c16", "i8"])
@pytest.mark.parametrize("size", [1, 3, 9])
def test_powers(rng, size, dtype):
    a = numbers(rng, (5, size, size), dtype)
    for n in range(8):
        expected = np.linalg.matrix_power(a, n)
        found = matrix_power(a, n)
        assert found.dtype == dtype
        assert found is not a
        assert np.abs(found - expected).max() <= 1e3 * eps(found.dtype) * np.abs(expected).max()
        out = np.empty_like(a)
        assert matrix_power(a, n, out=out) is out
        assert out.tobytes() == found.tobytes()
        same = a.copy()
        assert matrix_power(same, n, out=same).tobytes() == found.tobytes()


def test_large_exponents():
    assert matrix_power(np.array([[1, 1], [1, 0]]), 90)[0, 1] == 2880067194370816120
    assert matrix_power(-np.eye(2), 2**80 + 1).tolist() == [[-1, 0], [0, -1]]


def test_negative_powers(rng):
    a = np.eye(3) * 4 + rng.standard_normal((6, 3, 3))
    assert np.allclose(matrix_power(a, -3), np.linalg.matrix_power(a, -3), rtol=1e-13)
    assert matrix_power(np.array([[2, 0], [0, 4]]), -1).tolist() == [[0.5, 0], [0, 0.25]]
    a[2] = 0
    a[4] = np.nan
    with pytest.raises(tny.LinAlgError, match=r"^matrix_power: 1 of 6 matrices .* \(2,\)$") as caught:
        matrix_power(a, -2)
    result, info = matrix_power(a, -2, on_error="nan", info=True)
    assert caught.value.result.tobytes() == result.tobytes()
    assert info.tolist() == caught.value.info.tolist() == [0, 0, 1, 0, 2, 0]
    assert np.isnan(result[[2, 4]]).all()
    assert np.isfinite(result[[0, 1, 3, 5]]).all()


def test_halves_of_powers_are_rounded_once(rng):
    a = rng.standard_normal((4, 3, 3)).astype("f2")
    assert matrix_power(a, 5).tobytes() == matrix_power(a.astype("f8"), 5).astype("f2").tobytes()


# --------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: matmul(a, 2.0), tny.ShapeError, r"^matmul: b must have shape \(C,\) or \(..., M, N\), not \(\)"),
        (lambda a: matmul(1.0, a), tny.ShapeError, "^matmul: a must"),
        (lambda a: matmul(a, a[:, :2]), tny.ShapeError, r"^matmul: b must have shape \(..., 3, N\)"),
        (lambda a: matmul(a, a[:3]), tny.ShapeError, "^matmul: .* broadcast"),
        (lambda a: matmul(a, np.ones(4)), tny.ShapeError, "^matmul: "),
        (lambda a: matmul(np.ones(3), np.ones(4)), tny.ShapeError, "^matmul: "),
        (lambda a: matvec(a, np.ones(4)), tny.ShapeError, r"^matvec: x must have shape \(..., 3\)"),
        (lambda a: matvec(a[0, 0], np.ones(3)), tny.ShapeError, "^matvec: a must"),
        (lambda a: vecmat(np.ones(4), a), tny.ShapeError, r"^vecmat: a must have shape \(..., 4, N\)"),
        (lambda a: outer(1.0, a), tny.ShapeError, "^outer: x must"),
        (lambda a: trace(a[0, 0]), tny.ShapeError, r"^trace: a must have shape \(..., M, N\), not \(3,\)"),
        (lambda a: trace(a, offset=1.5), tny.ArgumentError, "^trace: offset: found 1.5"),
        (lambda a: trace(a, out=np.empty(3)), tny.ShapeError, "^trace: out"),
        (lambda a: matrix_power(a, 2.0), tny.ArgumentError, "^matrix_power: n: found 2.0"),
        (lambda a: matrix_power(a[:, :2], 2), tny.SquareError, r"^matrix_power: a must have shape \(..., C, C\)"),
        (lambda a: matrix_power(a, 0, out=np.empty((4, 3, 3), "f4")), tny.DTypeError, "^matrix_power: out"),
        (lambda a: matrix_power(a, 1, on_error="ignore"), tny.ArgumentError, "^matrix_power: on_error"),
        (lambda a: matmul(a, a, out=np.empty((4, 3, 3), "f4")), tny.DTypeError, "^matmul: out"),
        (lambda a: matmul(a, a, out=np.empty((4, 3, 2))), tny.ShapeError, "^matmul: out"),
        (lambda a: matmul(a, a, out=np.empty((4, 3, 3), ">f8")), tny.LayoutError, "^matmul: out"),
        (lambda a: matmul(a[0, 0], a[0, 0], out=np.empty(1)), tny.ShapeError, "^matmul: out"),
        (lambda a: matmul(a, a, workers=-1), tny.ArgumentError, "^matmul: workers"),
        (lambda a: matmul(a, a.astype(object)), tny.DTypeError, "^matmul: b"),
        (lambda a: matmul(a, a.astype(np.longdouble)), tny.DTypeError, "^matmul: "),
        (lambda a: matmul(a, "text"), tny.DTypeError, "^matmul: b"),
        (lambda a: matmul(a, None), tny.DTypeError, "^matmul: b"),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(np.ones((4, 3, 3)))


def test_unusual_inputs(rng):
    """Swapped, unaligned, read-only and nested lists: taken, and left alone."""
    a = rng.standard_normal((5, 3, 3))
    expected = matmul(a, a)
    packed = np.frombuffer(b"\0" + a.tobytes(), "u1")[1:].view("f8").reshape(a.shape)
    frozen = a.copy()
    frozen.flags.writeable = False
    for x in (a.astype(">f8"), packed, frozen, a.tolist()):
        assert matmul(x, a).tobytes() == matmul(a, x).tobytes() == expected.tobytes()


def test_count():
    check_count("products")
