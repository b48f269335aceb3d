"""Extents and mappings, against enumeration of every index and exact arithmetic."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from arrays import shapes_and_strides
from hypothesis import given
from hypothesis import strategies as st

import teeny as tny
from teeny import Extents, anyshape, as_anyrank, dyn, layout_left, layout_right, layout_stride

INTEGERS = [np.dtype(kind) for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]


def test_extents():
    pattern = Extents(dyn, 3, dyn)
    extents = pattern(5, 7)
    assert (extents.rank, extents.rank_dynamic, extents.shape) == (3, 2, (5, 3, 7))
    assert [extents.static_extent(axis) for axis in range(3)] == [dyn, 3, dyn]
    assert [extents.extent(axis) for axis in range(3)] == [5, 3, 7]
    assert extents == Extents(dyn, 3, dyn)(5, 7) != Extents(5, 3, 7)
    assert extents != pattern
    assert len({extents, Extents(dyn, 3, dyn)(5, 7), pattern}) == 2
    assert pickle.loads(pickle.dumps(extents)) == extents
    assert repr(pattern) == "Extents(dyn, 3, dyn)"


def test_extents_without_axes_or_dynamic_sizes():
    assert Extents().shape == Extents()().shape == ()
    assert Extents(2, 0).shape == Extents(2, 0)().shape == (2, 0)


def test_extents_refuse():
    with pytest.raises(tny.ShapeError, match=r"found no sizes .* Extents\(dyn, 3\)"):
        Extents(dyn, 3).extent(0)
    for sizes in ((), (1, 2)):
        with pytest.raises(tny.ShapeError, match=rf"found {len(sizes)} sizes, expected 1"):
            Extents(dyn, 3)(*sizes)
    with pytest.raises(tny.ShapeError, match=r"found \(-1,\), expected sizes of at least 0"):
        Extents(dyn)(-1)
    with pytest.raises(tny.ShapeError, match=r"found \(3, -2\)"):
        Extents(3, -2)
    with pytest.raises(tny.ShapeError, match="found 65 axes, expected at most 64"):
        Extents(*[1] * 65)
    with pytest.raises(tny.ArgumentError, match="expected a sequence of integers"):
        Extents(1.5)
    for axis in (-1, 1):
        with pytest.raises(tny.BoundsError, match=f"found axis {axis}, expected 0 to 0"):
            Extents(3).static_extent(axis)


@given(shapes_and_strides())
def test_strided_mapping_against_every_index(geometry):
    shape, strides = geometry
    mapping = layout_stride(Extents(*shape), strides)
    offsets = [sum(map(int.__mul__, index, strides)) for index in itertools.product(*map(range, shape))]
    assert [mapping(*index) for index in itertools.product(*map(range, shape))] == offsets
    assert mapping.strides == strides
    assert mapping.extents == Extents(*shape)
    assert mapping.reach == ((min(offsets), max(offsets)) if offsets else (0, -1))
    assert mapping.required_span_size() == (max(offsets) - min(offsets) + 1 if offsets else 0)


@given(shapes_and_strides())
def test_orders_against_numpy(geometry):
    shape, _ = geometry
    for layout, order in ((layout_right, "C"), (layout_left, "F")):
        mapping = layout(Extents(*shape))
        place = np.arange(np.prod(shape, dtype=int)).reshape(shape, order=order)
        assert [mapping(*index) for index in np.ndindex(*shape)] == [place[index] for index in np.ndindex(*shape)]
        assert mapping.required_span_size() == place.size
        if place.size:
            observable = [axis for axis in range(place.ndim) if shape[axis] > 1]
            assert [mapping.strides[axis] for axis in observable] == [
                place.strides[axis] // place.itemsize for axis in observable
            ]


@pytest.mark.parametrize("layout", [layout_right, layout_left])
def test_sixty_axes(layout):
    mapping = layout(Extents(*[1] * 60, 2, 3))
    assert mapping.required_span_size() == 6
    assert mapping.rank == 62


@given(st.data())
def test_index_fits_is_exact(data):
    to = data.draw(st.sampled_from(INTEGERS))
    limits = np.iinfo(to)
    low = data.draw(st.sampled_from([0, max(limits.min, -(2**61)), max(limits.min, -(2**61)) - 1]))
    high = data.draw(st.sampled_from([0, min(limits.max, 2**61), min(limits.max, 2**61) + 1]))
    mapping = layout_stride(Extents(2, 1, 2), (low, 12345, high))
    assert mapping.reach == (low, high)
    assert mapping.index_fits(to) == (limits.min <= low and high <= limits.max)


@pytest.mark.parametrize("to", INTEGERS, ids=str)
def test_index_fits_counts_sizes_that_reach_nothing(to):
    most = int(np.iinfo(to).max)
    if most < 2**40:
        assert layout_stride(Extents(most), (0,)).index_fits(to)
        assert not layout_stride(Extents(most + 1), (0,)).index_fits(to)
        assert not layout_stride(Extents(0, most + 1), (0, 0)).index_fits(to)
    assert layout_stride(Extents(2**40), (0,)).index_fits(to) == (most >= 2**40)
    assert layout_stride(Extents(0), (-5,)).index_fits(to)


@pytest.mark.parametrize("to", ["float32", "bool", "complex64", tny.DType(0, 32, 2), tny.DType(0, 128)])
def test_index_fits_takes_integer_types_only(to):
    with pytest.raises(tny.DTypeError, match="index_fits: found"):
        layout_right(Extents(3)).index_fits(to)


def test_reach_at_the_edges_of_64_bits():
    assert layout_stride(Extents(2), (2**63 - 2,)).reach == (0, 2**63 - 2)
    assert layout_stride(Extents(2), (2 - 2**63,)).required_span_size() == 2**63 - 1
    assert layout_stride(Extents(1, 0), (-(2**63), 2**63 - 1)).required_span_size() == 0
    assert layout_stride(Extents(2**32, 2**31 - 1), (0, 0)).required_span_size() == 1


def test_strides_are_measured_in_the_type_they_are_stored_in():
    far = layout_stride(Extents(2), np.array([2**63 + 8], np.uint64))
    assert (far.strides, far.reach, far.required_span_size()) == ((2**63 + 8,), (0, 2**63 + 8), 2**63 + 9)
    assert far.index_dtype == np.uint64
    assert [far.index_fits(to) for to in INTEGERS] == [False] * 7 + [True]
    assert layout_stride(Extents(2), np.array([2**64 - 1], np.uint64)).reach == (0, 2**64 - 1)
    assert layout_stride(Extents(2), np.array([2**63 - 1], np.uint64)).index_fits("int64")
    assert not layout_stride(Extents(2), np.array([2**63], np.uint64)).index_fits("int64")
    assert layout_stride(Extents(1, 0), np.array([2**63, 2**64 - 1], np.uint64)).reach == (0, -1)
    assert layout_stride(Extents(1), np.array([2**64 - 1], np.uint64)).index_fits("int8")
    for sizes, strides in (((3,), [2**63]), ((2, 2), [2**63, 2**63]), ((2, 2), [1, 2**64 - 1])):
        with pytest.raises(tny.LayoutError, match="64 bits"):
            layout_stride(Extents(*sizes), np.array(strides, np.uint64))


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((2,), (2**63 - 1,)),
        ((2,), (-(2**63),)),
        ((2, 2), (2**62, 2**62)),
        ((2, 2), (2**62, -(2**62))),
        ((2**40,), (2**40,)),
        ((2**32, 2**32), (0, 0)),
        ((2,), (2**64,)),
        ((2,), (np.uint64(2**63 + 1),)),
    ],
)
def test_overflow_is_refused(shape, strides):
    with pytest.raises(tny.LayoutError, match="64 bits"):
        layout_stride(Extents(*shape), strides)


@pytest.mark.parametrize("layout", [layout_right, layout_left])
def test_overflowing_order_is_refused(layout):
    with pytest.raises(tny.LayoutError, match=f"{layout.__name__}: .* 64 bits"):
        layout(Extents(2**32, 2**32))
    assert layout(Extents(2**31, 2**31)).required_span_size() == 2**62


def test_mapping_refuses():
    mapping = layout_right(Extents(2, 3))
    for index in ((2, 0), (0, 3), (-1, 0)):
        with pytest.raises(tny.BoundsError, match="layout_right: found index"):
            mapping(*index)
    with pytest.raises(tny.ShapeError, match="found 1 indices, expected 2"):
        mapping(1)
    with pytest.raises(tny.LayoutError, match="found 1 strides, expected one for each of 2 axes"):
        layout_stride(Extents(2, 3), (1,))
    with pytest.raises(tny.ArgumentError, match=r"extents: found \(2, 3\), expected Extents"):
        layout_right((2, 3))
    with pytest.raises(tny.ShapeError, match="found no sizes"):
        layout_right(Extents(dyn))


def test_mappings_are_values():
    extents = Extents(dyn, 3)(5)
    mappings = [layout_right(extents), layout_left(extents), layout_right(Extents(5, 3))]
    mappings += [layout_stride(extents, steps) for steps in ((3, 1), (4, 1), np.array([2**60, 1], np.uint64))]
    assert len({*mappings, *map(pickle.loads, map(pickle.dumps, mappings)), *map(copy.deepcopy, mappings)}) == 6
    tagged = as_anyrank(np.zeros((4, 5, 3)), anyshape[..., 3], tny.strides(1)).reindex("int16").fixed(3).layout
    again = pickle.loads(pickle.dumps(tagged))
    assert again == tagged != layout_stride(Extents(dyn, dyn, 3)(4, 5), (15, 3, 1))
    assert (again.index_dtype, again.static_stride(2)) == (np.int16, 1)
    assert layout_right(extents) != "layout_right"


def test_objects_made_without_arguments_are_empty():
    assert repr(Extents.__new__(Extents)) == "Extents()"
    for layout in (layout_right, layout_left, layout_stride):
        bare = layout.__new__(layout)
        assert (bare.rank, bare.strides, bare.extents, bare.index_dtype) == (0, (), Extents(), np.int64)
        assert (bare(), bare.reach) == (0, (0, 0))
    extents = Extents(2, 3)
    extents.__init__(4)
    assert extents.shape == (2, 3)


def test_mapping_never_changes():
    mapping = layout_right(Extents(2, 3))
    with pytest.raises(TypeError, match="never changes"):
        mapping.__init__(Extents(100, 100))
    assert mapping.strides == (3, 1)
    assert repr(mapping) == "layout_right(Extents(2, 3))"
    assert repr(layout_left(Extents(dyn)(4))) == "layout_left(Extents(dyn)(4))"
    assert repr(layout_stride(Extents(2), (-1,))) == "layout_stride(Extents(2), (-1,))"
