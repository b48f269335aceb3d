"""pinv and lstsq: beside exact answers and NumPy, ranks, tolerances, and everything a call can ask for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from references import DTYPES, exact, orthogonal

import teeny as tny
from teeny.linalg import lstsq, pinv

SHAPES = [(m, n) for m in range(1, 9) for n in range(1, 9)]
EPS = 2.0**-52


def random(rng, count, m, n):
    return rng.standard_normal((count, m, n))


def deficient(rng, count, m, n, rank=2):
    return random(rng, count, m, rank) @ random(rng, count, rank, n)


def of_rank(rng, m, n, rank):
    """Singular values between 1/2 and 1, and zeros."""
    u, v = orthogonal(rng, m)[:, :rank], orthogonal(rng, n)[:rank]
    return (u * rng.uniform(0.5, 1, rank)) @ v


# ------------------------------------------------------------------ exact answers


def exact_pinv(a):
    """Of integers of full rank, by the normal equations, whose products are exact."""
    if a.shape[0] < a.shape[1]:
        answer = exact_pinv(a.T)
        return answer if answer is None else answer.T
    done = exact(a.T @ a, a.T)
    return done if done is None else done[2].high


@pytest.mark.parametrize("dtype", DTYPES)
def test_pinv_of_integers(rng, dtype):
    eps = np.finfo(dtype).eps
    ours, theirs = [], []
    for m, n in SHAPES:
        for a in rng.integers(-9, 9, (6, m, n), endpoint=True).astype(float):
            answer = exact_pinv(a)
            if answer is None:
                continue
            largest = np.abs(answer).max()
            error = np.abs(pinv(a.astype(dtype)) - answer).max() / largest
            assert error <= 60 * EPS * np.linalg.cond(a) + eps
            ours.append(error)
            theirs.append(np.abs(np.linalg.pinv(a) - answer).max() / largest)
    assert len(ours) > 250
    assert np.median(ours) <= max(2 * np.median(theirs), eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lstsq_of_integers(rng, dtype):
    eps = np.finfo(dtype).eps
    ours, theirs = [], []
    for m, n in SHAPES:
        for a in rng.integers(-9, 9, (6, m, n), endpoint=True).astype(float):
            answer = exact_pinv(a)
            if answer is None:
                continue
            b = rng.integers(-9, 9, (m, 2)).astype(float)
            x, _, rank, _ = lstsq(a.astype(dtype), b.astype(dtype))
            expected = np.asarray(answer.astype(np.longdouble) @ b, float)
            scale = np.abs(answer).max() * np.abs(b).max() + 1e-300
            error = np.abs(x - expected).max() / scale
            assert rank == min(m, n)
            assert error <= 60 * EPS * np.linalg.cond(a) + 8 * eps
            ours.append(error)
            theirs.append(np.abs(np.linalg.lstsq(a, b)[0] - expected).max() / scale)
    assert np.median(ours) <= max(2 * np.median(theirs), eps)


finite = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@given(st.sampled_from(SHAPES).flatmap(lambda shape: arrays(float, shape, elements=finite)))
def test_pinv_is_one(a):
    """Penrose's conditions, as far as the condition of what is left of the matrix lets them hold."""
    x = pinv(a, rtol=1e-6)
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = s > 1e-6 * s[0]
    if (np.abs(s - 1e-6 * s[0]) < 1e-9 * s[0]).any():  # rounding decides
        kept = s > np.inf
    if kept.any():
        a = (u[:, kept] * s[kept]) @ vh[kept]
        unit = np.linalg.norm(a, 2), np.linalg.norm(x, 2)
        condition = unit[0] * unit[1]
        tolerance = 200 * EPS * condition
        assert np.abs(a @ x @ a - a).max() <= tolerance * condition * unit[0]
        assert np.abs(x @ a @ x - x).max() <= tolerance * condition * unit[1]
        assert np.abs(a @ x - (a @ x).T).max() <= tolerance * condition
        assert np.abs(x @ a - (x @ a).T).max() <= tolerance * condition


# ------------------------------------------------------------------ rank and tolerance


