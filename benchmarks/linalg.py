"""The cases of the linear algebra family."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from benchmarks.harness import Case, Contender, affordable, copy_of, looped
from benchmarks.ours import function, ours
from benchmarks.peers import PEERS
from benchmarks.problem import LAYOUTS, SIGNATURES, SUBJECTS, make

DTYPES = ("float32", "float64")
IN_CACHE = (1, 1000)  # cells
VIEWS = ("transposed", "stepped", "reversed", "channel-first")
MATRICES = tuple(op for op in SUBJECTS if op not in SIGNATURES)

# Sections of the report, their functions, the sizes of their matrices.
SIZES: dict[str, tuple[int, ...]] = dict.fromkeys((*MATRICES, "matmul, one a"), (2, 3, 4, 6, 8))
SIZES |= dict.fromkeys(("inv", "det", "solve", "solvevec"), tuple(range(1, 9)))
FULL = {
    "contiguous": SIZES,
    "in cache": SIZES,
    **{view: {"inv": (2, 3, 4), **dict.fromkeys(("cholesky", "eigh", "matmul", "matvec"), (3,))} for view in VIEWS},
    "two threads": dict.fromkeys(("inv", "det", "solvevec", "cholesky", "eigh", "svd", "matmul", "matvec"), (2, 3, 4)),
    "one call": dict.fromkeys(("inv", "det", "solve", "solvevec", "cholesky", "eigh", "matmul", "matvec"), (3,)),
}
QUICK = {
    "contiguous": {
        "inv": (2, 3, 4, 6),
        **dict.fromkeys(("det", "solvevec", "cholesky", "eigh", "svd", "matmul", "matvec"), (3,)),
    },
    "in cache": dict.fromkeys(("inv", "eigh", "matmul"), (3,)),
    **{view: {"inv": (3,)} for view in VIEWS},
    "two threads": {"inv": (3,)},
    "one call": dict.fromkeys(("inv", "det", "solvevec", "matvec"), (3,)),
}


def cases(quick=False):
    """All cases, in the order of the report."""
    for section, rows in (QUICK if quick else FULL).items():
        for op, sizes in rows.items():
            for size, dtype in product(sizes, DTYPES):
                yield case(section, op, size, dtype, quick)


def case(section, op, size, dtype, quick=False):
    contenders = BUILD.get(section) or partial(batch, layout=section)
    cells = IN_CACHE if section in ("in cache", "one call") else out_of_cache(size, dtype, quick)
    return Case(section, op, size, dtype, partial(contenders, op, size, dtype, cells))


def out_of_cache(size, dtype, quick):
    """A million cells, but no more than 256 MB of matrices; when it has to be quick, 32 MB."""
    cells = (32e6 if quick else 256e6) / (size * size * np.dtype(dtype).itemsize)
    return int(min(cells, 1e6)) // 1000, 1000


# ------------------------------------------------ contenders of each section


def batch(op, size, dtype, cells, layout="contiguous"):
    """One thread: a copy of the same bytes, teeny, and all peers that are here."""
    problem = make(op, size, dtype, cells, layout)
    yield copy_of(problem.nbytes, problem.cells)
    if layout in VIEWS:
        plain = [np.ones(view.shape, dtype) for view in problem.inputs]
        yield Contender("copy of the view", looped(copy_all, plain, problem.inputs), problem.cells)
    yield affordable("teeny", ours, problem)
    if layout == "transposed":
        turned = tuple(map(LAYOUTS[layout], problem.outputs))
        yield affordable("teeny, output likewise", ours, replace(problem, outputs=turned))
    yield from peers(problem)


def peers(problem):
    for peer in PEERS:
        contender = None if peer.absent else affordable(peer.name, peer.bind, problem)
        if contender:
            yield contender


def two_threads(op, size, dtype, cells):
    problem = make(op, size, dtype, cells)
    yield copy_of(problem.nbytes, problem.cells)
    yield affordable("teeny", ours, problem)
    yield affordable("teeny, 2 threads", partial(ours, workers=2), problem)


def one_call(op, size, dtype, cells):
    """One matrix from Python, the result allocated: what a call costs before any work."""
    one = make(op, size, dtype, cells).one()
    yield Contender("teeny", looped(function(one), *one.inputs), 1, one.check)
    for peer in PEERS:
        run = None if peer.absent else peer.bind(one)
        if run:
            yield Contender(peer.name, run, 1, one.check)


def copy_all(targets, sources):
    for target, source in zip(targets, sources, strict=True):
        np.copyto(target, source)


BUILD = {"in cache": batch, "two threads": two_threads, "one call": one_call}
