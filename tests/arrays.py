"""Strategies for arrays of any rank, any strides, laid over one small block of memory."""

import math

import numpy as np
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

CENTRE = 256

# What both DLPack and NumPy have.
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]  # fmt: skip


@st.composite
def shapes_and_strides(draw, max_rank=12, max_size=600):
    """Sizes 0 to 4 and strides of both signs, in elements; broadcast and overlapping axes too."""
    shape, strides = [], []
    for _ in range(draw(st.integers(0, max_rank))):
        room = max_size // max(1, math.prod(max(size, 1) for size in shape))
        shape.append(draw(st.integers(0 if draw(st.integers(0, 9)) == 0 else 1, min(4, max(room, 1)))))
        strides.append(draw(st.integers(-6, 6)))
    return tuple(shape), tuple(strides)


@st.composite
def strided_arrays(draw, max_rank=12, dtypes=("float64", "int16", "complex64", "bool")):
    """A window on 512 distinct values."""
    shape, strides = draw(shapes_and_strides(max_rank))
    block = np.arange(2 * CENTRE).astype(draw(st.sampled_from(dtypes)))
    return as_strided(block[CENTRE:], shape, [stride * block.itemsize for stride in strides])


def steps(x):
    """The strides in elements."""
    return tuple(stride // x.itemsize for stride in x.strides)
