"""qr: the accuracy rule, LAPACK's signs, and everything a call can ask for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from references import DTYPES

import teeny as tny
from teeny.linalg import qr

SHAPES = [(m, n) for m in range(1, 9) for n in range(1, 9)]
MODES = ["reduced", "complete"]


def norms(a):
    return np.linalg.norm(a.astype(float), 2, (-2, -1))


def check_factors(a, q, r):
    """The accuracy rule; `a` scaled by powers of two first, so that the check itself stays in range."""
    exponents = np.frexp(np.abs(a).max((-2, -1), keepdims=True))[1]
    eps, size = np.finfo(a.dtype).eps, max(a.shape[-2:])
    a, r = (np.ldexp(x.astype(np.longdouble), -exponents) for x in (a, r))
    q = q.astype(np.longdouble)
    assert (norms(a - q @ r) <= 10 * size * eps * norms(a)).all()
    assert (norms(q.mT @ q - np.eye(q.shape[-1])) <= 10 * size * eps).all()
    assert (np.tril(r, -1) == 0).all()


def random(rng, count, m, n):
    return rng.standard_normal((count, m, n))


def sparse(rng, count, m, n):
    return rng.integers(-1, 1, (count, m, n), endpoint=True).astype(float)


def deficient(rng, count, m, n):
    return random(rng, count, m, 1) @ random(rng, count, 1, n)


def graded(rng, count, m, n):
    return (
        random(rng, count, m, n) * 10 ** rng.uniform(-150, 150, (count, m, 1)) * 10 ** rng.uniform(-3, 3, (count, 1, n))
    )


def far(rng, count, m, n):
    return random(rng, count, m, n) * 2.0 ** rng.integers(-1020, 1010, (count, m, n))


@pytest.mark.parametrize("make", [random, sparse, deficient, graded, far])
@pytest.mark.parametrize("dtype", DTYPES)
def test_suite(rng, make, dtype):
    for m, n in SHAPES:
        a = make(rng, 50, m, n)
        a = (a / np.abs(a).max((1, 2), keepdims=True, initial=1e-300)).astype(dtype) if dtype == "float32" else a
        for mode in MODES:
            q, r = qr(a, mode)
            assert q.dtype == r.dtype == dtype
            check_factors(a, q, r)
        assert (qr(a, "r") == qr(a).R).all()


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.sampled_from(SHAPES).flatmap(lambda shape: arrays(float, shape, elements=finite)))
def test_any_finite_matrix(a):
    q, r = qr(a, "complete")
    scale = 2.0 ** -np.clip(np.frexp(np.abs(a).max())[1], -1020, 1020)
    if np.isfinite(r).all() and not 0 < np.abs(a).max() < 1e-290:  # or else its digits are not there to be checked
        check_factors(a * scale, q, r * scale)


@pytest.mark.parametrize("batch", [(), (5,), (3, 4), (0,), (2, 0, 3)])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128", "int16"])
def test_like_numpy_signs_and_all(rng, dtype, batch):
    for m, n in [*SHAPES, (9, 3), (3, 9), (0, 3), (3, 0), (0, 0)]:
        # diagonally dominant, so that the factors are determined well
        a = (8 * rng.standard_normal((*batch, m, n)) + 64 * np.eye(m, n) * rng.choice([-1, 1], (m, 1))).astype(dtype)
        for mode in MODES:
            expected = np.linalg.qr(a.astype("c16" if a.dtype.kind == "c" else float), mode)
            result = qr(a, mode)
            for x, y in zip(result, np.linalg.qr(a, mode), strict=True):
                assert x.shape == y.shape
                assert x.dtype == y.dtype
            check = 200 * np.finfo(result.R.dtype).eps
            columns = min(m, n)  # further ones of a complete Q are any that complete it
            assert np.allclose(result.Q[..., :columns], expected.Q[..., :columns], rtol=0, atol=check)
            assert np.allclose(result.R, expected.R, rtol=0, atol=200 * check)


def test_named_like_numpy():
    assert qr(np.eye(2))._fields == np.linalg.qr(np.eye(2))._fields == ("Q", "R")


@pytest.mark.parametrize("exponent", [-900, 900])
def test_a_power_of_two_changes_no_digit(rng, exponent):
    for m, n in SHAPES:
        a = rng.standard_normal((5, m, n))
        q, r = qr(a)
        for x, y in zip(qr(np.ldexp(a, exponent)), (q, np.ldexp(r, exponent)), strict=True):
            assert x.tobytes() == y.tobytes()


def test_float32_is_float64_rounded_once(rng):
    for m, n in SHAPES:
        a = rng.standard_normal((20, m, n)).astype("f4")
        for x, y in zip(qr(a), qr(a.astype(float)), strict=True):
            assert x.tobytes() == y.astype("f4").tobytes()


@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (8, 8)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_bits_do_not_depend_on_place_layout_or_workers(rng, dtype, shape):
    a = np.concatenate([make(rng, 5, *shape) for make in (random, sparse, deficient)]).astype(dtype)
    expected = qr(a)
    side = np.ascontiguousarray(a.transpose(1, 2, 0)).transpose(2, 0, 1)
    spread = np.repeat(np.repeat(a, 2, 1), 3, 2)[:, ::2, ::3]
    backwards = a[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1]
    for laid in (side, spread, backwards, np.asfortranarray(a)):
        for x, y in zip(qr(laid), expected, strict=True):
            assert x.tobytes() == y.tobytes()
    for start in range(5):
        for x, y in zip(qr(a[start : 2 * start + 3]), expected, strict=True):
            assert x.tobytes() == y[start : 2 * start + 3].tobytes()
    for workers in (1, 2, 3):
        for x, y in zip(qr(np.tile(a, (300, 1, 1)), workers=workers), expected, strict=True):
            assert x.tobytes() == np.tile(y, (300, 1, 1)).tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_touches_no_other_cell(rng, bad):
    for m, n in SHAPES:
        a = rng.standard_normal((7, m, n))
        expected = qr(a)
        a[4, -1, -1] = bad
        for x, y in zip(qr(a), expected, strict=True):
            assert np.isnan(x[4]).all()
            assert np.delete(x, 4, 0).tobytes() == np.delete(y, 4, 0).tobytes()


def test_out(rng):
    a = rng.standard_normal((6, 4, 3))
    expected = qr(a)
    out = np.empty((6, 4, 3)), np.empty((6, 3, 3))
    result = qr(a, out=out)
    assert all(x is y for x, y in zip(result, out, strict=True))
    assert all((x == y).all() for x, y in zip(result, expected, strict=True))
    assert qr(a, "r", out=out[1]) is out[1]
    assert qr(a, out=(None, out[1])).R is out[1]
    same = a.copy()
    assert (qr(same, out=(same, None)).Q == expected.Q).all()
    square = rng.standard_normal((6, 3, 3))
    expected = qr(square)
    turned = square.copy()
    assert (qr(turned, out=(None, turned.mT)).R == expected.R).all()


def test_bad_input(rng):
    a = rng.standard_normal((4, 3, 2))
    with pytest.raises(tny.ShapeError, match=r"qr: a must have shape \(\.\.\., M, N\), not \(3,\)"):
        qr(a[0, :, 0])
    for mode in ("full", "raw", "", None, 1, ["reduced"]):
        with pytest.raises(tny.ArgumentError, match="qr: mode must be 'reduced', 'complete' or 'r'"):
            qr(a, mode)
    for wrong in ("x", object(), np.ma.masked_array(np.eye(2)), np.zeros((2, 2), "g")):
        with pytest.raises(tny.DTypeError, match="qr"):
            qr(wrong)
    with pytest.raises(tny.ArgumentError, match=r"qr: out must be a tuple of 2 arrays \(q, r\)"):
        qr(a, out=np.empty((4, 3, 2)))
    out = np.full((4, 3, 2), 7.0), np.full((4, 2, 2), 7.0)
    for k, wrong, error in [
        (0, np.empty((4, 3, 3)), tny.ShapeError),
        (1, np.empty((4, 2, 2), "f4"), tny.DTypeError),
        (1, out[0][:, :2], tny.LayoutError),
    ]:
        with pytest.raises(error, match="qr"):
            qr(a, out=(*out[:k], wrong, *out[k + 1 :]))
        assert all((x == 7).all() for x in out)
