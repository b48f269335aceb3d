"""PyTorch there and back, where it is installed."""

import numpy as np
import pytest
from arrays import DTYPES

import teeny as tny
from teeny import as_anyrank, from_dlpack

torch = pytest.importorskip("torch")


def test_torch_there_and_back():
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
    for shape in ((), (0, 2), (2, 3)):
        t = torch.ones(shape, dtype=getattr(torch, dtype))
        at = from_dlpack(t, dtype=dtype)
        assert torch.equal(torch.from_dlpack(at), t)
        assert not shape or from_dlpack(t, copy=True).data != t.data_ptr() or t.numel() == 0


def test_torch_refuses_in_its_own_words():
    for t in (torch.zeros(3, requires_grad=True), torch.zeros(3, dtype=torch.complex64).conj()):
        with pytest.raises(tny.BoundaryError, match="Can't export tensors"):
            as_anyrank(t)


def test_torch_shapes_strides_and_offsets():
    block = torch.arange(120.0).reshape(2, 3, 4, 5)
    for t in (block[1, 2, 3, 4], block[:, 0:0], block[1:, :, 2], block.transpose(0, 3), block[:1].expand(7, 3, 4, 5)):
        at = as_anyrank(t)
        assert (at.shape, at.strides, at.data) == (tuple(t.shape), t.stride(), t.data_ptr())
        back = torch.from_dlpack(at.fixed(at.ndim))
        assert back.shape == t.shape
        assert torch.equal(back, t)
        for index, cell in zip(np.ndindex(*t.shape[:1]), at.peel_front(1 - t.ndim) if t.ndim else [], strict=False):
            assert torch.equal(torch.from_dlpack(cell), t[index])


def test_torch_takes_what_it_can():
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    narrow = as_anyrank(x, copy_meta=True).reindex("int32")
    assert torch.equal(torch.from_dlpack(narrow), torch.arange(6.0).reshape(2, 3))
    at = as_anyrank(np.arange(6.0)[::-1])
    with pytest.raises((RuntimeError, ValueError, BufferError)):  # torch has no negative strides
        torch.from_dlpack(at)
    assert torch.from_dlpack(tny.to_dlpack(at, copy=True)).tolist() == [5, 4, 3, 2, 1, 0]


def test_torch_memory_lives_as_long_as_it_is_seen():
    t = torch.arange(3.0)
    view = as_anyrank(t).fixed(1)
    del t
    again = torch.from_dlpack(view)
    del view
    assert again.tolist() == [0, 1, 2]
    again += 1
    assert np.asarray(as_anyrank(again)).tolist() == [1, 2, 3]
