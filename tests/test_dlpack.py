"""DLPack, both ways: what is understood, what is refused, and who frees what, how often."""

import ctypes
import gc
import math
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest
from arrays import strided_arrays
from capsules import (
    CLASSIC,
    CPU,
    CUDA,
    CUDA_HOST,
    CUDA_MANAGED,
    VERSIONED,
    Producer,
    Tensor,
    describe,
    managed_of,
    name_of,
    new_capsule,
    rename,
)
from hypothesis import given
from hypothesis import strategies as st

import teeny as tny
from teeny import AnyRank, as_anyrank, from_dlpack, to_dlpack, to_dltensor

KINDS = pytest.mark.parametrize("kind", [CLASSIC, VERSIONED], ids=bytes.decode)
READ_ONLY, IS_COPIED = 1, 2
USED = {CLASSIC: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}  # a capsule does not copy its name


class Lender:
    """An object with ``__dlpack__``, which notes how it is asked."""

    def __init__(self, give, device=CPU):
        self.give, self.device, self.asked = give, device, []

    def __dlpack__(self, **wishes):
        self.asked.append(wishes)
        self.given = self.give()  # kept, so that its destructor, which is Python, runs when no error is under way
        return self.given

    def __dlpack_device__(self):
        return self.device


def lent(capsule):
    return Lender(lambda: capsule)


def steps(x):
    return tuple(stride // x.itemsize for stride in x.strides)


# In.


@given(strided_arrays(), st.sampled_from([CLASSIC, VERSIONED]))
def test_capsules_come_in(x, kind):
    producer = Producer(x, kind)
    capsule = producer.capsule()
    at = from_dlpack(capsule)
    assert name_of(capsule) == b"used_" + kind
    assert (at.shape, at.strides, at.data) == (x.shape, steps(x), x.ctypes.data)
    assert (at.dtype, at.device, at.space, at.readonly) == (tny.DType(x.dtype), tny.Device("cpu"), "view", False)
    np.testing.assert_array_equal(np.asarray(at), x)
    del capsule
    view = at.fixed(x.ndim)
    del at
    assert producer.frees == (0, 0)
    del view
    assert producer.frees == (1, 0)


@KINDS
@pytest.mark.parametrize("take", [as_anyrank, from_dlpack])
def test_objects_come_in(take, kind):
    producer = Producer(np.arange(6.0).reshape(2, 3), kind)
    lender = Lender(producer.capsule)
    at = take(lender)
    assert lender.asked == [{"max_version": (1, 0)}]
    np.testing.assert_array_equal(np.asarray(at), producer.x)
    assert producer.frees == (0, 0)
    del at
    assert producer.frees == (1, 0)


def test_bare_tensors_come_in():
    x = np.arange(24.0).reshape(2, 3, 4)[:, ::-1, ::2]
    tensor = Tensor()
    describe(tensor, x)
    at = from_dlpack(ctypes.addressof(tensor))
    tensor.data = tensor.ndim = 0  # only the memory is borrowed, not the struct
    assert (at.shape, at.strides) == (x.shape, (12, -4, 2))
    np.testing.assert_array_equal(np.asarray(at), x)


@KINDS
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3), (2, 3, 4)], ids=str)
def test_no_strides_mean_c_order(shape, kind):
    x = np.arange(math.prod(shape), dtype=np.int16).reshape(shape)
    at = from_dlpack(Producer(x, kind, strides=None).capsule())
    assert at.shape == shape
    np.testing.assert_array_equal(np.asarray(at), x)


def take_classic(x, **change):
    return from_dlpack(Producer(x, CLASSIC, **change).capsule())


def take_versioned(x, **change):
    return from_dlpack(Producer(x, VERSIONED, **change).capsule())


def take_bare(x, **change):
    tensor = Tensor()
    describe(tensor, x, **change)
    return from_dlpack(ctypes.addressof(tensor))


@pytest.mark.parametrize("take", [take_classic, take_versioned, take_bare])
def test_byte_offset(take):
    x = np.arange(4.0)
    at = take(x, shape=(2,), byte_offset=16)
    assert at.data == x.ctypes.data + 16
    for array in (at, from_dlpack(to_dlpack(at)), from_dlpack(to_dltensor(at))):
        np.testing.assert_array_equal(np.asarray(array), [2, 3])
    np.testing.assert_array_equal(np.from_dlpack(at), [2, 3])
    capsule = to_dlpack(at, max_version=(1, 0))
    assert (managed_of(capsule).tensor.data, managed_of(capsule).tensor.byte_offset) == (at.data, 0)


def test_byte_offset_that_splits_items_is_flagged():
    x = np.arange(4.0)
    at = from_dlpack(Producer(x, shape=(2,), byte_offset=3).capsule())
    assert not at.aligned
    assert np.asarray(at).tobytes() == x.tobytes()[3:19]


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]  # fmt: skip