@pytest.mark.parametrize("dtype", DTYPES)
def test_deficient_systems_have_the_shortest_solution(rng, dtype):
    for m, n in SHAPES:
        for rank in range(min(m, n) + 1):
            a, b = of_rank(rng, m, n, rank), rng.standard_normal((m, 3))
            x, residuals, found, s = lstsq(a[None].astype(dtype), b.astype(dtype), rcond=1e-5)
            expected = np.linalg.pinv(a, rcond=1e-5) @ b
            tolerance = 400 * np.finfo(dtype).eps
            assert found.tolist() == [rank]
            assert x.dtype == residuals.dtype == s.dtype == dtype
            assert np.abs(x[0] - expected).max() <= tolerance
            assert np.abs(residuals[0] - np.square(b - a @ expected).sum(0)).max() <= 10 * tolerance
            assert np.abs(s[0] - np.linalg.svd(a, compute_uv=False)).max() <= tolerance
            assert np.abs(pinv(a.astype(dtype), 1e-5) - np.linalg.pinv(a, 1e-5)).max() <= tolerance


@pytest.mark.parametrize("b", [(4,), (4, 3), (4, 0)])
@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128", "int32"])
def test_a_single_system_like_numpy(rng, dtype, rank, b):
    for m, n in [(4, 2), (4, 4), (4, 6), (4, 9), (4, 0)]:
        a = deficient(rng, 1, m, n, rank)[0].astype(dtype)
        y = rng.integers(-5, 5, b).astype(dtype)
        result, expected = lstsq(a, y, 1e-4), np.linalg.lstsq(a, y, 1e-4)
        for x, z in zip(result, expected, strict=True):
            assert x.shape == z.shape
            assert x.dtype == z.dtype
        eps = np.finfo(result[0].dtype).eps
        assert result[2] == expected[2]
        cond = np.linalg.norm(np.linalg.pinv(a, 1e-4), 2) if n else 1.0
        assert np.allclose(result[0], expected[0], rtol=0, atol=1e3 * eps * (1 + cond) ** 2)
        assert np.allclose(result[1], expected[1], rtol=1e4 * eps * (1 + cond), atol=1e4 * eps)


def test_residuals_of_batches_are_all_there(rng):
    a, b = random(rng, 5, 3, 4), random(rng, 5, 3, 2)
    x, residuals, rank, s = lstsq(a, b)
    assert residuals.shape == (5, 2)
    assert residuals.max() < 1e-25
    assert rank.tolist() == [3] * 5
    assert s.shape == (5, 3)
    a[2] = 0
    x, residuals, rank, s = lstsq(a, b)
    assert rank.tolist() == [3, 3, 0, 3, 3]
    assert (x[2] == 0).all()
    assert np.allclose(residuals[2], np.square(b[2]).sum(0))
    assert lstsq(a[2][None], b[2, :, 0])[1].shape == (1, 1)


def test_tolerances_follow_numpy(rng):
    values = np.array([1, 1e-7, 3e-15, 5e-16])
    a = (orthogonal(rng, 4) * values) @ orthogonal(rng, 4)

    def rank(**options):
        return round(float(np.trace(pinv(a, **options) @ a)))

    for name, value in [
        ("rcond", 1e-15),
        ("rtol", 1e-15),
        ("rtol", None),
        ("rcond", 1e-3),
        ("rtol", 1e-8),
        ("rcond", 2),
    ]:
        assert rank(**{name: value}) == round(float(np.trace(np.linalg.pinv(a, **{name: value}) @ a)))
    assert [rank(), rank(rtol=None), rank(rcond=1e-3), rank(rcond=2)] == [3, 3, 1, 0]
    assert pinv(a.astype("f4"), rtol=None).dtype == np.float32
    assert round(float(np.trace(pinv(a.astype("f4"), rtol=None) @ a))) == 1
    assert lstsq(a, np.ones(4))[2] == np.linalg.lstsq(a, np.ones(4))[2] == 3
    assert lstsq(a, np.ones(4), 1e-3)[2] == 1
    assert lstsq(a, np.ones(4), -1)[2] == 4


def test_a_tolerance_for_each_matrix(rng):
    a = np.broadcast_to(np.diag([1.0, 1e-2, 1e-4]), (4, 3, 3))
    rcond = np.array([1e-1, 1e-3, 1e-5, -1])
    assert lstsq(a, np.ones(3), rcond)[2].tolist() == [1, 2, 3, 3]
    for k in range(4):
        assert (pinv(a, rcond)[k] == pinv(a[k], rcond[k])).all()
    assert pinv(a[0], rcond[:, None]).shape == (4, 1, 3, 3)
    assert (pinv(a, rcond) == pinv(a, rtol=rcond)).all()


# ------------------------------------------------------------------ range


