"""inv, det and solve as functions: shapes, layouts, outputs, failures and bad input.

How right the numbers are is test_accuracy's business; here NumPy's answer is right.
"""

import ctypes
import ctypes.util
import platform
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import teeny as tny
from teeny.linalg import det, inv, solve

KERNELS = [np.float32, np.float64]
SIZES = range(1, 9)


def matrices(rng, *shape, dtype=np.float64):
    """Well-conditioned, so that any two good algorithms agree."""
    return (rng.standard_normal(shape) + 4 * np.eye(shape[-1])).astype(dtype)


def close(x, y):
    assert x.shape == y.shape
    assert x.dtype == y.dtype
    if x.size:
        assert np.abs(x - y).max() <= 64 * np.finfo(x.dtype).eps * np.abs(y).max()


# ------------------------------------------------------------------ shapes and dtypes


@pytest.mark.parametrize("batch", [(), (1,), (5,), (3, 4), (2, 1, 3), (0,), (2, 0, 3)])
@pytest.mark.parametrize("size", [*SIZES, 0, 9, 12])
@pytest.mark.parametrize("dtype", [*KERNELS, np.complex64, np.complex128])
def test_like_numpy(rng, dtype, size, batch):
    a = matrices(rng, *batch, size, size, dtype=dtype)
    if np.issubdtype(dtype, np.complexfloating):
        a += 1j * rng.standard_normal(a.shape).astype(a.real.dtype)
    close(inv(a), np.linalg.inv(a))
    close(np.asarray(det(a)), np.asarray(np.linalg.det(a)))
    for columns in (0, 1, 2, 5):
        b = rng.standard_normal((*batch, size, columns)).astype(dtype)
        close(solve(a, b), np.linalg.solve(a, b))
    b = rng.standard_normal(size).astype(dtype)
    close(solve(a, b), np.linalg.solve(a, b))


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("size", [2, 3, 9])
def test_integers_count_as_float64(rng, dtype, size):
    a = np.tril(rng.integers(0, 2, (4, size, size)), -1).astype(dtype) + np.eye(size, dtype=dtype)
    close(inv(a), np.linalg.inv(a))
    close(det(a), np.linalg.det(a))
    close(solve(a, a[..., :2]), np.linalg.solve(a, a[..., :2]))


@pytest.mark.parametrize("size", [3, 9])
@pytest.mark.parametrize("second", ["i4", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("first", ["i4", "f4", "f8", "c8", "c16"])
def test_mixed_dtypes_promote_like_numpy(rng, first, second, size):
    a, b = matrices(rng, 3, size, size).round().astype(first), rng.integers(-5, 5, (3, size, 2)).astype(second)
    close(solve(a, b), np.linalg.solve(a, b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((2, 2, 2), (2, 2)),
        ((2, 2, 2), (2,)),
        ((2, 2), (5, 2, 3)),
        ((1, 2, 2), (5, 2, 3)),
        ((5, 2, 2), (1, 2, 3)),
        ((4, 1, 3, 3), (5, 3, 1)),
        ((5, 3, 3), (4, 1, 3, 2)),
        ((4, 1, 9, 9), (5, 9, 2)),
        ((0, 3, 3), (3,)),
        ((0, 3, 3), (1, 3, 2)),
        ((1, 3, 3), (0, 3, 2)),
        ((0, 0), (0, 3)),
        ((0, 0), (0,)),
        ((5, 0, 0), (5, 0, 3)),
    ],
)
def test_solve_broadcasts_like_numpy(rng, a, b):
    a, b = matrices(rng, *a), rng.standard_normal(b)
    close(solve(a, b), np.linalg.solve(a, b))
    x, info = solve(a, b, info=True)
    assert info.dtype == np.int32
    assert info.shape == (x.shape[:-1] if b.ndim == 1 else x.shape[:-2])
    assert not info.any()


def test_empty_matrices():
    assert det(np.zeros((5, 0, 0))).tolist() == [1] * 5
    assert inv(np.zeros((5, 0, 0))).shape == (5, 0, 0)
    assert inv(np.zeros((0, 3, 3))).shape == (0, 3, 3)
    assert solve(np.zeros((0, 0)), np.zeros((0, 3))).shape == (0, 3)


def test_a_single_matrix_gives_a_scalar_determinant():
    assert type(det(np.eye(3))) is np.float64
    assert type(det(np.eye(3, dtype="f4"))) is np.float32
    assert type(det(np.eye(9))) is np.float64


def test_lists_and_matrices_are_arrays(rng):
    a = [[2, 0], [0, 4]]
    assert inv(a).tolist() == [[0.5, 0], [0, 0.25]]
    assert det(a) == 8
    assert solve(a, [1, 2]).tolist() == [0.5, 0.5]
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix(a)
    for result, expected in ((inv(matrix), inv(a)), (solve(matrix, matrix), np.eye(2))):
        assert type(result) is np.ndarray
        assert (result == expected).all()


# ------------------------------------------------------------------ layouts


def lay_out(values, order, steps):
    """An array of the same values whose axes lie in memory in `order`, each `steps` times as far apart."""
    values = np.asarray(values)
    order = np.argsort(order, kind="stable")
    shape = [values.shape[axis] * abs(steps[axis]) for axis in order]
    space = np.full(shape, np.nan, values.dtype)
    view = space[(*(slice(None, None, steps[axis]) for axis in order), ...)].transpose(np.argsort(order))
    view[...] = values
    return view


@st.composite
def layouts(draw, axes):
    order = draw(st.permutations(range(axes)))
    steps = draw(st.lists(st.sampled_from([1, 1, 2, 3, -1, -2]), min_size=axes, max_size=axes))
    return order, steps


@st.composite
def fields(draw, axes=0):
    """Which of a few cells stand where in a batch, which batch axes are broadcast, and the layout."""
    rank = draw(st.integers(0, 8))
    shape = tuple(draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank)))
    kept = tuple(1 if draw(st.booleans()) and draw(st.booleans()) else n for n in shape)
    index = np.random.default_rng(draw(st.integers(0, 2**32))).integers(0, 13, kept)
    return index, shape, draw(layouts(rank + 2)), draw(layouts(rank + axes))


