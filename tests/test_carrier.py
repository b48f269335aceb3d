"""The boundary: what comes in, what it is called, what goes out, what is refused."""

import array
import copy
import ctypes
import gc
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest
from arrays import strided_arrays
from hypothesis import given
from numpy.lib.stride_tricks import as_strided

import teeny as tny
from teeny import AnyRank, as_anyrank

BLOCK = np.zeros(64)
POINTER = BLOCK.ctypes.data


def observable(x):
    """Strides in elements, of the axes on which a stride can be seen."""
    return [stride // x.itemsize for size, stride in zip(x.shape, x.strides, strict=True) if size > 1 and x.size]


def steps(at):
    return [stride for size, stride in zip(at.shape, at.strides, strict=True) if size > 1 and 0 not in at.shape]


@given(strided_arrays())
def test_numpy_there_and_back(x):
    at = as_anyrank(x)
    assert (at.ndim, at.shape, at.data) == (x.ndim, x.shape, x.ctypes.data)
    assert steps(at) == observable(x)
    assert (at.dtype.numpy, at.nbytes, at.readonly) == (x.dtype, x.nbytes, not x.flags.writeable)
    assert (at.device, at.space, at.aligned, at.owner) == (tny.Device("cpu"), "view", True, x)
    for back in (np.asarray(at), np.asarray(memoryview(at)), at.__array__(), np.from_dlpack(at)):
        assert (back.dtype, back.shape, observable(back)) == (x.dtype, x.shape, observable(x))
        assert x.size == 0 or back.ctypes.data == x.ctypes.data
        np.testing.assert_array_equal(back, x)


@given(strided_arrays())
def test_fixed_is_the_whole_carrier(x):
    at = as_anyrank(x)
    view = at.fixed(x.ndim)
    assert (view.rank, view.shape, view.strides, view.data) == (at.ndim, at.shape, at.strides, at.data)
    assert view.extents == tny.Extents(*[tny.dyn] * x.ndim)(*x.shape)
    assert view.layout.strides == view.strides
    assert view.metadata_nbytes == 8 + 16 * x.ndim
    assert view.index_fits("int8") == at.index_fits("int8") == view.layout.index_fits("int8")
    np.testing.assert_array_equal(np.asarray(view), x)
    np.testing.assert_array_equal(np.from_dlpack(view), x)
    for wrong in (x.ndim + 1, -1):
        with pytest.raises(tny.ShapeError, match=rf"fixed: rank: found {wrong}, expected {x.ndim}, the number of axes"):
            at.fixed(wrong)


@given(strided_arrays())
def test_raw_pointer(x):
    strides = [stride // x.itemsize for stride in x.strides]
    at = AnyRank.from_pointer(x.ctypes.data, x.dtype, x.shape, strides, owner=x)
    assert (at.shape, at.strides, at.owner, at.readonly) == (x.shape, tuple(strides), x, False)
    np.testing.assert_array_equal(np.asarray(at), x)


DTYPES = ["bool", "int8", "uint8", "int16", "uint32", "int64", "uint64", "float16", "float32", "float64", "longdouble",
          "complex64", "complex128"]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    x = np.arange(6).astype(dtype).reshape(2, 3)
    at = as_anyrank(x)
    assert at.dtype == tny.DType(dtype)
    assert np.asarray(at).dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(at), x)


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(6).astype(ml_dtypes.bfloat16)
    at = as_anyrank(x)
    assert at.dtype == tny.DType("bfloat16")
    back = np.asarray(at)
    assert back.dtype == x.dtype
    assert np.shares_memory(back, x)


@pytest.mark.parametrize(
    ("make", "dtype", "readonly"),
    [
        (lambda: bytearray(b"abc"), "uint8", False),
        (lambda: b"abc", "uint8", True),
        (lambda: array.array("d", [1, 2, 3]), "float64", False),
        (lambda: memoryview(array.array("h", [1, 2, 3])), "int16", False),
        (lambda: memoryview(np.arange(6.0, dtype="f4"))[::-2], "float32", False),
        (lambda: (ctypes.c_int32 * 3)(1, 2, 3), "int32", False),
        (lambda: memoryview(b"abc").toreadonly(), "uint8", True),
    ],
    ids=["bytearray", "bytes", "array", "memoryview", "reversed", "ctypes", "readonly"],
)
def test_buffers(make, dtype, readonly):
    x = make()
    at = as_anyrank(x)
    expected = np.asarray(memoryview(x))
    assert (at.dtype, at.shape, at.readonly) == (tny.DType(dtype), (3,), readonly)
    assert at.data == expected.ctypes.data
    assert at.owner.obj is getattr(x, "obj", x)
    np.testing.assert_array_equal(np.asarray(at), expected)


@pytest.mark.parametrize("keep", [as_anyrank, lambda x: as_anyrank(x).fixed(1), lambda x: as_anyrank(x).__dlpack__()])
@pytest.mark.parametrize("x", [bytearray(8), array.array("b", [0] * 8), np.zeros(8)], ids=lambda x: type(x).__name__)
def test_memory_does_not_move_while_it_is_carried(x, keep):
    kept = keep(x)
    with pytest.raises((BufferError, ValueError)):
        x.resize(1000) if isinstance(x, np.ndarray) else x.extend(bytes(1000))
    del kept
    if not isinstance(x, np.ndarray):  # which counts the references that pytest holds, too
        x.extend(bytes(1000))


class Lender:
    """An array that is seen through one protocol only."""

    def __init__(self, x, name):
        self.x = x
        self.names = {name, "__dlpack_device__"} if name == "__dlpack__" else {name}

    def __getattr__(self, name):
        if name not in self.names:
            raise AttributeError(name)
        return getattr(self.x, name)


@pytest.mark.parametrize("name", ["__dlpack__", "__array_interface__"])
def test_protocols(name):
    x = np.arange(24.0).reshape(2, 3, 4)[:, ::-1, ::2]
    at = as_anyrank(Lender(x, name))
    assert (at.shape, at.strides, at.data) == (x.shape, (12, -4, 2), x.ctypes.data)
    np.testing.assert_array_equal(np.asarray(at), x)


def test_error_of_the_exporter_is_passed_on():
    class Broken:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **_):
            raise BufferError("needs a gradient")

    with pytest.raises(tny.BoundaryError, match="needs a gradient"):
        as_anyrank(Broken())


