"""Static geometry: what is promised, how it is checked, and where it folds."""

import copy
import pickle

import numpy as np
import pytest
from arrays import strided_arrays
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import teeny as tny
from teeny import anyshape, as_anyrank, ccontiguous, dyn, etc, fcontiguous, keep_strides, shape, storage, strides
from teeny._core.geometry import LayoutTag


def static(view):
    """The static sizes and strides."""
    return [view.static_extent(d) for d in range(view.rank)], [view.static_stride(d) for d in range(view.rank)]


def test_shape_is_a_pattern():
    assert shape(-1, 3, 3) == tny.Extents(dyn, 3, 3)
    with pytest.raises(tny.ShapeError, match=r"found .*-2"):
        shape(-2)


def test_anyshape():
    tag = anyshape[3, ..., dyn, 5]
    assert (tag.head, tag.tail) == ((3,), (-1, 5))
    assert tag == anyshape[3, etc, -1, 5] != anyshape[..., -1, 5]
    assert len({tag, anyshape[3, ..., -1, 5]}) == 1
    assert (anyshape[...].head, anyshape[...].tail) == ((), ())
    assert repr(tag) == "anyshape[3, ..., -1, 5]"
    assert repr(anyshape[...]) == "anyshape[...]"


def test_anyshape_refuses():
    for key in ((..., 3, ...), (3, 3), 3):
        with pytest.raises(tny.ShapeError, match=r"anyshape: found [02] of \.\.\. in .*, expected one"):
            anyshape[key]
    with pytest.raises(tny.ArgumentError):
        anyshape[..., 1.5]
    with pytest.raises(tny.ShapeError):
        anyshape[-2, ...]
    with pytest.raises(TypeError, match="spell it like"):
        anyshape()


def test_layout_tags():
    assert strides(9, dyn, 1) == strides(9, -1, 1) != strides(9, 3, 1)
    assert len({keep_strides, ccontiguous, fcontiguous, strides(1), strides(1)}) == 4
    assert repr([keep_strides, ccontiguous, fcontiguous, strides(9, 1)]) == (
        "[keep_strides, ccontiguous, fcontiguous, strides(9, 1)]"
    )
    with pytest.raises(tny.ArgumentError, match="strides: found"):
        strides("a")
    with pytest.raises(TypeError, match="not made by calling it"):
        type(ccontiguous)()


def test_storage_names():
    assert [*storage] == ["view", "pinned", "mapped", "gpu_view"]
    for device, space in (("cpu", storage.view), ("cuda", storage.gpu_view), ("cuda_host", storage.pinned)):
        at = tny.AnyRank.from_pointer(4096, "f4", (3,), device=device)
        assert at.space == space
        assert as_anyrank(at, space=space).space == space
        assert as_anyrank(at, space=space, copy_meta=True).fixed(1).space == space
    with pytest.raises(tny.DeviceError, match="expected 'mapped'"):
        as_anyrank(np.zeros(3), space=storage.mapped)


@given(strided_arrays(max_rank=8), st.data())
def test_what_is_true_may_be_promised(x, data):
    head = data.draw(st.integers(0, x.ndim))
    tail = data.draw(st.integers(0, x.ndim - head))
    sizes = [data.draw(st.sampled_from([size, dyn])) for size in x.shape]
    tag = anyshape[(*sizes[:head], ..., *sizes[x.ndim - tail :])]
    at = as_anyrank(x, tag)
    whole = at.fixed(x.ndim)
    expected = [*sizes[:head], *[dyn] * (x.ndim - head - tail), *sizes[x.ndim - tail :]]
    assert static(whole) == (expected, [dyn] * x.ndim)
    np.testing.assert_array_equal(np.asarray(whole), x)
    keep = data.draw(st.integers(0, x.ndim))
    cell = [dyn] * max(0, keep - tail) + sizes[x.ndim - min(keep, tail) :]
    for index, found in zip(np.ndindex(*x.shape[: x.ndim - keep]), at.peel_front(-keep), strict=True):
        assert static(found) == (cell, [dyn] * keep)
        np.testing.assert_array_equal(np.asarray(found), x[index])