@pytest.mark.parametrize("exponent", [-900, -200, 200, 900])
def test_a_power_of_two_changes_no_digit(rng, exponent):
    for m, n in SHAPES:
        a, b = random(rng, 5, m, n), random(rng, 5, m, 2)
        scaled = np.ldexp(a, exponent)
        assert pinv(scaled).tobytes() == np.ldexp(pinv(a), -exponent).tobytes()
        x, residuals, _, _ = lstsq(a, b)
        assert lstsq(scaled, b)[0].tobytes() == np.ldexp(x, -exponent).tobytes()
        assert lstsq(scaled, np.ldexp(b, exponent))[0].tobytes() == x.tobytes()
        assert lstsq(scaled, b)[1].tobytes() == residuals.tobytes()


def test_float32_is_float64_rounded_once(rng):
    for m, n in SHAPES:
        a, b = (x.astype("f4") for x in (random(rng, 9, m, n), random(rng, 9, m, 2)))
        wide = a.astype(float), b.astype(float)
        assert pinv(a, 0.25).tobytes() == pinv(wide[0], 0.25).astype("f4").tobytes()
        for x, y in zip(lstsq(a, b, 0.25), lstsq(*wide, 0.25), strict=True):
            assert x.tobytes() == y.astype(x.dtype).tobytes()


def test_narrow_storage(rng):
    a, b = random(rng, 3, 4, 2).astype("f2"), random(rng, 3, 4, 2).astype("f2")
    assert (pinv(a) == pinv(a.astype(float)).astype("f2")).all()
    assert pinv(a, rtol=None).dtype == np.float16
    for x, y in zip(lstsq(a, b), lstsq(a.astype(float), b.astype(float)), strict=True):
        assert (x == y.astype(x.dtype)).all()


# ------------------------------------------------------------------ calls


@pytest.mark.parametrize("batch", [(), (1,), (5,), (3, 4), (0,), (2, 0, 3)])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex128", "int16"])
def test_pinv_like_numpy(rng, dtype, batch):
    for m, n in [*SHAPES, (9, 3), (3, 9), (0, 3), (3, 0), (0, 0)]:
        a = (4 * rng.standard_normal((*batch, m, n)) + 20 * np.eye(m, n)).astype(dtype)
        expected = np.linalg.pinv(a.astype(complex if dtype == "complex128" else float), 1e-6)
        result = pinv(a, 1e-6)
        assert result.shape == expected.shape
        assert result.dtype == ("f8" if dtype == "int16" else dtype)
        assert np.allclose(result, expected, rtol=0, atol=1e3 * np.finfo(result.dtype).eps)


@pytest.mark.parametrize(
    ("a", "b"),
    [((5, 4, 2), (4,)), ((5, 4, 2), (4, 3)), ((4, 2), (5, 4, 3)), ((3, 1, 2, 4), (5, 2, 1)), ((0, 4, 2), (4,))],
)
def test_batches_broadcast(rng, a, b):
    a, b = rng.standard_normal(a), rng.standard_normal(b)
    x, residuals, rank, s = lstsq(a, b)
    expected = np.linalg.pinv(a) @ (b[:, None] if b.ndim == 1 else b)
    batch = expected.shape[:-2]
    expected = expected[..., 0] if b.ndim == 1 else expected
    assert x.shape == expected.shape
    assert np.allclose(x, expected, rtol=0, atol=1e-10)
    assert residuals.shape == (*batch, 1 if b.ndim == 1 else b.shape[-1])
    assert rank.shape == batch
    assert s.shape == (*batch, min(a.shape[-2:]))


@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (8, 8)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_bits_do_not_depend_on_place_layout_or_workers(rng, dtype, shape):
    m, n = shape
    a = np.concatenate([random(rng, 6, m, n), deficient(rng, 5, m, n)]).astype(dtype)
    b = random(rng, 11, m, 2).astype(dtype)
    expected = (pinv(a), *lstsq(a, b))

    def same(a, b, part=slice(None), **options):
        for x, y in zip((pinv(a, **options), *lstsq(a, b, **options)), expected, strict=True):
            assert x.tobytes() == y[part].tobytes()

    side = [np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1) for x in (a, b)]
    spread = [np.repeat(np.repeat(x, 2, 1), 3, 2)[:, ::2, ::3] for x in (a, b)]
    for laid in (side, spread, [np.asfortranarray(a), b[::-1].copy()[::-1]]):
        same(*laid)
    for start in range(5):
        same(a[start : 2 * start + 3], b[start : 2 * start + 3], slice(start, 2 * start + 3))
    index = np.arange(4000) % 11
    for workers in (1, 2, 3):
        same(a[index], b[index], index, workers=workers)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_touches_no_other_cell(rng, bad):
    for m, n in [*SHAPES, (9, 3)]:
        a, b = random(rng, 7, m, n), random(rng, 7, m, 2)
        expected = (pinv(a), *lstsq(a, b))
        a[4, -1, -1] = bad
        inverse, status = pinv(a, on_error="nan", info=True)
        results, info = lstsq(a, b, on_error="nan", info=True)
        assert status.tolist() == info.tolist() == [0, 0, 0, 0, 2, 0, 0]
        for x, y in zip((inverse, *results), expected, strict=True):
            assert np.isnan(x[4]).all() if x.dtype == float else x[4] == 0
            assert np.delete(x, 4, 0).tobytes() == np.delete(y, 4, 0).tobytes()


