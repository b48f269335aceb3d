"""What holds for every function of cells: a cell has the same bits wherever it lies, and whatever lies beside it."""

import ctypes
import re
from importlib import import_module

import numpy as np

from teeny._core import isa

BATCH = 6, 5

LAYOUTS = {
    "contiguous": lambda x: x.copy(),
    "stepped": lambda x: np.repeat(x, 2, 1)[:, ::2],
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "batch transposed": lambda x: x.swapaxes(0, 1).copy().swapaxes(0, 1),
    "channel first": lambda x: np.moveaxis(np.moveaxis(x, (0, 1), (-2, -1)).copy(), (-2, -1), (0, 1)),
    "Fortran": np.asfortranarray,
    "elements stepped": lambda x: np.repeat(x, 3, -1)[..., ::3],
}


def check_places(function, *inputs):
    """A function of inputs with the batch axes BATCH, and with one result."""
    expected = function(*inputs)
    for layout in LAYOUTS.values():
        laid_out = [layout(x) for x in inputs]
        assert function(*laid_out).tobytes() == expected.tobytes()
        out = layout(np.zeros_like(expected))
        assert function(*laid_out, out=out) is out
        assert out.tobytes() == expected.tobytes()
    assert function(*inputs, workers=2).tobytes() == expected.tobytes()
    for index in np.ndindex(BATCH):
        assert function(*(x[index] for x in inputs)).tobytes() == expected[index].tobytes()


def check_overlaps(function, *inputs):
    """Where a result is as large as an input, it may go there, or beside."""
    for k, x in enumerate(inputs):
        for source, target in (
            (slice(None), slice(None)),
            (slice(1, None), slice(-1)),
            (slice(-1), slice(1, None)),
            (slice(None), slice(None, None, -1)),
        ):
            space = x.copy()
            operands = [space[source] if j == k else y[source] for j, y in enumerate(inputs)]
            expected = function(*(y.copy() for y in operands))
            if expected.shape == space[target].shape:
                function(*operands, out=space[target])
                assert space[target].tobytes() == expected.tobytes()


def check_isolated(function, cells, bad):
    """Each of `bad` in the place of one cell of a bundle: it alone is lost."""
    expected = function(cells)
    for value in bad:
        for place in range(len(cells)):
            spoilt = cells.copy()
            spoilt[place] = value
            result = function(spoilt)
            assert np.isnan(result[place]).all()
            others = np.arange(len(cells)) != place
            assert result[others].tobytes() == expected[others].tobytes()


def check_count(stem):
    """The leaves of a module are as many as its docstring says, those that v4 leaves to v3 included."""
    operations = len(import_module("teeny.ops").__all__) - 3  # the others are no operations
    check_table(f"teeny._core.leaves.{stem}", b"teeny.leaves", operations * 2 * 9)


def check_table(module, name, size):
    variants = isa.load(module)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tables = [(ctypes.c_void_p * size).from_address(pointer(variant.table(), name)) for variant in variants]
    text = variants[-1].__doc__
    rows = re.findall(r"^ {4}\w.* float32 float64.* (\d+)$", text, re.MULTILINE)
    assert rows
    assert sum(map(int, rows)) == sum(any(leaves) for leaves in zip(*tables, strict=True))
    total = re.search(r"(\d+) in all", text)
    assert total is None or int(total[1]) == sum(map(int, rows))