class Interface:
    """An object that shows an ``__array_interface__``, whatever that may be."""

    def __init__(self, **changes):
        self.interface = {"shape": (2,), "typestr": "<f8", "data": (POINTER, False), "version": 3} | changes

    @property
    def __array_interface__(self):
        if isinstance(self.interface, Exception):
            raise self.interface
        return self.interface


@pytest.mark.parametrize(
    "change",
    [
        {"shape": "ab"},
        {"shape": (-2,)},
        {"shape": (2**62, 2**62)},
        {"shape": None},
        {"typestr": "zz"},
        {"data": "x"},
        {"data": (0, False)},
        {"strides": "x"},
    ],
    ids=str,
)
def test_interfaces_refused(change):
    with pytest.raises(tny.BoundaryError, match="as_anyrank: x: found an __array_interface__ that cannot be read"):
        as_anyrank(Interface(**change))


def test_interfaces_that_are_none():
    producer = Interface()
    for interface in ({}, "x", 3):
        producer.interface = interface
        with pytest.raises(tny.BoundaryError, match="__array_interface__ that cannot be read"):
            as_anyrank(producer)
    for error in (KeyError("of mine"), RuntimeError("of mine")):
        producer.interface = error
        with pytest.raises(tny.BoundaryError, match=r"found a Interface that cannot be taken in: .*of mine"):
            as_anyrank(producer)
    with pytest.raises(tny.BoundaryError, match="masked array, whose mask would be ignored"):
        as_anyrank(Interface(mask=np.ones(2, bool)))
    with pytest.raises(tny.LayoutError, match="found a stride of 7 bytes on axis 0"):
        as_anyrank(Interface(strides=(7,)))


def test_what_an_array_says_of_itself_is_not_believed():
    class Liar(np.ndarray):
        shape = property(lambda self: (10**6,))
        strides = dtype = data = ndim = property(lambda self: "a lie")

    x = np.arange(6.0).reshape(2, 3)
    at = as_anyrank(x.view(Liar))
    assert (at.shape, at.strides, at.dtype, at.data) == ((2, 3), (3, 1), tny.DType("float64"), x.ctypes.data)


