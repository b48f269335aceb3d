"""svd and svdvals: the accuracy rule on suites that are hard, and everything a call can ask for."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from references import DTYPES, orthogonal
from variations import check_count

import teeny as tny
from teeny.linalg import svd, svdvals

SHAPES = [(m, n) for m in range(1, 9) for n in range(1, 9)]
EPS = 2.0**-52


# ------------------------------------------------------------------ suites


def bases(rng, count, m, n):
    return (np.stack([orthogonal(rng, size) for _ in range(count)]) for size in (m, n))


def with_values(rng, count, m, n, values):
    u, v = bases(rng, count, m, n)
    k = min(m, n)
    return (u[:, :, :k] * values) @ v[:, :k]


def random(rng, count, m, n):
    return rng.standard_normal((count, m, n))


def conditioned(rng, count, m, n):
    reach = rng.uniform(0, 15, (count, 1, 1))
    return with_values(rng, count, m, n, 10 ** (-reach * np.linspace(0, 1, min(m, n))))


def clustered(rng, count, m, n):
    """Singular values that differ in their ninth digit."""
    return with_values(rng, count, m, n, 1 + 1e-9 * rng.standard_normal((count, 1, min(m, n))))


def equal(rng, count, m, n):
    """All singular values 1, or some of them 1 and the others 1e-8."""
    values = np.where(np.arange(min(m, n)) < rng.integers(0, 9, (count, 1, 1)), 1, 1e-8)
    return with_values(rng, count, m, n, values)


def deficient(rng, count, m, n):
    """Small integers of rank 0 to 2."""
    left, right = rng.integers(-3, 3, (count, m, 2), endpoint=True), rng.integers(-3, 3, (count, 2, n), endpoint=True)
    return (left @ right).astype(float)


def sparse(rng, count, m, n):
    return rng.integers(-1, 1, (count, m, n), endpoint=True).astype(float)


def graded_rows(rng, count, m, n):
    return random(rng, count, m, n) * 10 ** rng.uniform(-150, 150, (count, m, 1))


def graded_columns(rng, count, m, n):
    return random(rng, count, m, n) * 10 ** rng.uniform(-150, 150, (count, 1, n))


def far(rng, count, m, n):
    """Entries from one end of the range to the other, each for itself."""
    return random(rng, count, m, n) * 2.0 ** rng.integers(-1020, 1010, (count, m, n))


def hilbert(rng, count, m, n):
    return 1 / (np.add.outer(np.arange(m), np.arange(n)) + 1 + rng.uniform(size=(count, 1, 1)))


def near_identity(rng, count, m, n):
    return np.eye(m, n) + random(rng, count, m, n) * 10 ** rng.uniform(-17, -7, (count, 1, 1))


SUITES = [
    random,
    conditioned,
    clustered,
    equal,
    near_identity,
    deficient,
    sparse,
    graded_rows,
    graded_columns,
    far,
    hilbert,
]


def stored(a, dtype):
    """As float32 near 1, or as it is."""
    largest = np.abs(a).max((-2, -1), keepdims=True)
    return a if dtype == "float64" else (a / np.where(largest == 0, 1, largest)).astype(dtype)


def norms(a):
    return np.linalg.norm(a.astype(float), 2, (-2, -1))


def check_factors(a, u, s, vh):
    """The accuracy rule; `a` scaled by powers of two first, so that the check itself stays in range."""
    exponents = np.frexp(np.abs(a).max((-2, -1), keepdims=True))[1]
    eps = np.finfo(a.dtype).eps
    a, s = (np.ldexp(x.astype(np.longdouble), -exponents) for x in (a, s[..., None, :]))
    u, vh = u.astype(np.longdouble), vh.astype(np.longdouble)
    k = s.shape[-1]
    assert (norms(a - (u[..., :k] * s) @ vh[..., :k, :]) <= 20 * eps * norms(a)).all()
    assert (norms(u.mT @ u - np.eye(u.shape[-1])) <= 10 * eps).all()
    assert (norms(vh @ vh.mT - np.eye(vh.shape[-2])) <= 10 * eps).all()
    assert (s >= 0).all()
    assert (np.diff(s, axis=-1) <= 0).all()


@pytest.mark.parametrize("make", SUITES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_suite(rng, make, dtype):
    for m, n in SHAPES:
        a = stored(make(rng, 24, m, n), dtype)
        for full in (True, False):
            result = svd(a, full)
            assert all(x.dtype == dtype for x in result)
            check_factors(a, *result)
        assert (svdvals(a) == result.S).all()


@pytest.mark.parametrize("make", [random, near_identity, sparse])
@pytest.mark.parametrize("size", [3, 5, 8])
def test_many(rng, make, size):
    """What is rare, a sweep that stops too early, is found only among many."""
    a = make(rng, 20_000, size, size)
    u, s, vh = svd(a)
    for error in (u.mT @ u - np.eye(size), vh @ vh.mT - np.eye(size), (a - (u * s[:, None]) @ vh) / s[:, :1, None]):
        assert np.linalg.norm(error, axis=(1, 2)).max() <= 16 * EPS


@pytest.mark.slow
@pytest.mark.parametrize("make", SUITES)
def test_large_suite(rng, make):
    for m, n in SHAPES:
        a = make(rng, 2000, m, n)
        check_factors(a, *svd(a))


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.sampled_from(SHAPES).flatmap(lambda shape: arrays(float, shape, elements=finite | st.sampled_from([0.0, 1.0])))
)
def test_any_finite_matrix(a):
    (u, s, vh), info = svd(a, info=True)
    assert info == 0
    scale = 2.0 ** -np.clip(np.frexp(np.abs(a).max())[1], -1020, 1020)
    if np.isfinite(s).all() and (s.max() == 0 or s.max() > 1e-290):  # or else its digits are not there to be checked
        check_factors(a * scale, u, s * scale, vh)


# ---------------------------------------------------- values to their last digits


def exact_values(a, digits):
    with mpmath.workdps(digits):
        return np.sort([float(x) for x in mpmath.svd_r(mpmath.matrix(a.tolist()), compute_uv=False)])[::-1]


@pytest.mark.parametrize(
    ("axis", "shape"), [*((axis, (n, n)) for n in (2, 3, 8) for axis in (-1, -2)), (-1, (3, 6)), (-2, (6, 3))]
)
def test_values_of_scaled_rows_or_columns_keep_their_digits(rng, axis, shape):
    """Each is right relative to itself, whatever the rows of a wide matrix or columns of a tall one are scaled by."""
    core = rng.standard_normal((8, *shape))
    a = core * np.expand_dims(10 ** rng.uniform(-60, 0, (8, shape[-3 - axis])), axis)
    for cell, s, condition in zip(a, svdvals(a), np.linalg.cond(core), strict=True):
        exact = exact_values(cell, 200)
        assert (np.abs(s - exact) <= 30 * condition * EPS * exact).all()


@pytest.mark.parametrize("size", range(1, 9))
def test_values_beside_lapack(rng, size):
    for make in (clustered, conditioned, equal):
        a = make(rng, 6, size, size)
        exact = np.stack([exact_values(cell, 60) for cell in a])
        assert np.abs(svdvals(a) - exact).max() <= 8 * EPS


@pytest.mark.parametrize("exponent", [-900, -500, 500, 990])
def test_a_power_of_two_changes_no_digit(rng, exponent):
    for m, n in SHAPES:
        a = rng.standard_normal((5, m, n))
        u, s, vh = svd(a)
        for x, y in zip(svd(np.ldexp(a, exponent)), (u, np.ldexp(s, exponent), vh), strict=True):
            assert x.tobytes() == y.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_diagonals_are_exact(rng, dtype):
    for m, n in SHAPES:
        k = min(m, n)
        values = np.ldexp(rng.permutation(np.arange(1, k + 1)).astype(dtype), rng.integers(-100, 20))
        a = np.zeros((m, n), dtype)
        a[rng.permutation(m)[:k], rng.permutation(n)[:k]] = values * rng.choice([-1, 1], k)
        u, s, vh = svd(a)
        assert (s == np.sort(values)[::-1]).all()
        assert ((u[:, :k] * s) @ vh[:k] == a).all()


def test_zero_and_rank_one():
    for m, n in SHAPES:
        u, s, vh = svd(np.zeros((m, n)))
        assert (s == 0).all()
        check_factors(np.ones((m, n)), *svd(np.ones((m, n))))
        assert (np.abs(u.T @ u - np.eye(m)) <= 4 * EPS).all()
        assert (np.abs(vh @ vh.T - np.eye(n)) <= 4 * EPS).all()
        assert not np.signbit(s).any()


def test_float32_is_float64_rounded_once(rng):
    for m, n in SHAPES:
        a = conditioned(rng, 20, m, n).astype("f4")
        for x, y in zip(svd(a), svd(a.astype(float)), strict=True):
            assert x.tobytes() == y.astype("f4").tobytes()


@pytest.mark.parametrize("dtype", ["f2", "bfloat16"])
def test_narrow_storage(rng, dtype):
    dtype = np.dtype(getattr(pytest.importorskip("ml_dtypes"), dtype) if dtype == "bfloat16" else dtype)
    a = rng.standard_normal((5, 4, 3)).astype(dtype)
    for x, y in zip(svd(a), svd(a.astype(float)), strict=True):
        assert x.dtype == dtype
        assert (x == y.astype(dtype)).all()


# ------------------------------------------------------------------ calls


def test_named_like_numpy(rng):
    result = svd(rng.standard_normal((2, 3)))
    assert result._fields == np.linalg.svd(np.eye(2))._fields == ("U", "S", "Vh")


@pytest.mark.parametrize("batch", [(), (1,), (5,), (3, 4), (0,), (2, 0, 3)])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128", "int16"])
def test_shapes_and_dtypes_like_numpy(rng, dtype, batch):
    for m, n in [(1, 1), (2, 2), (3, 3), (4, 2), (2, 4), (8, 8), (9, 3), (3, 9), (0, 3), (3, 0), (0, 0)]:
        a = (4 * rng.standard_normal((*batch, m, n))).astype(dtype)
        for full in (True, False):
            for x, y in zip(svd(a, full), np.linalg.svd(a, full), strict=True):
                assert x.shape == y.shape
                assert x.dtype == y.dtype
        expected = np.linalg.svd(a, compute_uv=False)
        for s in (svd(a).S, svdvals(a), svd(a, compute_uv=False)):
            assert s.dtype == expected.dtype
            assert np.allclose(s, expected, rtol=0, atol=200 * np.finfo(s.dtype).eps)


LAYOUTS = {
    "fortran": lambda a: np.asfortranarray(a),
    "channel first": lambda a: np.ascontiguousarray(a.transpose(1, 2, 0)).transpose(2, 0, 1),
    "spread": lambda a: np.repeat(np.repeat(a, 2, 1), 3, 2)[:, ::2, ::3],
    "backwards": lambda a: a[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
    "apart": lambda a: np.repeat(a, 5, 0)[::5],
    "one by one": lambda a: a[:, None, :, :],
}


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (5, 3), (3, 5), (8, 8)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_bits_do_not_depend_on_place_layout_or_workers(rng, dtype, shape):
    a = np.concatenate([stored(make(rng, 3, *shape), dtype) for make in SUITES])
    expected = svd(a)
    for start in range(5):
        for x, y in zip(svd(a[start : start + 5 + start]), expected, strict=True):
            assert x.tobytes() == y[start : start + 5 + start].tobytes()
    for lay_out in LAYOUTS.values():
        for x, y in zip(svd(lay_out(a)), expected, strict=True):
            assert x.tobytes() == y.tobytes()
    many = np.tile(a, (200, 1, 1))
    for workers in (1, 2, 3):
        for x, y in zip(svd(many, workers=workers), expected, strict=True):
            assert x.tobytes() == np.tile(y, (200,) + (1,) * (y.ndim - 1)).tobytes()


def outputs(results):
    return tuple(np.full_like(x, 7) for x in results)


def test_out(rng):
    a = rng.standard_normal((6, 4, 3))
    expected = svd(a)
    out = outputs(expected)
    result = svd(a, out=out)
    assert all(x is y for x, y in zip(result, out, strict=True))
    assert all((x == y).all() for x, y in zip(result, expected, strict=True))
    strided = tuple(np.repeat(x, 2, -1)[..., ::2] for x in out)
    assert all((x == y).all() for x, y in zip(svd(a, out=strided), expected, strict=True))
    some = svd(a, out=(None, out[1], None))
    assert some.S is out[1]
    assert (some.U == expected.U).all()
    s = np.empty((6, 3))
    assert svdvals(a, out=s) is s
    assert svd(a, compute_uv=False, out=s) is s
    assert (s == expected.S).all()


def test_out_may_overlap_the_input(rng):
    a = rng.standard_normal((6, 3, 3))
    expected = svd(a)
    same = a.copy()
    assert (svd(same, out=(same, None, None)).U == expected.U).all()
    same = a.copy()
    assert (svd(same, out=(None, None, same)).Vh == expected.Vh).all()
    turned = a.copy()
    assert (svd(turned, out=(turned.mT, None, None)).U == expected.U).all()
    shifted = np.zeros((7, 3, 3))
    shifted[1:] = a
    assert (svd(shifted[1:], out=(None, None, shifted[:-1])).Vh == expected.Vh).all()
    row = a.copy()
    assert (svdvals(row, out=row[:, 1]) == expected.S).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (5, 3), (3, 5), (9, 2)])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex128"])
def test_what_is_not_finite_touches_no_other_cell(rng, dtype, shape, bad):
    a = rng.standard_normal((7, *shape)).astype(dtype)
    expected, values = svd(a), svdvals(a)
    a[4, -1, 1] = bad
    result, info = svd(a, on_error="nan", info=True)
    assert info.tolist() == [0, 0, 0, 0, 2, 0, 0]
    for x, y in zip(result, expected, strict=True):
        assert np.isnan(x[4]).all()
        assert np.delete(x, 4, 0).tobytes() == np.delete(y, 4, 0).tobytes()
    s, info = svdvals(a, on_error="nan", info=True)
    assert info.tolist() == [0, 0, 0, 0, 2, 0, 0]
    assert np.isnan(s[4]).all()
    assert np.delete(s, 4, 0).tobytes() == np.delete(values, 4, 0).tobytes()


def test_bad_input(rng):
    a = rng.standard_normal((4, 3, 2))
    for function in (svd, svdvals):
        name = function.__name__
        with pytest.raises(tny.ShapeError, match=rf"{name}: a must have shape \(\.\.\., M, N\), not \(3,\)"):
            function(a[0, :, 0])
        for wrong in ("x", object(), np.zeros((2, 2), "U1"), np.ma.masked_array(np.eye(2)), np.zeros((2, 2), "g")):
            with pytest.raises(tny.DTypeError, match=name):
                function(wrong)
        with pytest.raises(tny.ArgumentError, match=f"{name}: on_error"):
            function(a, on_error="ignore")
        with pytest.raises((ValueError, TypeError), match=f"{name}: workers"):
            function(a, workers=0)
    for out in (np.empty((4, 3, 3)), (np.empty((4, 3, 3)),), [None, None, None], ()):
        with pytest.raises(tny.ArgumentError, match="svd: out must be a tuple of 3 arrays"):
            svd(a, out=out)
    good = outputs(svd(a))
    for k, wrong, error in [
        (0, np.empty((4, 3, 2)), tny.ShapeError),
        (1, np.empty((4, 2), "f4"), tny.DTypeError),
        (2, np.broadcast_to(np.zeros((2, 2)), (4, 2, 2)), tny.LayoutError),
        (1, good[2][:, 0], tny.LayoutError),
    ]:
        with pytest.raises(error, match="svd"):
            svd(a, out=(*good[:k], wrong, *good[k + 1 :]))
        assert all((x == 7).all() for x in good)


def test_leaves_are_counted():
    check_count("orthogonal")