@given(fields(2), st.sampled_from(KERNELS), st.integers(1, 8))
def test_any_layout_of_inv(field, dtype, size):
    index, shape, layout, out_layout = field
    cells = matrices(np.random.default_rng(size), 13, size, size, dtype=dtype)
    a = np.broadcast_to(lay_out(cells[index], *layout), (*shape, size, size))
    expected = np.broadcast_to(inv(cells)[index], a.shape)
    before = a.tobytes()
    assert (inv(a) == expected).all()
    out = lay_out(np.zeros(a.shape, dtype), *out_layout)
    space = out.base if out.base is not None else out
    gaps = np.isnan(space).sum()
    assert inv(a, out=out) is out
    assert (out == expected).all()
    assert np.isnan(space).sum() == gaps
    assert a.tobytes() == before


@given(fields(), st.sampled_from(KERNELS), st.integers(1, 8))
def test_any_layout_of_det(field, dtype, size):
    index, shape, layout, out_layout = field
    cells = matrices(np.random.default_rng(size), 13, size, size, dtype=dtype)
    a = np.broadcast_to(lay_out(cells[index], *layout), (*shape, size, size))
    expected = np.broadcast_to(det(cells)[index], shape)
    assert (det(a) == expected).all()
    out = lay_out(np.zeros(shape, dtype), *out_layout)
    assert det(a, out=out) is out
    assert (out == expected).all()


@given(fields(2), fields(2), st.sampled_from(KERNELS), st.integers(1, 8), st.integers(1, 3))
def test_any_layout_of_solve(field, other, dtype, size, columns):
    rng = np.random.default_rng(size)
    cells = matrices(rng, 13, size, size, dtype=dtype)
    sides = rng.standard_normal((13, size, columns)).astype(dtype)
    index, shape, layout, out_layout = field
    a = np.broadcast_to(lay_out(cells[index], *layout), (*shape, size, size))
    # a right-hand side with some of the batch axes, and its own layout
    rank = min(len(shape), len(other[1]))
    trailing = shape[len(shape) - rank :]
    index_b = np.resize(other[0], trailing)
    b = lay_out(sides[index_b], np.argsort(out_layout[0])[: rank + 2], other[2][1][:1] * (rank + 2))
    expected = np.empty((*shape, size, columns), dtype)
    index, index_b = np.broadcast_to(index, shape), np.broadcast_to(index_b, shape)
    for m in np.ndindex(shape):
        expected[m] = solve(cells[index[m]], sides[index_b[m]])
    assert (solve(a, b) == expected).all()
    out = lay_out(np.zeros(expected.shape, dtype), *out_layout)
    assert solve(a, b, out=out) is out
    assert (out == expected).all()