def test_carriers_and_views_are_arrays_too():
    x = np.arange(12.0).reshape(3, 4)[::-1]
    at = as_anyrank(x)
    for again in (as_anyrank(at), as_anyrank(at.fixed(2))):
        assert (again.shape, again.strides, again.data, again.owner) == (at.shape, at.strides, at.data, x)


@pytest.mark.parametrize(
    "x",
    [
        np.float64(3),
        np.array(3.0),
        np.zeros((0, 3, 3)),
        np.broadcast_to(np.eye(3), (4, 5, 3, 3)),
        as_strided(np.arange(10.0), (8, 3), (8, 8)),
        np.zeros((1,) * 60 + (3, 3)),
        np.zeros((1,) * 64),
        np.zeros((2, 3)).view(np.matrix),
    ],
    ids=["scalar", "0-d", "empty", "broadcast", "overlapping", "60 axes", "64 axes", "matrix"],
)
def test_legal_shapes(x):
    at = as_anyrank(x)
    assert at.shape == x.shape
    np.testing.assert_array_equal(np.asarray(at), x)


def test_strides_that_cannot_be_seen_need_not_divide():
    block = np.zeros(64, np.uint8)
    for shape in ((1, 4), (0, 4)):
        odd = as_strided(block.view("f4"), shape, (5, 4))
        assert as_anyrank(odd).shape == shape


def test_unaligned_data_is_carried_and_flagged():
    x = np.frombuffer(b"\0" + np.arange(4.0).tobytes(), "f8", offset=1)
    at = as_anyrank(x)
    assert at.aligned == x.flags.aligned
    assert as_anyrank(np.arange(4.0)).aligned
    start = np.zeros(64, np.uint8).ctypes.data
    for dtype, offset, aligned in (("c16", 8, True), ("c16", 4, False), ("f4", 2, False), ("u1", 3, True)):
        assert AnyRank.from_pointer(start + offset, dtype, (1,)).aligned == aligned
        assert AnyRank.from_pointer(start + offset, dtype, (2, 1)).peel_front_at(1, -1).aligned == aligned
    assert AnyRank.from_pointer(1, "f8", (0,)).aligned


def test_read_only_in_and_out():
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    at = as_anyrank(x)
    assert at.readonly
    assert not np.asarray(at).flags.writeable
    assert memoryview(at).readonly
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_char * 48).from_buffer(at)


def test_writes_go_through():
    x = np.zeros((2, 3))
    np.asarray(as_anyrank(x[:, ::2]))[...] = 1
    np.testing.assert_array_equal(x, [[1, 0, 1], [1, 0, 1]])


def test_array_protocol_copies_only_when_told():
    x = np.arange(6.0)
    at = as_anyrank(x)
    assert np.shares_memory(np.array(at, copy=False), x)
    assert not np.shares_memory(np.array(at, copy=True), x)
    assert not np.shares_memory(at.__array__(copy=True), x)
    assert np.asarray(at, np.float32).dtype == at.__array__(np.float32).dtype == np.float32
    with pytest.raises(tny.LayoutError, match="needs a copy"):
        at.__array__(np.float32, copy=False)


def test_copied_metadata():
    x = np.arange(24.0).reshape(2, 3, 4).T
    plain, stored = as_anyrank(x), as_anyrank(x, copy_meta=True)
    assert (plain.copy_meta, plain.device_passable, plain.metadata_nbytes) == (False, False, 48)
    assert (stored.copy_meta, stored.device_passable, stored.metadata_nbytes) == (True, True, 8 + 8 + 32 * 2 * 8)
    assert as_anyrank(x, copy_meta=True, max_rank=5).metadata_nbytes == 8 + 8 + 5 * 2 * 8
    assert (stored.shape, stored.strides, stored.index_dtype) == (plain.shape, plain.strides, np.int64)
    np.testing.assert_array_equal([np.asarray(cell) for cell in stored.peel_front(-1)], x.reshape(12, 2))
    np.testing.assert_array_equal(np.asarray(stored), x)
    np.testing.assert_array_equal(np.asarray(as_anyrank(stored)), x)