@KINDS
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype, kind):
    x = np.arange(6).astype(dtype).reshape(2, 3)
    at = from_dlpack(Producer(x, kind).capsule(), dtype=dtype)
    assert at.dtype == tny.DType(dtype)
    capsule = to_dlpack(at)
    out = managed_of(capsule).tensor.dtype
    assert (out.code, out.bits, out.lanes) == (at.dtype.code, 8 * x.itemsize, 1)
    back = np.from_dlpack(at)
    assert back.dtype == x.dtype
    np.testing.assert_array_equal(back, x)


def test_bfloat16_needs_no_numpy_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    bits = np.arange(6, dtype=np.uint16).reshape(2, 3)
    at = from_dlpack(Producer(bits, dtype=(4, 16, 1)).capsule())
    assert at.dtype == tny.DType("bfloat16")
    for again in (from_dlpack(to_dlpack(at)), from_dlpack(at, copy=True)):
        assert (again.dtype, again.shape) == (at.dtype, (2, 3))
        raw = AnyRank.from_pointer(again.data, "uint16", again.shape, again.strides, owner=again)
        np.testing.assert_array_equal(np.asarray(raw), bits)


@pytest.mark.parametrize("flags", [0, READ_ONLY, IS_COPIED, READ_ONLY | IS_COPIED])
def test_flags_are_read(flags):
    x = np.arange(3.0)
    at = from_dlpack(Producer(x, flags=flags).capsule())
    assert at.readonly == bool(flags & READ_ONLY)
    assert np.asarray(at).flags.writeable == (not at.readonly)
    capsule = Producer(x, flags=flags).capsule()
    if flags & IS_COPIED:
        with pytest.raises(tny.BoundaryError, match="copy: found a copy by the producer, expected its own memory"):
            from_dlpack(capsule, copy=False)
        assert name_of(capsule) == VERSIONED
        assert from_dlpack(capsule, copy=True).data == x.ctypes.data
    else:
        assert from_dlpack(capsule, copy=False).data == x.ctypes.data


DEVICES = [(CPU, "view"), (CUDA, "gpu_view"), ((2, 3), "gpu_view"), (CUDA_HOST, "pinned"), (CUDA_MANAGED, "mapped")]


@KINDS
@pytest.mark.parametrize(("device", "space"), DEVICES)
def test_any_device_is_labelled_and_handed_on(device, space, kind):
    """The pointer leads nowhere: nothing may look."""
    producer = Producer(np.zeros((2, 3)), kind, data=4096, device=device)
    at = from_dlpack(Lender(producer.capsule, device), space=space)
    assert (at.device, at.space, at.data) == (tny.Device(*device), space, 4096)
    assert (at.fixed(2).space, at.peel_front_at(1, -1).data) == (space, 4096 + 24)
    assert at.__dlpack_device__() == device
    again = from_dlpack(at.fixed(2), space=space)
    assert (again.device, again.data, again.shape) == (at.device, 4096, (2, 3))
    del at
    assert producer.frees == (0, 0)
    del again
    assert producer.frees == (1, 0)


def test_device_memory_is_not_read():
    at = from_dlpack(Producer(np.zeros(3), data=4096, device=(2, 1)).capsule())
    for read in (np.asarray, memoryview, np.from_dlpack, tny.linalg.det, lambda at: to_dlpack(at, copy=True),
                 lambda at: from_dlpack(at, copy=True), lambda at: to_dlpack(at, dl_device=CPU)):  # fmt: skip
        with pytest.raises((BufferError, RuntimeError, ValueError)):
            read(at)


@pytest.mark.parametrize("device", [CUDA_HOST, CUDA_MANAGED])
def test_memory_that_the_host_can_reach_is_read(device):
    x = np.arange(3.0)
    at = from_dlpack(Producer(x, device=device).capsule())
    np.testing.assert_array_equal(np.asarray(at), x)
    np.testing.assert_array_equal(np.from_dlpack(at), x)
    capsule = to_dlpack(at, dl_device=CPU)
    assert managed_of(capsule).tensor.device.type == 1
    np.testing.assert_array_equal(np.asarray(from_dlpack(capsule, space="view")), x)


@KINDS
def test_dispatchers_take_tensors_too(kind):
    x, seen = np.arange(6.0).reshape(2, 3), []
    producer, wide = Producer(x, kind), Producer(x, kind, dtype=(2, 32, 4))
    for dispatch in (tny.dispatch_dlpack, tny.dispatch_dlpack_dtype):
        for m in (producer.capsule(), to_dltensor(x), Lender(producer.capsule)):
            assert dispatch(m, lambda at: seen.append(at.data), space="view") is True
        capsule = wide.capsule()
        assert dispatch(capsule, seen.append) is False
        assert name_of(capsule) == kind
    assert seen == [x.ctypes.data] * 6
    del capsule
    assert (producer.frees, wide.frees) == ((4, 0), (0, 2))