VIEWS = {
    "transposed batch": lambda a: a.transpose(1, 0, 2, 3),
    "stepped": lambda a: a[::2, ::3],
    "reversed": lambda a: a[::-1, ::-2],
    "transposed cells": lambda a: a.swapaxes(-1, -2),
    "broadcast": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "all one": lambda a: np.broadcast_to(a[0, 0], a.shape),
    "channel first": lambda a: np.moveaxis(np.ascontiguousarray(np.moveaxis(a, (2, 3), (0, 1))), (0, 1), (2, 3)),
    "Fortran": np.asfortranarray,
    "windows": lambda a: np.lib.stride_tricks.sliding_window_view(a[..., 0, :], a.shape[-1], 1),
    "one long axis": lambda a: a.reshape(-1, *a.shape[2:]),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("dtype", KERNELS)
def test_views(rng, dtype, size, name):
    a = VIEWS[name](matrices(rng, 37, 29, size, size, dtype=dtype))
    copy = a.copy()
    assert inv(a).tobytes() == inv(copy).tobytes()
    assert det(a).tobytes() == det(copy).tobytes()
    assert solve(a, a[..., :1]).tobytes() == solve(copy, copy[..., :1]).tobytes()


@pytest.mark.parametrize("rank", [20, 60, 62])
def test_as_many_axes_as_numpy_has(rng, rank):
    shape = [1] * rank
    shape[::9] = [2] * len(shape[::9])
    cells = matrices(rng, 2 ** len(shape[::9]), 3, 3)
    a = cells.reshape(*shape, 3, 3)[(slice(None, None, -1),) * rank]
    assert (inv(a) == inv(cells)[::-1].reshape(a.shape)).all()
    assert (det(a) == det(cells)[::-1].reshape(shape)).all()
    assert (solve(a, a[..., :2]) == solve(cells, cells[..., :2])[::-1].reshape(*shape, 3, 2)).all()
    ones = np.eye(3).reshape((1,) * rank + (3, 3))
    assert (inv(ones) == ones).all()
    assert (solve(ones, np.arange(3.0)) == np.arange(3)).all()
    with pytest.raises(tny.LinAlgError, match="1 of 1 matrices"):
        inv(ones * 0)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("function", [inv, det, lambda a, **k: solve(a, np.ones(3), **k)], ids=["inv", "det", "solve"])
def test_inputs_are_not_copied(rng, function, name):
    a = VIEWS[name](matrices(rng, 200, 150, 3, 3))
    out = np.empty_like(function(a))
    status = 4 * a[..., 0, 0].size  # the int32 of each cell that tells which failed
    tracemalloc.start()
    function(a, out=out, workers=1)
    assert tracemalloc.get_traced_memory()[1] <= status + 20_000
    tracemalloc.reset_peak()
    function(a, workers=1)
    assert tracemalloc.get_traced_memory()[1] <= status + out.nbytes + 20_000
    tracemalloc.stop()


@pytest.mark.parametrize("dtype", KERNELS)
def test_read_only_input(rng, dtype):
    a = matrices(rng, 5, 3, 3, dtype=dtype)
    expected = inv(a), det(a), solve(a, a)
    a.flags.writeable = False
    for x, y in zip((inv(a), det(a), solve(a, a)), expected, strict=True):
        assert x.tobytes() == y.tobytes()


@pytest.mark.parametrize("function", [inv, det, lambda a: solve(a, a), lambda a: solve(a, a[0, :, 0])])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
def test_swapped_and_unaligned_input_is_read_right(rng, dtype, function):
    a = matrices(rng, 7, 3, 3).round(2 * (dtype != "i4")).astype(dtype)
    expected = function(a)
    swapped = a.astype(a.dtype.newbyteorder())
    unaligned = np.frombuffer(b"\0" + a.tobytes(), dtype, offset=1).reshape(a.shape)
    record = np.zeros(7, np.dtype([("x", "i1"), ("m", dtype, (3, 3))]))
    record["m"] = a
    uneven = np.zeros(7, np.dtype({"names": ["m"], "formats": [(dtype, (3, 3))], "itemsize": 9 * a.itemsize + 4}))
    uneven["m"] = a
    assert not unaligned.flags.aligned
    for x in (swapped, unaligned, record["m"], uneven["m"], swapped[::-1].swapaxes(-1, -2)):
        result, right = function(x), expected if x[0, 0, 1] == a[0, 0, 1] else function(a[::-1].swapaxes(-1, -2).copy())
        assert result.dtype == expected.dtype
        assert result.tobytes() == right.tobytes()


# ------------------------------------------------------------------ out


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("size", [3, 9])
def test_out_is_written_and_returned(rng, size, dtype):
    a, b = matrices(rng, 5, size, size, dtype=dtype), rng.standard_normal((5, size, 2)).astype(dtype)
    for function, operands in ((inv, (a,)), (det, (a,)), (solve, (a, b)), (solve, (a, b[0, :, 0]))):
        expected = function(*operands)
        out = np.full_like(expected, -1)
        assert function(*operands, out=out) is out
        assert out.tobytes() == expected.tobytes()
    out = np.empty((), dtype)
    assert det(a[0], out=out) is out
    assert out == det(a[0])
    out = np.empty_like(a)
    assert inv(a, out=out, info=True)[0] is out


OVERLAPS = {
    "the same": (lambda x: x, lambda x: x),
    "one cell later": (lambda x: x[:-1], lambda x: x[1:]),
    "one cell earlier": (lambda x: x[1:], lambda x: x[:-1]),
    "transposed cells": (lambda x: x, lambda x: x.swapaxes(-1, -2)),
    "reversed": (lambda x: x, lambda x: x[::-1]),
    "reversed cells": (lambda x: x, lambda x: x[:, ::-1, ::-1]),
    "interleaved": (lambda x: x[:20], lambda x: x[::2][:20]),
    "every other": (lambda x: x[::2], lambda x: x[1::2]),
    "transposed batch": (lambda x: x[:36].reshape(6, 6, 3, 3), lambda x: x[:36].reshape(6, 6, 3, 3).swapaxes(0, 1)),
    "one element later": (
        lambda x: as_strided(x, (39, 3, 3), x.strides),
        lambda x: as_strided(x.reshape(-1)[1:], (39, 3, 3), x.strides),
    ),
    "from a broadcast cell": (lambda x: np.broadcast_to(x[3], x.shape), lambda x: x),
    "from windows": (
        lambda x: as_strided(x, (12, 3, 3), (x.itemsize, 3 * x.itemsize, x.itemsize)),
        lambda x: x[:12],
    ),
}


@pytest.mark.parametrize("name", OVERLAPS)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_out_may_overlap_the_inputs(rng, dtype, workers, name):
    source, target = OVERLAPS[name]
    values = rng.standard_normal((40, 3, 3)).astype(dtype)

    def after(function, *places):
        """The whole memory after a call with `out`, and after a call on copies."""
        spaces = values.copy(), values.copy()
        inputs = [place(spaces[0]) for place in places]
        function(*inputs, out=target(spaces[0]), workers=workers)
        target(spaces[1])[...] = function(*(place(spaces[1]).copy() for place in places))
        return [space.tobytes() for space in spaces]

    for function, places in (
        (inv, (source,)),
        (solve, (source, lambda x: x[5] + 0)),
        (solve, (lambda x: x[5] + 0, source)),
        (solve, (source, source)),
        (solve, (source, target)),
        (solve, (target, source)),
        (solve, (lambda x: x[0], source)),
        (solve, (source, lambda x: x[-1])),
    ):
        found, expected = after(function, *places)
        assert found == expected


def test_out_of_det_and_of_vectors_may_overlap(rng):
    values = matrices(rng, 9, 3, 3)
    for place in (lambda x: x[:, 0, 0], lambda x: x[0].reshape(9), lambda x: x.reshape(-1)[8::-1]):
        space = values.copy()
        expected = det(space)
        det(space, out=place(space))
        assert (place(space) == expected).all()
    for place in (lambda x: x[:, 0], lambda x: x[:, :, 1], lambda x: x[::-1, 2], lambda x: x[:3].reshape(9, 3)):
        space = values.copy()
        expected = solve(space, space[4, 1])
        solve(space, space[4, 1], out=place(space))
        assert (place(space) == expected).all()


slices = st.tuples(st.integers(0, 6), st.sampled_from([1, 2, -1, -2]), st.booleans(), st.booleans())


@given(slices, slices, st.sampled_from(KERNELS))
def test_out_may_be_any_part_of_the_input(first, second, dtype):
    def part(space, where):
        offset, step, cells, flat = where
        x = space.reshape(-1)[offset:][: 9 * 20].reshape(20, 3, 3) if flat else space[offset : offset + 20]
        x = x[::step][:10]
        return x.swapaxes(-1, -2) if cells else x

    space = np.random.default_rng(5).standard_normal((30, 3, 3)).astype(dtype)
    expected = space.copy()
    part(expected, second)[...] = inv(part(space, first).copy())
    inv(part(space, first), out=part(space, second))
    assert space.tobytes() == expected.tobytes()


def bad_outs(x):
    read_only = x.copy()
    read_only.flags.writeable = False
    broadcast = as_strided(np.zeros_like(x[0]), x.shape, (0, *x.strides[1:]))
    twice = as_strided(np.zeros(4 * x.size, x.dtype), x.shape, (x.itemsize, *x.strides[1:]))
    unaligned = np.frombuffer(bytearray(x.nbytes + 1), x.dtype, offset=1).reshape(x.shape)
    return [
        (x[:-1].copy(), tny.ShapeError, rf"out must have shape .*{x.shape[0]}.*, not \({x.shape[0] - 1}"),
        (np.zeros((1, *x.shape), x.dtype), tny.ShapeError, "out must have shape"),
        (np.zeros(x.shape[1:], x.dtype), tny.ShapeError, "out must have shape"),
        (x.astype("f8" if x.dtype == "f4" else "f4"), tny.DTypeError, f"out must have dtype {x.dtype}, not float"),
        (x.astype("i8"), tny.DTypeError, "int64"),
        (x.astype(object), tny.DTypeError, "object"),
        (x.tolist(), tny.DTypeError, "list"),
        (np.ma.array(x.copy()), tny.DTypeError, "MaskedArray"),
        (x.astype(x.dtype.newbyteorder()), tny.LayoutError, "byte order"),
        (unaligned, tny.LayoutError, "aligned"),
        (read_only, tny.LayoutError, "read-only"),
        (broadcast, tny.LayoutError, "twice"),
        (twice, tny.LayoutError, "twice"),
    ]


@pytest.mark.parametrize("case", range(len(bad_outs(np.zeros((2, 2, 2))))))
@pytest.mark.parametrize("dtype", KERNELS)
@pytest.mark.parametrize("op", ["inv", "det", "solve", "solve vector"])
def test_bad_out_is_refused_before_anything_is_written(rng, op, dtype, case):
    a = matrices(rng, 2, 3, 3, 3, dtype=dtype)
    function, operands = {
        "inv": (inv, (a,)),
        "det": (det, (a,)),
        "solve": (solve, (a, a[..., :2])),
        "solve vector": (solve, (a, a[0, 0, 0])),
    }[op]
    out, error, text = bad_outs(np.full_like(function(*operands), -7))[case]
    before = np.array(out).tobytes()
    with pytest.raises(error, match=text) as raised:
        function(*operands, out=out)
    assert str(raised.value).startswith(op.split()[0] + ": out")
    assert np.array(out).tobytes() == before
    singular = (a * 0, *operands[1:])
    with pytest.raises(error, match=text):
        function(*singular, out=out)


# ------------------------------------------------------------------ singular matrices

REGULAR, SINGULAR = (
    lambda rng, size, dtype: matrices(rng, size, size, dtype=dtype),
    {
        "zero": lambda rng, size: np.zeros((size, size)),
        "a zero row": lambda rng, size: np.diag(np.arange(size)) @ np.ones((size, size)),
        "a zero column": lambda rng, size: np.ones((size, size)) * np.arange(size),
        "equal rows": lambda rng, size: np.resize(np.arange(1.0, size + 1), (size, size)) * (size > 1),
    },
)


def bad_batch(rng, shape, size, dtype, kind="zero", every=3):
    a = matrices(rng, *shape, size, size, dtype=dtype)
    bad = np.zeros(shape, bool)
    bad.reshape(-1)[1::every] = True
    a[bad] = SINGULAR[kind](rng, size)
    return a, bad


def filled(function, a, bad, *more):
    """The right answer: good cells one by one, NaN in the bad ones."""
    regular = np.where(bad[..., None, None], np.eye(a.shape[-1], dtype=a.dtype), a)
    x = function(regular, *more)
    x[bad] = np.nan
    return x


@pytest.mark.parametrize("kind", SINGULAR)
@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_singular_cells_are_nan_and_reported(rng, dtype, size, kind):
    a, bad = bad_batch(rng, (7, 5), size, dtype, kind)
    b = rng.standard_normal((5, size, 2)).astype(dtype)
    for function, more in ((inv, ()), (solve, (b,)), (solve, (b[0, :, 0],))):
        expected = filled(function, a, bad, *more)
        result, info = function(a, *more, on_error="nan", info=True)
        assert result.dtype == dtype
        assert info.dtype == np.int32
        assert (info != 0).tolist() == bad.tolist()
        assert np.isnan(result[bad]).all()
        assert np.array_equal(result[~bad], expected[~bad])
        assert np.array_equal(function(a, *more, on_error="nan"), result, equal_nan=True)
    assert (np.abs(det(a)[bad]) <= (1e-30 if size < 9 else 1e-5)).all()


@pytest.mark.parametrize("shape", [(2,), (3,), (2, 2, 2), (4, 4), (16,), (17,), (1,) * 9 + (3,), (5, 7, 3)])
@pytest.mark.parametrize("size", [2, 3, 4, 6, 9])
def test_error_names_count_and_first_cell(rng, size, shape):
    a, bad = bad_batch(rng, shape, size, "f8")
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    for name, function, more in (("inv", inv, ()), ("solve", solve, (a[..., :1],)), ("solve", solve, (np.ones(size),))):
        expected = filled(function, a, bad, *more)
        for error_class in (tny.LinAlgError, np.linalg.LinAlgError, tny.Error):
            with pytest.raises(error_class) as raised:
                function(a, *more)
        error = raised.value
        text = str(error)
        assert text.startswith(f"{name}: {bad.sum()} of {bad.size} matrices")
        assert str(first) in text
        assert error.result.shape == expected.shape
        assert np.array_equal(error.result, expected, equal_nan=True)
        assert (error.info != 0).tolist() == bad.tolist()
        with pytest.raises(tny.LinAlgError) as raised:
            function(a, *more, info=True, workers=2)
        assert str(raised.value) == text


@pytest.mark.parametrize("size", [1, 3, 5, 9])
def test_one_singular_matrix(size):
    for function, more in ((inv, ()), (solve, (np.ones(size),)), (solve, (np.ones((size, 2)),))):
        with pytest.raises(tny.LinAlgError, match="singular") as raised:
            function(np.zeros((size, size)), *more)
        assert np.isnan(raised.value.result).all()
        assert raised.value.result.shape == ((size, size) if not more else more[0].shape)
        assert raised.value.info.shape == ()
        assert raised.value.info == 1


def test_error_with_out_and_transposed_batch(rng):
    a, bad = bad_batch(rng, (4, 9), 3, "f8", every=5)
    a, bad = a.swapaxes(0, 1), bad.swapaxes(0, 1)
    out = np.zeros(a.shape)
    with pytest.raises(tny.LinAlgError, match=rf"{bad.sum()} of 36 .*\({np.argwhere(bad)[0][0]}, ") as raised:
        inv(a, out=out)
    assert raised.value.result is out
    assert np.array_equal(out, filled(inv, a, bad), equal_nan=True)
    in_place = a.copy()
    with pytest.raises(tny.LinAlgError):
        inv(in_place, out=in_place)
    assert np.array_equal(in_place, out, equal_nan=True)


def test_broadcast_singular_matrix_counts_every_cell():
    b = np.ones((4, 3, 2))
    with pytest.raises(tny.LinAlgError, match=r"4 of 4 matrices"):
        solve(np.zeros((3, 3)), b)
    with pytest.raises(tny.LinAlgError, match=r"4 of 4 matrices"):
        solve(np.zeros((9, 9)), np.ones((4, 9, 2)))


def test_stack_of_good_and_bad():
    a = np.stack([np.eye(3), np.zeros((3, 3)), 2 * np.eye(3)])
    x, info = inv(a, on_error="nan", info=True)
    assert x[0].tolist() == np.eye(3).tolist()
    assert x[2].tolist() == (np.eye(3) / 2).tolist()
    assert np.isnan(x[1]).all()
    assert info.tolist() == [0, 1, 0]


# ------------------------------------------------------------------ NaN, infinity, flags


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.0])
@pytest.mark.parametrize("size", [*SIZES, 9])
@pytest.mark.parametrize("dtype", KERNELS)
def test_a_bad_cell_leaves_its_neighbours_alone(rng, dtype, size, bad):
    cells = matrices(rng, 11, size, size, dtype=dtype)
    b = rng.standard_normal((11, size, 2)).astype(dtype)
    good = inv(cells), det(cells), solve(cells, b)
    for place in range(11):
        a, others = cells.copy(), np.arange(11) != place
        a[place] = bad
        for x, y in zip((inv(a, on_error="nan"), det(a), solve(a, b, on_error="nan")), good, strict=True):
            assert x[others].tobytes() == y[others].tobytes()
        sides = b.copy()
        sides[place] = bad
        assert solve(cells, sides)[others].tobytes() == good[2][others].tobytes()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", KERNELS)
