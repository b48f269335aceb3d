"""``__cuda_array_interface__``: device memory by its description, which is never read."""

import weakref

import numpy as np
import pytest
from arrays import DTYPES, steps, strided_arrays
from capsules import Cuda, Lender, Producer
from hypothesis import given
from hypothesis import strategies as st

import teeny as tny
from teeny import as_anyrank, from_dlpack


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
        ({"data": ("x", False)}, tny.ArgumentError, "found 'x', expected an integer"),
        ({"data": (4096, np.zeros(2))}, tny.BoundaryError, "cannot be read"),
        ({"mask": object()}, tny.BoundaryError, "found a masked array"),
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