# What is refused stays the producer's.

FAR = 2**62
CONTENT = {
    "unknown code": ({"dtype": (17, 8, 1)}, tny.DTypeError, r"found data type \(code=17, bits=8, lanes=1\), expected"),
    "opaque code": ({"dtype": (3, 64, 1)}, tny.DTypeError, "code=3"),
    "lanes": ({"dtype": (2, 32, 4)}, tny.DTypeError, r"\(code=2, bits=32, lanes=4\)"),
    "no lanes": ({"dtype": (2, 32, 0)}, tny.DTypeError, "lanes=0"),
    "int4": ({"dtype": (0, 4, 1)}, tny.DTypeError, "bits=4"),
    "float128": ({"dtype": (2, 128, 1)}, tny.DTypeError, "float128"),
    "complex32": ({"dtype": (5, 32, 1)}, tny.DTypeError, "bits=32"),
    "bool of 2 bytes": ({"dtype": (6, 16, 1)}, tny.DTypeError, "code=6, bits=16"),
    "bfloat32": ({"dtype": (4, 32, 1)}, tny.DTypeError, "code=4"),
    "unknown device": ({"device": (10, 0)}, tny.DeviceError, "device: found 10:0, expected cpu, cuda"),
    "negative device": ({"device": (2, -1)}, tny.DeviceError, "device: found cuda:-1"),
    "no data": ({"data": None}, tny.BoundaryError, r"found no data, with elements to read: shape \(2, 3\)"),
    "no data but an offset": ({"data": None, "byte_offset": 4096}, tny.BoundaryError, "found no data"),
    "no shape": ({"shape": None}, tny.BoundaryError, "found no shape, expected 2 sizes"),
    "negative rank": ({"ndim": -1}, tny.ShapeError, "found -1 axes, expected 0 to 64"),
    "65 axes": ({"ndim": 65, "shape": (1,) * 65, "strides": None}, tny.ShapeError, "found 65 axes"),
    "negative size": ({"shape": (2, -3)}, tny.ShapeError, "found size -3 on axis 1, expected at least 0"),
    "too large": ({"shape": (2**40, 2**40), "strides": None}, tny.LayoutError, "64 bits"),
    "offsets too large": ({"shape": (2**30, 3), "strides": (2**40, 1)}, tny.LayoutError, "64 bits"),
    "bytes too large": ({"strides": (FAR, 1)}, tny.LayoutError, "byte strides that fit 64 bits"),
    "beyond the end": ({"strides": (2**59, 2**59)}, tny.BoundaryError, "expected them to lie within the address space"),
    "before the start": ({"strides": (-(2**58), 1)}, tny.BoundaryError, "within the address space"),
    "offset too large": ({"byte_offset": 2**63}, tny.LayoutError, "expected integers that fit 64 bits"),
}


def refused(producer, error, message, **options):
    capsule = producer.capsule()
    with pytest.raises(error, match=f"from_dlpack: .*{message}"):
        from_dlpack(capsule, **options)
    assert name_of(capsule) == producer.kind
    assert producer.frees == (0, 0)
    del capsule
    gc.collect()
    assert producer.frees == (0, 1)


@KINDS
@pytest.mark.parametrize(("change", "error", "message"), CONTENT.values(), ids=CONTENT)
def test_content_refused(change, error, message, kind):
    refused(Producer(np.zeros((2, 3)), kind, **change), error, message)
    producer = Producer(np.zeros((2, 3)), kind, **change)
    lender = Lender(producer.capsule)
    with pytest.raises(error, match=f"as_anyrank: x.*{message}"):
        as_anyrank(lender)
    del lender
    gc.collect()
    assert producer.frees == (0, 1)
    tensor = Tensor()
    describe(tensor, np.zeros((2, 3)), **change)
    with pytest.raises(error, match=f"from_dlpack: m.*{message}"):
        from_dlpack(ctypes.addressof(tensor))


@KINDS
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"dtype": "float32"}, tny.DTypeError, "m: found data type float64, expected float32"),
        ({"space": "pinned"}, tny.DeviceError, r"space: found memory in 'view' \(on cpu\), expected 'pinned'"),
        ({"space": "vram"}, tny.ArgumentError, "space: found 'vram', expected one of view, pinned"),
        ({"shape": tny.anyshape[..., 4]}, tny.ShapeError, "found size 3 .*4"),
        ({"shape": (3,)}, tny.Error, "shape"),
        ({"stream": 1}, tny.ArgumentError, "stream: found one for a tensor that is there already"),
        ({"copy": "no"}, tny.ArgumentError, "copy: found 'no', expected None, True or False"),
    ],
)
def test_options_refused(options, error, message, kind):
    refused(Producer(np.zeros(3), kind), error, message, **options)


