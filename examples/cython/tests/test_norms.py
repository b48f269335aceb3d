"""fieldkernels against NumPy, for layouts that a plain memoryview could not take."""

import numpy as np
import pytest
from fieldkernels import invariants, remove_trace

import teeny as tny

rng = np.random.default_rng(7)
FIELDS = {
    "one": rng.standard_normal((3, 3)),
    "volume": rng.standard_normal((4, 5, 6, 3, 3)),
    "nine axes": rng.standard_normal((2, 1, 2, 1, 2, 1, 2, 2, 2)),
    "float32": rng.standard_normal((50, 2, 2)).astype(np.float32),
    "channels first": np.moveaxis(rng.standard_normal((3, 3, 8, 9)), (0, 1), (-2, -1)),
    "transposed": rng.standard_normal((8, 9, 4, 4)).swapaxes(0, 1),
    "stepped": rng.standard_normal((20, 7, 3, 3))[::-3, 1::2],
    "empty": np.empty((0, 3, 3)),
    "no matrix": np.empty((4, 0, 0)),
}


@pytest.fixture(params=FIELDS, ids=str)
def field(request):
    return FIELDS[request.param]


def test_invariants(field):
    trace, norm = invariants(field)
    tolerance = 8 * np.finfo(field.dtype).eps
    assert trace.dtype == norm.dtype == field.dtype
    np.testing.assert_allclose(trace, np.trace(field, axis1=-2, axis2=-1), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(norm, np.sqrt(np.square(field).sum((-2, -1))), rtol=tolerance)


def test_remove_trace(field):
    expected = field.copy()
    size = field.shape[-1]
    for i in range(size):
        expected[..., i, i] -= np.trace(field, axis1=-2, axis2=-1) / size
    moved = restride(field)
    remove_trace(moved)
    np.testing.assert_allclose(moved, expected, atol=8 * np.finfo(field.dtype).eps)


def restride(x):
    """A copy of `x` whose axes lie in memory in the order of those of `x`, two elements apart."""
    order = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    memory = np.empty([2 * x.shape[axis] for axis in order], x.dtype)
    copy = memory[(slice(None, None, 2),) * x.ndim].transpose(np.argsort(order))
    copy[...] = x
    return copy


def test_broadcast_field_is_read_as_it_stands():
    trace, _ = invariants(np.broadcast_to(np.eye(3), (4, 5, 3, 3)))
    np.testing.assert_array_equal(trace, np.full((4, 5), 3.0))


WRONG = {
    "vector": np.zeros(3),
    "not square": np.zeros((5, 2, 3)),
    "integers": np.zeros((3, 3), int),
    "complex": np.zeros((3, 3), complex),
    "list": [[1.0]],
    "unaligned": np.frombuffer(bytes(8 * 4 + 1), np.float64, offset=1).reshape(2, 2),
    "on a device": tny.AnyRank.from_pointer(4096, "float64", (2, 2), device="cuda"),
}


@pytest.mark.parametrize("function", [invariants, remove_trace])
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_refusals(function, wrong):
    with pytest.raises(tny.Error, match=f"^{function.__name__}: field: "):
        function(wrong)


def test_readonly_field_is_not_written():
    field = np.eye(3)
    field.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        remove_trace(field)
