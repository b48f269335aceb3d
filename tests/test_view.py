"""Views: what NumPy's basic indexing gives, without touching an element; and what stays static."""

import gc
import shutil
import subprocess
import weakref

import numpy as np
import pytest
from arrays import strided_arrays
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import teeny as tny
from teeny import as_anyrank, ccontiguous, dyn, fcontiguous, keep_strides, shape, strides


def view_of(x):
    return as_anyrank(x).fixed(x.ndim)


def static(view):
    """The static sizes and strides."""
    return [view.static_extent(d) for d in range(view.rank)], [view.static_stride(d) for d in range(view.rank)]


def same(view, x):
    """The view shows the very elements of the NumPy view."""
    back = np.asarray(view)
    assert (back.shape, back.dtype) == (x.shape, x.dtype)
    if x.size:
        assert view.data == x.ctypes.data
        seen = [axis for axis in range(x.ndim) if x.shape[axis] > 1]
        assert [view.strides[axis] * x.itemsize for axis in seen] == [x.strides[axis] for axis in seen]
    np.testing.assert_array_equal(back, x)


@st.composite
def keys(draw, x):
    """A key of NumPy's basic indexing that is no single element."""
    key = []
    for size in x.shape[: draw(st.integers(0, x.ndim))]:
        if size and draw(st.booleans()):
            key.append(draw(st.integers(-size, size - 1)))
        else:
            key.append(draw(st.slices(size)))
    place = draw(st.integers(0, len(key)))
    if draw(st.booleans()):
        key.insert(place, None)
    if not any(isinstance(item, slice) or item is None for item in key):
        key.append(Ellipsis)
    return tuple(key)


@given(strided_arrays(max_rank=6), st.data())
def test_indexing_against_numpy(x, data):
    key = data.draw(keys(x))
    same(view_of(x)[key], x[key])


@given(strided_arrays(max_rank=5), st.data())
def test_dots_in_every_place(x, data):
    count = data.draw(st.integers(0, x.ndim))
    place = data.draw(st.integers(0, count))
    key = (*[slice(None, None, -1)] * place, ..., *[slice(1, None)] * (count - place))
    same(view_of(x)[key], x[key])


def test_empty_views_point_where_the_array_begins():
    x = np.zeros((4, 5))
    view = view_of(x)
    for empty in (view[4:, 2:], view[1:, 5:], view[2:, 3:3].flip(), view_of(x[:0]).flip(), view_of(x[:, :0])[3]):
        assert 0 in empty.shape
        assert empty.data == x.ctypes.data


def test_one_element_is_a_scalar():
    x = np.arange(6.0).reshape(2, 3)
    assert view_of(x)[1, -1] == 5.0
    assert isinstance(view_of(x)[1, -1], np.float64)
    assert view_of(np.array(7))[()] == 7
    assert view_of(x)[1, 2, ...].shape == ()
    assert [row.shape for row in view_of(x)] == [(3,), (3,)]


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (2, tny.BoundsError, "found index 2 on axis 0, expected -2 to 1"),
        ((0, -4), tny.BoundsError, "found index -4 on axis 1, expected -3 to 2"),
        ((slice(None), 3), tny.BoundsError, "found index 3 on axis 1"),
        ((0, 0, 0), tny.BoundsError, "found 3 indices, expected at most 2"),
        ((..., ...), tny.BoundsError, r"found several \.\.\."),
        (1.0, tny.ArgumentError, "found index 1.0 on axis 0, expected an integer, a slice"),
        (True, tny.ArgumentError, "found index True on axis 0"),
        ([0, 1], tny.ArgumentError, r"found index \[0, 1\] on axis 0"),
        ((0, np.array([True, False])), tny.ArgumentError, "found index array.* on axis 1"),
        (slice(None, None, 0), tny.ArgumentError, "on axis 0: slice step cannot be zero"),
        (slice("a"), tny.ArgumentError, "on axis 0"),
    ],
)
def test_keys_refused(key, error, message):
    with pytest.raises(error, match=message):
        view_of(np.zeros((2, 3)))[key]


