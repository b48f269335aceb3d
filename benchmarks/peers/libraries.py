"""Array libraries: NumPy and PyTorch, by their own batched functions. They allocate their results."""

from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

from benchmarks.harness import looped


class NumPy:
    name = "NumPy"
    absent = None
    slow = True

    def version(self):
        return np.__version__

    def bind(self, problem):
        return looped(getattr(np.linalg, problem.function), *problem.inputs)


class PyTorch:
    name = "PyTorch"
    absent = None if find_spec("torch") else "the package torch is not installed"
    slow = True

    def version(self):
        return version("torch")

    def bind(self, problem):
        if any(stride < 0 for array in problem.inputs for stride in array.strides):
            return None

        import torch

        torch.set_num_threads(1)
        function = {"inv": torch.linalg.inv, "det": torch.linalg.det, "solve": torch.linalg.solve}[problem.function]
        return looped(function, *map(torch.from_numpy, problem.inputs))
