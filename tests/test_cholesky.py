"""cholesky and cho_solve: residuals of suites, what is read, what fails, and how it is told."""

import numpy as np
import pytest
from variations import BATCH, check_count, check_isolated, check_overlaps, check_places

import teeny as tny
from teeny.linalg import cho_solve, cholesky

KERNELS = ["float32", "float64"]
SIZES = range(1, 9)


def gram(rng, count, size):
    g = rng.standard_normal((count, size, size + 2))
    return g @ g.swapaxes(1, 2)


def graded(rng, count, size):
    q = np.linalg.qr(rng.standard_normal((count, size, size)))[0]
    return (q * np.logspace(0, -rng.uniform(0, 6, count), size, axis=-1)[:, None]) @ q.swapaxes(1, 2)


def hilbert(rng, count, size):
    index = np.arange(size)
    return 1 / (np.add.outer(index, index) + 1 + rng.uniform(size=(count, 1, 1))) + 1e-6 * np.eye(size)


def scaled(reach):
    """Rows and columns alike by powers of two."""

    def make(rng, count, size):
        exponents = rng.integers(-reach, reach, (count, size))
        return np.ldexp(gram(rng, count, size), exponents[:, :, None] + exponents[:, None, :])

    return make


FAMILIES = {
    "random": gram,
    "graded": graded,
    "hilbert": hilbert,
    "scaled": scaled(12),
    "far scaled": scaled(55),
    "the whole range": scaled(505),
}
CASES = [(dtype, name) for dtype in KERNELS for name in FAMILIES if (dtype, name) != ("float32", "the whole range")]


def symmetric(a):
    return np.tril(a) + np.tril(a, -1).swapaxes(-1, -2)


def residual(a, product):
    """|product - A| / |A| of each cell, after D A D has its diagonal between 1 and 4: the worst element counts."""
    a, product = a.astype(np.longdouble), product.astype(np.longdouble)
    half = np.frexp(np.diagonal(a, axis1=-2, axis2=-1))[1] // 2
    scale = -(half[..., :, None] + half[..., None, :])
    return np.abs(np.ldexp(product - a, scale)).max((-2, -1)) / np.abs(np.ldexp(a, scale)).max((-2, -1))


@pytest.mark.parametrize(("dtype", "name"), CASES)
@pytest.mark.parametrize("size", SIZES)
def test_residual(rng, size, dtype, name):
    a = symmetric(FAMILIES[name](rng, 200, size)).astype(dtype)
    factor = cholesky(a)
    assert factor.dtype == dtype
    assert not np.triu(factor, 1).any()
    assert (np.diagonal(factor, axis1=-2, axis2=-1) > 0).all()
    wide = factor.astype(np.longdouble)
    assert residual(a, wide @ wide.swapaxes(1, 2)).max() <= 10 * size * np.finfo(dtype).eps


@pytest.mark.parametrize("size", SIZES)
def test_float32_is_float64_rounded_once(rng, size):
    a = symmetric(graded(rng, 100, size)).astype("f4")
    wide = cholesky(a.astype("f8"))
    assert np.abs(cholesky(a) - wide).max() <= 2.0**-24 * np.abs(wide).max()


@pytest.mark.parametrize("value", [5e-324, 1e-320, 2.0**-1022, 1e-300, 1.7e308])
def test_the_ends_of_the_range(value):
    size = 3
    a = np.eye(size) * value
    assert np.abs(np.diagonal(cholesky(a)) / np.sqrt(value) - 1).max() < 1e-15
    a[0, 0] = 4
    assert cholesky(a)[0, 0] == 2