@pytest.mark.parametrize("version", [(0, 8), (2, 0), (2**32 - 1, 7)])
def test_versions_refused(version):
    major, minor = version
    producer = Producer(np.zeros(3), version=version, dtype=(99, 1, 1))  # only the version may be read
    refused(producer, tny.BoundaryError, f"m: found DLPack version {major}.{minor}, expected 1")


def test_later_minor_versions_are_understood():
    assert from_dlpack(Producer(np.zeros(3), version=(1, 9)).capsule()).shape == (3,)


@KINDS
def test_capsules_are_consumed_once(kind):
    producer = Producer(np.zeros(3), kind)
    capsule = producer.capsule()
    at = from_dlpack(capsule)
    for again in (capsule, lent(capsule)):
        with pytest.raises(tny.BoundaryError, match="found a capsule that has been consumed"):
            from_dlpack(again)
    np.testing.assert_array_equal(np.asarray(at), producer.x)
    del at, capsule, again
    gc.collect()
    assert producer.frees == (1, 0)


@KINDS
def test_capsule_consumed_by_numpy(kind):
    capsule = np.zeros(3).__dlpack__(max_version=(1, 0) if kind == VERSIONED else None)
    np.from_dlpack(lent(capsule))
    with pytest.raises(tny.BoundaryError, match="consumed"):
        from_dlpack(capsule)


@KINDS
def test_a_copy_consumes_too(kind):
    producer = Producer(np.arange(12.0).reshape(3, 4)[::-1, ::2], kind)
    capsule = producer.capsule()
    at = from_dlpack(capsule, copy=True)
    assert name_of(capsule) == b"used_" + kind
    assert producer.frees == (1, 0)
    assert not np.shares_memory(np.asarray(at), producer.x)
    assert (at.strides, at.readonly) == ((2, 1), False)
    np.testing.assert_array_equal(np.asarray(at), producer.x)


def test_deleters_may_be_missing():
    for kind in (CLASSIC, VERSIONED):
        at = from_dlpack(Producer(np.zeros(3), kind, has_deleter=False).capsule())
        del at


@pytest.mark.parametrize("name", [b"dltensor2", b"", b"arrow_array", b"DLTENSOR", b"\xff"])
def test_other_capsules_are_refused(name):
    with pytest.raises(tny.BoundaryError, match=r"found a capsule named '.*', expected one named 'dltensor' or"):
        from_dlpack(new_capsule(4096, name, None))


def test_capsule_without_a_name():
    with pytest.raises(tny.BoundaryError, match="found a capsule without a name, expected one named 'dltensor'"):
        from_dlpack(new_capsule(4096, None, None))


@pytest.mark.parametrize("m", [None, 1.5, "dltensor", [1.0], object(), b"", np.float64(1)])
def test_what_is_no_tensor_is_refused(m):
    with pytest.raises(tny.BoundaryError, match=r"from_dlpack: m: found .*, expected an object with __dlpack__"):
        from_dlpack(m)


def test_masks_are_not_ignored():
    with pytest.raises(tny.BoundaryError, match="from_dlpack: m: found a masked array"):
        from_dlpack(np.ma.masked_array([1.0, 2.0], [0, 1]))


@pytest.mark.parametrize("ptr", [0, -8, 12345, True, 2**63, 2**70])
def test_addresses_refused(ptr):
    with pytest.raises(tny.BoundaryError, match=f"found {ptr}, expected the address of a DLTensor"):
        from_dlpack(ptr)


# How a producer is asked.


class Bare:
    """The oldest form: no keyword at all."""

    def __init__(self, x):
        self.x, self.calls = x, 0

    def __dlpack__(self):
        self.calls += 1
        return self.x.__dlpack__()


class Legacy(Bare):
    def __dlpack__(self, stream=None):
        self.stream = stream
        return super().__dlpack__()


@pytest.mark.parametrize("kind", [Bare, Legacy])
def test_old_producers(kind):
    lender = kind(np.arange(3.0))
    for take in (as_anyrank, from_dlpack):
        np.testing.assert_array_equal(np.asarray(take(lender)), lender.x)
    at = from_dlpack(lender, copy=True)
    np.testing.assert_array_equal(np.asarray(at), lender.x)
    assert not np.shares_memory(np.asarray(at), lender.x)
    assert np.shares_memory(np.asarray(from_dlpack(lender, copy=False)), lender.x)
    assert lender.calls == 4