def test_nan_in_nan_out(rng, dtype, size):
    a = matrices(rng, 3, size, size, dtype=dtype)
    a[1] = np.nan
    x, d = inv(a, on_error="nan"), det(a)
    assert np.isnan(x[1]).all()
    assert np.isnan(d).tolist() == [False, True, False]
    assert np.isnan(solve(a, np.ones(size, dtype), on_error="nan")[1]).all()


FLAGS = {"invalid": 1, "divide by zero": 4, "overflow": 8} if platform.machine() in ("x86_64", "AMD64") else None


@pytest.mark.skipif(FLAGS is None or platform.system() != "Linux", reason="the flags are numbered for x86-64 Linux")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", KERNELS)
def test_padding_raises_no_floating_point_flag(rng, dtype, size):
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    for count in range(1, 10):
        a = matrices(rng, count, size, size, dtype=dtype)
        layouts = (a, a[::-1], np.asfortranarray(a), np.moveaxis(np.moveaxis(a, 0, -1).copy(), -1, 0))
        for x in layouts:
            for function in (inv, det, lambda x: solve(x, x), lambda x: solve(x, x[0, 0])):
                libm.feclearexcept(sum(FLAGS.values()))
                function(x)
                assert [name for name, flag in FLAGS.items() if libm.fetestexcept(flag)] == []
    # and the flags are not deaf
    inv(np.full((1, size, size), 1e-320, "f8"), on_error="nan") if size == 1 else det(np.full((size, size), np.inf))
    assert libm.fetestexcept(sum(FLAGS.values()))