@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 1, 3), (0,), (2, 0, 3)])
@pytest.mark.parametrize("size", [*SIZES, 0, 9])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
def test_like_numpy(rng, dtype, size, batch):
    g = rng.integers(-3, 4, (*batch, size, size)).astype("f8")
    if dtype[0] == "c":
        g = g + 1j * rng.integers(-3, 4, g.shape)
    a = (g @ g.swapaxes(-1, -2).conj() + np.eye(size)).astype(dtype)
    b = rng.standard_normal((*batch, size, 3)).astype("f4" if dtype == "i4" else dtype)
    for upper in False, True:
        expected = np.linalg.cholesky(a, upper=upper)
        factor = cholesky(a, upper=upper)
        assert factor.shape == a.shape
        assert factor.dtype == expected.dtype
        assert np.allclose(factor, expected, atol=1e-4 if expected.dtype.char in "fF" else 1e-12)
        for right in b, b[..., :0], b[..., :1], rng.standard_normal(size):
            x, expected = cho_solve(factor, right, upper=upper), np.linalg.solve(a.astype(factor.dtype), right)
            assert x.shape == expected.shape
            assert x.dtype == expected.dtype
            assert np.allclose(x, expected, atol=2e-3 if factor.dtype.char in "fF" else 1e-10)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_rounded_once(rng, dtype):
    dtype = np.dtype(dtype) if dtype == "float16" else pytest.importorskip("ml_dtypes").bfloat16
    a = symmetric(gram(rng, 20, 3)).astype(dtype)
    assert (cholesky(a) == cholesky(a.astype("f8")).astype(dtype)).all()


# ------------------------------------------------------------------ triangles


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", KERNELS)
def test_only_one_triangle_is_read(rng, dtype, size, upper):
    a = symmetric(gram(rng, 7, size)).astype(dtype)
    other = np.tri(size, k=-1, dtype=bool) if upper else ~np.tri(size, dtype=bool)
    expected = cholesky(a, upper=upper)
    b = rng.standard_normal((7, size, 2)).astype(dtype)
    solution = cho_solve(expected, b, upper=upper)
    for rubbish in np.nan, np.inf, 1e30:
        spoilt = np.where(other, np.array(rubbish, dtype), a)
        factor, info = cholesky(spoilt, upper=upper, info=True)
        assert factor.tobytes() == expected.tobytes()
        assert not info.any()
        x, info = cho_solve(np.where(other, np.array(rubbish, dtype), factor), b, upper=upper, info=True)
        assert x.tobytes() == solution.tobytes()
        assert not info.any()


def test_upper_is_the_transpose(rng):
    a = symmetric(gram(rng, 5, 3))
    assert (cholesky(a, upper=True) == cholesky(a).swapaxes(1, 2)).all()
    out = np.empty_like(a)
    assert cholesky(a, upper=True, out=out) is out
    assert (out == cholesky(a, upper=True)).all()
    assert not np.tril(out, -1).any()


# ------------------------------------------------------------------ systems