def store_of(index, rank):
    """The C struct: teeny_anyrank64_t and teeny_anyrank32_t, for rank 32."""
    fields = {"data": ctypes.c_void_p, "ndim": ctypes.c_int64, "shape": index * rank, "strides": index * rank}
    return type("Store", (ctypes.Structure,), {"_fields_": list(fields.items())})


@pytest.mark.parametrize(("to", "nbytes"), [("int64", 528), ("int32", 272), ("uint32", 272), ("int16", 144)])
def test_reindexed(to, nbytes):
    x = np.arange(24.0).reshape(2, 3, 4)[:, ::-1] if to[0] == "i" else np.arange(24.0).reshape(2, 3, 4)
    at = as_anyrank(x)
    narrow = at.reindex(to)
    assert (narrow.index_dtype, narrow.metadata_nbytes, narrow.device_passable) == (np.dtype(to), nbytes, True)
    assert (narrow.shape, narrow.strides, narrow.space, narrow.owner) == (at.shape, at.strides, at.space, x)
    kind = store_of(np.ctypeslib.as_ctypes_type(np.dtype(to)), 32)
    assert ctypes.sizeof(kind) == nbytes == len(narrow.metadata)
    store = kind.from_buffer_copy(narrow.metadata)
    assert (store.data, store.ndim) == (at.data, 3)
    assert (tuple(store.shape[:3]), tuple(store.strides[:3])) == (at.shape, at.strides)
    np.testing.assert_array_equal([np.asarray(cell) for cell in narrow.peel_front(-2)], x)
    assert {cell.index_dtype for cell in narrow.peel_front(-2)} == {np.dtype(to)}
    assert narrow.fixed(3).index_dtype == narrow.peel_front_at(0, -1).index_dtype == np.dtype(to)


def test_stores_of_other_ranks():
    at = as_anyrank(np.zeros((2, 3, 4)), copy_meta=True, max_rank=5)
    assert at.metadata_nbytes == ctypes.sizeof(store_of(ctypes.c_int64, 5)) == 96
    for to, index in (("int32", ctypes.c_int32), ("int16", ctypes.c_int16), ("uint8", ctypes.c_uint8)):
        assert at.reindex(to).metadata_nbytes == ctypes.sizeof(store_of(index, 5))
        assert at.reindex(to, max_rank=3).metadata_nbytes == ctypes.sizeof(store_of(index, 3))
    assert as_anyrank(np.zeros(3)).metadata is None
    with pytest.raises(tny.ShapeError, match="reindex: x: found 3 axes, expected at most max_rank=2"):
        at.reindex("int32", max_rank=2)
    with pytest.raises(tny.ArgumentError, match="reindex: max_rank: found 65"):
        at.reindex("int32", max_rank=65)


@given(strided_arrays())
def test_reindex_if_and_only_if_it_fits(x):
    at = as_anyrank(x, copy_meta=True)
    for to in ("int8", "uint8", "int32"):
        if at.index_fits(to):
            np.testing.assert_array_equal(np.asarray(at.reindex(to)), x)
        else:
            with pytest.raises(tny.LayoutError, match=f"reindex: found sizes .* expected them to fit {to}"):
                at.reindex(to)


def test_reindex_at_the_edges():
    assert as_anyrank(np.zeros(127, "i1")).reindex("int8").shape == (127,)
    for size, step in ((300, 1), (128, 1), (2, 128), (2, -129)):
        at = AnyRank.from_pointer(4096, "i1", (size,), (step,))
        assert not at.index_fits("int8")
        with pytest.raises(tny.LayoutError, match="expected them to fit int8"):
            at.reindex("int8")
    assert AnyRank.from_pointer(4096, "i1", (2, 2), (-128, 127)).reindex("int8").strides == (-128, 127)
    with pytest.raises(tny.LayoutError, match="fit int32"):
        as_anyrank(np.broadcast_to(np.zeros(1), (2**40,))).reindex("int32")


