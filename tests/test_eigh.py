"""eigh and eigvalsh: the accuracy rule on every suite and size, and what all public functions promise."""

import ml_dtypes
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from variations import check_count

import teeny as tny
from teeny.linalg import EighResult, eigh, eigvalsh

DTYPES = ["float32", "float64"]
SIZES = range(1, 9)
BOUND = 10  # eps, of |AV - VL| / |A| and of |V'V - 1|


# ------------------------------------------------------------------ suites


def rotated(rng, w):
    q = np.linalg.qr(rng.standard_normal((*w.shape, w.shape[-1])))[0]
    return (q * w[:, None]) @ q.swapaxes(1, 2)


def powers(rng, low, *shape):
    return 10 ** rng.uniform(low, 0, shape)


def random(rng, n, size, eps):
    return rng.standard_normal((n, size, size))


def graded(rng, n, size, eps):
    return rotated(rng, powers(rng, -20, n, size) * rng.choice([-1, 1], (n, size)))


def scaled_graded(rng, n, size, eps):
    d = powers(rng, -20, n, size)
    return rng.standard_normal((n, size, size)) * d[:, :, None] * d[:, None]


def one_apart(rng, n, size, eps):
    w = rng.standard_normal((n, 1)) * np.ones(size)
    w[:, -1] = rng.standard_normal(n)
    return rotated(rng, w)