@given(strided_arrays(max_rank=5), st.data())
def test_what_is_false_is_refused(x, data):
    if x.ndim == 0:
        return
    axis = data.draw(st.integers(0, x.ndim - 1))
    wrong = [dyn] * x.ndim
    wrong[axis] = x.shape[axis] + 1
    message = rf"as_anyrank: shape: found size {x.shape[axis]} on axis {axis}, expected {x.shape[axis] + 1} by anyshape"
    for tag in (anyshape[(*wrong, ...)], anyshape[(..., *wrong)]):
        with pytest.raises(tny.ShapeError, match=message):
            as_anyrank(x, tag)


def test_head_folds_in_the_whole_but_not_in_cells():
    at = as_anyrank(np.zeros((3, 7, 8, 5)), anyshape[3, ..., 5])
    assert static(at.fixed(4))[0] == [3, dyn, dyn, 5]
    assert static(at.peel_front_at(0, -4))[0] == [dyn, dyn, dyn, 5]
    assert static(next(iter(at.peel_front(-2))))[0] == [dyn, 5]


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ((-1, 3, 3), [9, 3, 1]),
        ((-1, -1, 3), [dyn, 3, 1]),
        ((7, -1, 3), [dyn, 3, 1]),
        ((-1, 3, -1), [dyn, dyn, 1]),
        ((7, 3, 3), [9, 3, 1]),
    ],
)
def test_c_order_is_static_where_all_later_sizes_are(tail, expected):
    x = np.zeros((2, 7, 3, 3))
    at = as_anyrank(x, anyshape[(..., *tail)], ccontiguous)
    for cell in (*at.peel_front(-3), at.peel_front_at(1, -3)):
        assert static(cell) == (list(tail), expected)
        assert isinstance(cell.layout, tny.layout_right)
        assert cell.strides == (9, 3, 1)
    assert static(at.fixed(4)) == ([dyn, *tail], [dyn, *expected])
    assert static(at.peel_front_at(0, -2))[1] == expected[1:]
    assert isinstance(at.peel_front_at(0, -2).layout, tny.layout_right)
    assert static(at.peel_front_at(0, -4)) == static(at.fixed(4))


def test_fortran_order_is_static_where_all_earlier_sizes_are():
    x = np.zeros((2, 3, 4, 5)).transpose(0, 3, 2, 1)
    at = as_anyrank(x, anyshape[..., 5, -1, 3], fcontiguous)
    cell = at.peel_front_at(1, -3)
    assert static(cell) == ([5, dyn, 3], [1, 5, dyn])
    assert isinstance(cell.layout, tny.layout_left)
    assert static(at.peel_front_at(1, -2)) == ([dyn, 3], [5, dyn])
    np.testing.assert_array_equal(np.asarray(at.peel_front_at(1, -2)), x[0, 1])


def test_strides_of_the_tail():
    x = np.zeros((2, 8, 8))[:, ::2]
    at = as_anyrank(x, anyshape[..., -1, 8], strides(16, dyn))
    assert static(at.peel_front_at(1, -2)) == ([dyn, 8], [16, dyn])
    assert static(at.fixed(3)) == ([dyn, dyn, 8], [dyn, 16, dyn])


