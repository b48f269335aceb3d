"""How a case is measured: all contenders in turns, in one process, against a copy of the same bytes."""

import gc
import math
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

OURS = "teeny"
SHORTEST = 2e-3  # seconds: what takes less is repeated within one timing,
LONGEST = 0.02  # and who would need more is given fewer cells; this is judged by
FEW = 1000  # cells
UNDISTURBED = 0.95  # of a timing the process must have had a core, or it is taken again,
TRIES = 6  # so many times at most


@dataclass(frozen=True)
class Contender:
    """One way to do the work of a case.

    ``run(loops)`` does it so many times and returns the last result, ``cells`` says for how many cells, and
    ``check(name, result)`` raises when that is the result of something else.
    """

    name: str
    run: Callable[[int], object]
    cells: int
    check: Callable[[str, object], None] = lambda name, result: None


@dataclass(frozen=True)
class Case:
    """A row of the report. ``build`` makes the contenders, with all their arrays, when their turn comes."""

    section: str
    op: str
    size: int
    dtype: str
    build: Callable[[], Iterable[Contender]]

    @property
    def name(self):
        return f"{self.section}: {self.op} {self.size} {self.dtype}"


@dataclass(frozen=True)
class Result:
    """Seconds per cell, one row per round and one column per contender.

    ``disturbed`` counts the timings that stand although the process had to share its core during them.
    """

    case: Case
    names: list[str]
    cells: list[int]
    seconds: np.ndarray
    disturbed: int

    def __contains__(self, name):
        return name in self.names

    def of(self, name):
        return self.seconds[:, self.names.index(name)]

    def median(self, name):
        return float(np.median(self.of(name)))

    def ratio(self, name, base):
        return self.median(name) / self.median(base)

    def spread(self, name, base):
        """Half the distance between the quartiles of that ratio, formed within each round."""
        low, high = np.quantile(self.of(name) / self.of(base), [0.25, 0.75])
        return float(high - low) / 2

    def best(self, names):
        """The fastest of those that took part, or None."""
        return min((name for name in names if name in self), key=self.median, default=None)


def looped(function, *arguments, **options):
    """Make the ``run`` of a contender from a function and what it is called with."""
    call = partial(function, *arguments, **options)

    def run(loops):
        for _ in range(loops):
            result = call()
        return result

    return run


def affordable(name, bind, problem):
    """A contender, on as much of a problem as it solves in `LONGEST`; None if it cannot be bound."""
    few = problem.head(FEW)
    run = bind(few)
    if run is None:
        return None
    run(1)
    taken, _ = timed(run, 1)
    given = problem.head(int(LONGEST / taken * few.cells))
    return Contender(name, bind(given), given.cells, given.check)


def copy_of(nbytes, cells):
    """The yardstick: a plain copy that reads and writes so many bytes in all."""
    source = np.ones(max(nbytes // 16, 1))
    return Contender("copy", looped(np.copyto, np.zeros_like(source), source), cells)


def measure(case, repeats):
    contenders = list(case.build())
    loops = [calibrated(contender) for contender in contenders]
    seconds = np.empty((repeats, len(contenders)))
    disturbed = 0
    gc.disable()
    try:
        for turn in range(repeats):
            for place in range(len(contenders)):
                k = (place + turn) % len(contenders)  # nobody always follows the same neighbour
                taken, alone = timed(contenders[k].run, loops[k])
                seconds[turn, k] = taken / (loops[k] * contenders[k].cells)
                disturbed += not alone
    finally:
        gc.enable()
    return Result(case, [c.name for c in contenders], [c.cells for c in contenders], seconds, disturbed)


def timed(run, loops):
    """Seconds, and whether the process had a core to itself; another try while it had not."""
    for _ in range(TRIES):
        start, worked = time.perf_counter(), time.process_time()
        run(loops)
        worked, taken = time.process_time() - worked, time.perf_counter() - start
        if worked >= UNDISTURBED * taken:
            return taken, True
    return taken, False


def calibrated(contender):
    """Check what a contender computes, warm it up, and find how many loops make a timing long enough."""
    contender.check(contender.name, contender.run(1))
    loops = 1
    while True:
        start = time.perf_counter()
        contender.run(loops)
        taken = time.perf_counter() - start
        if taken >= SHORTEST / 2:
            return math.ceil(loops * SHORTEST / taken) if taken < SHORTEST else loops
        loops *= 2


def run(cases, repeats):
    """Measure all cases, saying on stderr how far it is."""
    results = []
    start = time.perf_counter()
    for number, case in enumerate(cases, 1):
        print(f"{time.perf_counter() - start:6.0f} s  [{number}/{len(cases)}] {case.name:<55}", end="", file=sys.stderr,
              flush=True)
        result = measure(case, repeats)
        print("  ".join(f"{name} {figure(result, name)}" for name in result.names), file=sys.stderr)
        results.append(result)
    return results


def figure(result, name):
    """In copies where there is a copy to compare with, else in microseconds."""
    if "copy" in result and name != "copy":
        return f"{result.ratio(name, 'copy'):.3g}x"
    return f"{result.median(name) * 1e9:.3g} ns"
