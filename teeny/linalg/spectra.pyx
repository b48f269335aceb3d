"""Eigenvalues and eigenvectors of batches of small symmetric matrices."""

from typing import NamedTuple

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.errors import ArgumentError
from teeny._core.operands cimport acquire_input
from teeny.call cimport call
from teeny.ops cimport EIGH, EIGVALSH

cnp.import_array()

__all__ = ["EighResult", "eigh", "eigvalsh"]


class EighResult(NamedTuple):
    """What `eigh` returns."""

    eigenvalues: np.ndarray
    eigenvectors: np.ndarray


def eigh(a, UPLO="L", *, out=None, workers=None, on_error="raise", info=False):
    """
    Eigenvalues and eigenvectors of each symmetric (or complex Hermitian) matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square matrices, of which one triangle is read; the other may hold anything.
    UPLO : {"L", "U"}, optional
        The triangle that is read, lower or upper. (The upper one of complex matrices
        is read from a conjugate copy.)
    out : tuple of (ndarray or None), optional
        Where the two results go, of their shape and dtype. They may overlap `a` in any
        way; the result is as if `a` had been copied first (if their memory meets, and
        not cell for cell, it passes through a temporary).
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a matrix does whose eigenvalues did not converge.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    eigenvalues : ndarray, shape (..., C)
        In ascending order. float32 for float32 and complex64, float64 for others.
    eigenvectors : ndarray, shape (..., C, C)
        Column i, of length 1, belongs to eigenvalue i; its sign follows from the matrix
        alone.
    info : ndarray of int32, shape (...)
        0, 1 for a matrix whose eigenvalues did not converge, 2 for one that is not
        finite; its results are NaN. Only with ``info=True``, beside a pair of the others.

    Raises
    ------
    LinAlgError
        If the eigenvalues of a matrix did not converge and `on_error` is ``"raise"``:
        ``.result`` and ``.info`` hold everything that was computed. No matrix of up to 8 x 8
        is known to do that; one that is not finite does not raise, whatever its size.
    SquareError, ShapeError
        If the last two axes are not square; if an array of `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or an array of `out` has another dtype.
    LayoutError
        If an array of `out` is read-only, unaligned, byte-swapped, or overlaps itself or the other.
    ArgumentError
        If `UPLO` is neither ``"L"`` nor ``"U"``; if `out` is not a tuple of two.

    See Also
    --------
    eigvalsh : the eigenvalues alone.

    Notes
    -----
    2 x 2 by a rotation; 3 x 3 by splitting off the eigenvalue farthest from the others,
    with a correction that makes its vector as accurate as the rest; up to 8 x 8 by
    Householder reflections and implicit QR (Golub and Van Loan, Matrix Computations, 4th
    ed., sec. 8.3), refined in float64 by a step of Newton's method (Ogita and Aishima,
    Japan J. Indust. Appl. Math. 35, 2018). Residuals and deviations from orthogonality
    are below 10 eps, whether or not eigenvalues coincide.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> w, v = tny.linalg.eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> w
    array([1., 3.])
    >>> v.round(4)
    array([[-0.7071,  0.7071],
           [ 0.7071,  0.7071]])
    """
    result = call(EIGH, (lower(a, UPLO, "eigh"),), out, workers, on_error, info)
    return (EighResult(*result[0]), result[1]) if info else EighResult(*result)


def eigvalsh(a, UPLO="L", *, out=None, workers=None, on_error="raise", info=False):
    """
    Eigenvalues of each symmetric (or complex Hermitian) matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square matrices, of which one triangle is read; the other may hold anything.
    UPLO : {"L", "U"}, optional
        The triangle that is read, lower or upper. (The upper one of complex matrices
        is read from a conjugate copy.)
    out : ndarray, shape (..., C), optional
        Where the result goes, of the result's dtype. It may overlap `a`.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a matrix does whose eigenvalues did not converge.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    eigenvalues : ndarray, shape (..., C)
        In ascending order. float32 for float32 and complex64, float64 for others.
    info : ndarray of int32, shape (...)
        0, 1 for a matrix whose eigenvalues did not converge, 2 for one that is not
        finite; its eigenvalues are NaN. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If the eigenvalues of a matrix did not converge and `on_error` is ``"raise"``; see `eigh`.
    SquareError, ShapeError
        If the last two axes are not square; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.
    ArgumentError
        If `UPLO` is neither ``"L"`` nor ``"U"``.

    See Also
    --------
    eigh : the eigenvectors too.

    Notes
    -----
    The algorithms of `eigh`; up to rounding errors, so are the values.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.eigvalsh(np.array([[[2.0, 1.0], [1.0, 2.0]], [[3.0, 0.0], [0.0, -3.0]]]))
    array([[ 1.,  3.],
           [-3.,  3.]])
    """
    return call(EIGVALSH, (lower(a, UPLO, "eigvalsh"),), out, workers, on_error, info)


cdef object lower(a, uplo, str function):
    """The argument as a matrix of which the lower triangle is to be read."""
    cdef ndarray x
    if not isinstance(uplo, str) or uplo.upper() not in ("L", "U"):
        raise ArgumentError(f"{function}: UPLO must be 'L' or 'U', not {uplo!r}")
    if uplo in "Ll":
        return a
    x = acquire_input(a, function, "a")
    if x.ndim < 2 or x.shape[x.ndim - 1] != x.shape[x.ndim - 2]:
        return x  # to be refused
    return np.conj(np.swapaxes(x, -1, -2)) if cnp.PyArray_ISCOMPLEX(x) else np.swapaxes(x, -1, -2)
