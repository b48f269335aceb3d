"""Dispatchers: what fires, with what, and what is returned."""

import copy
import enum

import numpy as np
import pytest
from arrays import strided_arrays
from capsules import Producer, name_of
from hypothesis import given
from hypothesis import strategies as st

import teeny as tny
from teeny import as_anyrank, candidates, dyn, shape


class Bound(enum.Enum):
    ZERO = 0
    DFT = 6


class Order(enum.IntEnum):
    LINEAR = 1


class Fired(list):
    """What a dispatcher called."""

    def __call__(self, *values):
        self.append(values)
        return "not what a dispatcher returns"

    def one(self):
        ((value,),) = self
        return value


@pytest.mark.parametrize(
    "value", [2, np.int8(2), np.uint64(2), enum.IntEnum("E", {"A": 2}).A, enum.Enum("E", {"A": 2}).A]
)
def test_value(value):
    fired = Fired()
    assert tny.dispatch_value((1, 2, 3), value, fired) is True
    assert fired == [(2,)]
    assert type(fired.one()) is int


@given(st.lists(st.integers(-5, 5)), st.integers(-5, 5))
def test_value_fires_once_if_it_is_listed(values, value):
    fired = Fired()
    assert tny.dispatch_value(values, value, fired) is (value in values)
    assert fired == ([(value,)] if value in values else [])


def test_a_miss_is_no_error():
    fired = Fired()
    for values, value in (((1, 2, 3), 0), ((), 0), (range(8), Order(1) + 7), ((Order.LINEAR,), 2**70)):
        assert tny.dispatch_value(values, value, fired) is False
    assert fired == []


def test_values():
    fired = Fired()
    spatial, order, bound = np.int32(3), Order.LINEAR, Bound.DFT
    assert tny.dispatch_values(
        fired, candidates((1, 2, 3), spatial), candidates((0, 1), order), candidates(Bound, bound)
    )
    assert fired == [(3, 1, 6)]
    assert tny.dispatch_values(fired) is True
    assert fired == [(3, 1, 6), ()]


@pytest.mark.parametrize("missed", range(3))
def test_values_fire_only_if_all_are_listed(missed):
    fired = Fired()
    lists = [candidates((1, 2), 7 if place == missed else 1) for place in range(3)]
    assert tny.dispatch_values(fired, *lists) is False
    assert fired == []


def test_values_refused():
    for value in (1.5, "2", None):
        with pytest.raises(tny.ArgumentError, match=r"value: found .*, expected an integer or an enumerator"):
            tny.dispatch_value((1, 2), value, print)
        with pytest.raises(tny.ArgumentError, match=r"values: found .*, expected an integer or an enumerator"):
            candidates((1, value), 1)
    with pytest.raises(tny.ArgumentError, match=r"dispatch_values: lists: found \(1, 2\), expected candidates"):
        tny.dispatch_values(print, (1, 2))
    with pytest.raises(tny.ArgumentError, match="values: found None, expected integers or enumerators"):
        candidates(None, 1)
    some = candidates(Bound, Bound.DFT)
    assert repr(some) == repr(copy.copy(some)) == "candidates((0, 6), 6)"


def test_what_cannot_be_called_is_refused():
    at = as_anyrank(np.zeros(3))
    calls = {
        "dispatch_value": lambda f: tny.dispatch_value((1,), 1, f),
        "dispatch_values": lambda f: tny.dispatch_values(f),
        "dispatch_rank": lambda f: tny.dispatch_rank(at, f),
        "dispatch_index": lambda f: tny.dispatch_index(at, f),
        "dispatch_layout": lambda f: tny.dispatch_layout(at.fixed(1), f),
        "dispatch_dlpack": lambda f: tny.dispatch_dlpack(at, f),
        "dispatch_dlpack_dtype": lambda f: tny.dispatch_dlpack_dtype(at, f),
    }
    for name, call in calls.items():
        with pytest.raises(tny.ArgumentError, match=f"^{name}: f: found None, expected a callable"):
            call(None)