# ------------------------------------------------------------------ bad input

FUNCTIONS = {
    "inv": (inv, "a"),
    "det": (det, "a"),
    "solve a": (lambda x, **k: solve(x, np.ones(3), **k), "a"),
    "solve b": (lambda x, **k: solve(np.eye(3), x, **k), "b"),
}


@pytest.mark.parametrize(
    "x",
    [
        np.eye(3).astype(object),
        np.zeros((3, 3), [("x", "f8"), ("y", "f8")]),
        np.zeros((3, 3), "U4"),
        np.zeros((3, 3), "S4"),
        np.zeros((3, 3), "M8[s]"),
        np.zeros((3, 3), "m8[s]"),
        np.zeros((3, 3), "V8"),
        np.ma.array(np.eye(3), mask=False),
        [["a", "b", "c"]] * 3,
        [[None] * 3] * 3,
    ],
    ids=lambda x: str(getattr(x, "dtype", "list")),
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_refused_dtypes(name, x):
    function, argument = FUNCTIONS[name]
    out = np.full((3, 3), -7.0)
    with pytest.raises(tny.DTypeError) as raised:
        function(x, out=out)
    assert isinstance(raised.value, TypeError)
    assert name.split()[0] in str(raised.value)
    assert argument in str(raised.value)
    assert (out == -7).all()


@pytest.mark.parametrize("dtype", ["longdouble", "clongdouble"])
@pytest.mark.parametrize("function", [inv, det, lambda a, **k: solve(a, a, **k)], ids=["inv", "det", "solve"])
def test_refused_numbers_say_what_is_accepted(function, dtype):
    a = np.eye(3, dtype=dtype)
    out = np.full(() if function is det else a.shape, -7, dtype)
    for options in ({}, {"out": out}):
        with pytest.raises(tny.DTypeError) as raised:
            function(a, **options)
        for word in (str(a.dtype), "CpuKernels", "Lapack", "float32", "float64"):
            assert word in str(raised.value)
    assert (out == -7).all()


@pytest.mark.parametrize("function", [inv, det, lambda a: solve(a, np.ones(3))])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (3, 2), (5, 2, 3), (0, 3), (3, 0)])
def test_not_square(function, shape):
    for error in (tny.ShapeError, tny.LinAlgError, np.linalg.LinAlgError, ValueError):
        with pytest.raises(error) as raised:
            function(np.zeros(shape))
    assert str(shape) in str(raised.value)
    assert "a must have shape (..., C, C)" in str(raised.value)


