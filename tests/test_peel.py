"""Walking a batch, against NumPy indexing."""

import gc
import weakref

import numpy as np
import pytest
from arrays import strided_arrays
from hypothesis import given
from hypothesis import strategies as st

import teeny as tny
from teeny import as_anyrank


def cells_of(x, keep):
    """Every index of the batch, and its cell."""
    batch = x.shape[: x.ndim - keep]
    return [(index, x[index]) for index in np.ndindex(*batch)]


@given(strided_arrays(), st.data())
def test_every_cell(x, data):
    keep = data.draw(st.integers(0, x.ndim))
    at = as_anyrank(x)
    cells = at.peel_front(-keep)
    expected = cells_of(x, keep)
    assert len(cells) == at.size_front(-keep) == len(expected)
    for (m, cell), again, (index, values) in zip(cells.enumerate(), cells, expected, strict=True):
        assert tuple(m) == index
        assert m.rank == x.ndim - keep
        assert m.linear == (np.ravel_multi_index(index, x.shape[: m.rank]) if index else 0)
        assert cell.shape == np.asarray(again).shape == x.shape[x.ndim - keep :]
        assert cell.rank == keep
        np.testing.assert_array_equal(np.asarray(cell), values)
        assert cell.data == again.data == at.peel_front_at(m.linear, -keep).data


@given(strided_arrays(), st.data())
def test_subrange_and_enumerate_in_either_order(x, data):
    keep = data.draw(st.integers(0, x.ndim))
    cells = as_anyrank(x).peel_front(-keep)
    lo = data.draw(st.integers(0, len(cells)))
    hi = data.draw(st.integers(lo, len(cells)))
    expected = [(m.linear, tuple(m), cell.data) for m, cell in cells.enumerate()][lo:hi]
    for part in (cells.subrange(lo, hi).enumerate(), cells.enumerate().subrange(lo, hi)):
        assert len(part) == hi - lo
        assert [(m.linear, tuple(m), cell.data) for m, cell in part] == expected
    middle = data.draw(st.integers(0, hi - lo))
    nested = [*cells.subrange(lo, hi).subrange(0, middle), *cells.subrange(lo, hi).subrange(middle, hi - lo)]
    assert [cell.data for cell in nested] == [data for _, _, data in expected]


def test_all_axes_kept_is_one_cell():
    x = np.arange(6).reshape(2, 3)
    (only,) = as_anyrank(x).peel_front(-2)
    np.testing.assert_array_equal(np.asarray(only), x)
    ((m, scalar),) = as_anyrank(np.array(5.0)).peel_front(0).enumerate()
    assert (len(m), m.linear, float(np.asarray(scalar))) == (0, 0, 5.0)


def test_sixty_axes_of_one():
    x = np.arange(18.0).reshape((1,) * 30 + (2,) + (1,) * 30 + (3, 3))
    at = as_anyrank(x)
    assert at.size_front(-2) == 2
    np.testing.assert_array_equal([np.asarray(cell) for cell in at.peel_front(-2)], x.reshape(2, 3, 3))


def test_empty_batches_have_no_cells_and_empty_cells_are_cells():
    assert list(as_anyrank(np.zeros((4, 0, 3, 3))).peel_front(-2)) == []
    assert [cell.shape for cell in as_anyrank(np.zeros((2, 0, 3))).peel_front(-2)] == [(0, 3), (0, 3)]


def test_cells_write_through():
    x = np.zeros((2, 3, 2, 2)).transpose(1, 0, 3, 2)
    for m, cell in as_anyrank(x).peel_front(-2).enumerate():
        np.asarray(cell)[0, 1] = m.linear
    np.testing.assert_array_equal(x[..., 0, 1].ravel(), range(6))
    assert x.sum() == 15


def test_cells_inherit_what_the_array_is():
    x = np.zeros((2, 3, 3))
    x.flags.writeable = False
    for cell in as_anyrank(x).peel_front(-2):
        assert cell.readonly
        assert not np.asarray(cell).flags.writeable
        assert cell.owner is x
    far = tny.AnyRank.from_pointer(4096, "float32", (2, 3), device="cuda:1")
    assert {(cell.space, str(cell.device)) for cell in far.peel_front(-1)} == {("gpu_view", "cuda:1")}
    assert [cell.data for cell in far.peel_front(-1)] == [4096, 4096 + 12]


