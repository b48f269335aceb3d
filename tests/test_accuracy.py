"""inv, det and solve against exact answers, beside NumPy's LAPACK: the accuracy rule of every suite and size."""

from fractions import Fraction

import numpy as np
import pytest
from references import DTYPES, SIZES, SUITES, errors, exact, residual, suite

import teeny as tny

MEDIAN, WORST = 2, 16


def teeny(op, s):
    with np.errstate(all="raise"):
        if op == "det":
            return tny.linalg.det(s.a)
        return getattr(tny.linalg, op)(*operands(op, s), on_error="nan")


def lapack(op, s):
    """NumPy's answer, cell by cell: one that it calls singular is NaN, and leaves the others alone."""
    results = []
    for cell in zip(*operands(op, s), strict=True):
        try:
            results.append(getattr(np.linalg, op)(*cell))
        except np.linalg.LinAlgError:
            results.append(np.full(cell[-1].shape, np.nan, s.a.dtype))
    return np.stack(results)


def operands(op, s):
    return (s.a, s.b) if op == "solve" else (s.a,)


def check(op, name, dtype, size, count):
    s = suite(name, dtype, size, count)
    eps = np.finfo(dtype).eps
    x = teeny(op, s)
    assert x.dtype == dtype
    # a determinant that cancels is lucky or not: LAPACK's own worst varies tenfold with the order of the rows
    median = 4 if op == "det" else MEDIAN
    for ours, theirs in zip(errors(s, op, x), errors(s, op, lapack(op, s)), strict=True):
        assert np.median(ours) <= max(median * np.median(theirs), eps)
        assert ours.max() <= max(WORST * theirs.max(), 2 * eps)
    if op != "det":
        # rounding may make a matrix singular only if it nearly is
        done = np.isfinite(x).all((1, 2))
        assert (np.linalg.cond(s.a[~done].astype(float)) > 0.01 / np.finfo(float).eps).all()
        b = s.b if op == "solve" else np.broadcast_to(np.eye(size), s.a.shape)
        assert residual(s.a[done], x[done], b[done]).max() <= 10 * size * eps


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["inv", "det", "solve"])
def test_suite(op, dtype, size, name):
    check(op, name, dtype, size, 100)


@pytest.mark.slow
@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["inv", "det", "solve"])
def test_large_suite(op, dtype, size, name):
    check(op, name, dtype, size, 1000)


def log_uniform(rng, n, size):
    return rng.standard_normal((n, size, size)) * 10 ** rng.uniform(-6, 0, (n, size, size))


def tensors(rng, n, size):
    g = rng.standard_normal((n, size, 1))
    return g @ g.swapaxes(1, 2) + 10 ** rng.uniform(-7, 0, (n, 1, 1)) * np.eye(size)


def positive(rng, n, size):
    q = np.linalg.qr(rng.standard_normal((n, size, size)))[0]
    return (q * 10 ** rng.uniform(-6, 0, (n, 1, size))) @ q.swapaxes(1, 2)


@pytest.mark.parametrize("make", [log_uniform, tensors, positive])
@pytest.mark.parametrize("size", SIZES)
def test_residuals_of_many(rng, size, make):
    """What is rare is found only among many; a residual needs no exact answer."""
    a = make(rng, 20_000, size)
    for x, b in ((tny.linalg.inv(a), np.broadcast_to(np.eye(size), a.shape)), (tny.linalg.solve(a, a[::-1]), a[::-1])):
        assert residual(a, x, b).max() <= 10 * size * 2.0**-52


# ------------------------------------------------------------------ the references themselves


@pytest.mark.parametrize("name", SUITES)
def test_references_are_exact(name):
    s = suite(name, "float64", 4, 5)
    for k in range(5):
        core = np.ldexp(s.a[k], -s.rows[k][:, None] - s.cols[k])
        a = [[Fraction(x) for x in row] for row in core.tolist()]
        x = [
            [Fraction(h) + Fraction(t) for h, t in zip(*rows, strict=True)]
            for rows in zip(s.inverse.high[k].tolist(), s.inverse.low[k].tolist(), strict=True)
        ]
        for i in range(4):
            for j in range(4):
                terms = [a[i][m] * x[m][j] for m in range(4)]
                assert abs(sum(terms) - (i == j)) <= 2**-100 * (1 + sum(map(abs, terms)))


