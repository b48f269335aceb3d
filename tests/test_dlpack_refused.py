"""DLPack refused: what is wrong with a capsule is said, and it stays its producer's."""

import ctypes
import gc

import numpy as np
import pytest
from capsules import CLASSIC, KINDS, VERSIONED, Lender, Producer, Tensor, describe, lent, name_of, new_capsule

import teeny as tny
from teeny import as_anyrank, from_dlpack

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
    "offset too large": ({"byte_offset": 2**63}, tny.BoundaryError, "within the address space"),
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