@pytest.mark.parametrize("name", ["random", "graded", "hilbert", "scaled"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", KERNELS)
def test_residual_of_systems(rng, dtype, size, name):
    a = symmetric(FAMILIES[name](rng, 200, size)).astype(dtype)
    factor = cholesky(a)
    b = rng.standard_normal((200, size, 2)).astype(dtype)
    x = cho_solve(factor, b).astype(np.longdouble)
    product = factor.astype(np.longdouble) @ factor.astype(np.longdouble).swapaxes(1, 2)
    norm = np.abs(factor).sum(-1).max(-1) * np.abs(factor).sum(-2).max(-1)
    error = np.abs(product @ x - b).max(-2) / (norm[:, None] * np.abs(x).max(-2) + np.abs(b).max(-2))
    assert error.max() <= 10 * size * np.finfo(dtype).eps


def test_vectors_and_matrices_as_in_numpy(rng):
    factor, b = cholesky(symmetric(gram(rng, 2, 2))), rng.standard_normal((2, 2))
    assert cho_solve(factor, b[0]).shape == (2, 2)
    assert (cho_solve(factor, b[0]) == cho_solve(factor, np.broadcast_to(b[0, :, None], (2, 2, 1)))[..., 0]).all()
    assert cho_solve(factor, b).shape == (2, 2, 2)
    assert cho_solve(factor[0], rng.standard_normal((5, 2, 3))).shape == (5, 2, 3)
    out = np.empty((2, 2))
    assert cho_solve(factor, b[0], out=out) is out
    assert (out == cho_solve(factor, b[0])).all()


# ------------------------------------------------------------------ failures


def failing(size):
    """Matrices without a factor, or that are not finite, and their status."""
    a = np.stack([np.eye(size)] * 8)
    a[0, -1, -1] = 0
    a[1, 0, 0] = -1
    a[2] = -0.0
    a[3, -1, -1] = -np.finfo(a.dtype).max
    a[4, 0, 0] = np.nan
    a[5, -1, 0] = np.nan
    a[6, -1, -1] = np.inf
    a[7, -1, 0] = -np.inf
    return a, np.array([1, 1, 1, 1, 2, 2, 2, 2])


@pytest.mark.parametrize("count", [1, 2, 3, 4, 1000])
@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", KERNELS)
def test_status_does_not_depend_on_size_or_batch(dtype, size, count):
    with np.errstate(over="ignore"):
        cases = [x.astype(dtype) for x in failing(size)[0]]
    for a, status in zip(cases, failing(size)[1], strict=True):
        batch = np.stack([np.eye(size, dtype=dtype)] * count)
        batch[-1] = a
        x, info = cholesky(batch, on_error="nan", info=True)
        status = 2 if not np.isfinite(a).all() else status  # -max of float64 is -inf in float32
        assert info.dtype == np.int32
        assert info.tolist() == [0] * (count - 1) + [status]
        assert np.isnan(x[-1]).all()
        assert (x[:-1] == batch[:-1]).all()
        if status == 2:  # as NumPy
            assert np.isnan(cholesky(batch)[-1]).all()
        else:
            with pytest.raises(tny.LinAlgError, match=f"1 of {count} matrices are not positive definite") as error:
                cholesky(batch)
            assert error.value.result.tobytes() == x.tobytes()
            assert error.value.info.tolist() == info.tolist()
            with pytest.raises(np.linalg.LinAlgError):
                np.linalg.cholesky(batch)


@pytest.mark.parametrize("upper", [False, True])
def test_an_exception_carries_the_factors(upper):
    a = np.stack([np.eye(3), -np.eye(3), np.array([[4.0, 2, 0], [2, 5, 0], [0, 0, 1]])])
    with pytest.raises(tny.LinAlgError, match=r"the first at batch index \(1,\)") as error:
        cholesky(a, upper=upper)
    assert error.value.info.tolist() == [0, 1, 0]
    assert (error.value.result[[0, 2]] == cholesky(a[[0, 2]], upper=upper)).all()
    out = np.empty_like(a)
    with pytest.raises(tny.LinAlgError) as error:
        cholesky(a, upper=upper, out=out)
    assert error.value.result is out
    assert np.isnan(out[1]).all()
    with pytest.raises(tny.LinAlgError, match="the matrix is not positive definite"):
        cholesky(a[1], upper=upper)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 9])
@pytest.mark.parametrize("vector", [False, True])
def test_singular_factors(size, vector):
    factor = np.stack([np.eye(size)] * 5)
    factor[1, -1, -1] = 0
    factor[2, 0, 0] = -0.0
    factor[3, -1, 0] = np.nan
    b = np.ones(size) if vector else np.ones((size, 3))
    x, info = cho_solve(factor, b, on_error="nan", info=True)
    assert info.tolist() == [0, 1, 1, 2, 0]
    assert np.isnan(x[1:4]).all()
    assert (x[[0, 4]] == 1).all()
    with pytest.raises(tny.LinAlgError, match="2 of 5 matrices are singular") as error:
        cho_solve(factor, b)
    assert error.value.result.shape == x.shape
    assert error.value.info.tolist() == info.tolist()
    assert (cho_solve(-factor[0], b) == 1).all()  # the sign of a column does not matter


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", KERNELS)
def test_a_bad_cell_spoils_no_other(rng, dtype, size):
    a = symmetric(gram(rng, 6, size)).astype(dtype)
    check_isolated(lambda x: cholesky(x, on_error="nan"), a, [np.nan, np.inf, -1])
    b = rng.standard_normal((size, 2)).astype(dtype)
    check_isolated(lambda x: cho_solve(x, b, on_error="nan"), cholesky(a), [np.nan, np.inf, 0])