def test_strides_that_are_not_seen_need_not_fit():
    wide = AnyRank.from_pointer(POINTER, "f8", (1, 2), np.array([2**63 + 8, 1], np.uint64))
    assert (wide.index_dtype, wide.strides) == (np.uint64, (2**63 + 8, 1))
    assert wide.index_fits("int8")
    for narrow in (wide.reindex("int8"), wide.reindex("int64")):
        assert (narrow.strides, narrow.shape) == ((0, 1), (1, 2))
    assert np.asarray(wide).shape == (1, 2)
    assert [cell.index_dtype for cell in wide.peel_front(-1)] == [np.uint64]
    assert AnyRank.from_pointer(POINTER, "f8", (1, 2), (2**40, 1)).reindex("int32").strides == (0, 1)
    with pytest.raises(tny.LayoutError, match="byte strides that fit 64 bits"):
        AnyRank.from_pointer(POINTER, "f8", (2,), np.array([2**63 + 8], np.uint64))


def test_store_too_small():
    with pytest.raises(tny.ShapeError, match="found 3 axes, expected at most max_rank=2"):
        as_anyrank(np.zeros((1, 2, 3)), copy_meta=True, max_rank=2)
    with pytest.raises(tny.ShapeError, match="found 33 axes, expected at most max_rank=32"):
        as_anyrank(np.zeros((1,) * 33), copy_meta=True)
    for max_rank in (-1, 65, 2.0):
        for copy_meta in (True, False):
            with pytest.raises(tny.ArgumentError, match=f"as_anyrank: max_rank: found {max_rank}"):
                as_anyrank(np.zeros(3), copy_meta=copy_meta, max_rank=max_rank)
    assert as_anyrank(np.zeros(3), copy_meta=np.True_, max_rank=np.int64(5)).metadata_nbytes == 96


def test_spaces():
    assert as_anyrank(np.zeros(3), space="view").space == "view"
    for device, space in (("cpu", "view"), ("cuda:1", "gpu_view"), ("cuda_host", "pinned"), ("cuda_managed", "mapped")):
        at = AnyRank.from_pointer(4096, "f4", (3,), device=device)
        assert (at.space, at.device) == (space, tny.Device(device))
        assert at.__dlpack_device__() == (at.device.type, at.device.id)
    with pytest.raises(tny.DeviceError, match=r"found memory in 'view' \(on cpu\), expected 'pinned'"):
        as_anyrank(np.zeros(3), space="pinned")
    with pytest.raises(tny.ArgumentError, match="space: found 'vram', expected one of view, pinned"):
        as_anyrank(np.zeros(3), space="vram")


def test_device_memory_is_never_read():
    at = AnyRank.from_pointer(4096, "f4", (3,), device="cuda")
    for read in (np.asarray, memoryview, lambda at: at.__array__()):
        with pytest.raises(tny.DeviceError, match="found memory on cuda:0, expected memory that the host can reach"):
            read(at)


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(3, object),
        np.zeros(3, "f4,i2"),
        np.zeros(3, "U3"),
        np.zeros(3, "S3"),
        np.zeros(3, "M8[s]"),
        np.zeros(3, "m8[s]"),
        np.zeros(3, "V4"),
        np.zeros(3, "clongdouble"),
        np.zeros(3, np.dtype("f8").newbyteorder()),
        np.zeros(3, np.dtype("i2").newbyteorder()),
        array.array("w" if sys.version_info >= (3, 13) else "u", "abc"),
    ],
    ids=lambda x: str(getattr(x, "dtype", "text")),
)
def test_dtypes_refused(x):
    with pytest.raises(tny.DTypeError, match=r"as_anyrank: x: found"):
        as_anyrank(x)


@pytest.mark.parametrize("x", [[1.0], (1, 2), 3, "abc", None, object(), {1: 2}])
def test_what_is_no_array_is_refused(x):
    with pytest.raises(tny.BoundaryError, match=r"as_anyrank: x: found .*, expected an array.*numpy.asarray"):
        as_anyrank(x)


@pytest.mark.parametrize("kind", [np.ndarray, np.float64])
def test_classes_are_no_arrays(kind):
    with pytest.raises(tny.Error, match=r"as_anyrank: x: found"):
        as_anyrank(kind)


def test_masked_arrays_are_refused():
    with pytest.raises(tny.BoundaryError, match="masked array"):
        as_anyrank(np.ma.masked_array([1.0, 2.0], [0, 1]))