def test_wishes_are_passed_on():
    x = np.zeros(3)
    lender = Lender(lambda: Producer(x, device=CUDA).capsule(), CUDA)
    for stream in (None, -1, 1, 2, 2**40):
        from_dlpack(lender, stream=stream, copy=False)
    asked = [{"max_version": (1, 0), "copy": False} | ({"stream": s} if s else {}) for s in (None, -1, 1, 2, 2**40)]
    assert lender.asked == asked
    old = Legacy(x)
    from_dlpack(old, stream=7)
    assert old.stream == 7
    with pytest.raises(tny.BoundaryError, match=r"Bare that cannot be taken in.*stream"):
        from_dlpack(Bare(x), stream=7)  # its order would be lost without a word


@pytest.mark.parametrize("stream", [0, -2, "1", 1.0, True])
def test_streams_refused(stream):
    lender = Lender(lambda: None)
    with pytest.raises(tny.ArgumentError, match=r"stream: found .*, expected None, -1"):
        from_dlpack(lender, stream=stream)
    assert lender.asked == []
    with pytest.raises(tny.ArgumentError, match=r"to_dlpack: x: stream: found"):
        to_dlpack(AnyRank.from_pointer(4096, "f4", (3,), device="cuda"), stream=stream)


def test_copies_are_the_producers_if_it_can():
    x = np.arange(3.0)
    mine = Lender(lambda: Producer(x, flags=IS_COPIED).capsule())
    assert from_dlpack(mine, copy=True).data == x.ctypes.data
    assert mine.asked == [{"max_version": (1, 0), "copy": True}]
    far = Lender(lambda: Producer(x, data=4096, device=CUDA).capsule())
    assert from_dlpack(far, copy=True).data == 4096


def raises(error):
    def give():
        raise error

    return give


@pytest.mark.parametrize("error", [BufferError("of mine"), RuntimeError("of mine"), TypeError("of mine"),
                                   ZeroDivisionError("of mine")], ids=repr)  # fmt: skip
@pytest.mark.parametrize("take", [as_anyrank, from_dlpack])
def test_errors_of_the_producer_are_passed_on(take, error):
    with pytest.raises(tny.BoundaryError, match="found a Lender that cannot be taken in: of mine") as caught:
        take(Lender(raises(error)))
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("given", [None, 1, b"dltensor", np.zeros(3)])
def test_what_is_no_capsule_is_refused(given):
    with pytest.raises(tny.BoundaryError, match=rf"found {type(given).__name__} from __dlpack__, expected a capsule"):
        from_dlpack(Lender(lambda: given))


# Out.


@given(strided_arrays(), st.sampled_from([None, (0, 8), (1, 0), (1, 3), (2, 0)]))
def test_capsules_go_out(x, max_version):
    versioned = max_version is not None and max_version[0] >= 1
    at = as_anyrank(x)
    for source in (at, at.fixed(x.ndim)):
        capsule = source.__dlpack__(max_version=max_version)
        managed, tensor = managed_of(capsule), managed_of(capsule).tensor
        assert name_of(capsule) == (VERSIONED if versioned else CLASSIC)
        if versioned:
            assert (managed.version.major, managed.version.minor, managed.flags) == (1, 0, 0)
        assert (tensor.data, tensor.ndim, tensor.byte_offset) == (x.ctypes.data, x.ndim, 0)
        assert (tensor.device.type, tensor.device.id, tensor.dtype.bits) == (1, 0, 8 * x.itemsize)
        assert (tuple(tensor.shape[: x.ndim]), tuple(tensor.strides[: x.ndim])) == (x.shape, steps(x))
        back = from_dlpack(capsule)
        np.testing.assert_array_equal(np.asarray(back), x)
    np.testing.assert_array_equal(np.from_dlpack(at), x)


def test_first_element_is_where_data_points():
    x = np.arange(12.0).reshape(3, 4)[::-1, ::-1]
    capsule = to_dlpack(x)
    assert managed_of(capsule).tensor.data == x.ctypes.data
    np.testing.assert_array_equal(np.asarray(from_dlpack(capsule)), x)


def test_bare_tensors_go_out():
    x = np.arange(12.0).reshape(3, 4)[:, ::2]
    lent = to_dltensor(x)
    tensor = Tensor.from_address(lent.ptr)
    assert (tensor.data, tuple(tensor.shape[:2]), tuple(tensor.strides[:2])) == (x.ctypes.data, (3, 2), (4, 2))
    assert repr(lent) == "DLTensor(AnyRank(shape=(3, 2), strides=(4, 2), dtype=float64))"
    at = from_dlpack(lent)
    del lent  # at keeps it
    gc.collect()
    np.testing.assert_array_equal(np.asarray(at), x)
    np.testing.assert_array_equal(np.asarray(from_dlpack(to_dltensor(at))), x)
    with pytest.raises(TypeError, match="use to_dltensor"):
        tny.DLTensor()