def test_errors_of_the_callable_pass():
    def fail(*_):
        raise tny.DTypeError("mine")

    x = np.zeros(3)
    for call in (
        lambda: tny.dispatch_value((1,), 1, fail),
        lambda: tny.dispatch_rank(as_anyrank(x), fail),
        lambda: tny.dispatch_dlpack(x, fail),
        lambda: tny.dispatch_dlpack_dtype(x, fail),
    ):
        with pytest.raises(tny.DTypeError, match="mine"):
            call()


@given(strided_arrays(max_rank=6), st.integers(0, 7), st.booleans())
def test_rank(x, max_rank, narrow):
    fired = Fired()
    assert tny.dispatch_rank(as_anyrank(x), fired, max_rank=max_rank, narrow_index=narrow) is (x.ndim <= max_rank)
    if x.ndim <= max_rank:
        assert (fired.one().rank, fired.one().index_dtype) == (x.ndim, np.int32 if narrow else np.int64)
        np.testing.assert_array_equal(np.asarray(fired.one()), x)
    else:
        assert fired == []


def test_rank_folds_head_and_tail():
    fired = Fired()
    tny.dispatch_rank(as_anyrank(np.zeros((3, 7, 5)), tny.anyshape[3, ..., 5]), fired)
    assert [fired.one().static_extent(axis) for axis in range(3)] == [3, dyn, 5]


def test_rank_has_a_default_limit():
    assert tny.dispatch_rank(as_anyrank(np.zeros((1,) * 32)), len_of := Fired()) is True
    assert len_of.one().rank == 32
    assert tny.dispatch_rank(as_anyrank(np.zeros((1,) * 33)), Fired()) is False
    with pytest.raises(tny.ArgumentError, match="at: found ndarray, expected AnyRank"):
        tny.dispatch_rank(np.zeros(3), print)


@given(strided_arrays(max_rank=6), st.sampled_from(["int8", "uint8", "int32"]))
def test_index(x, to):
    for v in (as_anyrank(x), as_anyrank(x).fixed(x.ndim)):
        fired = Fired()
        assert tny.dispatch_index(v, fired, to) is True
        assert type(fired.one()) is type(v)
        assert fired.one().index_dtype == (to if v.index_fits(to) else np.int64)
        np.testing.assert_array_equal(np.asarray(fired.one()), x)


def test_index_is_narrowed_to_32_bits_unless_told():
    at = as_anyrank(np.zeros((2, 3)), tny.anyshape[..., 3])
    tny.dispatch_index(at, fired := Fired())
    assert (fired.one().metadata_nbytes, fired.one().device_passable) == (272, True)
    assert fired.one().peel_front_at(0, -1).static_extent(0) == 3
    far = as_anyrank(np.broadcast_to(np.zeros(1), (2**40,)))
    tny.dispatch_index(far, fired := Fired())
    assert fired.one() is far


def test_a_static_size_that_never_fits_has_no_narrow_arm():
    view = as_anyrank(np.zeros((300, 2))).fixed(2).recast(shape(300, 2))
    assert tny.dispatch_index(view, fired := Fired(), "int8") is True
    assert fired.one() is view
    with pytest.raises(tny.LayoutError, match="reindex: found sizes"):
        view.reindex("int8")
    with pytest.raises(tny.ArgumentError, match="v: found ndarray, expected a View or AnyRank"):
        tny.dispatch_index(np.zeros(3), print)


@given(strided_arrays(max_rank=6))
def test_layout(x):
    fired = Fired()
    assert tny.dispatch_layout(as_anyrank(x).fixed(x.ndim), fired) is True
    c, f = x.flags.c_contiguous, x.flags.f_contiguous
    assert type(fired.one().layout) is (tny.layout_right if c else tny.layout_left if f else tny.layout_stride)
    np.testing.assert_array_equal(np.asarray(fired.one()), x)


@pytest.mark.parametrize(
    ("x", "layout", "strides"),
    [
        (np.zeros((5, 3, 3)), tny.layout_right, [9, 3, 1]),
        (np.zeros((3, 3, 5)).T, tny.layout_left, [1, dyn, dyn]),
        (np.zeros((5, 3, 3))[:, ::-1], tny.layout_stride, [dyn, dyn, dyn]),
    ],
)
def test_layout_folds_the_strides_of_a_recast(x, layout, strides):
    tny.dispatch_layout(as_anyrank(x).fixed(3), fired := Fired())
    view = fired.one().recast(shape(-1, 3, 3))
    assert type(view.layout) is layout
    assert [view.static_stride(axis) for axis in range(3)] == strides


