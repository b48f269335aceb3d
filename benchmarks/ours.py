"""teeny, bound as a peer is."""

from functools import partial

import teeny as tny
from benchmarks.harness import looped
from benchmarks.problem import ALPHA, FACTOR

OTHERS = {
    "square": lambda x, **options: tny.mul(x, x, **options),
    "axpy": partial(tny.axpy, ALPHA),
    "scale": lambda x, **options: tny.mul(x, FACTOR, **options),
    "add to": tny.add,
}


def ours(problem, workers=1):
    return looped(function(problem), *problem.operands, out=problem.out, workers=workers)


def function(problem):
    name = problem.function
    if name in OTHERS:
        return OTHERS[name]
    return getattr(tny.linalg if hasattr(tny.linalg, name) else tny, name)
