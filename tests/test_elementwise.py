"""Arithmetic on elements equals NumPy's, for any dtype, shape and strides."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from variations import check_overlaps, check_places, check_table

import teeny as tny

FLOATS = ("float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "minimum": np.minimum, "maximum": np.maximum}
COMPARISONS = {name: getattr(np, name) for name in (
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
)}
SIGNS = {"neg": np.negative, "abs": np.absolute, "sign": np.sign}
ROUNDED = {"sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}
LIBRARY = {"exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, np.inf, -np.inf, np.nan, 5e-324, 1e-310, 1.7e308, 1e-40, 3e38]


def special(dtype):
    """The values at which functions go wrong, each beside each."""
    if np.dtype(dtype).kind == "f":
        with np.errstate(over="ignore"):
            values = np.array(SPECIAL).astype(dtype)
    else:
        info = np.iinfo(dtype)
        values = np.array([info.min, info.min + 1, 0, 1, 2, 3, info.max - 1, info.max], dtype)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def assert_same(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    if expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("name", ["add", "sub", "mul", *COMPARISONS])
def test_two_numbers(name, dtype):
    a, b = special(dtype)
    with np.errstate(all="ignore"):
        assert_same(getattr(tny, name)(a, b), (BINARY | COMPARISONS)[name](a, b))
        assert_same(getattr(tny, name)(a, b[3]), (BINARY | COMPARISONS)[name](a, b[3]))
        assert_same(getattr(tny, name)(a[3], b), (BINARY | COMPARISONS)[name](a[3], b))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("name", ["minimum", "maximum"])
def test_extrema(name, dtype):
    a, b = special(dtype)
    np.testing.assert_array_equal(getattr(tny, name)(a, b), BINARY[name](a, b))  # of zeros, either


@pytest.mark.parametrize("dtype", FLOATS)
def test_quotients(dtype):
    a, b = special(dtype)
    with np.errstate(all="ignore"):
        assert_same(tny.div(a, b), a / b)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("name", SIGNS)
def test_signs(name, dtype):
    a = special(dtype)[0]
    assert_same(getattr(tny, name)(a), SIGNS[name](a))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ROUNDED)
def test_correctly_rounded(name, dtype):
    a = np.concatenate([special(dtype)[0], np.arange(-4, 4, 0.25, dtype), np.random.default_rng(0).normal(size=100)])
    a = a.astype(dtype)
    with np.errstate(all="ignore"):
        assert_same(getattr(tny, name)(a), ROUNDED[name](a))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_clamp_and_axpy(dtype):
    a, b = special(dtype)
    c = np.roll(b, 3)
    with np.errstate(all="ignore"):
        for lo, hi in ((b, c), (b[1], c[4])):
            np.testing.assert_array_equal(tny.clamp(a, lo, hi), np.minimum(np.maximum(a, lo), hi))
        for alpha in (b, b[4]):
            assert_same(tny.axpy(alpha, a, c), np.add(np.multiply(alpha, a), c))


@pytest.mark.parametrize("dtype", FLOATS)
def test_fma_rounds_once(dtype):
    rng = np.random.default_rng(1)
    a, b, c = (x.astype(dtype) for x in rng.normal(size=(3, 200)))
    c[::2] = -(a * b)[::2]  # what is left is the rounding error of the product
    found = tny.fma(a, b, c)
    exact = [Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)) for x, y, z in zip(a, b, c, strict=True)]
    for value, sum_ in zip(found, exact, strict=True):
        below, above = (np.nextafter(value, dtype(limit)) for dtype in (a.dtype.type,) for limit in (-np.inf, np.inf))
        error = abs(Fraction(float(value)) - sum_)
        assert error <= abs(Fraction(float(below)) - sum_)
        assert error <= abs(Fraction(float(above)) - sum_)


def test_fma_of_other_numbers():
    np.testing.assert_array_equal(tny.fma(np.arange(3), 2, 1), [1, 3, 5])
    half = tny.fma(np.float16([1.5]), np.float16([1.5]), np.float16([0.25]))
    assert half.dtype == np.float16
    assert half[0] == 2.5
    with pytest.raises(tny.DTypeError, match="fma: there is no fused multiply-add of complex128"):
        tny.fma(np.ones(2), 1j, 0)


def ulps(found, exact):
    """The largest error, in units in the last place of the exact result."""
    unit = np.spacing(np.abs(exact.astype(found.dtype)).astype(found.dtype)).astype(np.longdouble)
    return float(np.max(np.abs(found.astype(np.longdouble) - exact) / unit))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", LIBRARY)
def test_library_functions_are_accurate(name, dtype):
    rng = np.random.default_rng(2)
    a = np.concatenate([rng.uniform(-50, 50, 2000), rng.normal(size=2000) * 1e-3, rng.uniform(-1, 1, 2000)])
    a = (np.abs(a) if name == "log" else a).astype(dtype)
    exact = LIBRARY[name](a.astype(np.longdouble))
    assert ulps(getattr(tny, name)(a), exact) <= 4


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers_are_accurate(dtype):
    rng = np.random.default_rng(3)
    a, b = rng.uniform(0, 20, 4000).astype(dtype), rng.uniform(-20, 20, 4000).astype(dtype)
    assert ulps(tny.pow(a, b), np.power(a.astype(np.longdouble), b.astype(np.longdouble))) <= 4


@pytest.mark.parametrize("dtype", FLOATS)
def test_library_functions_at_their_ends(dtype):
    a, b = special(dtype)
    edges = np.array([88, 89, -87, -88, -103, -104, -110, 709, 710, -708, -745, -746, 1e5, 1e22, -1e300])
    with np.errstate(all="ignore"):
        x = np.concatenate([a, edges.astype(dtype)])
        for name, function in LIBRARY.items():
            np.testing.assert_allclose(getattr(tny, name)(x), function(x), rtol=8 * np.finfo(dtype).eps,
                                       atol=4 * np.finfo(dtype).smallest_subnormal, err_msg=name)
        np.testing.assert_allclose(tny.pow(a, b), np.power(a, b), rtol=8 * np.finfo(dtype).eps,
                                   atol=4 * np.finfo(dtype).smallest_subnormal)


# ---------------------------------------------------------------- any arrays

DTYPES = [*FLOATS, *INTEGERS, "float16", "complex64", "bool", ">f8", "longdouble"]


@st.composite
def operands(draw):
    """Two arrays that broadcast, of any dtypes and strides, sometimes one a number of Python."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=0, max_dims=4, max_side=5, min_side=0))
    arrays = []
    for shape in shapes.input_shapes:
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        dtype = draw(st.sampled_from(DTYPES))
        steps = [draw(st.sampled_from((1, 1, 2, -1, -3))) for _ in shape]
        order = draw(st.permutations(range(len(shape))))
        base = rng.integers(0, 50, [abs(steps[axis]) * shape[axis] for axis in order]).astype(dtype)
        arrays.append(base.transpose(np.argsort(order))[tuple(slice(None, None, step) for step in steps)])
    if draw(st.integers(0, 4)) == 0:
        arrays[draw(st.integers(0, 1))] = draw(st.sampled_from((2, 2.5, True, -3, 300, 1j)))
    return arrays


