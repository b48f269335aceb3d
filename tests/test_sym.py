"""linalg.sym: packed storage, and the accuracy rule on symmetric matrices, indefinite and badly scaled ones too."""

import numpy as np
import pytest
from references import DTYPES, SIZES, Exact, exact, relative
from variations import BATCH, check_count, check_isolated, check_overlaps, check_places

import teeny as tny
from teeny.linalg import sym


def places(size):
    """Rows and columns in packed order, written out."""
    pairs = [(i, i) for i in range(size)] + [(i, j) for i in range(size) for j in range(i + 1, size)]
    return tuple(np.array(pairs, int).reshape(-1, 2).T)


def packed(a):
    return a[(..., *places(a.shape[-1]))]


def symmetric(a):
    return np.tril(a) + np.tril(a, -1).swapaxes(-1, -2)


# ------------------------------------------------------------------ storage


def test_order_is_the_diagonal_then_the_rows_above_it():
    a = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])
    assert sym.pack(a).tolist() == [0, 1, 2, 3, 4, 5]
    a = np.array([[0, 4, 5, 6], [4, 1, 7, 8], [5, 7, 2, 9], [6, 8, 9, 3]])
    assert sym.pack(a).tolist() == list(range(10))
    assert sym.unpack(np.arange(10)).tolist() == a.tolist()