def test_views_are_not_written_through():
    with pytest.raises(TypeError):
        view_of(np.zeros(3))[...] = 1


@given(strided_arrays(max_rank=7), st.data())
def test_axes_moved_against_numpy(x, data):
    view = view_of(x)
    order = data.draw(st.permutations(range(x.ndim)))
    some = data.draw(st.sets(st.integers(0, x.ndim - 1)) if x.ndim else st.just(set()))
    same(view.permute(*order), x.transpose(order))
    same(view.flip(), x[(slice(None, None, -1),) * x.ndim + (...,)])
    if some:
        same(view.flip(*some), np.flip(x, tuple(some)))
    same(view.squeeze(), x.squeeze())
    new = data.draw(st.sets(st.integers(0, x.ndim + 1), min_size=2, max_size=2))
    same(view.unsqueeze(*new), np.expand_dims(x, tuple(new)))
    same(view.unsqueeze(*new).squeeze(*new), x)


def test_axes_refused():
    view = view_of(np.zeros((2, 1, 3)))
    with pytest.raises(tny.ShapeError, match="permute: found 2 axes, expected all 3"):
        view.permute(1, 0)
    with pytest.raises(tny.ShapeError, match=r"flip: found axes \(0, -3\), expected each once"):
        view.flip(0, -3)
    with pytest.raises(tny.ShapeError, match="squeeze: found size 3 on axis 2, expected 1"):
        view.squeeze(2)
    for call in (view.permute, view.flip, view.squeeze, view.static_extent, view.static_stride):
        with pytest.raises(tny.BoundsError, match="found axis 3, expected -3 to 2"):
            call(3)
    with pytest.raises(tny.BoundsError, match="unsqueeze: found axis -5, expected -4 to 3"):
        view.unsqueeze(-5)
    with pytest.raises(tny.ArgumentError, match=r"flip: axis: found 1.0, expected an integer"):
        view.flip(1.0)


@given(strided_arrays(max_rank=6))
def test_contiguity_against_numpy(x):
    view = view_of(x)
    assert view.is_contiguous() == view.is_contiguous(ccontiguous) == x.flags.c_contiguous
    assert view.is_contiguous(fcontiguous) == x.flags.f_contiguous
    offsets = {view.layout(*index) for index in np.ndindex(*x.shape)}
    low, high = view.layout.reach
    assert view.is_dense() == (len(offsets) == x.size == high - low + 1)


@given(st.data())
def test_dense_in_any_order(data):
    sizes = data.draw(st.lists(st.integers(1, 3), max_size=5))
    order = data.draw(st.permutations(range(len(sizes))))
    reverse = tuple(slice(None, None, data.draw(st.sampled_from([1, -1]))) for _ in sizes)
    x = np.zeros(sizes).transpose(order)[reverse]
    assert view_of(x).is_dense()
    assert view_of(np.zeros([*sizes, 2]).transpose(*order, len(sizes))[..., :1][reverse]).is_dense() == (x.size == 1)


def test_no_more_than_64_axes():
    view = view_of(np.arange(6.0).reshape(1, 2, 3))
    most = view.unsqueeze(*range(61))
    assert np.asarray(most).shape == (1,) * 62 + (2, 3)
    for call in (lambda: view.unsqueeze(*range(62)), lambda: most.unsqueeze(0), lambda: view[(None,) * 62],
                 lambda: most[None]):  # fmt: skip
        with pytest.raises(tny.ShapeError, match="found 65 axes, expected at most 64"):
            call()


def test_contiguity_of_what_reaches_nothing():
    for x in (np.zeros((2, 0, 1)), as_strided(np.zeros(4, "f4"), (1, 4), (12, 4)), np.array(1.0)):
        assert view_of(x).is_contiguous()
        assert view_of(x).is_dense()
    assert not view_of(np.broadcast_to(np.zeros(1), (3,))).is_dense()
    for layout in (keep_strides, "C", np.zeros(2)):
        with pytest.raises(tny.ArgumentError, match=r"layout: found .*, expected ccontiguous or fcontiguous"):
            view_of(np.zeros(3)).is_contiguous(layout)