@pytest.mark.parametrize(
    ("x", "tail", "layout", "message"),
    [
        (np.zeros((2, 8, 3))[:, ::2], (-1, 3), ccontiguous, "found stride 6 on axis 1, expected 3 by ccontiguous"),
        (np.zeros((2, 3, 3)), (3, 3), fcontiguous, "found stride 3 on axis 1, expected 1 by fcontiguous"),
        (np.zeros((2, 3, 3))[..., ::-1], (3,), ccontiguous, "found stride -1 on axis 2, expected 1"),
        (np.zeros((2, 3, 3)), (3, 3), strides(4, 1), r"found stride 3 on axis 1, expected 4 by strides\(4, 1\)"),
        (np.zeros((2, 3, 3)), (3, 3), strides(1), r"found strides\(1\), expected one stride for each of 2 axes"),
    ],
)
def test_strides_are_checked_once(x, tail, layout, message):
    with pytest.raises(tny.LayoutError, match=f"as_anyrank: layout: {message}"):
        as_anyrank(x, anyshape[(..., *tail)], layout)


def test_batch_strides_are_not_promised():
    x = np.zeros((4, 6, 3, 3))[::-2, ::3]
    at = as_anyrank(x, anyshape[..., 3, 3], ccontiguous)
    assert [cell.metadata_nbytes for cell in at.peel_front(-2)] == [8] * 4
    assert at.fixed(4).strides[:2] == (-108, 27)


def test_strides_that_are_not_seen_are_exempt():
    odd = as_strided(np.zeros(64), (4, 1, 3), (24, 56, 8))
    assert as_anyrank(odd, anyshape[..., -1, 3], ccontiguous).peel_front_at(0, -2).strides == (3, 1)
    none = as_strided(np.zeros(64), (0, 5, 3), (56, 8, 8))
    assert as_anyrank(none, anyshape[..., 5, 3], ccontiguous).fixed(3).shape == (0, 5, 3)


def test_static_strides_that_are_not_seen_need_not_fit():
    far = tny.AnyRank.from_pointer(4096, "f8", (1, 2), (2**40, 1))
    tagged = as_anyrank(far, anyshape[..., 1, 2], strides(2**40, 1))
    assert static(tagged.peel_front_at(0, -2)) == ([1, 2], [2**40, 1])
    narrow = tagged.reindex("int32")
    for view in (narrow.peel_front_at(0, -2), narrow.fixed(2)):
        assert (static(view), view.strides) == (([1, 2], [0, 1]), (0, 1))


def test_tag_longer_than_the_rank():
    message = r"as_anyrank: shape: found 2 axes, expected at least 3 by anyshape\[3, ..., -1, 3\]"
    with pytest.raises(tny.ShapeError, match=message):
        as_anyrank(np.zeros((3, 3)), anyshape[3, ..., -1, 3])
    assert static(as_anyrank(np.zeros((3, 3)), anyshape[3, ..., 3]).fixed(2))[0] == [3, 3]


def test_tags_of_the_wrong_kind():
    x = np.zeros((2, 3))
    with pytest.raises(tny.ArgumentError, match=r"as_anyrank: shape: found \(3,\), expected anyshape\[...\] or None"):
        as_anyrank(x, (3,))
    with pytest.raises(tny.ArgumentError, match=r"as_anyrank: shape: found Extents\(dyn, 3\), expected anyshape"):
        as_anyrank(x, shape(-1, 3))
    with pytest.raises(tny.ArgumentError, match="as_anyrank: layout: found 'C', expected keep_strides"):
        as_anyrank(x, anyshape[..., 3], "C")
    for nothing in (None, anyshape[...]):
        with pytest.raises(tny.ArgumentError, match=r"layout: found ccontiguous, expected sizes after the \.\.\."):
            as_anyrank(x, nothing, ccontiguous)


def test_bare_anyshape_is_the_plain_carrier():
    plain, bare = as_anyrank(np.zeros((2, 3))), as_anyrank(np.zeros((2, 3)), anyshape[...])
    assert static(bare.fixed(2)) == static(plain.fixed(2)) == ([dyn] * 2, [dyn] * 2)
    assert repr(bare) == repr(plain)


