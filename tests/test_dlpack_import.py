"""DLPack in: what capsules, objects and bare tensors become, and how a producer is asked."""

import ctypes
import math
import sys

import numpy as np
import pytest
from arrays import DTYPES, steps, strided_arrays
from capsules import (
    CLASSIC,
    CPU,
    CUDA,
    CUDA_HOST,
    CUDA_MANAGED,
    IS_COPIED,
    KINDS,
    READ_ONLY,
    VERSIONED,
    Lender,
    Producer,
    Tensor,
    describe,
    managed_of,
    name_of,
)
from hypothesis import given
from hypothesis import strategies as st

import teeny as tny
from teeny import AnyRank, as_anyrank, from_dlpack, to_dlpack, to_dltensor


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
    with pytest.raises(tny.ArgumentError, match="to_dlpack: stream: found"):
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