def test_released_memoryview_is_refused():
    x = memoryview(bytearray(3))
    x.release()
    with pytest.raises(tny.BoundaryError, match="gives no buffer"):
        as_anyrank(x)


def test_strides_that_do_not_divide_are_refused():
    x = np.zeros(4, np.dtype([("a", "u1"), ("b", "f4")]))["b"]
    with pytest.raises(tny.LayoutError, match="found a stride of 5 bytes on axis 0, expected a multiple of the item"):
        as_anyrank(x)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, "f8", (2,)), tny.BoundaryError, r"ptr: found 0, with elements to read: shape \(2,\)"),
        ((0, "f8", ()), tny.BoundaryError, "ptr: found 0"),
        ((-8, "f8", (2,)), tny.BoundaryError, "found -8, expected an address"),
        ((2**63 - 8, "f8", (2,)), tny.BoundaryError, "expected them to lie within the address space"),
        ((8, "f8", (3,), (-1,)), tny.BoundaryError, "found elements -2 to 0 from address 8"),
        ((2**70, "f8", (2,)), tny.BoundaryError, "within the address space"),
        ((2**70, "f8", (0,)), tny.BoundaryError, "within the address space"),
        (("x", "f8", (2,)), tny.ArgumentError, "ptr: found 'x', expected an integer"),
        ((1.5, "f8", (0,)), tny.ArgumentError, "ptr: found 1.5, expected an integer"),
        ((POINTER, "f8", (2, -1)), tny.ShapeError, r"shape: found \(2, -1\)"),
        ((POINTER, "f8", (1,) * 65), tny.ShapeError, "at most 64 sizes"),
        ((POINTER, "f8", 3), tny.ArgumentError, "shape: found 3, expected a sequence of integers"),
        ((POINTER, "f8", (1.0,)), tny.ArgumentError, "shape: found"),
        ((POINTER, "f8", (2**64,)), tny.LayoutError, "64 bits"),
        ((POINTER, "f8", (2**32, 2**32)), tny.LayoutError, "64 bits"),
        ((POINTER, "f8", (2**40,), (2**40,)), tny.LayoutError, "64 bits"),
        ((POINTER, "f8", (2,), (2**61,)), tny.LayoutError, "byte strides that fit 64 bits"),
        ((POINTER, "f8", (1,), (-(2**63),)), tny.LayoutError, "byte strides that fit 64 bits"),
        ((POINTER, "f8", (2**59, 2), (2, 1)), tny.BoundaryError, "address space"),
        ((POINTER, "f8", (2, 2), (1,)), tny.LayoutError, "strides: found 1, expected one for each of 2 axes"),
        ((POINTER, "O", (2,)), tny.DTypeError, "found dtype object"),
        ((POINTER, tny.DType(0, 4), (2,)), tny.DTypeError, "expected elements of whole bytes"),
    ],
)
def test_pointers_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        AnyRank.from_pointer(*arguments)


def test_device_of_a_pointer():
    with pytest.raises(tny.DeviceError, match="device: found 10:0, expected cpu"):
        AnyRank.from_pointer(POINTER, "f8", (2,), device=tny.Device(10))


def test_null_pointer_of_an_empty_array():
    at = AnyRank.from_pointer(0, "f8", (3, 0))
    assert (at.data, np.asarray(at).shape, np.from_dlpack(at).shape) == (0, (3, 0), (3, 0))
    assert at.size_front(-1) == 3
    with pytest.raises(tny.LayoutError, match=r"found shape \(0, 4611686018427387904\), which NumPy does not take"):
        np.asarray(AnyRank.from_pointer(0, "f8", (0, 2**62), (0, 0)))


def test_lanes_are_described_but_not_handed_out():
    at = AnyRank.from_pointer(POINTER, tny.DType(2, 32, 4), (2,))
    assert at.nbytes == 32
    with pytest.raises(tny.DTypeError, match="NumPy has no type"):
        np.asarray(at)


def test_broadcast_size_beyond_memory():
    x = np.broadcast_to(np.zeros(1), (2**40,))
    at = as_anyrank(x)
    assert (at.strides, at.nbytes, at.size_front(0)) == ((0,), 2**43, 2**40)
    assert not at.index_fits("int32")
    assert at.index_fits("int64")


