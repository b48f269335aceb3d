"""The cases of the linear algebra family: inv, det and solve of small matrices."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

import teeny as tny
from benchmarks.harness import Case, Contender, copy_of, looped
from benchmarks.peers import PEERS
from benchmarks.problem import COLUMNS, LAYOUTS, make

DTYPES = ("float32", "float64")
IN_CACHE = 1000


def cases(quick=False):
    """All cases, in the order of the report."""
    sizes = (2, 3, 4, 6) if quick else range(1, 9)
    some = (3,) if quick else (2, 3, 4)
    for op, size, dtype in product(COLUMNS, sizes, DTYPES):
        yield case("contiguous", op, size, dtype, partial(batch, quick=quick))
    for op, size, dtype in product(COLUMNS, some if quick else sizes, DTYPES):
        yield case("in cache", op, size, dtype, partial(batch, cells=IN_CACHE))
    for layout, size, dtype in product(list(LAYOUTS)[1:], some, DTYPES):
        yield case(layout, "inv", size, dtype, partial(batch, layout=layout, quick=quick))
    for op, size, dtype in product(COLUMNS, some, DTYPES):
        yield case("two threads", op, size, dtype, partial(two_threads, quick=quick))
    for op, dtype in product(COLUMNS, DTYPES):
        yield case("one call", op, 3, dtype, one_call)


def case(section, op, size, dtype, contenders):
    return Case(section, op, size, dtype, partial(contenders, op, size, dtype))


def batch_shape(size, dtype, quick):
    """A million cells; when it has to be quick no more than 32 MB of them, still far out of cache with the output."""
    cells = 32e6 / (size * size * np.dtype(dtype).itemsize) if quick else np.inf
    return int(min(cells, 1e6)) // 1000, 1000


# ------------------------------------------------ contenders of each section


def batch(op, size, dtype, layout="contiguous", cells=None, quick=False):
    """One thread: a copy of the same bytes, teeny, and all peers that are here."""
    shape = (1, cells) if cells else batch_shape(size, dtype, quick)
    problem = make(op, size, dtype, shape, layout)
    yield copy_of(problem.nbytes, problem.cells)
    if layout != "contiguous":
        view = problem.inputs[0]
        yield Contender("copy of the view", looped(np.copyto, np.ones(view.shape, dtype), view), problem.cells)
    yield ours(problem)
    if layout == "transposed":
        yield ours(replace(problem, out=np.empty_like(view)), "teeny, output likewise")
    for peer in PEERS:
        given = problem.head(10_000 if quick else 100_000) if peer.slow else problem
        run = None if peer.absent else peer.bind(given)
        if run:
            yield Contender(peer.name, run, given.cells, given.check)


def two_threads(op, size, dtype, quick=False):
    problem = make(op, size, dtype, batch_shape(size, dtype, quick))
    yield copy_of(problem.nbytes, problem.cells)
    yield ours(problem)
    yield ours(problem, "teeny, 2 threads", workers=2)


def one_call(op, size, dtype):
    """One matrix from Python, the result allocated: what a call costs before any work."""
    one = make(op, size, dtype, (1, 1))
    one = replace(one, inputs=tuple(array[0, 0] for array in one.inputs), out=one.out[0, 0, ...])
    yield Contender("teeny", looped(getattr(tny.linalg, one.function), *one.inputs), 1, one.check)
    for peer in PEERS:
        run = None if peer.absent else peer.bind(one)
        if run:
            yield Contender(peer.name, run, 1, one.check)


def ours(problem, name="teeny", workers=1):
    run = looped(getattr(tny.linalg, problem.function), *problem.inputs, out=problem.out, workers=workers)
    return Contender(name, run, problem.cells, problem.check)
