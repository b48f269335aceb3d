"""DType, Device, and the exceptions."""

import copy
import pickle
import sys

import numpy as np
import pytest

import teeny as tny
from teeny._core import vocabulary

TRIPLES = {
    "bool": (6, 8, 1),
    "int8": (0, 8, 1),
    "int64": (0, 64, 1),
    "uint16": (1, 16, 1),
    "float16": (2, 16, 1),
    "float64": (2, 64, 1),
    "complex64": (5, 64, 1),
    "complex128": (5, 128, 1),
    "bfloat16": (4, 16, 1),
}


@pytest.mark.parametrize(("name", "triple"), TRIPLES.items())
def test_dtype_is_its_triple(name, triple):
    dtype = tny.DType(name)
    assert (dtype.code, dtype.bits, dtype.lanes) == triple
    assert dtype == tny.DType(*triple) == tny.DType(dtype)
    assert hash(dtype) == hash(tny.DType(*triple))
    assert dtype.size_bytes == triple[1] // 8
    assert str(dtype) == name
    assert repr(dtype) == f"DType({name!r})"
    assert pickle.loads(pickle.dumps(dtype)) == copy.copy(dtype) == dtype


@pytest.mark.parametrize("name", [name for name in TRIPLES if name != "bfloat16"])
def test_dtype_to_and_from_numpy(name):
    dtype = np.dtype(name)
    assert tny.DType(dtype).numpy == tny.DType(dtype.type).numpy == dtype


def test_dtype_of_long_double():
    assert tny.DType(np.longdouble).numpy == np.longdouble


def test_bfloat16_goes_through_ml_dtypes(monkeypatch):
    class Missing:
        @staticmethod
        def find_spec(name, path, target=None):
            if name == "ml_dtypes":
                raise ModuleNotFoundError(name)

    monkeypatch.delitem(sys.modules, "ml_dtypes", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing, *sys.meta_path])
    with pytest.raises(tny.DTypeError, match="needs the package ml_dtypes"):
        tny.DType("bfloat16").numpy  # noqa: B018


def test_bfloat16_with_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert tny.DType(ml_dtypes.bfloat16) == tny.DType("bfloat16")
    assert tny.DType("bfloat16").numpy == np.dtype(ml_dtypes.bfloat16)


def test_dtype_differs_by_each_part():
    parts = [(2, 32, 1), (2, 64, 1), (0, 32, 1), (2, 32, 4)]
    assert len({tny.DType(*triple) for triple in parts}) == 4
    assert tny.DType(2, 32) != "float32"


def test_dtype_that_can_only_be_described():
    dtype = tny.DType(2, 32, 4)
    assert dtype.size_bytes == 16
    assert repr(dtype) == "DType(code=2, bits=32, lanes=4)"
    with pytest.raises(tny.DTypeError, match=r"no type for DType\(code=2"):
        dtype.numpy  # noqa: B018


@pytest.mark.parametrize("name", ["O", "S3", "U2", "V4", "M8[s]", "m8[s]", "i4,f8", "complex256", "nonsense"])
def test_dtype_refuses(name):
    with pytest.raises(tny.DTypeError, match="expected booleans, integers, floats or complex"):
        tny.DType(name)


def test_dtype_refuses_what_is_no_type():
    swapped = np.dtype("f4").newbyteorder()
    broken = type("Broken", (), {"dtype": property(lambda x: 1 / 0)})()
    for found in (None, 3, [], object(), swapped, {"names": ["a"]}, broken):
        with pytest.raises(TypeError, match="DType: found"):
            tny.DType(found)


@pytest.mark.parametrize("parts", [(256, 8), (-1, 8), (0, 0), (0, 256), (2, 32, 0), (2, 32, 65536), (2.5, 8)])
def test_dtype_refuses_parts_out_of_range(parts):
    with pytest.raises(tny.ArgumentError, match=r"DType: (code|bits|lanes): found"):
        tny.DType(*parts)


@pytest.mark.parametrize(
    ("text", "pair"),
    [("cpu", (1, 0)), ("cuda", (2, 0)), ("cuda:3", (2, 3)), ("cuda_host:1", (3, 1)), ("cuda_managed", (13, 0))],
)
def test_device_is_its_pair(text, pair):
    device = tny.Device(text)
    assert (device.type, device.id) == pair
    assert device == tny.Device(*pair) == tny.Device(device)
    assert hash(device) == hash(tny.Device(*pair))
    assert pickle.loads(pickle.dumps(device)) == device == tny.Device(str(device))
    assert [device.is_cpu, device.is_cuda, device.is_cuda_host, device.is_cuda_managed] == [
        pair[0] == code for code in (1, 2, 3, 13)
    ]


def test_device_text():
    assert [str(tny.Device(*pair)) for pair in ((1, 0), (2, 0), (2, 1), (10, 3))] == ["cpu", "cuda:0", "cuda:1", "10:3"]
    assert repr(tny.Device(2, 1)) == "Device('cuda:1')"
    assert repr(tny.Device(10, 3)) == "Device(10, 3)"
    assert tny.Device(2, 0) != tny.Device(2, 1) != tny.Device(3, 1) != "cuda"


def test_parts_beside_a_whole_are_refused():
    """They would be ignored."""
    with pytest.raises(tny.ArgumentError, match="DType: lanes: found 4 beside 'float32'"):
        tny.DType("float32", lanes=4)
    for whole in ("cuda", tny.Device("cuda")):
        with pytest.raises(tny.ArgumentError, match=r"Device: id: found 3 beside .*cuda"):
            tny.Device(whole, 3)


@pytest.mark.parametrize("text", ["cuda:" + "9" * 5000, "", "tpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1:2", "CUDA"])
def test_device_refuses_text(text):
    with pytest.raises(tny.DeviceError, match="expected one of cpu, cuda"):
        tny.Device(text)


@pytest.mark.parametrize("pair", [(-1,), (2, -1), (2, 2**31), (1.5,), (None,)])
def test_device_refuses_numbers(pair):
    with pytest.raises(tny.ArgumentError, match=r"Device: (type|id): found"):
        tny.Device(*pair)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (tny.DTypeError, TypeError),
        (tny.DeviceError, BufferError),
        (tny.ShapeError, ValueError),
        (tny.LayoutError, ValueError),
        (tny.ArgumentError, ValueError),
        (tny.BoundaryError, BufferError),
        (tny.BoundsError, IndexError),
        (tny.LinAlgError, np.linalg.LinAlgError),
    ],
)
def test_errors_are_what_users_catch(kind, builtin):
    assert issubclass(kind, tny.Error)
    assert issubclass(kind, builtin)


def test_linalg_error_carries_its_results_through_pickle():
    error = tny.LinAlgError("2 bad", result=np.eye(2), info=np.array([0, 1]))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "2 bad"
    np.testing.assert_array_equal(again.result, np.eye(2))
    np.testing.assert_array_equal(again.info, [0, 1])
    assert tny.LinAlgError("x").result is tny.LinAlgError("x").info is None


def test_status_of_a_bad_cell_is_positive():
    assert vocabulary.SINGULAR > 0