def test_carrier_keeps_its_producer_alive():
    class Array(np.ndarray):
        pass

    for keep in (as_anyrank, lambda x: as_anyrank(x).fixed(1), lambda x: np.asarray(as_anyrank(x)),
                 lambda x: memoryview(as_anyrank(x)), lambda x: np.from_dlpack(as_anyrank(x)),
                 lambda x: AnyRank.from_pointer(x.ctypes.data, "f8", (3,), owner=x)):  # fmt: skip
        x = np.arange(3.0).view(Array)
        gone = weakref.ref(x)
        kept = keep(x)
        del x
        gc.collect()
        assert gone() is not None
        del kept
        gc.collect()
        assert gone() is None


@pytest.mark.parametrize(
    "keep",
    [
        as_anyrank,
        lambda x: as_anyrank(x).fixed(1),
        lambda x: iter(as_anyrank(x).peel_front(0)),
        lambda x: iter(tny.peel_together(as_anyrank(x), keep=0)),
        lambda x: tny.from_dlpack(tny.to_dltensor(x)),
    ],
)
def test_a_producer_that_keeps_its_own_carrier_is_collected(keep):
    class Array(np.ndarray):
        kept = None

    x = np.arange(3.0).view(Array)
    x.kept = keep(x)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_no_reference_is_lost():
    x = np.arange(3.0)
    bad = np.zeros(3, object)
    for _ in range(3):
        before = sys.getrefcount(x), sys.getrefcount(x.dtype), sys.getrefcount(bad)
        for _ in range(1000):
            at = as_anyrank(x)
            memoryview(at), np.asarray(at), np.from_dlpack(at), list(at.peel_front(0)), at.dtype, at.fixed(1)
            with pytest.raises(tny.DTypeError):
                as_anyrank(bad)
        del at
    assert (sys.getrefcount(x), sys.getrefcount(x.dtype), sys.getrefcount(bad)) == before


def test_carriers_are_not_made_by_hand():
    for kind in (AnyRank, tny.View):
        with pytest.raises(TypeError, match=f"{kind.__name__} is not made by calling it"):
            kind()
        bare = kind.__new__(kind)
        assert bare.shape == ()
        with pytest.raises(tny.DTypeError):
            np.asarray(bare)
    with pytest.raises(AttributeError):
        as_anyrank(np.zeros(3)).owner = None


def test_memory_is_neither_copied_nor_pickled():
    x = np.zeros((2, 3))
    at = as_anyrank(x)
    cells = at.peel_front(-1)
    for thing in (at, at.fixed(2), cells, tny.peel_together(at, keep=-1), tny.to_dltensor(x)):
        for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=rf"{type(thing).__name__}: found a description of memory"):
                attempt(thing)


def test_a_person_can_read_it():
    x = np.zeros((2, 3), np.float32)
    assert repr(as_anyrank(x)) == "AnyRank(shape=(2, 3), strides=(3, 1), dtype=float32)"
    x.flags.writeable = False
    assert repr(as_anyrank(x).fixed(2)) == "View(shape=(2, 3), strides=(3, 1), dtype=float32, readonly)"
    far = AnyRank.from_pointer(4096, "f4", (2,), device="cuda:1")
    assert repr(far) == "AnyRank(shape=(2,), strides=(1,), dtype=float32, device=cuda:1)"


def test_many_threads_share_one_array():
    """Each makes and drops carriers, views, cells and capsules of the same memory."""
    x = np.arange(24.0).reshape(4, 2, 3)
    at = as_anyrank(x)
    view, cells, failed = at.fixed(3), at.peel_front(-2), []

    def work():
        for _ in range(200):
            some = [*cells, *at.peel_front(-2), *as_anyrank(x).peel_front(-2)]
            some += [view[k] for k in range(4)] + [tny.from_dlpack(at.__dlpack__()).fixed(3)[k] for k in range(4)]
            some += [at.reindex("int32").peel_front_at(k, tny.shape(2, 3)) for k in range(4)]
            if not all(np.array_equal(np.asarray(cell), x[k % 4]) for k, cell in enumerate(some)):
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
