"""Suites of matrices that elimination finds easy and hard, with exact answers.

The matrices of a suite are ``D1 A D2`` with D1 and D2 powers of two, mostly 1. Exact
answers for A come from integer arithmetic and are kept as a sum of two floats, so
that an error is measured to full precision; D1 and D2 carry them over exactly.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

SIZES = range(1, 9)
DTYPES = ["float32", "float64"]


def eliminate(rows):
    """Solve integers ``[A | B]`` without a fraction (Bareiss): det A, and ``X`` with ``A X = B`` as (X d, d).

    None if A is singular.
    """
    rows, n, d, sign = [list(row) for row in rows], len(rows), 1, 1
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            return None
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        top = rows[k]
        for i in range(n):
            if i != k:
                rows[i] = [(top[k] * x - rows[i][k] * y) // d for x, y in zip(rows[i], top, strict=True)]
        d = top[k]
    return sign * d, [row[n:] for row in rows], d


class Exact(NamedTuple):
    """Numbers to twice the precision of a float."""

    high: np.ndarray
    low: np.ndarray

    @classmethod
    def ratios(cls, numerators, denominator):
        highs, lows = [], []
        for p in np.ravel(np.array(numerators, object)):
            high = p / denominator  # of integers: rounded correctly, whatever their size
            m, s = high.as_integer_ratio()
            highs.append(high)
            lows.append((p * s - m * denominator) / (denominator * s))
        shape = np.shape(numerators)
        return cls(np.reshape(highs, shape), np.reshape(lows, shape))

    @classmethod
    def stack(cls, each):
        return cls(*(np.stack(part) for part in zip(*each, strict=True)))

    def error(self, x):
        return (x - self.high) - self.low


def exact(a, b):
    """The inverse of `a`, its determinant, and the solution for `b`; None if `a` is singular."""
    n, columns = b.shape
    entries = np.concatenate([a, b, np.eye(n)], 1).tolist()
    ratios = [[x.as_integer_ratio() for x in row] for row in entries]
    scale = max(q for row in ratios for _, q in row)
    done = eliminate([[p * (scale // q) for p, q in row] for row in ratios])
    if done is None:
        return None
    det, solution, d = done
    x, inverse = ([row[part] for row in solution] for part in (slice(columns), slice(columns, None)))
    return Exact.ratios(inverse, d), Exact.ratios(det, scale**n), Exact.ratios(x, d)


# ------------------------------------------------------------------ kinds of matrices


def orthogonal(rng, size):
    return np.linalg.qr(rng.standard_normal((size, size)))[0]


def random(rng, size, _):
    return rng.standard_normal((size, size))


def graded(low, high):
    """Condition between ``10**low`` and ``10**high``."""

    def make(rng, size, _):
        reach = rng.uniform(low, high) / 2
        return (orthogonal(rng, size) * np.logspace(reach, -reach, size)) @ orthogonal(rng, size)

    return make


def hilbert(rng, size, _):
    return 1 / (np.add.outer(np.arange(size), np.arange(size)) + 1 + rng.uniform())


def permuted(rng, size, _):
    """A triangular matrix whose rows were moved, so that leading pivots are zero."""
    return np.roll(np.triu(rng.standard_normal((size, size))) + 2 * np.eye(size), 1 + rng.integers(size), 0)


def tensor(rng, size, _):
    """A structure tensor of almost one direction."""
    g = rng.standard_normal((size, 1))
    return g @ g.T + 10 ** rng.uniform(-7, 0) * np.eye(size)


def dependent(rng, size, dtype):
    """The last row is a combination of the others, but for a few roundings."""
    a = rng.standard_normal((size, size))
    if size > 1:
        a[-1] = rng.standard_normal(size - 1) @ a[:-1] + 1024 * np.finfo(dtype).eps * rng.standard_normal(size)
    return a


def none(rng, size, dtype):
    zeros = np.zeros(size, int)
    return zeros, zeros


def balanced(rng, size, reach):
    """Exponents that add up to 0, so that the determinant stays where it was."""
    half = rng.integers(-reach, reach, size // 2, endpoint=True)
    return rng.permutation(np.concatenate([half, -half, np.zeros(size % 2, int)]))


def far_rows(rng, size, dtype):
    reach = 498 if dtype == "float64" else 60  # 1e150
    return rng.permutation(np.resize([reach, -reach], size - size % 2).tolist() + [0] * (size % 2)), np.zeros(size, int)


def far_both(rng, size, dtype):
    reach = rng.choice([5, 50, 480] if dtype == "float64" else [5, 25, 50])
    return balanced(rng, size, reach), balanced(rng, size, reach)


def uniform(rng, size, dtype):
    """The whole matrix far from 1, in every direction the type has."""
    reach = (900 if dtype == "float64" else 100) // size
    return np.full(size, rng.integers(-reach, reach, endpoint=True)), np.zeros(size, int)


SUITES = {
    "random": (random, none),
    "condition 1e0-1e5": (graded(0, 5), none),
    "condition 1e5-1e10": (graded(5, 10), none),
    "condition 1e10-1e15": (graded(10, 15), none),
    "hilbert": (hilbert, none),
    "permuted": (permuted, none),
    "tensor": (tensor, none),
    "nearly singular": (dependent, none),
    "far rows": (random, far_rows),
    "far rows, permuted": (permuted, far_rows),
    "far rows and columns": (random, far_both),
    "far off": (random, uniform),
}


class Suite(NamedTuple):
    a: np.ndarray
    b: np.ndarray
    rows: np.ndarray  # the exponents of D1
    cols: np.ndarray  # and D2
    inverse: Exact
    det: Exact
    solution: Exact


@cache
def suite(name, dtype, size, count=24):
    """`count` matrices of one kind, with two right-hand sides each."""
    make, scale = SUITES[name]
    rng = np.random.default_rng([sorted(SUITES).index(name), size])
    cores, sides, rows, cols, answers = [], [], [], [], []
    while len(cores) < count:
        core, side = (x.astype(dtype).astype(float) for x in (make(rng, size, dtype), rng.standard_normal((size, 2))))
        answer = exact(core, side)
        if answer is None:
            continue
        answers.append(answer)
        cores.append(core)
        sides.append(side)
        exponents = scale(rng, size, dtype)
        rows.append(exponents[0])
        cols.append(exponents[1])
    rows, cols = np.array(rows), np.array(cols)
    a = np.ldexp(cores, rows[:, :, None] + cols[:, None, :]).astype(dtype)
    b = np.ldexp(sides, rows[:, :, None]).astype(dtype)
    return Suite(a, b, rows, cols, *(Exact.stack(each) for each in zip(*answers, strict=True)))


def errors(s, op, x):
    """The error of each cell of a result for the suite `s`, from 0 to 1 (no digit right).

    Relative to the largest element of the result, and to that of D2 inv(A D1 ..) without D1 and D2.
    """
    answer = {"inv": s.inverse, "det": s.det, "solve": s.solution}[op]
    exponents = {
        "inv": s.cols[:, :, None] + s.rows[:, None, :],
        "det": -(s.rows + s.cols).sum(1),
        "solve": s.cols[:, :, None] + 0 * s.rows[:, None, :1],
    }[op]
    difference = answer.error(np.ldexp(x.astype(float), exponents))
    return [relative(np.ldexp(difference, -e), np.ldexp(answer.high, -e)) for e in (exponents, 0 * exponents)]


def relative(difference, answer):
    axes = tuple(range(1, answer.ndim))
    error = np.abs(difference).max(axes) / np.abs(answer).max(axes)
    return np.fmin(error, 1.0)


def residual(a, x, b):
    """|A x - b| / (|A| |x| + |b|) of each column of each cell, in the largest norm."""
    a, x, b = (y.astype(np.longdouble) for y in (a, x, b))
    norm = np.abs(a).sum(-1).max(-1)[:, None] * np.abs(x).max(-2) + np.abs(b).max(-2)
    return np.abs(a @ x - b).max(-2) / norm
