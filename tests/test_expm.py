"""expm against 50 digits, against SciPy, and where the answer is known; its range; NaN; layouts."""

import mpmath
import numpy as np
import pytest
from variations import BATCH, check_count, check_isolated, check_overlaps, check_places

import teeny as tny
from teeny.linalg import expm

KERNELS = ["float32", "float64"]
SIZES = range(1, 9)
EPS = 2.0**-52


def random(rng, size):
    return rng.standard_normal((size, size))


def tiny(rng, size):
    return random(rng, size) * 10 ** rng.uniform(-12, -1)


def large(rng, size):
    return random(rng, size) * 20 / size


def rotation(rng, size):
    a = 10 * random(rng, size)
    return a - a.T


def decay(rng, size):
    a = random(rng, size)
    return -10 * a @ a.T


def shear(rng, size):
    """Far from normal: elements above the diagonal a million times as large."""
    return np.triu(random(rng, size)) * np.where(np.tri(size, dtype=bool), 1, 1e6)


def graded(rng, size):
    return random(rng, size) * 2.0 ** np.subtract.outer(3 * np.arange(size), 3 * np.arange(size))


def nilpotent(rng, size):
    return np.triu(random(rng, size), 1) * 1000


FAMILIES = [random, tiny, large, rotation, decay, shear, graded, nilpotent]


def reference(a):
    with mpmath.workdps(50):
        return np.array(mpmath.expm(mpmath.matrix(a.tolist()), method="taylor").tolist(), float).reshape(a.shape)


def norm(a):
    return np.abs(a).sum(-2).max(-1)


# ------------------------------------------------------------------ accuracy


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 8, 9])
def test_accuracy(rng, size, family):
    """As good as the condition of the problem allows, which is |A| at least, and SciPy's or better."""
    linalg = pytest.importorskip("scipy.linalg")
    a = np.stack([family(rng, size) for _ in range(5)])
    expected = np.stack([reference(x) for x in a])
    ours = norm(expm(a) - expected) / norm(expected)
    if family is not graded:
        assert (ours <= 4 * size * EPS * (1 + norm(a))).all()
    if family is shear:
        return  # SciPy's answer for triangular matrices depends on its version: NaN, or all digits
    with np.errstate(all="ignore"):
        scipys = norm(np.stack([linalg.expm(x) for x in a]) - expected) / norm(expected)
    assert np.median(ours) <= 16 * max(np.median(scipys), size * EPS)


def test_many_against_one_another(rng):
    """exp(A) exp(-A) = I, on enough cells that each lane scales for itself."""
    a = rng.standard_normal((4000, 3, 3)) * 10 ** rng.uniform(-6, 0.5, (4000, 1, 1))
    x, y = expm(a), expm(-a)
    assert (norm(x @ y - np.eye(3)) <= 40 * EPS * norm(x) * norm(y)).all()
    assert (np.abs(np.log(np.linalg.det(x)) - np.trace(a, axis1=1, axis2=2)) <= 40 * EPS * norm(x) * norm(y)).all()


@pytest.mark.parametrize("angle", [0, 1e-9, 0.3, np.pi, 40, 1e3])
def test_rotations(angle):
    expected = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    assert np.abs(expm([[0, -angle], [angle, 0]]) - expected).max() <= 4 * EPS * (1 + angle)


@pytest.mark.parametrize("size", SIZES)
def test_exact(rng, size):
    assert (expm(np.zeros((size, size))) == np.eye(size)).all()
    a = np.zeros((size, size))
    a[0, -1] = (size > 1) * 1e300
    assert (expm(a) == np.eye(size) + a).all()
    a[0, -1] = (size > 1) * 2.0**-1000
    assert (expm(a) == np.eye(size) + a).all()


@pytest.mark.parametrize("reach", [1e3, 1e6, 1e12])
def test_a_shear_is_not_squared_for_its_size(reach):
    expected = np.array([[np.e, reach * np.sinh(1)], [0, 1 / np.e]])
    assert (np.abs(expm([[1, reach], [0, -1]]) - expected) <= 8 * EPS * expected).all()


@pytest.mark.parametrize("size", SIZES)
def test_float32_is_float64_rounded_once(rng, size):
    a = rng.standard_normal((50, size, size)).astype("f4")
    assert expm(a).dtype == "f4"
    assert (expm(a) == expm(a.astype("f8")).astype("f4")).all()