@pytest.mark.parametrize("call", ["size_front", "peel_front"])
def test_positive_keep_is_refused_with_the_reason(call):
    with pytest.raises(tny.ShapeError, match=rf"{call}: keep: found 2, expected 0 or less: -2 .* only at run time"):
        getattr(as_anyrank(np.zeros((4, 3, 3))), call)(2)


@pytest.mark.parametrize("keep", [-4, -65, -(2**40)])
def test_more_axes_than_there_are(keep):
    at = as_anyrank(np.zeros((4, 3, 3)))
    for call in (at.size_front, at.peel_front, lambda keep: at.peel_front_at(0, keep)):
        with pytest.raises(tny.ShapeError, match=rf"found {keep}, expected -3 to 0: .* shape \(4, 3, 3\)"):
            call(keep)


def test_keep_must_be_an_integer():
    at = as_anyrank(np.zeros((4, 3, 3)))
    for keep in (1.5, None, "2"):
        with pytest.raises(tny.ArgumentError, match=r"peel_front: keep: found .*, expected an integer"):
            at.peel_front(keep)
        with pytest.raises(tny.ArgumentError, match=r"peel_front_at: i: found .*, expected an integer"):
            at.peel_front_at(keep, -2)
        for place, name in ((0, "lo"), (1, "hi")):
            with pytest.raises(tny.ArgumentError, match=f"subrange: {name}: found .*, expected an integer"):
                at.peel_front(-2).subrange(*[keep if k == place else 0 for k in range(2)])
    assert at.size_front(np.int8(-2)) == 4


@pytest.mark.parametrize(("lo", "hi"), [(-1, 2), (0, 13), (5, 4), (13, 13)])
def test_subrange_outside_the_batch(lo, hi):
    with pytest.raises(tny.BoundsError, match=f"subrange: lo, hi: found {lo} to {hi}, expected a range within"):
        as_anyrank(np.zeros((4, 3, 2))).peel_front(-1).subrange(lo, hi)


@pytest.mark.parametrize("i", [-1, 4, 2**70])
def test_cell_outside_the_batch(i):
    with pytest.raises(tny.BoundsError, match=f"peel_front_at: i: found {i}, expected the number of one of 4 cells"):
        as_anyrank(np.zeros((4, 3, 3))).peel_front_at(i, -2)


def test_no_cell_of_an_empty_batch():
    with pytest.raises(tny.BoundsError, match="of 0 cells"):
        as_anyrank(np.zeros((0, 3))).peel_front_at(0, -1)


def test_iterator_keeps_the_array_alive():
    class Array(np.ndarray):
        pass

    x = np.arange(12.0).reshape(4, 3).view(Array)
    gone = weakref.ref(x)
    iterator = iter(as_anyrank(x).peel_front(-1))
    del x
    gc.collect()
    cell = next(iterator)
    np.testing.assert_array_equal([np.asarray(cell)[0], *[np.asarray(cell)[0] for cell in iterator]], [0, 3, 6, 9])
    del iterator
    gc.collect()
    assert gone() is not None
    del cell
    gc.collect()
    assert gone() is None


def test_exhausted_iterators_stay_exhausted():
    iterator = iter(as_anyrank(np.zeros((2, 3))).peel_front(-1))
    assert len(list(iterator)) == 2
    assert next(iterator, None) is next(iterator, None) is None


def test_index_of_a_cell():
    (_, _, (m, _)) = as_anyrank(np.zeros((1, 3, 2))).peel_front(-1).enumerate()
    assert (m[0], m[1], m[-1], len(m)) == (0, 2, 2, 2)
    assert repr(m) == "BatchIndex(0, 2; linear=2)"
    with pytest.raises(IndexError):
        m[2]


@st.composite
def batches(draw):
    """Arrays whose batches broadcast, each with the rank of its cell, strided and reversed."""
    whole = draw(st.lists(st.sampled_from([0, 1, 2, 3, 2, 3]), max_size=4))
    arrays = []
    for _ in range(draw(st.integers(1, 4))):
        own = [draw(st.sampled_from([size, 1])) for size in whole[draw(st.integers(0, len(whole))) :]]
        cell = draw(st.lists(st.integers(1, 3), max_size=2))
        x = np.arange(np.prod([*own, *cell], dtype=int) * 2).reshape(*own, *cell, 2)[..., draw(st.integers(0, 1))]
        reverse = tuple(slice(None, None, draw(st.sampled_from([1, -1]))) for _ in x.shape)
        arrays.append((x[reverse], len(cell)))
    return arrays


