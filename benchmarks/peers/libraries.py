"""Array libraries: NumPy, SciPy and PyTorch, by their own batched functions.

They write into given outputs where they can and that is faster.
"""

from functools import partial
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

from benchmarks.harness import looped
from benchmarks.problem import ALPHA, FACTOR


class NumPy:
    name = "NumPy"
    absent = None

    def version(self):
        return np.__version__

    def bind(self, problem):
        if problem.batch and problem.function in NUMPY_INTO:
            return looped(NUMPY_INTO[problem.function], *problem.operands, out=problem.out)
        function = NUMPY.get(problem.function)
        return function and looped(function, *problem.inputs)


# On batches; einsum is faster there than numpy.matvec, vecmat, trace and a product of broadcast vectors.
NUMPY_INTO = {
    "matmul": np.matmul,
    "matvec": partial(np.einsum, "...ij,...j->...i"),
    "vecmat": partial(np.einsum, "...i,...ij->...j"),
    "outer": partial(np.einsum, "...i,...j->...ij"),
    "trace": partial(np.einsum, "...ii->..."),
    "axpy": lambda x, y, out: np.add(np.multiply(ALPHA, x, out=out), y, out=out),
    "div": np.divide,
    "add to": np.add,
    "scale": lambda x, out: np.multiply(x, FACTOR, out=out),
    **{name: getattr(np, name) for name in (
        "add", "minimum", "square", "sqrt", "exp", "log", "sin", "tanh",
    )},
}
NUMPY = {name: getattr(np.linalg, name) for name in (
    "inv", "det", "slogdet", "solve", "cholesky", "eigh", "eigvalsh", "svd", "svdvals", "pinv", "qr",
)}
NUMPY |= dict.fromkeys(("matmul", "matvec", "vecmat"), np.dot)  # of a single matrix
NUMPY |= {"add": np.add, "exp": np.exp}
NUMPY["solvevec"] = lambda a, b: np.linalg.solve(a, b[..., None])[..., 0]


class SciPy:
    name = "SciPy"

    def __init__(self):
        if not find_spec("scipy"):
            self.absent = "the package scipy is not installed"
        else:
            old = tuple(map(int, self.version().split(".")[:2])) < (1, 17)
            self.absent = f"SciPy {self.version()} is older than its functions for batches, 1.17" if old else None

    def version(self):
        return version("scipy")

    def bind(self, problem):
        import scipy.linalg

        known = {name: getattr(scipy.linalg, name) for name in (
            "inv", "det", "solve", "eigh", "eigvalsh", "svd", "svdvals", "pinv",
        )}
        known = {name: partial(function, check_finite=False) for name, function in known.items()} | {
            "solvevec": lambda a, b: scipy.linalg.solve(a, b[..., None], check_finite=False)[..., 0],
            "cholesky": partial(scipy.linalg.cholesky, lower=True, check_finite=False),
            "cho_solve": lambda factor, b: scipy.linalg.cho_solve((factor, True), b, check_finite=False),
            "qr": partial(scipy.linalg.qr, mode="economic", check_finite=False),
            "lstsq": lambda a, b: scipy.linalg.lstsq(a, b, check_finite=False)[0],
            "expm": scipy.linalg.expm,
        }
        function = known.get(problem.function)
        return function and looped(function, *problem.inputs)


class PyTorch:
    name = "PyTorch"
    absent = None if find_spec("torch") else "the package torch is not installed"

    def version(self):
        return version("torch")

    def bind(self, problem):
        if any(stride < 0 for array in problem.inputs for stride in array.strides):
            return None

        import torch

        torch.set_num_threads(1)
        inputs = tuple(map(torch.from_numpy, problem.operands))
        into = {name: getattr(torch, name) for name in (
            "matmul", "add", "div", "minimum", "square", "sqrt", "exp", "log", "sin", "tanh",
        )} | {
            "axpy": lambda x, y, out: torch.add(y, x, alpha=ALPHA, out=out),
            "add to": lambda x, y, out: x.add_(y),
            "scale": lambda x, out: x.mul_(FACTOR),
        }
        if problem.function in into:
            return looped(into[problem.function], *inputs, out=torch.from_numpy(problem.out))
        known = {name: getattr(torch.linalg, name) for name in (
            "inv", "det", "slogdet", "solve", "cholesky", "eigh", "eigvalsh", "svd", "svdvals", "pinv", "qr",
        )} | {
            "lstsq": lambda a, b: torch.linalg.lstsq(a, b).solution,
            "solvevec": lambda a, b: torch.linalg.solve(a, b[..., None])[..., 0],
            "cho_solve": lambda factor, b: torch.cholesky_solve(b, factor),
            "matvec": lambda a, x: (a @ x[..., None])[..., 0],
            "vecmat": lambda x, a: (x[..., None, :] @ a)[..., 0, :],
            "outer": lambda x, y: x[..., :, None] * y[..., None, :],
            "trace": lambda a: a.diagonal(dim1=-2, dim2=-1).sum(-1),
            "expm": torch.linalg.matrix_exp,
        }
        function = known.get(problem.function)
        return function and looped(function, *inputs)
