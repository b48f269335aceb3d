"""The cases of elementwise arithmetic."""

from functools import partial
from itertools import product

from benchmarks import linalg
from benchmarks.harness import Case, affordable, copy_of
from benchmarks.ours import ours
from benchmarks.problem import make

ELEMENTS = ("add", "div", "minimum", "axpy", "square", "sqrt", "exp", "log", "sin", "tanh")
IN_PLACE = tuple(f"{op}, {layout}" for op in ("scale", "add to") for layout in ("contiguous", "transposed", "gaps"))

# Sections of the report: their operations, the batch.
FULL = {
    "elements": (ELEMENTS, (1000, 1000)),
    "in place": (IN_PLACE, (1000, 1000)),
    "two threads": (("add", "exp"), (1000, 1000)),
    "one call": (("add", "exp"), (1, 1)),
}
QUICK = {
    "elements": (("add", "exp"), (1000, 1000)),
    "in place": (IN_PLACE[:3], (1000, 1000)),
    "one call": (("add",), (1, 1)),
}
SHORT = 3  # elements of a row with gaps


def cases(quick=False):
    """All cases, in the order of the report."""
    for section, (names, batch) in (QUICK if quick else FULL).items():
        for op, dtype in product(names, linalg.DTYPES):
            yield case(section, op, dtype, batch)


def case(section, op, dtype, batch):
    if op.endswith("gaps"):
        batch = (batch[0] * batch[1] // SHORT, SHORT)
    return Case(section, op, 1, dtype, partial(BUILD.get(section, linalg.batch), op, 1, dtype, batch))


def in_place(op, size, dtype, batch):
    problem = make(op, size, dtype, batch, op.partition(", ")[2])
    yield copy_of(problem.nbytes, problem.cells)
    yield affordable("teeny", ours, problem)
    yield from linalg.peers(problem)


BUILD = linalg.BUILD | {"in place": in_place}