def two_groups(rng, n, size, eps):
    return rotated(rng, np.where(np.arange(size) < size // 2, 1.0, -0.5) + powers(rng, -18, n, size))


def nearly_equal(rng, n, size, eps):
    return rotated(rng, 1 + powers(rng, -18, n, 1) * rng.standard_normal((n, size)))


def near_identity(rng, n, size, eps):
    return np.eye(size) + powers(rng, -18, n, 1, 1) * rng.standard_normal((n, size, size))


def roundings_from_identity(rng, n, size, eps):
    return np.eye(size) + rng.integers(-3, 4, (n, size, size)) * eps


def rank_one(rng, n, size, eps):
    g = rng.standard_normal((n, size, 1))
    return g @ g.swapaxes(1, 2)


def bits(rng, n, size, eps):
    return rng.integers(0, 2, (n, size, size)).astype(float)


def integers(rng, n, size, eps):
    return rng.integers(-9, 10, (n, size, size)).astype(float)


def almost_sparse(rng, n, size, eps):
    a = rng.standard_normal((n, size, size))
    return np.where(rng.random(a.shape) < 0.5, a, 10 ** rng.uniform(-300, -10, a.shape) * np.sign(a))


def tridiagonal(rng, n, size, eps):
    d, e = rng.standard_normal((n, size)), powers(rng, -20, n, size)
    return d[:, None] * np.eye(size) + e[:, None] * np.eye(size, k=1)


def wilkinson(rng, n, size, eps):
    """Pairs of eigenvalues that agree to many digits."""
    a = np.diag(np.abs(np.arange(size) - (size - 1) / 2)) + np.eye(size, k=-1)
    return a * rng.choice([-1, 1], (n, 1, 1)) * powers(rng, -3, n, 1, 1)


def case_a6(rng, n, size, eps):
    a = np.stack([np.ones((size, size)) + np.eye(size), np.eye(size), np.diag(1 + 1e-7 * (np.arange(size) == 1))])
    q = rotated(rng, np.tile(np.append(np.ones(size - 1), 1000), (3, 1)))
    return np.concatenate([a, q])


SUITES = [random, graded, scaled_graded, one_apart, two_groups, nearly_equal, near_identity, roundings_from_identity,
          rank_one, bits, integers, almost_sparse, tridiagonal, wilkinson, case_a6]  # fmt: skip


def symmetric(a):
    lower = np.tril(a)
    return lower + np.tril(a, -1).swapaxes(-1, -2)


def make(suite, dtype, size, n):
    rng = np.random.default_rng([SUITES.index(suite), size])
    return suite(rng, n, size, np.finfo(dtype).eps).astype(dtype)


def norm(a):
    return np.linalg.norm(a.astype(float), 2, (-2, -1))


def deviations(a, w, v):
    """|AV - VL| / |A| and |V'V - 1|, computed in more digits, of symmetric a."""
    a, w, v = (x.astype(np.longdouble) for x in (a, w, v))
    size = norm(a)
    return norm(a @ v - v * w[:, None]) / np.where(size == 0, 1, size), norm(v.swapaxes(1, 2) @ v - np.eye(a.shape[-1]))


def check(a, scale=1.0):
    """The rule, for matrices of which the lower triangle counts; powers of two bring them near 1."""
    eps = np.finfo(a.dtype).eps
    w, v = eigh(a)
    values = eigvalsh(a)
    assert w.dtype == v.dtype == values.dtype == a.dtype
    assert (np.diff(w) >= 0).all()
    assert (np.diff(values) >= 0).all()
    a, w, values = (symmetric(a).astype(float) * scale, w.astype(float) * scale, values.astype(float) * scale)
    for deviation in deviations(a, w, v):
        assert deviation.max() <= BOUND * eps
    # w is now known to be right; LAPACK's values without vectors are not always
    assert (np.abs(w - values).max(1) <= 2 * BOUND * eps * norm(a)).all()


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_accuracy(dtype, size, suite):
    check(make(suite, dtype, size, 100))


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_accuracy_of_many(dtype, size, suite):
    check(make(suite, dtype, size, 5000))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("dtype", "exponent"), [("f4", 124), ("f4", -100), ("f8", 1019), ("f8", -960)])
@pytest.mark.parametrize("suite", [random, nearly_equal, wilkinson])
def test_accuracy_at_the_ends_of_the_range(suite, dtype, exponent, size):
    a = make(suite, dtype, size, 50)
    a = a / np.maximum(np.abs(a).max((1, 2), keepdims=True), np.finfo(dtype).tiny)
    check(np.ldexp(a, exponent), 2.0**-exponent)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_subnormal_matrices(dtype, size):
    """Values are right to half the smallest number there is; vectors to the last digit."""
    exponent = -1060 if dtype == "float64" else -140
    a = np.ldexp(make(random, dtype, size, 50), exponent).astype(dtype)
    w, v = eigh(a)
    near = np.ldexp(a.astype(float), -exponent)
    tiny = np.ldexp(float(np.finfo(dtype).smallest_subnormal), -exponent)
    assert deviations(symmetric(near), w, v)[1].max() <= BOUND * np.finfo(dtype).eps
    values = np.ldexp(w.astype(float), -exponent)
    assert np.abs(values - np.linalg.eigvalsh(near)).max() <= tiny + 1e-13 * norm(near).max()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("suite", [random, graded, one_apart])
def test_values_beside_fifty_digits(suite, size):
    a = make(suite, "float64", size, 3)
    w = eigh(a).eigenvalues
    with mpmath.workdps(50):
        for k in range(3):
            exact = mpmath.eigsy(mpmath.matrix(symmetric(a[k]).tolist()), eigvals_only=True)
            error = max(abs(mpmath.mpf(float(x)) - y) for x, y in zip(w[k], sorted(exact), strict=True))
            assert error <= BOUND * 2.0**-52 * norm(symmetric(a[k]))


@pytest.mark.parametrize("size", SIZES)
def test_a_string_of_springs(size):
    a = 2 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
    i = np.arange(1, size + 1)
    w, v = eigh(a)
    assert np.abs(w - 4 * np.sin(np.pi * i / (2 * size + 2)) ** 2).max() <= 8 * 2.0**-52
    modes = np.sin(np.pi * np.outer(i, i) / (size + 1))
    modes /= np.linalg.norm(modes, axis=0)
    assert np.abs(np.abs(np.sum(modes * v, 0)) - 1).max() <= 1e-15


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_diagonal_matrices_are_exact(rng, dtype, size):
    d = rng.integers(-3, 4, (50, size)) * 2.0 ** rng.integers(-40, 40, (50, size))
    a = (d[:, None] * np.eye(size)).astype(dtype)
    w, v = eigh(a)
    assert (w == np.sort(d, 1)).all()
    assert (eigvalsh(a) == w).all()
    assert (np.sort(np.abs(v), 1) == np.eye(size)[-1][:, None]).all()
    assert (a @ v == v * w[:, None]).all()


def test_float32_is_float64_rounded_once():
    for size in SIZES:
        a = make(random, "float32", size, 200)
        w, wide = eigh(a)[0], eigh(a.astype(float))[0]
        assert (np.abs(w - wide) <= 0.5000001 * np.spacing(np.abs(w)) + 1e-14).all()


# ------------------------------------------------------------------ the triangle that is read

CASES = [*DTYPES, "complex64", "complex128"]


def hermitian(rng, dtype, *shape):
    a = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        a = a + 1j * rng.standard_normal(shape)
    return (a + a.swapaxes(-1, -2).conj()).astype(dtype)


@pytest.mark.parametrize("other", [0, np.nan, np.inf, 1e300])
@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", CASES)
def test_only_the_stated_triangle_is_read(rng, dtype, size, other):
    a = hermitian(rng, dtype, 6, size, size)
    with np.errstate(over="ignore"):
        other = np.asarray(other).astype(dtype)
    lower = np.tril(np.ones((size, size), bool))
    expected = eigh(a)
    for uplo, x in (("L", np.where(lower, a, other)), ("U", np.where(lower.T, a, other))):
        for triangle in (uplo, uplo.lower()):
            w, v = eigh(x, triangle)
            assert w.tobytes() == expected.eigenvalues.tobytes()
            assert v.tobytes() == expected.eigenvectors.tobytes()
            assert eigvalsh(x, UPLO=triangle).tobytes() == eigvalsh(a).tobytes()


def test_case_a8():
    a = np.array([[1, 2, 3], [0, 4, 5], [0, 0, 6.0]])
    assert eigvalsh(a).tolist() == [1, 4, 6]
    assert np.abs(eigvalsh(a, "U") - np.linalg.eigvalsh(a, "U")).max() < 1e-14


# ------------------------------------------------------------------ shapes, dtypes, outputs


@pytest.mark.parametrize("batch", [(), (1,), (5,), (3, 4), (2, 1, 19), (0,), (2, 0, 3)])
@pytest.mark.parametrize("size", [*SIZES, 0, 9, 12])
@pytest.mark.parametrize("dtype", [*CASES, "int16", "bool"])
def test_like_numpy(rng, dtype, size, batch):
    a = hermitian(rng, "float64" if dtype in ("int16", "bool") else dtype, *batch, size, size).astype(dtype)
    result, expected = eigh(a), np.linalg.eigh(a)
    assert isinstance(result, EighResult)
    for x, y in zip(result, expected, strict=True):
        assert x.shape == y.shape
        assert x.dtype == y.dtype
    values = eigvalsh(a)
    assert values.shape == expected[0].shape
    assert values.dtype == expected[0].dtype
    if a.size:
        w, v = result
        eps = np.finfo(w.dtype).eps * size * 8
        scale = max(np.abs(expected[0]).max(), 1)
        assert np.abs(w - expected[0]).max() <= eps * scale
        assert np.abs(values - expected[0]).max() <= eps * scale
        assert np.abs(a @ v - v * w[..., None, :]).max() <= eps * scale


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_half_precision_is_computed_wide_and_rounded_once(rng, dtype):
    a = hermitian(rng, "float32", 5, 3, 3).astype(dtype)
    wide = eigh(a.astype(float))
    for x, y in zip(eigh(a), wide, strict=True):
        assert x.dtype == a.dtype
        assert (x == y.astype(a.dtype)).all()
    assert (eigvalsh(a) == eigvalsh(a.astype(float)).astype(a.dtype)).all()


VIEWS = {
    "transposed batch": lambda a: a.transpose(1, 0, 2, 3),
    "stepped and reversed": lambda a: a[::-2, ::3],
    "reversed cells": lambda a: a[..., ::-1, ::-1],
    "broadcast": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "channel first": lambda a: np.moveaxis(np.ascontiguousarray(np.moveaxis(a, (2, 3), (0, 1))), (0, 1), (2, 3)),
    "Fortran": np.asfortranarray,
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_bits_do_not_depend_on_place_layout_or_workers(rng, dtype, size, name):
    a = VIEWS[name](hermitian(rng, dtype, 11, 7, size, size))
    a = a if a.flags.writeable else a.copy()
    a[::3, ::2] *= 0  # neighbours that are done at once
    w, v = eigh(a)
    values = eigvalsh(a)
    for m in np.ndindex(a.shape[:2]):
        alone = eigh(a[m])
        assert alone.eigenvalues.tobytes() == w[m].tobytes()
        assert alone.eigenvectors.tobytes() == v[m].tobytes()
        assert eigvalsh(a[m]).tobytes() == values[m].tobytes()
    for workers in (1, 2, 5):
        again = eigh(a, workers=workers)
        assert (again[0].tobytes(), again[1].tobytes()) == (w.tobytes(), v.tobytes())
        assert eigvalsh(a, workers=workers).tobytes() == values.tobytes()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("dtype", CASES)
def test_out(rng, dtype, size):
    a = hermitian(rng, dtype, 21, size, size)
    expected = eigh(a)
    w, v = (np.full_like(x, -1) for x in expected)
    result = eigh(a, out=(w, v))
    assert result.eigenvalues is w
    assert result.eigenvectors is v
    assert (w.tobytes(), v.tobytes()) == tuple(x.tobytes() for x in expected)
    v[...] = 0
    result = eigh(a, out=(None, v))
    assert result.eigenvectors is v
    assert (result[0].tobytes(), v.tobytes()) == tuple(x.tobytes() for x in expected)
    values = np.zeros_like(w)
    assert eigvalsh(a, out=values) is values
    assert values.tobytes() == eigvalsh(a).tobytes()


@pytest.mark.parametrize(
    "place",
    [
        lambda x: x,
        lambda x: x.swapaxes(-1, -2),
        lambda x: x[::-1],
        lambda x: x[:, ::-1],
    ],
    ids=["the same", "transposed", "reversed", "reversed rows"],
)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_vectors_may_overwrite_the_matrices(rng, size, workers, place):
    a = hermitian(rng, "float64", 50, size, size)
    for uplo in "LU":
        expected = eigh(a, uplo)
        space = a.copy()
        w, v = eigh(space, uplo, out=(None, place(space)), workers=workers)
        assert (w.tobytes(), v.tobytes()) == tuple(x.tobytes() for x in expected)
    space = a.copy()
    expected = eigvalsh(a)
    assert (eigvalsh(space, out=space[:, 0]) == expected).all()


@given(st.integers(1, 8), st.integers(0, 2**32 - 1), st.sampled_from(DTYPES))
def test_any_bits_end(size, seed, dtype):
    """Whatever the numbers: huge, subnormal, infinite or NaN, every cell is right or NaN, and reported."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 256, (9, size, size, np.dtype(dtype).itemsize), dtype=np.uint8).view(dtype)[..., 0]
    (w, v), info = eigh(a, on_error="nan", info=True)
    finite = np.isfinite(np.tril(a)).all((1, 2))
    assert (info == np.where(finite, 0, 2)).all()
    assert np.isnan(w[~finite]).all()
    assert np.isnan(v[~finite]).all()
    assert np.isfinite(v[finite]).all()
    eps = np.finfo(dtype).eps
    nothing = np.zeros_like(w[finite])
    assert deviations(0 * v[finite], nothing, v[finite])[1].max(initial=0) <= BOUND * eps


# ------------------------------------------------------------------ failures and bad input


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", CASES)
def test_what_is_not_finite_stays_in_its_cell(rng, dtype, size, bad):
    a = hermitian(rng, dtype, 7, 5, size, size)
    expected, values = eigh(a), eigvalsh(a)
    where = [(0, 0), (3, 2), (6, 4)]
    for m in where:
        a[m][size - 1, rng.integers(size)] = bad
        for x in (*expected, values):
            x[m] = np.nan
    (w, v), info = eigh(a, on_error="nan", info=True)
    assert info.dtype == np.int32
    assert sorted(zip(*np.nonzero(info == 2), strict=True)) == where
    assert (info != 0).sum() == len(where)
    for x, y in zip((w, v), expected, strict=True):
        assert np.array_equal(x, y, equal_nan=True)
    found, status = eigvalsh(a, info=True)  # which does not raise
    assert np.array_equal(found, values, equal_nan=True)
    assert (status == info).all()


def test_info_of_good_matrices(rng):
    a = hermitian(rng, "float64", 4, 3, 3)
    result, info = eigh(a, info=True)
    assert isinstance(result, EighResult)
    assert (info.dtype, info.tolist()) == (np.int32, [0] * 4)
    assert eigvalsh(a[0], info=True)[1] == 0


@pytest.mark.parametrize("function", [eigh, eigvalsh])
def test_bad_input(rng, function):
    a = hermitian(rng, "float64", 4, 3, 3)
    name = function.__name__
    for bad, error, text in [
        (np.zeros((2, 3)), np.linalg.LinAlgError, r"shape \(\.\.\., C, C\), not \(2, 3\)"),
        (np.zeros(3), tny.ShapeError, r"not \(3,\)"),
        (np.array(1.0), tny.ShapeError, r"not \(\)"),
        (a.astype(object), tny.DTypeError, "object"),
        (a.astype("longdouble"), tny.DTypeError, "longdouble|float128"),
        (np.ma.array(a), tny.DTypeError, "masked array"),
        (np.full((3, 3), "x"), tny.DTypeError, "U1"),
    ]:
        for uplo in "LU":
            with pytest.raises(error, match=text) as raised:
                function(bad, uplo)
            assert str(raised.value).startswith(f"{name}: ")
    for uplo in ("", "X", "LU", "lower", None, 1, b"L"):
        with pytest.raises(ValueError, match=f"{name}: UPLO must be 'L' or 'U', not "):
            function(a, uplo)
    with pytest.raises(ValueError, match=f"{name}: on_error"):
        function(a, on_error="ignore")
    with pytest.raises((ValueError, TypeError), match=f"{name}: workers"):
        function(a, workers=0)


@pytest.mark.parametrize(
    ("outs", "error"),
    [
        (lambda w, v: v, ValueError),
        (lambda w, v: [w, v], ValueError),
        (lambda w, v: (v,), ValueError),
        (lambda w, v: (w, v, v), ValueError),
        (lambda w, v: (v, w), tny.ShapeError),
        (lambda w, v: (w, v[:-1]), tny.ShapeError),
        (lambda w, v: (w.astype("f4"), v), tny.DTypeError),
        (lambda w, v: (w, v.astype("c16")), tny.DTypeError),
        (lambda w, v: (v[:, 0], v), tny.LayoutError),
        (lambda w, v: (w, np.lib.stride_tricks.as_strided(v, v.shape, (0, *v.strides[1:]))), tny.LayoutError),
    ],
)
def test_bad_out_is_refused_before_anything_is_written(rng, outs, error):
    a = hermitian(rng, "float64", 4, 3, 3)
    w, v = np.full((4, 3), -7.0), np.full((4, 3, 3), -7.0)
    with pytest.raises(error, match="eigh: "):
        eigh(a, out=outs(w, v))
    assert (w == -7).all()
    assert (v == -7).all()


def test_count_of_leaves():
    check_count("eigen")
