"""Numba: closed forms and unrolled products, compiled to generalised ufuncs for this machine."""

import re
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import product
from math import exp, log, sin, sqrt, tanh

from benchmarks.harness import looped


class Numba:
    name = "Numba"
    absent = None if find_spec("numba") else "the package numba is not installed"

    def version(self):
        return version("numba")

    def bind(self, problem):
        key = problem.function, problem.size
        if problem.function in ELEMENTWISE:
            return looped(vectorized(problem.function, problem.dtype), *problem.operands, problem.out)
        return looped(compiled(*key, problem.dtype), *problem.inputs, problem.out) if key in KERNELS else None


@cache
def compiled(function, size, dtype):
    import numba

    shapes = SHAPES[function]
    ranks = [len(axes.split(",")) for axes in re.findall(r"\(([^)]*)\)", shapes)]  # a scalar comes as an array of one
    arrays = ", ".join(f"{dtype}[{','.join(':' * rank)}]" for rank in ranks)
    return numba.guvectorize([f"void({arrays})"], shapes, nopython=True)(KERNELS[function, size])


@cache
def vectorized(function, dtype):
    import numba

    kernel = ELEMENTWISE[function]
    return numba.vectorize([f"{dtype}({', '.join([dtype] * kernel.__code__.co_argcount)})"], nopython=True)(kernel)


SHAPES = {
    "inv": "(n,n)->(n,n)",
    "det": "(n,n)->()",
    "solve": "(n,n),(n,k)->(n,k)",
    "solvevec": "(n,n),(n)->(n)",
    "cholesky": "(n,n)->(n,n)",
    "matmul": "(n,n),(n,n)->(n,n)",
    "matvec": "(n,n),(n)->(n)",
    "vecmat": "(n),(n,n)->(n)",
    "outer": "(n),(n)->(n,n)",
    "trace": "(n,n)->()",
}


def inv2(a, x):
    scale = a.dtype.type(1) / (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])
    x00, x11 = a[1, 1] * scale, a[0, 0] * scale
    x[0, 1] = -a[0, 1] * scale
    x[1, 0] = -a[1, 0] * scale
    x[0, 0], x[1, 1] = x00, x11


def det2(a, x):
    x[0] = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]


def solve2(a, b, x):
    scale = a.dtype.type(1) / (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])
    for k in range(b.shape[1]):
        b0, b1 = b[0, k] * scale, b[1, k] * scale
        x[0, k] = a[1, 1] * b0 - a[0, 1] * b1
        x[1, k] = a[0, 0] * b1 - a[1, 0] * b0


def inv3(a, x):
    a00, a01, a02 = a[0, 0], a[0, 1], a[0, 2]
    a10, a11, a12 = a[1, 0], a[1, 1], a[1, 2]
    a20, a21, a22 = a[2, 0], a[2, 1], a[2, 2]
    c0, c1, c2 = a11 * a22 - a12 * a21, a12 * a20 - a10 * a22, a10 * a21 - a11 * a20
    scale = a.dtype.type(1) / (a00 * c0 + a01 * c1 + a02 * c2)
    x[0, 0], x[0, 1], x[0, 2] = c0 * scale, (a02 * a21 - a01 * a22) * scale, (a01 * a12 - a02 * a11) * scale
    x[1, 0], x[1, 1], x[1, 2] = c1 * scale, (a00 * a22 - a02 * a20) * scale, (a02 * a10 - a00 * a12) * scale
    x[2, 0], x[2, 1], x[2, 2] = c2 * scale, (a01 * a20 - a00 * a21) * scale, (a00 * a11 - a01 * a10) * scale


def det3(a, x):
    x[0] = (
        a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1])
        + a[0, 1] * (a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2])
        + a[0, 2] * (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0])
    )


def solve3(a, b, x):
    a00, a01, a02 = a[0, 0], a[0, 1], a[0, 2]
    a10, a11, a12 = a[1, 0], a[1, 1], a[1, 2]
    a20, a21, a22 = a[2, 0], a[2, 1], a[2, 2]
    c0, c1, c2 = a11 * a22 - a12 * a21, a12 * a20 - a10 * a22, a10 * a21 - a11 * a20
    scale = a.dtype.type(1) / (a00 * c0 + a01 * c1 + a02 * c2)
    for k in range(b.shape[1]):
        b0, b1, b2 = b[0, k] * scale, b[1, k] * scale, b[2, k] * scale
        x[0, k] = c0 * b0 + (a02 * a21 - a01 * a22) * b1 + (a01 * a12 - a02 * a11) * b2
        x[1, k] = c1 * b0 + (a00 * a22 - a02 * a20) * b1 + (a02 * a10 - a00 * a12) * b2
        x[2, k] = c2 * b0 + (a01 * a20 - a00 * a21) * b1 + (a00 * a11 - a01 * a10) * b2


