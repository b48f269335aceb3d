"""What is computed in place is as if the inputs had been copied first, however the memory overlaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import teeny as tny

SIZE = 60


@st.composite
def windows(draw):
    """Two windows of one shape on a buffer; the first has every element once."""
    rank = draw(st.integers(1, 3))
    shape = [draw(st.integers(1, 4)) for _ in range(rank)]
    steps, reach = [], 1
    for size in shape:  # nested axes cannot meet
        steps.append(reach * draw(st.integers(1, 2)))
        reach = steps[-1] * size
    order = draw(st.permutations(range(rank)))
    signs = [draw(st.sampled_from((1, -1))) for _ in range(rank)]
    target = [shape[k] for k in order], [steps[k] * signs[k] for k in order]
    source = target[0], [draw(st.integers(-3, 3)) for _ in range(rank)]
    if draw(st.booleans()):
        source = target[0], draw(st.permutations(target[1]))
    starts = []
    for sizes, strides in (target, source):
        ends = [(size - 1) * step for size, step in zip(sizes, strides, strict=True)]
        low, high = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
        if high - low >= SIZE:
            return draw(windows())
        starts.append(draw(st.integers(-low, SIZE - 1 - high)))
    return [(start, *window) for start, window in zip(starts, (target, source), strict=True)]


def view(buffer, window):
    start, shape, steps = window
    return as_strided(buffer[start:], shape, [step * buffer.itemsize for step in steps])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "float16"])
@given(windows=windows())
def test_two_windows_of_one_buffer(windows, dtype):
    buffer = np.arange(SIZE).astype(dtype)
    expected = buffer.copy()
    view(expected, windows[0])[...] = view(buffer, windows[0]).copy() + view(buffer, windows[1]).copy()
    a, b = (view(buffer, window) for window in windows)
    assert tny.add(a, b, out=a) is a
    np.testing.assert_array_equal(buffer, expected)


@pytest.mark.parametrize("length", [5, 16, 100, 3000])
@pytest.mark.parametrize("shift", [-9, -1, 0, 1, 2, 7, 8, 64])
def test_shifted_by_less_than_a_vector(shift, length):
    for dtype in (np.float32, np.float64, np.uint8):
        buffer = np.random.default_rng(0).integers(0, 99, length + 80).astype(dtype)
        expected = buffer.copy()
        a, b = slice(10, 10 + length), slice(10 + shift, 10 + shift + length)
        expected[a] = buffer[a] + buffer[b]
        tny.add(buffer[a], buffer[b], out=buffer[a])
        np.testing.assert_array_equal(buffer, expected)


def test_transposed_onto_itself():
    a = np.random.default_rng(1).normal(size=(40, 40))
    expected = a - a.T
    tny.sub(a, a.T, out=a)
    np.testing.assert_array_equal(a, expected)


def test_every_operand_is_the_output():
    a = np.random.default_rng(2).uniform(1, 2, 100)
    expected = (a + a, a * a + a, np.minimum(np.maximum(a, a), a))
    for function, result in zip((lambda x: tny.add(x, x, out=x), lambda x: tny.axpy(x, x, x, out=x),
                                 lambda x: tny.clamp(x, x, x, out=x)), expected, strict=True):
        x = a.copy()
        function(x)
        np.testing.assert_array_equal(x, result)
        x = np.repeat(a, 2)
        function(x[::2])
        np.testing.assert_array_equal(x[::2], result)
        np.testing.assert_array_equal(x[1::2], a)
