"""How a case is measured: all contenders in turns, in one process, against a copy of the same bytes."""

import gc
import math
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

SHORTEST = 2e-3  # seconds: what takes less is repeated within one timing


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

    ``share`` is the part of the time in which the process had a core: below 1, others were using it.
    """

    case: Case
    names: list[str]
    cells: list[int]
    seconds: np.ndarray
    share: float

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


def copy_of(nbytes, cells):
    """The yardstick: a plain copy that reads and writes so many bytes in all."""
    source = np.ones(max(nbytes // 16, 1))
    return Contender("copy", looped(np.copyto, np.zeros_like(source), source), cells)


def measure(case, repeats):
    contenders = list(case.build())
    loops = [calibrated(contender) for contender in contenders]
    seconds = np.empty((repeats, len(contenders)))
    gc.disable()
    wall, processor = time.perf_counter(), time.process_time()
    try:
        for turn in range(repeats):
            for place in range(len(contenders)):
                k = (place + turn) % len(contenders)  # nobody always follows the same neighbour
                start = time.perf_counter()
                contenders[k].run(loops[k])
                seconds[turn, k] = (time.perf_counter() - start) / (loops[k] * contenders[k].cells)
    finally:
        gc.enable()
    share = min((time.process_time() - processor) / (time.perf_counter() - wall), 1)
    return Result(case, [c.name for c in contenders], [c.cells for c in contenders], seconds, share)


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
        print(f"{time.perf_counter() - start:6.0f} s  [{number}/{len(cases)}] {case.name:<50}", end="", file=sys.stderr,
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