def inv4(a, x):
    a00, a01, a02, a03 = a[0, 0], a[0, 1], a[0, 2], a[0, 3]
    a10, a11, a12, a13 = a[1, 0], a[1, 1], a[1, 2], a[1, 3]
    a20, a21, a22, a23 = a[2, 0], a[2, 1], a[2, 2], a[2, 3]
    a30, a31, a32, a33 = a[3, 0], a[3, 1], a[3, 2], a[3, 3]
    # the 2 x 2 minors of the upper and of the lower two rows
    s0, s1, s2 = a00 * a11 - a10 * a01, a00 * a12 - a10 * a02, a00 * a13 - a10 * a03
    s3, s4, s5 = a01 * a12 - a11 * a02, a01 * a13 - a11 * a03, a02 * a13 - a12 * a03
    c5, c4, c3 = a22 * a33 - a32 * a23, a21 * a33 - a31 * a23, a21 * a32 - a31 * a22
    c2, c1, c0 = a20 * a33 - a30 * a23, a20 * a32 - a30 * a22, a20 * a31 - a30 * a21
    scale = a.dtype.type(1) / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0)
    x[0, 0] = (a11 * c5 - a12 * c4 + a13 * c3) * scale
    x[0, 1] = (-a01 * c5 + a02 * c4 - a03 * c3) * scale
    x[0, 2] = (a31 * s5 - a32 * s4 + a33 * s3) * scale
    x[0, 3] = (-a21 * s5 + a22 * s4 - a23 * s3) * scale
    x[1, 0] = (-a10 * c5 + a12 * c2 - a13 * c1) * scale
    x[1, 1] = (a00 * c5 - a02 * c2 + a03 * c1) * scale
    x[1, 2] = (-a30 * s5 + a32 * s2 - a33 * s1) * scale
    x[1, 3] = (a20 * s5 - a22 * s2 + a23 * s1) * scale
    x[2, 0] = (a10 * c4 - a11 * c2 + a13 * c0) * scale
    x[2, 1] = (-a00 * c4 + a01 * c2 - a03 * c0) * scale
    x[2, 2] = (a30 * s4 - a31 * s2 + a33 * s0) * scale
    x[2, 3] = (-a20 * s4 + a21 * s2 - a23 * s0) * scale
    x[3, 0] = (-a10 * c3 + a11 * c1 - a12 * c0) * scale
    x[3, 1] = (a00 * c3 - a01 * c1 + a02 * c0) * scale
    x[3, 2] = (-a30 * s3 + a31 * s1 - a32 * s0) * scale
    x[3, 3] = (a20 * s3 - a21 * s1 + a22 * s0) * scale


def det4(a, x):
    s0, s1 = a[0, 0] * a[1, 1] - a[1, 0] * a[0, 1], a[0, 0] * a[1, 2] - a[1, 0] * a[0, 2]
    s2, s3 = a[0, 0] * a[1, 3] - a[1, 0] * a[0, 3], a[0, 1] * a[1, 2] - a[1, 1] * a[0, 2]
    s4, s5 = a[0, 1] * a[1, 3] - a[1, 1] * a[0, 3], a[0, 2] * a[1, 3] - a[1, 2] * a[0, 3]
    c5, c4 = a[2, 2] * a[3, 3] - a[3, 2] * a[2, 3], a[2, 1] * a[3, 3] - a[3, 1] * a[2, 3]
    c3, c2 = a[2, 1] * a[3, 2] - a[3, 1] * a[2, 2], a[2, 0] * a[3, 3] - a[3, 0] * a[2, 3]
    c1, c0 = a[2, 0] * a[3, 2] - a[3, 0] * a[2, 2], a[2, 0] * a[3, 1] - a[3, 0] * a[2, 1]
    x[0] = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0


def solvevec2(a, b, x):
    scale = a.dtype.type(1) / (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])
    b0, b1 = b[0] * scale, b[1] * scale
    x[0], x[1] = a[1, 1] * b0 - a[0, 1] * b1, a[0, 0] * b1 - a[1, 0] * b0


def solvevec3(a, b, x):
    a00, a01, a02 = a[0, 0], a[0, 1], a[0, 2]
    a10, a11, a12 = a[1, 0], a[1, 1], a[1, 2]
    a20, a21, a22 = a[2, 0], a[2, 1], a[2, 2]
    c0, c1, c2 = a11 * a22 - a12 * a21, a12 * a20 - a10 * a22, a10 * a21 - a11 * a20
    scale = a.dtype.type(1) / (a00 * c0 + a01 * c1 + a02 * c2)
    b0, b1, b2 = b[0] * scale, b[1] * scale, b[2] * scale
    x[0] = c0 * b0 + (a02 * a21 - a01 * a22) * b1 + (a01 * a12 - a02 * a11) * b2
    x[1] = c1 * b0 + (a00 * a22 - a02 * a20) * b1 + (a02 * a10 - a00 * a12) * b2
    x[2] = c2 * b0 + (a01 * a20 - a00 * a21) * b1 + (a00 * a11 - a01 * a10) * b2