@pytest.mark.parametrize("batch", [(), (5,), (2, 1, 3), (0,), (2, 0)])
@pytest.mark.parametrize("size", [0, *SIZES, 9, 12])
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_pack_and_unpack(rng, dtype, size, batch):
    a = symmetric(rng.integers(0, 9, (*batch, size, size))).astype(dtype)
    if dtype[0] == "c":
        a *= 1 + 2j
    x = sym.pack(a)
    assert x.shape == (*batch, size * (size + 1) // 2)
    assert x.dtype == a.dtype
    assert (x == packed(a)).all()
    assert (sym.unpack(x) == a).all()
    assert sym.unpack(x).dtype == a.dtype


@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
def test_pack_reads_one_triangle(rng, dtype, size):
    a = symmetric(rng.standard_normal((7, size, size))).astype(dtype)
    lower = np.tri(size, dtype=bool)
    nan = np.array(np.nan, dtype)
    assert sym.pack(np.where(lower, a, nan)).tobytes() == packed(a).tobytes()
    assert sym.pack(np.where(lower.T, a, nan), upper=True).tobytes() == packed(a).tobytes()


# ------------------------------------------------------------------ accuracy


def random(rng, size):
    return symmetric(rng.standard_normal((size, size)))


def graded(low, high):
    """Indefinite, with condition between ``10**low`` and ``10**high``."""

    def make(rng, size):
        reach = rng.uniform(low, high) / 2
        q = np.linalg.qr(rng.standard_normal((size, size)))[0]
        return symmetric((q * np.logspace(reach, -reach, size) * rng.choice([-1, 1], size)) @ q.T)

    return make


def hollow(rng, size):
    """A zero diagonal: no pivot to begin with."""
    a = random(rng, size)
    return a if size == 1 else a * (1 - np.eye(size))


def hilbert(rng, size):
    return 1 / (np.add.outer(np.arange(size), np.arange(size)) + 1 + rng.uniform())


def tensor(rng, size):
    g = rng.standard_normal((size, 1))
    return g @ g.T + 10 ** rng.uniform(-7, 0) * np.eye(size)


FAMILIES = {
    "random": random,
    "condition 1e0-1e5": graded(0, 5),
    "condition 1e5-1e10": graded(5, 10),
    "condition 1e10-1e15": graded(10, 15),
    "hollow": hollow,
    "hilbert": hilbert,
    "tensor": tensor,
}


def suite(name, dtype, size, count):
    """Matrices, right-hand sides, and the exact inverses, determinants and solutions."""
    rng = np.random.default_rng([sorted(FAMILIES).index(name), size])
    cells, sides, answers = [], [], []
    while len(cells) < count:
        a = FAMILIES[name](rng, size).astype(dtype).astype(float)
        b = rng.standard_normal((size, 1)).astype(dtype).astype(float)
        answer = exact(a, b)
        if answer is not None:
            cells.append(a)
            sides.append(b)
            answers.append(answer)
    inverse, det, solution = (Exact.stack(each) for each in zip(*answers, strict=True))
    return np.array(cells).astype(dtype), np.array(sides).astype(dtype), inverse, det, solution


def lapack(function, *operands):
    results = []
    for cell in zip(*operands, strict=True):
        try:
            results.append(function(*cell))
        except np.linalg.LinAlgError:
            results.append(np.full(cell[-1].shape, np.nan))
    return np.stack(results)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("dtype", DTYPES)
def test_accuracy(dtype, size, name):
    a, b, inverse, det, solution = suite(name, dtype, size, 100)
    p, eps = sym.pack(a), np.finfo(dtype).eps
    for answer, ours, theirs, median in (
        (inverse, sym.unpack(sym.inv(p, on_error="nan")), lapack(np.linalg.inv, a), 2),
        (solution, sym.solve(p, b[..., 0], on_error="nan")[..., None], lapack(np.linalg.solve, a, b), 2),
        (det, sym.det(p), np.linalg.det(a), 4),
    ):
        assert ours.dtype == dtype
        ours, theirs = (relative(answer.error(x.astype(float)), answer.high) for x in (ours, theirs))
        assert np.median(ours) <= max(median * np.median(theirs), eps)
        assert ours.max() <= max(16 * theirs.max(), 2 * eps)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_matvec(rng, dtype, size):
    a = symmetric(rng.standard_normal((200, size, size))).astype(dtype)
    x = rng.standard_normal((200, size)).astype(dtype)
    y = sym.matvec(sym.pack(a), x)
    assert y.dtype == dtype
    wide = a.astype(np.longdouble), x.astype(np.longdouble)
    bound = np.matvec(np.abs(wide[0]), np.abs(wide[1])) * (size * 2.0**-53 + np.finfo(dtype).eps)
    assert (np.abs(y - np.matvec(*wide)) <= bound).all()


@pytest.mark.parametrize("size", SIZES)
def test_the_inverse_is_that_of_full_storage(rng, size):
    a = symmetric(rng.standard_normal((30, size, size)))
    assert (sym.inv(sym.pack(a)) == sym.pack(tny.linalg.inv(a))).all()
    assert (sym.det(sym.pack(a)) == tny.linalg.det(a)).all()


@pytest.mark.parametrize("size", SIZES)
def test_det_of_small_integers_is_exact(rng, size):
    a = symmetric(rng.integers(-9, 10, (100, size, size)))
    expected = [answer[1].high if (answer := exact(x.astype(float), np.ones((size, 1)))) else 0 for x in a]
    assert sym.det(sym.pack(a)).tolist() == expected
    assert sym.det(sym.pack(a.astype("f4"))).tolist() == np.array(expected, "f4").tolist()


# ------------------------------------------------------------------ every dtype and size


@pytest.mark.parametrize("size", [0, *SIZES, 9, 12])
@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8", "c8", "c16"])
def test_like_full_storage(rng, dtype, size):
    a = symmetric(rng.standard_normal((2, 3, size, size))).round(1) + 4 * np.eye(size)
    if dtype != "i4":
        a /= 4  # no determinant beyond the range of float16
    if dtype[0] == "c":
        a = a + 1j * symmetric(rng.standard_normal(a.shape))
    a = a.astype(dtype)
    x = rng.integers(-3, 4, (3, size)).astype(dtype)
    p = sym.pack(a)
    full = tny.linalg.inv(a), tny.linalg.solvevec(a, x), tny.linalg.det(a)
    ours = sym.unpack(sym.inv(p)), sym.solve(p, x), sym.det(p)
    for y, expected in zip(ours, full, strict=True):
        assert y.shape == expected.shape
        assert y.dtype == expected.dtype
        scale = np.abs(expected).max(initial=0)
        assert np.abs(y - expected).max(initial=0) <= 100 * np.finfo(y.dtype).eps * scale
    y = sym.matvec(p, x)
    assert y.dtype == a.dtype
    assert np.allclose(y, np.matvec(a, x), atol=0.1 if dtype == "f2" else 1e-4)


@pytest.mark.parametrize("size", [3, 9])
def test_batches_broadcast(rng, size):
    p, x = sym.pack(symmetric(rng.standard_normal((4, 1, size, size)))), rng.standard_normal((5, size))
    assert sym.matvec(p, x).shape == (4, 5, size)
    assert sym.solve(p, x).shape == (4, 5, size)
    assert (sym.solve(p, x)[2, 3] == sym.solve(p[2, 0], x[3])).all()
    assert sym.solve(p[:0], x).shape == (0, 5, size)
    assert type(sym.det(p[0, 0])) is np.float64


# ------------------------------------------------------------------ failures


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", DTYPES)
def test_status(dtype, size, count):
    eye = packed(np.eye(size, dtype=dtype))
    for value, status in ((0, 1), (np.nan, 2), (np.inf, 2)):
        p = np.stack([eye] * count)
        p[-1, size - 1] = value
        for x, info in (
            sym.inv(p, on_error="nan", info=True),
            sym.solve(p, np.ones(size, dtype), on_error="nan", info=True),
        ):
            assert info.tolist() == [0] * (count - 1) + [status]
            assert np.isnan(x[-1]).all()
            assert np.isfinite(x[:-1]).all()
        if status == 1:
            for function in sym.inv, lambda p: sym.solve(p, np.ones(size, dtype)):
                with pytest.raises(tny.LinAlgError, match=f"sym.*: 1 of {count} matrices are singular") as error:
                    function(p)
                assert error.value.info.tolist() == [*info.tolist()[:-1], 1]
                assert np.isnan(error.value.result[-1]).all()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_bad_cell_spoils_no_other(rng, dtype, size):
    p = sym.pack(symmetric(rng.standard_normal((6, size, size))).astype(dtype))
    b = rng.standard_normal(size).astype(dtype)
    check_isolated(lambda p: sym.inv(p, on_error="nan"), p, [np.nan, np.inf, 0])
    check_isolated(lambda p: sym.solve(p, b, on_error="nan"), p, [np.nan, np.inf, 0])
    check_isolated(lambda p: sym.matvec(p, b), p, [np.nan])


# ------------------------------------------------------------------ layouts, bad input


@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", DTYPES)
def test_places(rng, dtype, size):
    a = symmetric(rng.standard_normal((*BATCH, size, size))).astype(dtype)
    x = rng.standard_normal((*BATCH, size)).astype(dtype)
    p = sym.pack(a)
    check_places(sym.pack, a)
    check_places(sym.unpack, p)
    check_places(sym.matvec, p, x)
    check_places(sym.solve, p, x)
    check_places(sym.inv, p)
    check_places(sym.det, p)
    check_overlaps(sym.inv, p)
    check_overlaps(sym.solve, p, x)
    check_overlaps(sym.matvec, p, x)


@pytest.mark.parametrize("shape", [(4,), (2, 5), (3, 7), (), (2,), (6, 37)])
@pytest.mark.parametrize("name", ["unpack", "inv", "det", "matvec", "solve"])
def test_sizes_that_no_symmetric_matrix_has(name, shape):
    a = np.zeros(shape)
    operand = "x" if name == "unpack" else "a"
    with pytest.raises(tny.ShapeError) as error:
        getattr(sym, name)(*((a, np.zeros(2)) if name in ("matvec", "solve") else (a,)))
    assert str(error.value) == (
        f"sym.{name}: {operand} must have shape (..., C (C + 1) / 2), as (..., 3), (..., 6), (..., 10), not {shape}"
    )


def test_bad_input():
    p = np.arange(6.0)
    with pytest.raises(tny.ShapeError, match=r"sym.matvec: x must have shape \(..., 3\), not \(2,\), where"):
        sym.matvec(p, np.zeros(2))
    with pytest.raises(tny.ShapeError, match=r"sym.solve: b must have shape \(..., 3\), not \(\)"):
        sym.solve(p, 1.0)
    with pytest.raises(tny.ShapeError, match="do not broadcast"):
        sym.solve(np.zeros((2, 6)), np.zeros((3, 3)))
    for upper in False, True:
        with pytest.raises(tny.SquareError, match=r"sym.pack: a must have shape \(..., C, C\), not \(2, 3\)"):
            sym.pack(np.zeros((2, 3)), upper=upper)
        with pytest.raises(tny.SquareError, match=r"not \(3,\)"):
            sym.pack(np.zeros(3), upper=upper)
        with pytest.raises(tny.SquareError, match=r"not \(\)"):
            sym.pack(1.0, upper=upper)
    with pytest.raises(tny.ShapeError, match=r"sym.unpack: out must have shape \(3, 3\), not \(2, 2\)"):
        sym.unpack(p, out=np.zeros((2, 2)))
    for function in sym.pack, sym.unpack, sym.inv, sym.det:
        with pytest.raises(tny.DTypeError, match="must hold numbers"):
            function(np.zeros((3, 3), object))
    with pytest.raises(tny.ArgumentError, match=r"sym\.inv: on_error"):
        sym.inv(p, on_error="warn")
    broadcast = np.broadcast_to(np.int8(0), 2**59)
    with pytest.raises(tny.ShapeError, match="must have shape"):
        sym.inv(broadcast)


def test_count_of_leaves():
    check_count("packed")