def test_static_geometry_moves_with_its_axis():
    view = view_of(np.zeros((4, 5, 3))).recast(shape(dyn, 5, 3), ccontiguous)
    assert static(view) == ([dyn, 5, 3], [15, 3, 1])
    assert static(view.permute(2, 0, 1)) == ([3, dyn, 5], [1, 15, 3])
    assert static(view.flip(1, 0)) == ([dyn, 5, 3], [-15, -3, 1])
    assert static(view.unsqueeze(1)) == ([dyn, 1, 5, 3], [15, 0, 3, 1])
    assert static(view.unsqueeze(1).squeeze(1)) == static(view)
    assert static(view[2]) == ([5, 3], [3, 1])
    assert static(view[:, 1:4:2]) == ([dyn, dyn, 3], [15, 6, 1])
    assert static(view[:, ::2]) == ([dyn, dyn, 3], [15, 6, 1])
    assert static(view[..., ::-1, :]) == ([dyn, 5, 3], [15, -3, 1])
    assert static(view[None, ..., 0]) == ([1, dyn, 5], [0, 15, 3])
    for moved in (view.permute(2, 0, 1), view.flip(1, 0), view.unsqueeze(1), view[2], view[:, 1:4:2]):
        for axis, (size, stride) in enumerate(zip(*static(moved), strict=True)):
            assert size in (dyn, moved.shape[axis])
            assert stride in (dyn, moved.strides[axis])


def test_recast():
    x = np.arange(60.0).reshape(4, 5, 3)
    view = view_of(x)
    cast = view.recast(shape(dyn, 5, 3))
    same(cast, x)
    assert static(cast) == ([dyn, 5, 3], [dyn] * 3)
    assert cast.extents == tny.Extents(dyn, 5, 3)(4)
    assert isinstance(view.recast(shape(4, 5, 3), ccontiguous).layout, tny.layout_right)
    assert static(view.permute(2, 1, 0).recast(shape(3, dyn, dyn), fcontiguous)) == ([3, dyn, dyn], [1, 3, dyn])
    assert static(view.recast(shape(dyn, dyn, dyn), strides(15, dyn, 1))) == ([dyn] * 3, [15, dyn, 1])
    ordered = view.recast(shape(dyn, dyn, dyn), ccontiguous)
    assert static(ordered) == ([dyn] * 3, [dyn, dyn, 1])
    assert static(ordered.recast(shape(dyn, 5, 3))) == ([dyn, 5, 3], [15, 3, 1])
    assert view.recast(view.extents).shape == x.shape


def test_recast_is_checked():
    view = view_of(np.zeros((4, 5, 3)))
    with pytest.raises(tny.ShapeError, match=r"recast: shape: found size 5 on axis 1, expected 6 by Extents\(dyn"):
        view.recast(shape(-1, 6, 3))
    with pytest.raises(tny.ShapeError, match="recast: shape: found size 4 on axis 0, expected 7"):
        view.recast(shape(-1, 5, 3)(7))
    with pytest.raises(tny.ShapeError, match="recast: shape: found 3 axes, expected 2 by"):
        view.recast(shape(5, 3))
    with pytest.raises(tny.LayoutError, match="layout: found stride 30 on axis 0, expected 15 by ccontiguous"):
        view_of(np.zeros((8, 5, 3))[::2]).recast(shape(-1, 5, 3), ccontiguous)
    with pytest.raises(tny.LayoutError, match="layout: found stride 15 on axis 0, expected 1 by fcontiguous"):
        view.recast(shape(-1, 5, 3), fcontiguous)
    with pytest.raises(tny.LayoutError, match=r"layout: found stride 3 on axis 1, expected 4 by strides\(15, 4, 1\)"):
        view.recast(shape(-1, 5, 3), strides(15, 4, 1))
    with pytest.raises(tny.LayoutError, match=r"layout: found strides\(3, 1\), expected one stride for each of 3 axes"):
        view.recast(shape(-1, 5, 3), strides(3, 1))
    for wrong in ((4, 5, 3), None, tny.anyshape[..., 3]):
        with pytest.raises(tny.ArgumentError, match=r"recast: shape: found .*, expected shape\(...\)"):
            view.recast(wrong)
    with pytest.raises(tny.ArgumentError, match="recast: layout: found 'C', expected keep_strides, ccontiguous"):
        view.recast(shape(-1, 5, 3), "C")