def test_geometry_is_carried_on():
    x = np.arange(90.0).reshape(2, 5, 3, 3)
    at = as_anyrank(x, anyshape[2, ..., -1, 3], ccontiguous)
    for again in (as_anyrank(at), as_anyrank(at, copy_meta=True), at.reindex("int16"), as_anyrank(at.fixed(4))):
        assert static(again.fixed(4)) == ([2, dyn, dyn, 3], [dyn, dyn, 3, 1])
        assert static(again.peel_front_at(3, -2)) == ([dyn, 3], [3, 1])
        np.testing.assert_array_equal([np.asarray(cell) for cell in again.peel_front(-2)], x.reshape(10, 3, 3))
    for again in (as_anyrank(at), as_anyrank(at, copy_meta=True), at.reindex("int16")):
        assert static(again.peel_front_at(0, -4)) == ([dyn, dyn, dyn, 3], [dyn, dyn, 3, 1])
        assert isinstance(again.peel_front_at(0, -2).layout, tny.layout_right)
    assert static(as_anyrank(at, anyshape[..., 3]).fixed(4)) == ([dyn, dyn, dyn, 3], [dyn] * 4)


def test_peel_to_a_shape():
    x = np.arange(90.0).reshape(2, 5, 3, 3)
    at = as_anyrank(x)
    cell = at.peel_front_at(1, shape(-1, 3, 3), ccontiguous)
    assert static(cell) == ([dyn, 3, 3], [9, 3, 1])
    np.testing.assert_array_equal(np.asarray(cell), x[1])
    assert static(at.peel_front_at(9, shape(3, 3))) == ([3, 3], [dyn, dyn])
    with pytest.raises(tny.ShapeError, match=r"peel_front_at: shape: found size 3 on axis 1, expected 4"):
        at.peel_front_at(0, shape(-1, 4))
    with pytest.raises(tny.LayoutError, match=r"peel_front_at: layout: found stride 3 on axis 0, expected 1 by fcont"):
        at.peel_front_at(0, shape(3, 3), fcontiguous)
    with pytest.raises(tny.ShapeError, match="peel_front_at: keep: found -5, expected -4 to 0"):
        at.peel_front_at(0, shape(-1, -1, -1, 3, 3))
    with pytest.raises(tny.ArgumentError, match=r"peel_front_at: layout: found ccontiguous without a shape"):
        at.peel_front_at(0, -2, ccontiguous)


def test_static_strides_of_the_mappings():
    extents = tny.Extents(dyn, 3, dyn)(5, 7)
    right, left = tny.layout_right(extents), tny.layout_left(extents)
    assert [right.static_stride(d) for d in range(3)] == [dyn, dyn, 1]
    assert [left.static_stride(d) for d in range(3)] == [1, dyn, dyn]
    assert [tny.layout_stride(extents, (21, 7, 1)).static_stride(d) for d in range(3)] == [dyn] * 3
    with pytest.raises(tny.BoundsError, match="static_stride: found axis 3, expected 0 to 2"):
        right.static_stride(3)
    assert pickle.loads(pickle.dumps(storage.pinned)) is storage.pinned


def test_tags_travel():
    for tag in (keep_strides, ccontiguous, fcontiguous):
        assert copy.deepcopy(tag) is pickle.loads(pickle.dumps(tag)) is tag
    for tag in (strides(9, dyn, 1), anyshape[3, ..., -1, 5], anyshape[...], shape(-1, 3)):
        assert copy.copy(tag) == pickle.loads(pickle.dumps(tag)) == tag


def test_tags_made_without_their_makers_say_nothing():
    assert as_anyrank(np.zeros((2, 3)), anyshape.__new__(anyshape)).shape == (2, 3)
    assert repr(anyshape.__new__(anyshape)) == "anyshape[...]"
    view = as_anyrank(np.zeros((2, 3))).fixed(2)
    assert static(view.recast(shape(2, 3), LayoutTag.__new__(LayoutTag))) == ([2, 3], [dyn, dyn])