def cholesky2(a, x):
    l00 = sqrt(a[0, 0])
    l10 = a[1, 0] / l00
    x[0, 0], x[0, 1] = l00, 0
    x[1, 0], x[1, 1] = l10, sqrt(a[1, 1] - l10 * l10)


def cholesky3(a, x):
    a10, a11, a20, a21, a22 = a[1, 0], a[1, 1], a[2, 0], a[2, 1], a[2, 2]
    l00 = sqrt(a[0, 0])
    l10, l20 = a10 / l00, a20 / l00
    l11 = sqrt(a11 - l10 * l10)
    l21 = (a21 - l20 * l10) / l11
    x[0, 0], x[0, 1], x[0, 2] = l00, 0, 0
    x[1, 0], x[1, 1], x[1, 2] = l10, l11, 0
    x[2, 0], x[2, 1], x[2, 2] = l20, l21, sqrt(a22 - l20 * l20 - l21 * l21)


def cholesky4(a, x):
    a10, a11, a20, a21, a22 = a[1, 0], a[1, 1], a[2, 0], a[2, 1], a[2, 2]
    a30, a31, a32, a33 = a[3, 0], a[3, 1], a[3, 2], a[3, 3]
    l00 = sqrt(a[0, 0])
    l10, l20, l30 = a10 / l00, a20 / l00, a30 / l00
    l11 = sqrt(a11 - l10 * l10)
    l21, l31 = (a21 - l20 * l10) / l11, (a31 - l30 * l10) / l11
    l22 = sqrt(a22 - l20 * l20 - l21 * l21)
    l32 = (a32 - l30 * l20 - l31 * l21) / l22
    x[0, 0], x[0, 1], x[0, 2], x[0, 3] = l00, 0, 0, 0
    x[1, 0], x[1, 1], x[1, 2], x[1, 3] = l10, l11, 0, 0
    x[2, 0], x[2, 1], x[2, 2], x[2, 3] = l20, l21, l22, 0
    x[3, 0], x[3, 1], x[3, 2], x[3, 3] = l30, l31, l32, sqrt(a33 - l30 * l30 - l31 * l31 - l32 * l32)


# Products are unrolled as text: entries in variables of their own, all read before any is written, measured more than
# twice as fast as loops of constant length.


def kernel(name, arguments, statements):
    names = {}
    exec(f"def {name}({arguments}):\n    " + "\n    ".join(statements), names)
    return names[name]


def entries(x, *axes):
    """Statements that put each entry ``x[i, j]`` into ``xij``."""
    return [f"{x}{''.join(map(str, index))} = {x}[{', '.join(map(str, index))}]" for index in product(*axes)]


def products(n):
    every = range(n)
    matrix, vector = entries("a", every, every), entries("x", every)
    total = " + ".join
    yield kernel("matmul", "a, b, c", [
        *matrix, *entries("b", every, every),
        *(f"c[{i}, {j}] = {total(f'a{i}{k} * b{k}{j}' for k in every)}" for i in every for j in every),
    ])
    yield kernel("matvec", "a, x, y", [
        *matrix, *vector, *(f"y[{i}] = {total(f'a{i}{k} * x{k}' for k in every)}" for i in every),
    ])
    yield kernel("vecmat", "x, a, y", [
        *matrix, *vector, *(f"y[{j}] = {total(f'x{k} * a{k}{j}' for k in every)}" for j in every),
    ])
    yield kernel("outer", "x, y, c", [
        *vector, *entries("y", every), *(f"c[{i}, {j}] = x{i} * y{j}" for i in every for j in every),
    ])
    yield kernel("trace", "a, t", ["t[0] = " + total(f"a[{i}, {i}]" for i in every)])


CLOSED = (inv2, inv3, inv4, det2, det3, det4, solve2, solve3, solvevec2, solvevec3, cholesky2, cholesky3, cholesky4)
KERNELS = {(closed.__name__[:-1], int(closed.__name__[-1])): closed for closed in CLOSED}
KERNELS |= {(unrolled.__name__, n): unrolled for n in (2, 3, 4) for unrolled in products(n)}

# By ufuncs of one loop, which LLVM vectorises; its functions of libm only with a library for that.
ELEMENTWISE = {
    "add": lambda x, y: x + y,
    "div": lambda x, y: x / y,
    "minimum": lambda x, y: min(x, y),
    "square": lambda x: x * x,
    "sqrt": lambda x: sqrt(x),
    "exp": lambda x: exp(x),
    "log": lambda x: log(x),
    "sin": lambda x: sin(x),
    "tanh": lambda x: tanh(x),
    "add to": lambda x, y: x + y,
    "scale": lambda x: -x,
}