def test_references_know_a_singular_matrix():
    assert exact(np.ones((3, 3)), np.ones((3, 1))) is None
    inverse, det, solution = exact(np.array([[0.0, 2.0], [4.0, 0.0]]), np.array([[1.0], [2.0]]))
    assert inverse.high.tolist() == [[0, 0.25], [0.5, 0]]
    assert (det.high, solution.high.tolist()) == (-8, [[0.5], [0.5]])


def test_suites_are_what_they_say():
    for size in (3, 8):
        assert np.linalg.cond(suite("condition 1e10-1e15", "float64", size).a).min() > 1e9
        assert np.linalg.cond(suite("nearly singular", "float64", size).a).min() > 1e9
        assert not suite("permuted", "float64", size).a[:, 0, 0].all()
        largest = np.abs(suite("far rows", "float64", size).a).max(-1)
        assert largest.min() < 1e-148
        assert largest.max() > 1e148


# ------------------------------------------------------------------ exact and extreme cases


def integer_det(a):
    return exact(a.astype(float), np.ones((len(a), 1)))


@pytest.mark.parametrize("dtype", [*DTYPES, "int64", "int8"])
@pytest.mark.parametrize("size", SIZES)
def test_det_of_small_integers_is_exact(rng, dtype, size):
    a = rng.integers(-9, 9, (200, size, size), endpoint=True).astype(dtype)
    a[::4, -1] = a[::4, 0] * (size > 1)  # a quarter of them singular
    expected = [answer[1].high if (answer := integer_det(cell)) else 0 for cell in a]
    result = tny.linalg.det(a)
    assert result.dtype == ("float32" if dtype == "float32" else "float64")
    assert result.tolist() == np.array(expected, result.dtype).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_permutations_and_powers_of_two_are_exact(rng, dtype, size):
    a = np.stack([np.eye(size)[rng.permutation(size)] for _ in range(50)]).astype(dtype)
    a *= 2.0 ** rng.integers(-3, 3, (50, size, 1))
    expected = np.where(a == 0, 0, 1 / np.where(a == 0, 1, a)).swapaxes(-1, -2)
    assert (tny.linalg.inv(a) == expected).all()
    assert (tny.linalg.solve(a, a) == np.eye(size)).all()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("dtype", "scale"), [("f4", 1e13), ("f4", 1e-16), ("f8", 1e103), ("f8", 1e-110), ("f8", 1e300)]
)
def test_products_outside_the_range_do_not_matter(dtype, scale, size):
    a = ((np.eye(size) + 0.1) * scale).astype(dtype)
    off = 0.1 / (1 + 0.1 * size)
    tolerance = 8 * np.finfo(dtype).eps
    assert np.abs(tny.linalg.inv(a) * a.dtype.type(scale) - (np.eye(size) - off)).max() < tolerance
    solution = tny.linalg.solve(a, np.full(size, scale, dtype))
    assert np.abs(solution - 1 / (1 + 0.1 * size)).max() < tolerance


@pytest.mark.parametrize("size", range(2, 9))
@pytest.mark.parametrize("first", [1e200, 1e-200])
def test_det_has_no_intermediate_range(size, first):
    """The product of any few pivots leaves the range, that of all does not."""
    half = size // 2
    diagonal = np.array([first] * half + [1 / first] * half + [3.0] * (size % 2))
    expected = 3.0 ** (size % 2)
    for a in (np.diag(diagonal), np.diag(diagonal)[::-1], np.diag(diagonal[::-1])):
        assert abs(abs(tny.linalg.det(a)) / expected - 1) < 1e-14


@pytest.mark.parametrize("size", range(2, 9))
def test_det_outside_the_range_is_what_ieee_says(size):
    assert tny.linalg.det(np.eye(size) * 1e200) == np.inf
    assert tny.linalg.det(np.eye(size)[::-1] * [1e200] * size) == np.linalg.det(np.eye(size)[::-1]) * np.inf
    assert tny.linalg.det(np.eye(size) * 1e-200) == 0


def test_float32_is_float64_rounded_once():
    for size in SIZES:
        s = suite("condition 1e5-1e10", "float32", size, 100)
        inverse, wide = tny.linalg.inv(s.a), tny.linalg.inv(s.a.astype(float))
        assert np.abs(inverse - wide).max() <= 2.0**-23 * np.abs(wide).max()
        assert np.median(errors(s, "inv", inverse)[0]) <= 2.0**-23