def test_read_only_is_said_or_refused():
    x = np.arange(3.0)
    x.flags.writeable = False
    at = as_anyrank(x)
    for refuse in (to_dlpack, to_dltensor, at.__class__.__dlpack__, lambda at: at.__dlpack__(max_version=(0, 8))):
        with pytest.raises(tny.BoundaryError, match="found read-only memory") as caught:
            refuse(at)
        assert isinstance(caught.value, BufferError)
    capsule = at.__dlpack__(max_version=(1, 0))
    assert managed_of(capsule).flags == READ_ONLY
    assert from_dlpack(capsule).readonly
    assert from_dlpack(at).fixed(1).readonly
    assert not np.from_dlpack(at).flags.writeable


@pytest.mark.parametrize("max_version", [None, (1, 0)])
@pytest.mark.parametrize("readonly", [False, True])
def test_copies_go_out(readonly, max_version):
    x = np.arange(12.0).reshape(3, 4)[::-1, ::2]
    x.flags.writeable = not readonly
    capsule = to_dlpack(x, max_version=max_version, copy=True)
    if max_version:
        assert managed_of(capsule).flags == IS_COPIED
    back = from_dlpack(capsule)
    assert not np.shares_memory(np.asarray(back), x)
    assert (back.strides, back.readonly) == ((2, 1), False)
    np.testing.assert_array_equal(np.asarray(back), x)
    copied = np.from_dlpack(as_anyrank(x), copy=True)
    assert not np.shares_memory(copied, x)
    np.testing.assert_array_equal(copied, x)
    assert np.shares_memory(np.from_dlpack(as_anyrank(x), copy=False), x)


@given(strided_arrays(max_rank=6))
def test_copies_are_exact(x):
    np.testing.assert_array_equal(np.asarray(from_dlpack(to_dlpack(x, copy=True))), x)


def test_devices_asked_for():
    at = as_anyrank(np.zeros(3))
    for same in (CPU, tny.Device("cpu"), None):
        assert from_dlpack(at.__dlpack__(dl_device=same, copy=False)).data == at.data
    np.testing.assert_array_equal(np.from_dlpack(at, device="cpu"), np.zeros(3))
    far = AnyRank.from_pointer(4096, "f4", (3,), device="cuda:1")
    assert from_dlpack(far.__dlpack__(dl_device=(2, 1), stream=5)).device == far.device
    pinned = AnyRank.from_pointer(4096, "f4", (3,), device="cuda_host")
    for source, wish in ((at, CUDA), (far, CPU), (far, CUDA), (pinned, CUDA_MANAGED)):
        for copy in (None, True, False):
            with pytest.raises(tny.DeviceError, match=r"dl_device: found memory on .*, which is not moved to \("):
                source.__dlpack__(dl_device=wish, copy=copy)
    with pytest.raises(tny.DeviceError, match="copy: found memory for cuda:1, copies are made for cpu only"):
        far.__dlpack__(copy=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_version": 1}, "max_version: found 1, expected"),
        ({"max_version": (1,)}, r"max_version: found \(1,\)"),
        ({"max_version": ("1", "0")}, "max_version: found"),
        ({"dl_device": "cpu"}, "dl_device: found 'cpu'"),
        ({"dl_device": (1.0, 0)}, "dl_device: found"),
        ({"stream": 1}, "stream: found 1, expected None for host memory"),
        ({"copy": 1}, "copy: found 1, expected None, True or False"),
    ],
)
def test_wishes_refused(options, message):
    with pytest.raises(tny.ArgumentError, match=f"AnyRank.__dlpack__: {message}"):
        as_anyrank(np.zeros(3)).__dlpack__(**options)


def test_no_ordering_is_no_stream():
    assert from_dlpack(to_dlpack(np.zeros(3), stream=-1)).shape == (3,)


@pytest.mark.parametrize("dtype", [np.longdouble, tny.DType(2, 32, 4)], ids=["longdouble", "lanes"])
def test_dtypes_that_do_not_go_out(dtype):
    x = np.zeros(4)
    at = AnyRank.from_pointer(x.ctypes.data, dtype, (1,), owner=x)
    for out in (to_dlpack, to_dltensor):
        with pytest.raises(tny.BoundaryError, match=r"found data type .*, expected bool, int8"):
            out(at)


def test_empty_array_without_memory():
    at = from_dlpack(Producer(np.zeros((3, 0)), data=None).capsule())
    assert (at.data, at.shape) == (0, (3, 0))
    for back in (from_dlpack(at), from_dlpack(at, copy=True), from_dlpack(to_dltensor(at))):
        assert back.shape == (3, 0)
    assert np.from_dlpack(at).shape == (3, 0)