def test_strides_that_are_not_seen_are_not_checked():
    odd = as_strided(np.zeros(64), (1, 5, 3), (56, 24, 8))
    assert view_of(odd).recast(shape(1, 5, 3), ccontiguous).strides == (15, 3, 1)
    empty = as_strided(np.zeros(64), (0, 5, 3), (56, 8, 8))
    assert view_of(empty).recast(shape(-1, 5, 3), ccontiguous).strides == (15, 3, 1)


def test_metadata_holds_what_is_not_static():
    view = view_of(np.zeros((4, 3, 3)))
    assert view_of(np.zeros((4, 3))).metadata_nbytes == 40
    assert view_of(np.zeros((4, 3))).reindex("int32").metadata_nbytes == 24
    assert view.recast(shape(4, 3, 3), ccontiguous).metadata_nbytes == 8
    assert view.recast(shape(-1, 3, 3), ccontiguous).metadata_nbytes == 16
    assert view.recast(shape(-1, 3, 3)).metadata_nbytes == 8 + 8 + 3 * 8
    assert view.recast(shape(-1, 3, 3), strides(9, 3, 1)).metadata_nbytes == 16
    assert view.recast(shape(-1, 3, 3), strides(9, 3, 1)).reindex("int32").metadata_nbytes == 16
    assert view.recast(shape(-1, -1, -1), ccontiguous).reindex("int32").metadata_nbytes == 8 + 16


def test_reindex():
    x = np.arange(24.0).reshape(4, 6)
    view = view_of(x).recast(shape(-1, 6), ccontiguous)
    narrow = view.reindex("int8")
    same(narrow, x)
    assert (narrow.index_dtype, narrow[1:].index_dtype, static(narrow)) == (np.int8, np.int8, static(view))
    assert isinstance(narrow.layout, tny.layout_right)
    same(narrow.flip(0)[1:, ::2], x[::-1][1:, ::2])
    with pytest.raises(tny.LayoutError, match=r"reindex: found sizes \(300,\) .* expected them to fit int8"):
        view_of(np.zeros(300)).reindex("int8")
    with pytest.raises(tny.LayoutError, match=r"flip: found strides .*, expected none below 0 for uint8"):
        view.reindex("uint8").flip(0)
    with pytest.raises(tny.DTypeError, match="reindex: found 'float32', expected an integer type"):
        view.reindex("float32")


def test_offsets_that_a_step_takes_out_of_the_index_type():
    x = np.zeros((2, 101))[:, ::-1][::-1]
    both = as_strided(np.zeros(201)[100:], (2, 101), (-800, 8))
    narrow = view_of(both).reindex("int8")
    assert narrow.layout.reach == (-100, 100)
    with pytest.raises(tny.LayoutError, match=r"flip: .* offsets \(0, 200\), expected them to fit int8"):
        narrow.flip(0)
    assert view_of(x).layout.reach == (-201, 0)


@given(strided_arrays(max_rank=6), st.sampled_from(["int8", "int32", "uint8", "uint64"]))
def test_reindex_if_it_fits(x, to):
    view = view_of(x)
    if view.index_fits(to):
        same(view.reindex(to), x)
        assert view.reindex(to).reindex("int64").index_dtype == np.int64
    else:
        with pytest.raises(tny.LayoutError, match=f"expected them to fit {to}"):
            view.reindex(to)