def test_out(rng):
    a, b = random(rng, 6, 4, 3), random(rng, 6, 4, 2)
    x = np.empty((6, 3, 4))
    assert pinv(a, out=x) is x
    assert (x == pinv(a)).all()
    same = a.copy()
    assert (pinv(same, out=same.mT) == x).all()
    expected = lstsq(a, b)
    out = tuple(np.full_like(x, 7) for x in expected)
    result = lstsq(a, b, out=out)
    assert all(x is y for x, y in zip(result, out, strict=True))
    assert all((x == y).all() for x, y in zip(result, expected, strict=True))
    square = random(rng, 6, 4, 4)
    expected = lstsq(square, b)[0]
    assert (lstsq(square, b, out=(b, None, None, None))[0] == expected).all()
    vector = np.empty((6, 3))
    assert lstsq(a, np.ones(4), out=(vector, None, None, None))[0] is vector
    assert (vector == lstsq(a, np.ones(4))[0]).all()
    residuals = np.full(1, 7.0)
    assert lstsq(np.eye(2), np.ones(2), out=(None, residuals, None, None))[1] is residuals
    assert residuals == 0


def test_bad_input(rng):
    a, b = random(rng, 4, 3, 2), random(rng, 4, 3, 1)
    with pytest.raises(tny.ShapeError, match=r"pinv: a must have shape \(\.\.\., M, N\), not \(3,\)"):
        pinv(a[0, :, 0])
    with pytest.raises(tny.ShapeError, match=r"lstsq: a must have shape \(\.\.\., M, N\), not \(\)"):
        lstsq(1.0, b)
    with pytest.raises(tny.ShapeError, match=r"lstsq: b must have shape \(3,\) or \(\.\.\., 3, K\), not \(2,\)"):
        lstsq(a, np.ones(2))
    with pytest.raises(tny.ShapeError, match=r"lstsq: b must have shape \(\.\.\., 3, K\).* not \(4, 2, 1\)"):
        lstsq(a, b[:, :2])
    with pytest.raises(tny.ShapeError, match="lstsq: the batch axes"):
        lstsq(a, b[:3])
    with pytest.raises(tny.ShapeError, match="pinv: the batch axes"):
        pinv(a, np.ones(3))
    for wrong in (1j, "x", None, [[1], [1, 2]], object()):
        if wrong is not None:
            with pytest.raises((tny.ArgumentError, ValueError), match=r"pinv: rcond|inhomogeneous"):
                pinv(a, wrong)
            with pytest.raises((tny.ArgumentError, ValueError), match=r"lstsq: rcond|inhomogeneous"):
                lstsq(a, b, wrong)
    with pytest.raises(tny.ArgumentError, match="pinv: rcond and rtol"):
        pinv(a, 1e-3, rtol=None)
    for function, arguments in ((pinv, ()), (lstsq, (b,))):
        for wrong in ("x", object(), np.zeros((3, 2), "g")):
            with pytest.raises(tny.DTypeError, match=function.__name__):
                function(wrong, *arguments)
        with pytest.raises(tny.ArgumentError, match="on_error"):
            function(a, *arguments, on_error="ignore")
    with pytest.raises(tny.ArgumentError, match="lstsq: out must be a tuple of 4 arrays"):
        lstsq(a, b, out=np.empty((4, 2, 1)))
    with pytest.raises(tny.DTypeError, match="lstsq"):
        lstsq(a, b, out=(None, None, np.empty(4, "i8"), None))
    with pytest.raises(tny.LayoutError, match="pinv"):
        pinv(a, out=np.broadcast_to(np.zeros((2, 3)), (4, 2, 3)))