@given(operands(), st.sampled_from(["add", "mul", "maximum", "less", "sub", "div", "pow"]))
def test_equals_numpy(arrays, name):
    function = {**BINARY, **COMPARISONS, "div": np.true_divide, "pow": np.power}[name]
    with np.errstate(all="ignore"):
        try:
            expected = function(*arrays)
        except (TypeError, OverflowError, ValueError):
            with pytest.raises((tny.DTypeError, tny.ArgumentError), match=f"^{name}: "):
                getattr(tny, name)(*arrays)
            return
        found = getattr(tny, name)(*arrays)
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if name == "pow":
        np.testing.assert_allclose(found, expected, rtol=8 * np.finfo(np.float32).eps)
    else:
        np.testing.assert_array_equal(found, expected)
    out = np.zeros(expected.shape[::-1], expected.dtype).T
    assert getattr(tny, name)(*arrays, out=out, workers=2) is out
    np.testing.assert_array_equal(out, found)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*SIGNS, *ROUNDED, *LIBRARY])
def test_places_of_one(name, dtype):
    check_places(getattr(tny, name), np.random.default_rng(4).uniform(0.1, 9, (6, 5, 3, 2)).astype(dtype))


@pytest.mark.parametrize("name", [*BINARY, "div", "pow", "equal"])
def test_places_of_two(name):
    check_places(getattr(tny, name), *np.random.default_rng(5).uniform(0.1, 9, (2, 6, 5, 7)))


def test_places_of_three():
    a, b, c = np.random.default_rng(6).normal(size=(3, 6, 5, 3))
    for function in (tny.clamp, tny.fma, tny.axpy):
        check_places(function, a, b, c)


def test_workers_share_large_work():
    a = np.random.default_rng(7).normal(size=(1000, 999))
    for x in (a, a[:, ::2], a.T, a[::-1, 3:6]):
        np.testing.assert_array_equal(tny.add(x, x, workers=3), x + x)
        assert tny.exp(x, workers=3).tobytes() == tny.exp(x, workers=1).tobytes()


def test_many_short_axes():
    a = np.random.default_rng(8).normal(size=(70, 3, 6, 5, 4))[:, :, ::2, 1:4, 1:3]
    np.testing.assert_array_equal(tny.mul(a, a), a * a)
    np.testing.assert_array_equal(tny.neg(a.transpose(3, 1, 0, 2, 4)), -a.transpose(3, 1, 0, 2, 4))
    np.testing.assert_allclose(tny.log(np.abs(a)), np.log(np.abs(a)), rtol=1e-15)


def test_axes_of_all_kinds():
    a = np.ones((1,) * 60 + (3, 1, 2))
    np.testing.assert_array_equal(tny.add(a, np.arange(2)), a + np.arange(2))
    assert tny.add(np.ones((0, 3)), 1.0).shape == (0, 3)
    assert tny.less(np.zeros((2, 0)), 1).dtype == bool


