"""Array libraries: NumPy and PyTorch, by their own batched functions. They allocate their results."""

import numpy as np

from benchmarks.harness import looped

try:
    import torch
except ImportError:
    torch = None


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
    absent = None if torch else "the package torch is not installed"
    slow = True

    def version(self):
        return torch.__version__

    def bind(self, problem):
        if any(stride < 0 for array in problem.inputs for stride in array.strides):
            return None
        torch.set_num_threads(1)
        function = {"inv": torch.linalg.inv, "det": torch.linalg.det, "solve": torch.linalg.solve}[problem.function]
        return looped(function, *map(torch.from_numpy, problem.inputs))
