"""Eigen, through ``eigen.cpp``: compiled here and now with -O3 -march=native, once per operation, size and way."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import timeit
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("eigen.cpp")
BUILT = Path("build/benchmarks")
COMPILER = shutil.which(os.environ.get("CXX", "g++"))
FLAGS = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC"]
PLACES = [Path(prefix, "include/eigen3") for prefix in (sys.prefix, "/usr/local", "/usr")]
HEADERS = next((place for place in PLACES if (place / "unsupported/Eigen/MatrixFunctions").exists()), None)
WAYS = ("STRIDED", "ROWS", "COLUMNS")
ITERATIVE = {"qr", "lstsq", "pinv", "svd", "svdvals", "eigh", "eigvalsh", "expm"}  # long to compile


def why_absent():
    if HEADERS is None:
        return "no Eigen headers (Debian: libeigen3-dev)"
    return None if COMPILER else "no C++ compiler"


class Eigen:
    name = "Eigen"
    absent = why_absent()

    def version(self):
        text = (HEADERS / "Eigen/src/Core/util/Macros.h").read_text()
        parts = (text.split(f"#define EIGEN_{part}_VERSION ")[1].split()[0] for part in ("WORLD", "MAJOR", "MINOR"))
        return ".".join(parts)

    def bind(self, problem):
        return bound(problem.function, problem) if problem.batch else None


class EigenDirect(Eigen):
    """Its closed forms for the eigenvalues of symmetric 2 x 2 and 3 x 3 matrices: fast, and inaccurate."""

    name = "Eigen direct"

    def bind(self, problem):
        if problem.batch and problem.function in ("eigh", "eigvalsh") and problem.size in (2, 3):
            return bound(f"{problem.function}_direct", problem)
        return None


def bound(op, problem):
    batch = (ctypes.c_int64 * 2)(*problem.batch)
    operands = [*problem.inputs, *problem.outputs]
    fields = (Field * len(operands))(*map(Field.of, operands))

    def runner(way):
        def run(loops):
            function(WAYS.index(way), ctypes.c_int64(loops), batch, fields)
            return problem.out

        return run

    packed = all(array[0, 0, ...].flags.c_contiguous for array in problem.inputs)
    ways = ("STRIDED",) if not packed else ("COLUMNS",) if op in ITERATIVE else ("ROWS", "COLUMNS")
    function = compiled(op, problem.size, ways)[f"run_{problem.dtype}"]
    return min(map(runner, ways), key=trial)


def trial(run):
    """Which of Eigen's storage orders compiles to the faster code has no rule; so try, where it might matter."""
    return min(timeit.repeat(lambda: run(1), number=1, repeat=3))


class Field(ctypes.Structure):
    """Field<T> of eigen.cpp."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("step", ctypes.c_int64 * 2),
        ("row", ctypes.c_int64),
        ("column", ctypes.c_int64),
    )

    @classmethod
    def of(cls, array):
        """Of an axis of length 1, which all cells share, the step is 0."""
        axes = zip(array.strides, array.shape, strict=True)
        steps = [stride // array.itemsize if length > 1 else 0 for stride, length in axes] + [0, 0]
        return cls(array.ctypes.data, (ctypes.c_int64 * 2)(*steps[:2]), *steps[2:4])


@cache
def compiled(op, size, ways):
    recipe = [COMPILER, *FLAGS, f"-DOP={op}", f"-DSIZE={size}", f"-DWAYS={','.join(ways)}", f"-I{HEADERS}", str(SOURCE)]
    key = hashlib.sha256(repr(recipe).encode() + SOURCE.read_bytes()).hexdigest()[:16]
    built = BUILT / f"eigen-{key}.so"
    if not built.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        subprocess.run([*recipe, "-o", built], check=True)
    return ctypes.CDLL(str(built.resolve()))