@pytest.mark.parametrize("size", SIZES)
def test_kernels_and_lapack_agree(rng, size):
    """The same matrix in a corner of a 9 x 9 one."""
    a = rng.standard_normal((20, size, size))
    wide = np.zeros((20, 9, 9))
    wide[:, :size, :size] = a
    wide = expm(wide)
    assert (norm(wide[:, :size, :size] - expm(a)) <= 40 * size * EPS * norm(expm(a))).all()
    assert (wide[:, size:, size:] == np.eye(9 - size)).all()


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_is_real_of_twice_the_size(rng, dtype, size):
    a = (rng.standard_normal((20, size, size)) + 1j * rng.standard_normal((20, size, size))).astype(dtype)
    x = expm(np.block([[a.real, -a.imag], [a.imag, a.real]]))
    result = expm(a)
    assert result.dtype == dtype
    expected = x[:, :size, :size] + 1j * x[:, size:, :size]
    assert (norm(result - expected) <= 40 * np.finfo(dtype).eps * norm(expected)).all()


@pytest.mark.parametrize("batch", [(), (1,), (2, 3), (0,)])
@pytest.mark.parametrize("size", [0, 1, 3, 9, 20])
@pytest.mark.parametrize("dtype", ["?", "i4", "f2", "f4", "f8", "c8", "c16"])
def test_shapes_and_dtypes(batch, size, dtype):
    a = np.broadcast_to(np.eye(size, dtype=dtype), (*batch, size, size))
    x, info = expm(a, info=True)
    assert x.shape == a.shape
    assert x.dtype == ("f8" if dtype in ("?", "i4") else dtype)
    assert info.shape == batch
    assert info.dtype == np.int32
    assert np.abs(x - np.e * np.eye(size)).max(initial=0) <= 8 * np.finfo(x.dtype).eps


# ------------------------------------------------------------------ range, failures


@pytest.mark.parametrize("size", SIZES)
def test_beyond_the_range(size):
    for value in 1e3, 1e100, 1.7e308:
        assert (np.diagonal(expm(np.eye(size) * value)) == np.inf).all()
        assert (expm(-np.eye(size) * value) == 0).all()
    for value in -1e308, 1e200, 1e308:
        x, info = expm(np.full((size, size), value), info=True)
        assert x.shape == (size, size)
        assert info == 0  # the input is finite
    assert np.isinf(np.diagonal(expm(np.eye(size, dtype="f4") * 100))).all()


@pytest.mark.parametrize("size", range(2, 9))
def test_only_what_overflows_is_infinite(size):
    a = np.zeros((size, size))
    a[0, 0], a[-1, -1] = 1000, 1
    x = expm(a)
    assert x[0, 0] == np.inf
    assert abs(x[-1, -1] - np.e) <= 400 * EPS
    assert (x[~np.eye(size, dtype=bool)] == 0).all()


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", KERNELS)
def test_status(dtype, size, count):
    for bad in np.nan, np.inf, -np.inf:
        a = np.zeros((count, size, size), dtype)
        a[-1, -1, 0] = bad
        x, info = expm(a, info=True)
        assert info.tolist() == [0] * (count - 1) + [2]
        assert np.isnan(x[-1]).all()
        assert (x[:-1] == np.eye(size)).all()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", KERNELS)
def test_a_cell_spoils_no_other(rng, dtype, size):
    """Nor does one that is squared a thousand times."""
    a = rng.standard_normal((6, size, size)).astype(dtype)
    check_isolated(expm, a, [np.nan, np.inf])
    beside = np.stack([a, a * (np.finfo(dtype).max / 16), a / 1024, a * 0], 1)
    assert expm(beside)[:, 0].tobytes() == expm(a).tobytes()


# ------------------------------------------------------------------ layouts, bad input


@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", KERNELS)
def test_places(rng, dtype, size):
    a = rng.standard_normal((*BATCH, size, size)).astype(dtype)
    if size <= 8:
        check_places(expm, a)
    check_overlaps(expm, a)


def test_bad_input():
    eye = np.eye(3)
    with pytest.raises(tny.SquareError, match=r"expm: a must have shape \(..., C, C\), not \(2, 3\)"):
        expm(eye[:2])
    with pytest.raises(tny.DTypeError, match="expm: a must hold numbers"):
        expm(eye.astype(object))
    with pytest.raises(tny.DTypeError):
        expm(eye.astype(np.longdouble))
    with pytest.raises(tny.ShapeError, match=r"expm: out must have shape \(3, 3\), not \(2, 2\)"):
        expm(eye, out=np.zeros((2, 2)))
    with pytest.raises(tny.ArgumentError, match="expm: on_error"):
        expm(eye, on_error="ignore")
    with pytest.raises(tny.ArgumentError, match="expm: workers"):
        expm(eye, workers=0)


def test_count_of_leaves():
    check_count("expm")
