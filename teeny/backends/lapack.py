"""LAPACK, through NumPy: every size, real, complex and integer."""

import math

import numpy as np

from teeny.backends.base import Accepts, Backend
from teeny.ops import FAILED, UNDEFINED

__all__ = ["Lapack"]


class Lapack(Backend):
    """Linear algebra of any size, by the BLAS and LAPACK that NumPy was built with.

    Examples
    --------
    >>> from teeny.backends import Lapack
    >>> Lapack()
    Lapack()
    """

    takes = "cells of any size, float32, float64, complex64 or complex128, and integers where they stay integers"

    def accepts(self, op, *operands):
        chars = "fdFD" if op.inexact else "fdFD?bBhHiIlLqQ"
        known = op.name in _FUNCTIONS and all(x.dtype.char in chars for x in operands[: len(op.inputs)])
        return Accepts.YES if known else Accepts.NO

    def try_kernel(self, op, *operands):
        inputs, outputs = list(operands[: len(op.inputs)]), operands[len(op.inputs) :]
        function = _FUNCTIONS[op.name]
        with np.errstate(all="ignore"):  # the kernels are silent on NaN and overflow, so is this
            if "info" in op.outputs:
                _report(op, function, inputs, outputs[:-1], outputs[-1])
            else:
                _store(function(*inputs, outputs), outputs)
        return True


def _report(op, function, inputs, outputs, info):
    """Results and status; a matrix that is not finite never reaches LAPACK."""
    inputs = [
        np.broadcast_to(x, info.shape + x.shape[x.ndim - len(axes) :])
        for x, axes in zip(inputs, op.inputs.values(), strict=True)
    ]
    if op.name in _TRIANGULAR:
        inputs[0] = np.tril(inputs[0])
    cell = inputs[0].shape[info.ndim :]
    undefined = ~np.isfinite(inputs[0]).all(tuple(range(-len(cell), 0)))
    if undefined.any():
        identity = np.eye(*cell) if len(cell) == 2 else _pack(np.eye(_order(*cell)))
        inputs[0] = np.where(undefined[(..., *[None] * len(cell))], identity, inputs[0])
    _fill(function, inputs, outputs, info)
    _lose(undefined, outputs, info, UNDEFINED)


def _fill(function, inputs, outputs, info):
    """All cells at once; by halves where one of them fails, since LAPACK does not say which."""
    try:
        _store(function(*inputs, outputs), outputs)
    except np.linalg.LinAlgError:
        if info.size == 1:
            _lose(np.ones(info.shape, bool), outputs, info, FAILED)
            return
        axis = int(np.argmax(info.shape))
        half = info.shape[axis] // 2
        for part in slice(half), slice(half, None):
            index = (*[slice(None)] * axis, part)
            _fill(function, [x[index] for x in inputs], [x[index] for x in outputs], info[index])


def _store(results, outputs):
    for x, result in zip(outputs, results if isinstance(results, tuple) else (results,), strict=True):
        x[...] = result


def _lose(cells, outputs, info, status):
    info[cells] = status
    for x in outputs:
        x[cells] = np.nan if x.dtype.kind in "fc" else 0


def _cho_solve(factor, b, outputs):
    if (np.diagonal(factor, axis1=-2, axis2=-1) == 0).any():
        raise np.linalg.LinAlgError
    return np.linalg.solve(factor.mT.conj(), np.linalg.solve(factor, b))


def _qr(a, outputs):
    return tuple(np.linalg.qr(a, "reduced" if outputs[0].shape[-1] == min(a.shape[-2:]) else "complete"))


def _svd(a, outputs):
    u, _, vh = outputs
    return tuple(np.linalg.svd(a, full_matrices=u.shape[-1] == u.shape[-2] and vh.shape[-1] == vh.shape[-2]))


def _lstsq(a, b, rtol, outputs):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = s > rtol[..., None] * s.max(-1, keepdims=True, initial=0)
    weights = np.divide(1, s, where=kept, out=np.zeros_like(s))
    x = vh.mT.conj() @ (weights[..., None] * (u.mT.conj() @ b))
    return x, np.square(np.abs(b - a @ x)).sum(-2), kept.sum(-1), s


