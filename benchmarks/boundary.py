"""The cases of the boundary: a step from cell to cell, compiled and in Python, and what a call costs."""

import ctypes
import hashlib
import os
import shutil
import subprocess
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np

import teeny as tny
from benchmarks.harness import Case, Contender, looped

SOURCE = Path(__file__).with_name("peel.c")
BUILT = Path("build/benchmarks")
COMPILER = shutil.which(os.environ.get("CC", "cc"))
WAYS = {"teeny": 0, "teeny, peel_at": 1, "by hand": 2}

# Batches of three axes, in cache, of 3 x 3 cells.
LAYOUTS = {
    "contiguous": lambda a: a,
    "stepped": lambda a: np.repeat(a, 2, axis=2)[:, :, ::2],
    "reversed": lambda a: a[::-1, :, ::-1],
    "transposed": lambda a: a.transpose(2, 1, 0, 3, 4),
}
SHAPE = (10, 10, 10, 3, 3)


def cases(quick=False):
    """All cases, in the order of the report; the compiled ones where there is a C compiler."""
    for (section, contenders), layout in product(SECTIONS.items(), LAYOUTS):
        yield Case(section, layout, 3, "float64", partial(contenders, layout))
    for name in CALLS:
        yield Case("calls at the boundary", name, 3, "float64", partial(call, name))


def batch(layout):
    return LAYOUTS[layout](np.random.default_rng(0).standard_normal(SHAPE))


# -------------------------------------------------------- from cell to cell


def compiled(layout):
    """The sum of the first elements of all cells, in C; NumPy by its own loop over such a view."""
    x = batch(layout)
    first = x[..., 0, 0]
    expected = float(first.sum())

    def check(name, result):
        if not np.isclose(result, expected):
            raise AssertionError(f"{name} walks elsewhere: {result}, not {expected}")

    for name, way in WAYS.items():
        yield Contender(name, partial(walk, x, way), first.size, check)
    yield Contender("NumPy", looped(first.sum), first.size, check)


def walk(x, way, loops):
    axes = ctypes.c_int64 * x.ndim
    shape, strides = axes(*x.shape), axes(*(stride // x.itemsize for stride in x.strides))
    return library().walk(way, ctypes.c_int64(loops), ctypes.c_void_p(x.ctypes.data), x.ndim, shape, strides, -2)


@cache
def library():
    recipe = [COMPILER, "-std=gnu11", "-O3", "-shared", "-fPIC", f"-I{tny.get_include()}", str(SOURCE)]
    texts = [SOURCE.read_bytes(), *(path.read_bytes() for path in sorted(Path(tny.get_include()).rglob("*.h")))]
    built = BUILT / f"peel-{hashlib.sha256(repr(recipe).encode() + b''.join(texts)).hexdigest()[:16]}.so"
    if not built.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        subprocess.run([*recipe, "-o", built], check=True)
    loaded = ctypes.CDLL(str(built.resolve()))
    loaded.walk.restype = ctypes.c_double
    return loaded


def in_python(layout):
    """Every cell as a view; the last one is the result."""
    x = batch(layout)
    at = tny.as_anyrank(x)
    cells = at.size_front(-2)

    def check(name, result):
        if not np.array_equal(np.asarray(result), x[-1, -1, -1]):
            raise AssertionError(f"{name} ends elsewhere")

    for name, function in {
        "teeny": lambda: last(at.peel_front(-2)),
        "teeny, enumerate": lambda: last(at.peel_front(-2).enumerate())[1],
        "teeny, peel_front_at": lambda: last(at.peel_front_at(i, -2) for i in range(cells)),
        "NumPy": lambda: last(x[index] for index in np.ndindex(x.shape[:-2])),
        "NumPy, nested": lambda: last(cell for plane in x for row in plane for cell in row),
    }.items():
        yield Contender(name, looped(function), cells, check)


def last(items):
    for item in items:  # noqa: B007
        pass
    return item


SECTIONS = {"cell to cell, compiled": compiled} if COMPILER else {}
SECTIONS["cell to cell, in Python"] = in_python

# -------------------------------------------------------------------- calls

# What is done to an array, by teeny and by NumPy or Python itself.
CALLS = {
    "in": (tny.as_anyrank, memoryview),
    "in by DLPack": (tny.from_dlpack, np.from_dlpack),
    "in and out": (lambda x: np.asarray(tny.as_anyrank(x)), lambda x: np.asarray(memoryview(x))),
    "in and out by DLPack": (lambda x: np.from_dlpack(tny.from_dlpack(x)), lambda x: np.from_dlpack(np.from_dlpack(x))),
    "one cell": (lambda x: tny.as_anyrank(x).peel_front_at(555, -2), lambda x: x[np.unravel_index(555, x.shape[:-2])]),
}


def call(name):
    x = batch("stepped")
    for contender, function in zip(("teeny", "NumPy"), CALLS[name], strict=True):
        yield Contender(contender, looped(function, x), 1)
