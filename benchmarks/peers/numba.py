"""Numba: closed forms written by hand, compiled to generalised ufuncs for this machine."""

from functools import cache

from benchmarks.harness import looped

try:
    import numba
except ImportError:
    numba = None


class Numba:
    name = "Numba"
    absent = None if numba else "the package numba is not installed"
    slow = False

    def version(self):
        return numba.__version__

    def bind(self, problem):
        kernel = KERNELS.get((problem.op.split()[0], problem.size))
        if kernel is None:
            return None
        return looped(compiled(kernel, problem.dtype), *problem.inputs, out=problem.out)


@cache
def compiled(kernel, dtype):
    """The signature of a gufunc is that of its kernel: one letter of shape per argument, named in its docstring."""
    shapes = kernel.__doc__
    ranks = [part.count(",") + 1 if part else 0 for part in shapes.replace("->", ";").replace("),(", ");(")
             .replace("(", "").replace(")", "").split(";")]  # fmt: skip
    arrays = ", ".join(f"{dtype}[{', '.join(':' * max(rank, 1))}]" for rank in ranks)
    return numba.guvectorize([f"void({arrays})"], shapes, nopython=True)(kernel)