@pytest.mark.parametrize("value", [3.0, None, "abc", [[1, 2], [3]], [[[1.0, 2.0]], [[3.0]]]])
@pytest.mark.parametrize("function", [inv, det, lambda a: solve(a, np.ones(2)), lambda b: solve(np.eye(2), b)])
def test_not_an_array(function, value):
    with pytest.raises((tny.ShapeError, tny.DTypeError)):
        function(value)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((2, 3, 3), (4, 3, 1)),
        ((2, 5, 3, 3), (4, 3, 1)),
        ((2, 3, 3), (0, 3, 1)),
        ((3, 3), (4,)),
        ((3, 3), (4, 2)),
        ((3, 3), ()),
        ((5, 3, 3), (5, 3)),
        ((2, 9, 9), (4, 9, 1)),
        ((0, 0), (1,)),
    ],
)
def test_shapes_that_do_not_fit_are_both_named(rng, a, b):
    with pytest.raises(tny.ShapeError, match=r"^solve: ") as raised:
        solve(np.ones(a), np.ones(b))
    assert isinstance(raised.value, ValueError)
    assert str(b) in str(raised.value)
    assert str(a) in str(raised.value)


@pytest.mark.parametrize("function", [inv, lambda a, **k: solve(a, np.ones(3), **k)])
def test_bad_options_write_nothing(function):
    out = np.full((2, 3, 3), -7.0) if function is inv else np.full((2, 3), -7.0)
    a = np.stack([np.eye(3)] * 2)
    for options, text in (
        ({"workers": 0}, "workers must be an integer of at least 1, not 0"),
        ({"workers": -2}, "workers"),
        ({"workers": 1.5}, "workers"),
        ({"workers": "two"}, "workers"),
        ({"on_error": "ignore"}, "on_error must be 'raise' or 'nan', not 'ignore'"),
        ({"on_error": None}, "on_error"),
        ({"on_error": 3}, "on_error"),
    ):
        with pytest.raises((tny.Error, TypeError), match=text):
            function(a, out=out, **options)
    with pytest.raises(TypeError):
        function(a, output=out)
    assert (out == -7).all()