# Who frees what.


class Array(np.ndarray):
    """An array that can be watched."""


def watched():
    x = np.arange(3.0).view(Array)
    return x, weakref.ref(x)


@KINDS
def test_capsules_keep_what_they_show(kind):
    x, gone = watched()
    capsule = to_dlpack(x, max_version=(1, 0) if kind == VERSIONED else None)
    del x
    assert gone() is not None
    array = np.from_dlpack(lent(capsule))
    assert array.tolist() == [0, 1, 2]
    del capsule
    gc.collect()
    assert gone() is not None
    del array
    gc.collect()
    assert gone() is None


@KINDS
def test_capsules_that_nobody_takes(kind):
    x, gone = watched()
    capsule = to_dlpack(x, max_version=(1, 0) if kind == VERSIONED else None)
    del x, capsule
    gc.collect()
    assert gone() is None


def take_over(capsule):
    """What a consumer in C does: (deleter, its argument)."""
    managed = managed_of(capsule)
    rename(capsule, USED[name_of(capsule)])
    return managed.deleter, ctypes.addressof(managed)


@KINDS
@pytest.mark.skipif(os.name == "nt", reason="POSIX threads")
def test_deleter_in_a_foreign_thread(kind):
    x, gone = watched()
    deleter, managed = take_over(to_dlpack(x, max_version=(1, 0) if kind == VERSIONED else None))
    del x
    libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
    libc.pthread_create.argtypes = [ctypes.c_void_p] * 4
    libc.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]
    assert gone() is not None
    assert libc.pthread_create(ctypes.byref(thread), None, deleter, managed) == 0
    assert libc.pthread_join(thread, None) == 0
    assert gone() is None