def _expm(a, _):
    """Scaling, a Pade approximant of order 13, squaring, as the leaves do it."""

    def norm(x):
        return np.abs(x).sum(-2).max(-1, initial=0)

    def power_of_two(exponent):
        return np.ldexp(1.0, exponent)[..., None, None]

    identity = np.eye(a.shape[-1])
    a = a.astype(np.result_type(a, float))
    exponent = np.frexp(np.abs(a).max((-2, -1), initial=2.0**-500))[1]
    a *= power_of_two(-exponent)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a2 @ a4
    weights = np.ones((*a.shape[:-2], 1, a.shape[-1]))
    for _ in range(27):
        weights = weights @ np.abs(a)
    spare = np.fmax(2 - np.log2(norm(a6)) / 6, 2 - np.log2(norm(a4 @ a6)) / 10)
    spare = np.fmin(spare, 2 - np.log2(norm(a4 @ a4)) / 8)
    spare = np.fmin(spare, (63.4 + np.log2(norm(a)) - np.log2(weights.max((-2, -1), initial=0))) / 26)
    scale = np.fmin(exponent, np.floor(spare)).astype(int)
    a, a2, a4, a6 = (x * power_of_two(scale * k) for x, k in ((a, 1), (a2, 2), (a4, 4), (a6, 6)))
    u = a6 @ (a6 / 64764752532480000 + a4 / 3953892096000 + a2 / 1585785600)
    u = a @ (u + a6 / 1932000 + a4 * (3 / 18400) + a2 * (11 / 600) + identity / 2)
    v = a6 @ (a6 / 355850288640000 + a4 / 67395888000 + a2 / 48944000)
    v = v + a6 / 96600 + a4 * (11 / 5520) + a2 * (3 / 25) + identity
    x = np.linalg.solve(v - u, v + u)
    squarings = exponent - scale
    for k in range(squarings.max(initial=0)):
        growing = squarings > k
        x[growing] = x[growing] @ x[growing]
    return x


def _order(size):
    """The C of a packed symmetric C x C matrix."""
    return (math.isqrt(8 * size + 1) - 1) // 2


def _places(n):
    """Rows and columns of the lower triangle, in packed order."""
    cols, rows = np.triu_indices(n, 1)
    return np.concatenate([np.arange(n), rows]), np.concatenate([np.arange(n), cols])


def _pack(a):
    rows, cols = _places(a.shape[-1])
    return a[..., rows, cols]


def _unpack(x):
    n = _order(x.shape[-1])
    rows, cols = _places(n)
    a = np.empty((*x.shape[:-1], n, n), x.dtype)
    a[..., rows, cols] = a[..., cols, rows] = x
    return a


#: Called with the inputs, then with the outputs, whose shapes may say what is wanted.
_FUNCTIONS = {
    "inv": lambda a, _: np.linalg.inv(a),
    "det": lambda a, _: np.linalg.det(a),
    "slogdet": lambda a, _: tuple(np.linalg.slogdet(a)),
    "solve": lambda a, b, _: np.linalg.solve(a, b),
    "solvevec": lambda a, b, _: np.linalg.solve(a, b[..., None])[..., 0],
    "cholesky": lambda a, _: np.linalg.cholesky(a),
    "cho_solve": _cho_solve,
    "qr": _qr,
    "eigh": lambda a, _: tuple(np.linalg.eigh(a)),
    "eigvalsh": lambda a, _: np.linalg.eigvalsh(a),
    "svd": _svd,
    "svdvals": lambda a, _: np.linalg.svd(a, compute_uv=False),
    "pinv": lambda a, rtol, _: np.linalg.pinv(a, rtol=rtol),
    "lstsq": _lstsq,
    "matmul": lambda a, b, _: np.matmul(a, b),
    "matvec": lambda a, x, _: np.matmul(a, x[..., None])[..., 0],
    "vecmat": lambda x, a, _: np.matmul(x[..., None, :], a)[..., 0, :],
    "outer": lambda x, y, _: x[..., :, None] * y[..., None, :],
    "trace": lambda a, _: np.trace(a, axis1=-2, axis2=-1),
    "expm": _expm,
    "sym_pack": lambda a, _: _pack(a),
    "sym_unpack": lambda x, _: _unpack(x),
    "sym_matvec": lambda a, x, _: np.matmul(_unpack(a), x[..., None])[..., 0],
    "sym_solve": lambda a, b, _: np.linalg.solve(_unpack(a), b[..., None])[..., 0],
    "sym_inv": lambda a, _: _pack(np.linalg.inv(_unpack(a))),
    "sym_det": lambda a, _: np.linalg.det(_unpack(a)),
}

_TRIANGULAR = {"cholesky", "cho_solve", "eigh", "eigvalsh"}