@pytest.mark.parametrize("function", [inv, det, lambda a: solve(a, np.ones((3, 3)))], ids=["inv", "det", "solve"])
@pytest.mark.parametrize("shape", [(2**50,), (2**25, 2**25)])
def test_results_that_fit_no_memory(function, shape):
    """A broadcast cell takes no memory, its inverses would."""
    a = as_strided(np.eye(3), (*shape, 3, 3), (0,) * len(shape) + (24, 8))
    with pytest.raises(MemoryError):
        function(a)


def test_results_whose_size_overflows():
    a = as_strided(np.eye(3), (2**40, 1, 3, 3), (0, 0, 24, 8))
    b = as_strided(np.ones((3, 1)), (2**40, 3, 1), (0, 8, 8))
    with pytest.raises((MemoryError, ValueError)):
        solve(a, b)


def test_self_overlap_is_found_without_listing_every_offset():
    a = np.broadcast_to(np.eye(1), (10**4, 10**4, 1, 1))
    out = as_strided(np.empty(10), a.shape, (8, 8, 8, 8))
    with pytest.raises(tny.LayoutError, match="out writes some of its memory twice"):
        tny.linalg.inv(a, out=out)


HALF = pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=["float16", "bfloat16"])


@HALF
@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_half_precision_is_computed_wide_and_rounded_once(rng, dtype, size):
    a = (matrices(rng, 7, size, size) / 4).astype(dtype)  # whose determinants are within range
    b = rng.standard_normal((7, size)).astype(dtype)
    wide, right = a.astype("f8"), b.astype("f8")
    for function, narrow, exact in (
        (inv, (a,), np.linalg.inv(wide)),
        (det, (a,), np.linalg.det(wide)),
        (tny.linalg.solvevec, (a, b), np.linalg.solve(wide, right[..., None])[..., 0]),
    ):
        result = function(*narrow)
        assert result.dtype == dtype
        # half an ulp, and what the last bits of float64 may turn
        assert (np.abs(result.astype("f8") - exact) <= np.abs(exact) * float(ml_dtypes.finfo(dtype).eps) * 0.501).all()
        out = np.zeros(exact.shape, dtype)
        assert function(*narrow, out=out) is out
        np.testing.assert_array_equal(out, result)


