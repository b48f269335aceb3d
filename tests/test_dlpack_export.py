"""DLPack out: capsules, bare tensors, and what a consumer may ask for."""

import gc

import numpy as np
import pytest
from arrays import steps, strided_arrays
from capsules import (
    CLASSIC,
    CPU,
    CUDA,
    CUDA_MANAGED,
    IS_COPIED,
    READ_ONLY,
    VERSIONED,
    Producer,
    Tensor,
    managed_of,
    name_of,
)
from hypothesis import given
from hypothesis import strategies as st

import teeny as tny
from teeny import AnyRank, as_anyrank, from_dlpack, to_dlpack, to_dltensor


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