def test_layout_keeps_static_sizes():
    view = as_anyrank(np.zeros((5, 3)), tny.anyshape[..., 3]).fixed(2)
    tny.dispatch_layout(view, fired := Fired())
    assert fired.one().extents == tny.Extents(dyn, 3)(5)
    with pytest.raises(tny.ArgumentError, match="v: found AnyRank, expected View"):
        tny.dispatch_layout(as_anyrank(np.zeros(3)), print)


SUPPORTED = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "float16", "float32", "float64", "complex64", "complex128"]  # fmt: skip


@pytest.mark.parametrize("dtype", SUPPORTED)
def test_dtype(dtype):
    x = np.zeros((2, 3), dtype)
    assert tny.dispatch_dlpack(x, fired := Fired()) is True
    assert (type(fired.one()), fired.one().dtype) == (tny.View, tny.DType(dtype))
    assert tny.dispatch_dlpack_dtype(x, fired := Fired()) is True
    assert (type(fired.one()), fired.one().dtype) == (tny.AnyRank, tny.DType(dtype))


def test_bfloat16_is_supported():
    at = tny.AnyRank.from_pointer(4096, "bfloat16", (2,))
    assert tny.dispatch_dlpack(at, fired := Fired()) is True
    assert fired.one().data == 4096


@pytest.mark.parametrize(
    "x",
    [np.zeros(3, object), np.zeros(3, "U1"), np.zeros(3, "longdouble"), np.zeros(3, ">f8"),
     tny.AnyRank.from_pointer(4096, tny.DType(2, 32, 4), (2,)), tny.AnyRank.from_pointer(4096, tny.DType(3, 64), (2,))],
    ids=["object", "text", "longdouble", "swapped", "lanes", "opaque"],
)  # fmt: skip
def test_dtype_without_a_kernel(x):
    fired = Fired()
    assert tny.dispatch_dlpack(x, fired) is False
    assert tny.dispatch_dlpack_dtype(x, fired) is False
    assert fired == []


def test_dlpack_ranks():
    x = np.zeros((1, 2, 3))
    assert tny.dispatch_dlpack(x, Fired(), max_rank=2) is False
    assert tny.dispatch_dlpack(np.zeros((1,) * 33), Fired()) is False
    assert tny.dispatch_dlpack_dtype(np.zeros((1,) * 33), Fired()) is True


def test_dlpack_space():
    far = tny.AnyRank.from_pointer(4096, "f4", (2, 3), device="cuda:1")
    for dispatch in (tny.dispatch_dlpack, tny.dispatch_dlpack_dtype):
        assert dispatch(far, fired := Fired(), tny.storage.gpu_view) is True
        assert fired.one().space == "gpu_view"
        with pytest.raises(tny.DeviceError, match="found memory in 'gpu_view'"):
            dispatch(far, print, "view")
        with pytest.raises(tny.BoundaryError, match=f"^{dispatch.__name__}: m: found list"):
            dispatch([1, 2], print)
        with pytest.raises(tny.BoundaryError, match=f"^{dispatch.__name__}: m: found 5, expected the address"):
            dispatch(5, print)
        with pytest.raises(tny.ArgumentError, match=f"^{dispatch.__name__}: space: found 'vram'"):
            dispatch(far, print, "vram")


def test_a_miss_consumes_nothing():
    producer = Producer(np.zeros((1, 2, 3)))
    capsule = producer.capsule()
    assert tny.dispatch_dlpack(capsule, Fired(), max_rank=2) is False
    with pytest.raises(tny.ArgumentError, match="dispatch_dlpack: max_rank: found 'x', expected an integer"):
        tny.dispatch_dlpack(capsule, Fired(), max_rank="x")
    with pytest.raises(tny.DeviceError, match="dispatch_dlpack: space: found memory in 'view'"):
        tny.dispatch_dlpack(capsule, Fired(), "pinned")
    assert name_of(capsule) == producer.kind
    assert tny.dispatch_dlpack(capsule, Fired()) is True
    assert producer.frees == (1, 0)
