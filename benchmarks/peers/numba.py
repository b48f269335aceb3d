"""Numba: closed forms written by hand, compiled to generalised ufuncs for this machine."""

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec

from benchmarks.harness import looped


class Numba:
    name = "Numba"
    absent = None if find_spec("numba") else "the package numba is not installed"
    slow = False

    def version(self):
        return version("numba")

    def bind(self, problem):
        kernel = KERNELS.get((problem.function, problem.size))
        if kernel is None:
            return None
        return looped(compiled(problem.function, kernel, problem.dtype), *problem.inputs, problem.out)


@cache
def compiled(function, kernel, dtype):
    import numba

    shapes, ranks = SHAPES[function]
    arrays = ", ".join(f"{dtype}[{','.join(':' * rank)}]" for rank in ranks)
    return numba.guvectorize([f"void({arrays})"], shapes, nopython=True)(kernel)


# The shapes of a gufunc, and the ranks of its arguments inside it.
SHAPES = {
    "inv": ("(n,n)->(n,n)", (2, 2)),
    "det": ("(n,n)->()", (2, 1)),
    "solve": ("(n,n),(n,k)->(n,k)", (2, 2, 2)),
}


def inv2(a, x):
    scale = 1 / (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])
    x00, x11 = a[1, 1] * scale, a[0, 0] * scale
    x[0, 1] = -a[0, 1] * scale
    x[1, 0] = -a[1, 0] * scale
    x[0, 0], x[1, 1] = x00, x11


def det2(a, x):
    x[0] = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]


def solve2(a, b, x):
    scale = 1 / (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])
    for k in range(b.shape[1]):
        b0, b1 = b[0, k] * scale, b[1, k] * scale
        x[0, k] = a[1, 1] * b0 - a[0, 1] * b1
        x[1, k] = a[0, 0] * b1 - a[1, 0] * b0


def inv3(a, x):
    a00, a01, a02 = a[0, 0], a[0, 1], a[0, 2]
    a10, a11, a12 = a[1, 0], a[1, 1], a[1, 2]
    a20, a21, a22 = a[2, 0], a[2, 1], a[2, 2]
    c0, c1, c2 = a11 * a22 - a12 * a21, a12 * a20 - a10 * a22, a10 * a21 - a11 * a20
    scale = 1 / (a00 * c0 + a01 * c1 + a02 * c2)
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
    scale = 1 / (a00 * c0 + a01 * c1 + a02 * c2)
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
    scale = 1 / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0)
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


KERNELS = {
    ("inv", 2): inv2,
    ("inv", 3): inv3,
    ("inv", 4): inv4,
    ("det", 2): det2,
    ("det", 3): det3,
    ("det", 4): det4,
    ("solve", 2): solve2,
    ("solve", 3): solve3,
}
