"""LAPACK, through NumPy: every size, real, complex and integer."""

import numpy as np

from teeny._core.vocabulary import SINGULAR
from teeny.backends.base import Accepts, Backend

__all__ = ["Lapack"]


class Lapack(Backend):
    """Linear algebra of any size, by the LAPACK that NumPy was built with.

    Examples
    --------
    >>> from teeny.backends import Lapack
    >>> Lapack()
    Lapack()
    """

    takes = "float32, float64, complex64, complex128 and integer matrices of any size"

    def accepts(self, op, *operands):
        known = op.name in _KERNELS and all(x.dtype.char in "fdFD" for x in operands[: len(op.inputs)])
        return Accepts.YES if known else Accepts.NO

    def try_kernel(self, op, *operands):
        with np.errstate(all="ignore"):  # the kernels are silent on NaN and overflow, so is this
            _KERNELS[op.name](*operands)
        return True


def _det(a, d):
    d[...] = np.linalg.det(a)


def _inv(a, x, info):
    _fill(np.linalg.inv, a, (), x, info)


def _solve(a, b, x, info):
    _fill(np.linalg.solve, a, (b,), x, info)


def _fill(function, a, more, x, info):
    """x = function(a, *more), with NaN and a status where `a` is singular."""
    try:
        x[...] = function(a, *more)
    except np.linalg.LinAlgError:
        # the sign comes from the same factorisation, cell by cell
        singular = np.linalg.slogdet(a)[0] == 0
        regular = np.where(singular[..., None, None], np.eye(a.shape[-1], dtype=a.dtype), a)
        x[...] = function(regular, *more)
        singular = np.broadcast_to(singular, info.shape)
        x[singular] = np.nan
        info[singular] = SINGULAR


_KERNELS = {"det": _det, "inv": _inv, "solve": _solve}