def test_scalars():
    for found, expected in ((tny.add(1, 2), 3), (tny.add(1, 2.5), 3.5), (tny.mul(True, True), True), (tny.neg(2), -2)):
        assert found == expected
        assert found.dtype == np.asarray(expected).dtype
    assert type(tny.sqrt(np.float32(4))) is np.float32
    assert tny.exp(0) == 1
    out = np.zeros(())
    assert tny.add(np.float64(2), 1, out=out) is out
    assert out == 3
    with pytest.raises(tny.ArgumentError, match="add: "):
        tny.add(np.zeros(2, np.int8), 2**70)


# ------------------------------------------------------------------ outputs


@pytest.mark.parametrize("name", BINARY)
def test_overlaps(name):
    check_overlaps(getattr(tny, name), *np.random.default_rng(9).normal(size=(2, 12, 3)))


def test_overlaps_of_others():
    a, b, c = np.random.default_rng(10).uniform(0.1, 2, (3, 12, 3))
    check_overlaps(tny.axpy, a, b, c)
    check_overlaps(tny.clamp, a, b, c)
    check_overlaps(tny.sqrt, a)
    check_overlaps(tny.exp, a)
    check_overlaps(tny.pow, a, b)


def test_output_of_another_dtype():
    wide = np.zeros(3)
    assert tny.add(np.float32([1, 2, 3]), np.float32(1), out=wide) is wide
    np.testing.assert_array_equal(wide, [2, 3, 4])
    narrow = np.zeros(3, np.float32)
    tny.add(np.ones(3), 1, out=narrow)
    np.testing.assert_array_equal(narrow, 2)
    whole = np.full(3, 7)
    with pytest.raises(tny.DTypeError, match=r"add: out has dtype int64, to which a result of dtype float64"):
        tny.add(whole, 1.5, out=whole)
    with pytest.raises(tny.DTypeError, match="mul: out has dtype float64"):
        tny.mul(np.ones(3), 1j, out=wide)
    np.testing.assert_array_equal(whole, 7)


@pytest.mark.parametrize(("out", "error", "message"), [
    (np.zeros(4), tny.ShapeError, r"out must have shape \(3,\), not \(4,\)"),
    (np.zeros((1, 3)), tny.ShapeError, r"out must have shape \(3,\)"),
    ([0.0, 0.0, 0.0], tny.DTypeError, "out must be a numpy.ndarray, not list"),
    (np.ma.zeros(3), tny.DTypeError, "out must be a numpy.ndarray, not MaskedArray"),
    (np.broadcast_to(0.0, 3), tny.LayoutError, "out is read-only"),
    (np.lib.stride_tricks.as_strided(np.zeros(3), (3,), (0,)), tny.LayoutError, "out writes some of its memory twice"),
    (np.zeros(3, ">f8"), tny.LayoutError, "out must be aligned and in native byte order"),
    (np.zeros(3, "M8[s]"), tny.DTypeError, "out must hold numbers"),
    (np.zeros(3, object), tny.DTypeError, "out must hold numbers"),
])
def test_outputs_that_are_refused(out, error, message):
    before = np.array(out)
    with pytest.raises(error, match=f"add: {message}"):
        tny.add(np.ones(3), 1, out=out)
    np.testing.assert_array_equal(np.array(out), before)


@pytest.mark.parametrize("bad", [None, "x", object(), [object()], np.zeros(2, "M8[s]"), np.zeros(2, "V8"), {}])
def test_operands_that_are_no_numbers(bad):
    with pytest.raises(tny.DTypeError, match=r"add: b (must hold numbers|is no array)"):
        tny.add(np.ones(2), bad)
    with pytest.raises(tny.DTypeError, match=r"exp: a (must hold numbers|is no array)"):
        tny.exp(bad)


def test_bad_calls():
    with pytest.raises(tny.ShapeError, match=r"add: a and b do not broadcast: shapes \(3,\) and \(2,\)"):
        tny.add(np.ones(3), np.ones(2))
    with pytest.raises(tny.DTypeError, match="sub: "):
        tny.sub(np.array([True]), True)
    with pytest.raises(tny.DTypeError, match="neg: "):
        tny.neg(np.array([True]))
    with pytest.raises(tny.ArgumentError, match=r"pow: .*negative"):
        tny.pow(np.arange(3), -1)
    with pytest.raises(tny.ArgumentError, match="add: workers"):
        tny.add(np.ones(3), 1, workers=0)
    with pytest.raises(tny.DTypeError, match="masked"):
        tny.add(np.ma.ones(3), 1)


def test_a_power_that_fails_half_way_writes_nothing():
    out = np.full(2, 9)
    with pytest.raises(tny.ArgumentError):
        tny.pow(np.array([2, 2]), np.array([3, -1]), out=out)
    np.testing.assert_array_equal(out, 9)


def test_the_library_agrees_with_math():
    for name in LIBRARY:
        assert math.isclose(getattr(tny, name)(0.7), getattr(math, name)(0.7), rel_tol=1e-15)


@pytest.mark.parametrize("module", ["arithmetic", "transcendental"])
def test_instantiations(module):
    check_table(f"teeny._core.ranked.{module}", b"teeny.kernels", 29 * 16)