EXIT = """
import ctypes, sys
import numpy as np, teeny
from test_dlpack import take_over
libc = ctypes.CDLL(None)
libc.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
for max_version in (None, (1, 0)):
    deleter, managed = take_over(teeny.to_dlpack(np.zeros(3), max_version=max_version))
    assert libc.__cxa_atexit(deleter, managed, None) == 0
at = teeny.from_dlpack(np.zeros(3))
sys.kept = at, at.fixed(1), teeny.to_dlpack(np.zeros(3)), teeny.to_dlpack(at, max_version=(1, 0))
print("well")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="registers what runs after the interpreter")
def test_deleter_after_the_interpreter(tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", EXIT]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "well\n", "")


def refuses(call):
    try:
        call()
    except tny.Error:
        return
    raise AssertionError("nothing was raised")


def cycle(x, readonly, producer, broken):
    """Every way in and out, and ways to be refused."""
    at, unread, far = as_anyrank(x), broken.capsule(), producer.capsule()
    x.__dlpack__(), at.__dlpack__(), at.__dlpack__(max_version=(1, 0)), to_dlpack(x, copy=True)
    from_dlpack(x), from_dlpack(x.__dlpack__()), from_dlpack(to_dltensor(x)), from_dlpack(at, copy=True)
    np.from_dlpack(at), from_dlpack(producer.capsule()), as_anyrank(Cuda())
    refuses(lambda: from_dlpack(unread))
    refuses(lambda: from_dlpack(far, space="mapped"))
    refuses(lambda: to_dlpack(readonly))
    refuses(lambda: to_dltensor(readonly))
    refuses(lambda: at.__dlpack__(dl_device=CUDA))
    refuses(lambda: as_anyrank(Cuda(mask=x)))


def resident():
    """Bytes of memory in use, where that is easily known; a sanitizer holds back what is freed."""
    if sys.platform != "linux" or "libasan" in os.environ.get("LD_PRELOAD", ""):
        return 0
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("count", [1_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nothing_is_lost_or_freed_twice(count):
    x, readonly = np.arange(3.0), np.arange(3.0)
    readonly.flags.writeable = False
    producer, broken = Producer(x), Producer(x, CLASSIC, dtype=(2, 32, 4))
    things = x, readonly, x.dtype, producer, broken
    for _ in range(200):
        cycle(x, readonly, producer, broken)
    gc.collect()
    references, memory = list(map(sys.getrefcount, things)), resident()
    for _ in range(count):
        cycle(x, readonly, producer, broken)
    gc.collect()
    assert list(map(sys.getrefcount, things)) == references
    assert producer.frees == (count + 200, count + 200)
    assert broken.frees == (0, count + 200)
    assert resident() - memory < 2**20


# Other libraries.


def test_torch_there_and_back():
    torch = pytest.importorskip("torch")
    t = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)[1:, :, ::2]
    at = as_anyrank(t)
    assert (at.shape, at.strides, at.data) == (tuple(t.shape), t.stride(), t.data_ptr())
    np.testing.assert_array_equal(np.asarray(at), t.numpy())
    back = torch.from_dlpack(at)
    assert (back.data_ptr(), back.stride()) == (t.data_ptr(), t.stride())
    at = as_anyrank(torch.zeros(3))
    np.asarray(at)[1] = 5
    assert torch.from_dlpack(at.fixed(1)).tolist() == [0, 5, 0]


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_torch_dtypes(dtype):
    torch = pytest.importorskip("torch")
    for shape in ((), (0, 2), (2, 3)):
        t = torch.ones(shape, dtype=getattr(torch, dtype))
        at = from_dlpack(t, dtype=dtype)
        assert torch.equal(torch.from_dlpack(at), t)
        assert not shape or from_dlpack(t, copy=True).data != t.data_ptr() or t.numel() == 0


def test_torch_refuses_in_its_own_words():
    torch = pytest.importorskip("torch")
    for t in (torch.zeros(3, requires_grad=True), torch.zeros(3, dtype=torch.complex64).conj()):
        with pytest.raises(tny.BoundaryError, match="Can't export tensors"):
            as_anyrank(t)


# __cuda_array_interface__


class Cuda:
    """Memory that is not there, on a device that need not be."""

    def __init__(self, **changes):
        self.interface = {"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 3} | changes

    @property
    def __cuda_array_interface__(self):
        if isinstance(self.interface, Exception):
            raise self.interface
        return self.interface


@given(strided_arrays(dtypes=DTYPES), st.booleans())
def test_cuda_arrays_come_in(x, readonly):
    producer = Cuda(shape=x.shape, strides=x.strides, typestr=x.dtype.str, data=(2**32, readonly))
    at = as_anyrank(producer, space="gpu_view")
    assert (at.shape, at.strides, at.data, at.readonly) == (x.shape, steps(x), 2**32, readonly)
    assert (at.dtype, at.device) == (tny.DType(x.dtype), tny.Device("cuda:0"))
    gone = weakref.ref(producer)
    del producer
    assert gone() is not None
    del at
    assert gone() is None


def test_cuda_arrays_are_handed_on():
    at = as_anyrank(Cuda(strides=None, stream=1))
    assert at.strides == (3, 1)
    again = from_dlpack(at)
    assert (again.device, again.data, again.dtype) == (at.device, 4096, at.dtype)
    with pytest.raises(tny.DeviceError, match="found memory on cuda:0"):
        np.asarray(at)
    assert as_anyrank(Cuda(shape=(0, 3), data=(0, False), strides=(5, 7))).data == 0


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"typestr": ">f4"}, tny.DTypeError, "found dtype >f4"),
        ({"typestr": "|V2"}, tny.DTypeError, "found dtype"),
        ({"typestr": "what"}, tny.BoundaryError, "cannot be read"),
        ({"shape": (2, -3)}, tny.ShapeError, r"found shape \(2, -3\)"),
        ({"shape": (1,) * 65}, tny.ShapeError, "at most 64 sizes"),
        ({"shape": 3}, tny.BoundaryError, "cannot be read"),
        ({"shape": (1.0, 2)}, tny.ArgumentError, "expected a sequence of integers"),
        ({"shape": (2**40, 2**40)}, tny.LayoutError, "64 bits"),
        ({"strides": (12,)}, tny.LayoutError, "found 1 strides, expected one for each of 2 axes"),
        ({"strides": (14, 4)}, tny.LayoutError, "found a stride of 14 bytes on axis 0, expected a multiple"),
        ({"strides": (-8192, 4)}, tny.BoundaryError, "within the address space"),
        ({"data": None}, tny.BoundaryError, "cannot be read"),
        ({"data": (0, False)}, tny.BoundaryError, "found 0, with elements to read"),
        ({"data": ("x", False)}, tny.ArgumentError, "expected a sequence of integers"),
        ({"mask": Array}, tny.BoundaryError, "found a masked array"),
        ({"stream": 0}, tny.ArgumentError, "stream: found 0"),
    ],
)
def test_cuda_arrays_refused(change, error, message):
    with pytest.raises(error, match=f"as_anyrank: x: .*{message}"):
        as_anyrank(Cuda(**change))


def test_cuda_interfaces_that_are_none():
    producer = Cuda()
    for interface, message in (({}, "cannot be read: KeyError"), ("x", "cannot be read"),
                               (RuntimeError("of mine"), "of mine")):  # fmt: skip
        producer.interface = interface
        with pytest.raises(tny.BoundaryError, match=message):
            as_anyrank(producer)


def test_dlpack_comes_before_the_cuda_interface():
    class Both(Lender, Cuda):
        __cuda_array_interface__ = None

    assert as_anyrank(Both(Producer(np.zeros(3), data=4096, device=(2, 5)).capsule)).device == tny.Device(2, 5)