@given(batches(), st.data())
def test_together(arrays, data):
    keeps = [-keep for _, keep in arrays]
    fronts = [x.shape[: x.ndim - keep] for x, keep in arrays]
    batch = np.broadcast_shapes(*fronts)
    wide = [np.broadcast_to(x, batch + x.shape[x.ndim - keep :]) for x, keep in arrays]
    expected = [(index, [x[index] for x in wide]) for index in np.ndindex(*batch)]
    cells = tny.peel_together(*[as_anyrank(x) for x, _ in arrays], keep=keeps)
    assert len(cells) == len(expected) == len(list(cells))
    lo = data.draw(st.integers(0, len(cells)))
    hi = data.draw(st.integers(lo, len(cells)))
    parts = [cells.enumerate(), cells.subrange(lo, hi).enumerate(), cells.enumerate().subrange(lo, hi)]
    for part, inside in zip(parts, [slice(None), slice(lo, hi), slice(lo, hi)], strict=True):
        for (m, found), (index, values), linear in zip(part, expected[inside], range(len(cells))[inside], strict=True):
            assert (tuple(m), m.linear, m.rank) == (index, linear, len(batch))
            assert len(found) == len(arrays)
            for view, value in zip(found, values, strict=True):
                np.testing.assert_array_equal(np.asarray(view), value)


def test_together_keeps_what_cells_know():
    x, y = np.zeros((4, 5, 3, 3)), np.zeros((5, 3))
    y.flags.writeable = False
    tagged = as_anyrank(x, tny.anyshape[..., 3, 3], tny.ccontiguous)
    for a, b in tny.peel_together(tagged, as_anyrank(y).reindex("int32"), keep=[-2, -1]).subrange(7, 9):
        assert (a.static_extent(0), a.static_stride(0), a.readonly, a.owner) == (3, 3, False, x)
        assert (b.index_dtype, b.readonly, b.owner) == (np.int32, True, y)
    cells = tny.peel_together(tagged, as_anyrank(y), keep=(-2, -1))
    assert repr(cells.subrange(1, 3)) == "CellsTogether(1 to 3, of shapes (3, 3), (3,))"
    (only,) = tny.peel_together(as_anyrank(y), keep=-2)
    assert len(only) == 1


def test_together_refuses():
    x, y = as_anyrank(np.zeros((4, 5, 3))), as_anyrank(np.zeros((2, 5, 3)))
    with pytest.raises(tny.ShapeError, match=r"peel_together: sources: found batches \(4, 5\), \(2, 5\), expected"):
        tny.peel_together(x, y, keep=-1)
    with pytest.raises(tny.ShapeError, match="peel_together: keep: found 1, expected 0 or less"):
        tny.peel_together(x, y, keep=1)
    with pytest.raises(tny.ShapeError, match="peel_together: keep: found -4, expected -3 to 0"):
        tny.peel_together(x, y, keep=(-1, -4))
    with pytest.raises(tny.ArgumentError, match=r"keep: found \(-1,\), expected one for each of 2 arrays"):
        tny.peel_together(x, y, keep=(-1,))
    for keep in ("a", None, 1.5, (-1, "a")):
        with pytest.raises(tny.ArgumentError, match=r"peel_together: keep: found .*, expected an integer"):
            tny.peel_together(x, x, keep=keep)
    assert len(tny.peel_together(x, x, keep=np.array([-1, -1]))) == len(tny.peel_together(x, x, keep=np.int8(-1))) == 20
    with pytest.raises(tny.ArgumentError, match="sources: found ndarray at place 0, expected AnyRank"):
        tny.peel_together(np.zeros(3), keep=0)
    for count in (0, 9):
        with pytest.raises(tny.ArgumentError, match=f"found {count} arrays, expected 1 to 8"):
            tny.peel_together(*[x] * count, keep=-1)
    with pytest.raises(tny.BoundsError, match="subrange: lo, hi: found 0 to 21, expected a range within 0 to 20"):
        tny.peel_together(x, keep=-1).subrange(0, 21)
    huge = [as_anyrank(np.broadcast_to(np.zeros(1), batch)) for batch in ((2**40, 1), (1, 2**40))]
    with pytest.raises(tny.LayoutError, match="64 bits"):
        tny.peel_together(*huge, keep=0)


def test_eight_arrays_of_many_axes():
    x = np.arange(6.0).reshape((1,) * 30 + (2,) + (1,) * 30 + (3,))
    found = list(tny.peel_together(*[as_anyrank(x)] * 8, keep=0))
    assert [[float(np.asarray(cell)) for cell in cells] for cells in found] == [[i] * 8 for i in range(6)]