def test_views_keep_the_array_alive():
    class Array(np.ndarray):
        pass

    x = np.arange(12.0).reshape(4, 3).view(Array)
    gone = weakref.ref(x)
    row = view_of(x)[2].flip().unsqueeze(0)
    del x
    gc.collect()
    assert gone() is not None
    np.testing.assert_array_equal(np.asarray(row), [[8, 7, 6]])
    del row
    gc.collect()
    assert gone() is None


def test_device_memory_is_addressed_but_not_read():
    far = tny.AnyRank.from_pointer(4096, "f4", (4, 3), device="cuda:1").fixed(2)
    row = far[2, ::-1]
    assert (row.data, row.strides, row.space, row.device) == (4096 + 4 * 8, (-1,), "gpu_view", tny.Device("cuda:1"))
    with pytest.raises(tny.DeviceError, match="found memory on cuda:1"):
        far[0, 0]


def test_read_only_stays_read_only():
    x = np.zeros((2, 3))
    x.flags.writeable = False
    assert view_of(x)[1].permute(0).readonly


PROGRAM = r"""
#include <stdio.h>
#include <teeny/view.h>

typedef struct { TEENY_VIEW_FIELDS(int16_t, 3); } view3_t;
typedef struct { TEENY_ORDERED_VIEW_FIELDS(int64_t, 1); } ordered_t;
typedef struct { TEENY_ORDERED_VIEW_FIELDS(int32_t, 1); } ordered32_t;
TEENY_DEFINE_VIEW_FILL(view3, view3_t)

int main(void)
{
    double block[8] = {0};
    int64_t shape[] = {1, 300, 3}, strides[] = {INT64_C(1) << 40, 3, -1};
    teeny_anyrank_t at = {0};
    teeny_view_t wide;
    teeny_view32_t narrow;
    view3_t small;
    at.data = block, at.shape = shape + 1, at.strides = strides + 1, at.ndim = 2;
    printf("%d %d ", teeny_view_fill(&at, &wide), teeny_view32_fill(&at, &narrow));
    printf("%d %d ", wide.data == block, narrow.data == block);
    printf("%d %d %d %d ", (int)wide.shape[0], (int)wide.strides[1], (int)narrow.shape[1], (int)narrow.strides[0]);
    printf("%d ", view3(&at, &small));
    narrow.shape[0] = narrow.shape[1] = 65536;
    printf("%d %d %lld ", (int)sizeof TEENY_EXTENT(narrow, 0), TEENY_EXTENT(narrow, 1),
           (long long)(TEENY_EXTENT_WIDE(narrow, 0) * TEENY_EXTENT_WIDE(narrow, 1)));
    at.shape = shape, at.strides = strides, at.ndim = 3;
    printf("%d %d ", view3(&at, &small), teeny_view_fill(&at, &wide));
    shape[1] = 40000;
    printf("%d ", view3(&at, &small));
    printf("%d %d %d %d\n", (int)sizeof(small), (int)sizeof(ordered_t), (int)sizeof(ordered32_t),
           (int)sizeof(teeny_static_view_t));
    return 0;
}
"""


def test_views_in_c(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no cc")
    source, program = tmp_path / "views.c", tmp_path / "views"
    source.write_text(PROGRAM)
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    built = subprocess.run([compiler, *strict, f"-I{tny.get_include()}", source, "-o", program], capture_output=True,
                           text=True)  # fmt: skip
    assert built.returncode == 0, built.stderr
    told = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    filled, wrong_rank, unseen, too_large = "0 0 1 1 300 -1 3 3", "-1", "0 -1", "-3"
    extents = f"4 65536 {2**32}"
    assert told.split() == f"{filled} {wrong_rank} {extents} {unseen} {too_large} 24 16 16 8".split()
    view = view_of(np.zeros((1, 300, 3)))
    assert view.reindex("int16").metadata_nbytes == 24
    assert [view.recast(shape(1, -1, 3), ccontiguous).reindex(to).metadata_nbytes for to in ("i8", "i4")] == [16, 16]
    assert view.recast(view.extents).recast(shape(1, 300, 3), ccontiguous).metadata_nbytes == 8