@pytest.mark.parametrize("size", [3, 8])
def test_a_pivot_near_zero_is_decided_by_its_own_cell(rng, size):
    """Singular but for rounding: whether it counts as positive does not depend on what lies beside it."""
    g = rng.standard_normal((400, size, size - 1))
    a = g @ g.swapaxes(1, 2)
    alone = [cholesky(cell, on_error="nan", info=True) for cell in a]
    beside = a[:, None] * np.ones((1, 4, 1, 1))
    beside[:, 1] = -1
    factor, info = cholesky(beside, on_error="nan", info=True)
    assert info[:, 0].tolist() == [int(i) for _, i in alone]
    assert factor[:, 0].tobytes() == np.stack([x for x, _ in alone]).tobytes()
    assert 0 < info[:, 0].sum() < 400


# ------------------------------------------------------------------ layouts, bad input


@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", KERNELS)
def test_places(rng, dtype, size):
    a = symmetric(gram(rng, 30, size)).astype(dtype).reshape(*BATCH, size, size)
    b = rng.standard_normal((*BATCH, size, 2)).astype(dtype)
    check_places(cholesky, a)
    check_places(lambda x, **options: cholesky(x, upper=True, **options), a)
    check_places(cho_solve, cholesky(a), b)
    check_overlaps(cholesky, a)
    check_overlaps(cho_solve, cholesky(a), a)


def test_bad_input():
    eye = np.eye(3)
    for upper in False, True:
        with pytest.raises(tny.SquareError, match=r"cholesky: a must have shape \(..., C, C\), not \(2, 3\)"):
            cholesky(eye[:2], upper=upper)
        with pytest.raises(tny.SquareError, match=r"not \(3,\)"):
            cholesky(eye[0], upper=upper)
        with pytest.raises(tny.DTypeError, match="cholesky: a must hold numbers"):
            cholesky(eye.astype(object), upper=upper)
        with pytest.raises(tny.ShapeError, match=r"cholesky: out must have shape \(3, 3\), not \(2, 2\)"):
            cholesky(eye, upper=upper, out=np.zeros((2, 2)))
        with pytest.raises(tny.DTypeError, match=r"cholesky: out must be a numpy\.ndarray, not list"):
            cholesky(eye, upper=upper, out=[1])
        with pytest.raises(tny.ArgumentError, match="on_error must be 'raise' or 'nan', not 'ignore'"):
            cholesky(eye, upper=upper, on_error="ignore")
        with pytest.raises(tny.SquareError, match="cho_solve: l must have shape"):
            cho_solve(eye[:2], eye, upper=upper)
        with pytest.raises(tny.DTypeError, match="cho_solve: l must hold numbers"):
            cho_solve(eye.astype(str), eye, upper=upper)
        with pytest.raises(tny.ShapeError, match="cho_solve: b must have shape"):
            cho_solve(eye, eye[:2], upper=upper)
        with pytest.raises(tny.ShapeError, match="cho_solve: b must have shape"):
            cho_solve(eye, np.ones(4), upper=upper)
        with pytest.raises(tny.ShapeError, match="cho_solve: out must have shape"):
            cho_solve(eye, np.ones(3), out=np.zeros(4), upper=upper)
        with pytest.raises(tny.ShapeError, match="do not broadcast"):
            cho_solve(np.stack([eye] * 2), np.ones((3, 3, 1)), upper=upper)
        with pytest.raises(tny.DTypeError):
            cholesky(eye.astype(np.longdouble), upper=upper)


def test_count_of_leaves():
    check_count("cholesky")