@HALF
def test_half_precision_beside_others_is_promoted(dtype):
    assert solve(np.eye(2), np.eye(2, dtype=dtype)).dtype == np.float64
    assert solve(np.eye(2, dtype=dtype), np.eye(2, dtype=np.float32)).dtype == np.float32
    with pytest.raises(tny.DTypeError, match="out must have dtype"):
        inv(np.eye(2, dtype=dtype), out=np.eye(2))


def test_dtypes_without_a_common_one_are_named():
    # to promote these is the business of ml_dtypes, and no two of its versions agree on bfloat16 and float16
    a, b = np.eye(2, dtype=np.float16), np.eye(2, dtype=ml_dtypes.bfloat16)
    try:
        common = np.result_type(a, b)
    except TypeError:
        with pytest.raises(tny.DTypeError, match="a and b have dtypes without a common one"):
            solve(a, b)
    else:
        assert solve(a, b).dtype == common


def test_objects_with_dlpack_alone_are_taken(rng):
    class Tensor:
        def __init__(self, array):
            self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__

    a = rng.standard_normal((5, 3, 3))
    assert np.array_equal(tny.linalg.inv(Tensor(a)), tny.linalg.inv(a))


def test_arrays_that_cannot_be_made_are_named():
    class Liar:
        __array_interface__ = {"shape": "ab", "typestr": "<f8", "version": 3}  # noqa: RUF012

    with pytest.raises(tny.Error, match="inv: a is no array"):
        tny.linalg.inv(Liar())
    with pytest.raises(tny.ArgumentError, match="inv: on_error"):
        tny.linalg.inv(np.eye(2), on_error=np.array(["a", "b"]))


def test_results_of_too_many_axes_are_refused():
    """64 is NumPy's limit; the outer product of vectors of 64 axes would have 65."""
    x = np.ones((1,) * 63 + (3,))
    with pytest.raises(tny.ShapeError, match="65 axes"):
        tny.linalg.outer(x, x)
    assert tny.linalg.outer(x[0], x[0]).ndim == 64
    assert tny.linalg.det(np.ones((1,) * 62 + (2, 2))).ndim == 62
