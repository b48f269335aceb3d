"""Eigen, through ``eigen.cpp``: compiled here and now with -O3 -march=native, once per size of the matrices."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import timeit
from functools import cache
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("eigen.cpp")
BUILT = Path("build/benchmarks")
COMPILER = shutil.which(os.environ.get("CXX", "g++"))
FLAGS = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC"]
PLACES = [Path(prefix, "include/eigen3") for prefix in (sys.prefix, "/usr/local", "/usr")]
HEADERS = next((place for place in PLACES if (place / "Eigen/Dense").exists()), None)
WAYS = ("strided", "rows", "columns")
OPS = ("inv", "det", "solve vector", "solve matrix")


def why_absent():
    if HEADERS is None:
        return "no Eigen headers (Debian: libeigen3-dev)"
    return None if COMPILER else "no C++ compiler"


class Eigen:
    name = "Eigen"
    absent = why_absent()
    slow = False

    def version(self):
        text = (HEADERS / "Eigen/src/Core/util/Macros.h").read_text()
        parts = (text.split(f"#define EIGEN_{part}_VERSION ")[1].split()[0] for part in ("WORLD", "MAJOR", "MINOR"))
        return ".".join(parts)

    def bind(self, problem):
        if problem.inputs[0].ndim < 4:
            return None
        function = library(problem.size)[f"run_{problem.dtype}"]
        batch = (ctypes.c_int64 * 2)(*problem.inputs[0].shape[:2])
        operands = [*problem.inputs, problem.out]
        fields = (Field * len(operands))(*map(Field.of, operands))
        op = OPS.index(problem.op)

        def runner(way):
            def run(loops):
                function(op, WAYS.index(way), ctypes.c_int64(loops), batch, fields)
                return problem.out

            return run

        packed = problem.inputs[0].strides[2:] == np.empty((problem.size,) * 2, problem.dtype).strides
        return min(map(runner, ("rows", "columns")), key=trial) if packed else runner("strided")


def trial(run):
    """Which of Eigen's storage orders compiles to the faster code has no rule; so try."""
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
        steps = [stride // array.itemsize for stride in array.strides] + [0, 0]
        return cls(array.ctypes.data, (ctypes.c_int64 * 2)(*steps[:2]), *steps[2:4])


@cache
def library(size):
    recipe = [COMPILER, *FLAGS, f"-DSIZE={size}", f"-I{HEADERS}", str(SOURCE)]
    key = hashlib.sha256(repr(recipe).encode() + SOURCE.read_bytes()).hexdigest()[:16]
    built = BUILT / f"eigen-{key}.so"
    if not built.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        subprocess.run([*recipe, "-o", built], check=True)
    return ctypes.CDLL(str(built.resolve()))
