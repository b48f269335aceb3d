"""Linear systems on batches of small matrices: inverses, determinants, solutions."""

from typing import NamedTuple

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.operands cimport acquire_input
from teeny.call cimport call
from teeny.ops cimport DET, INV, SLOGDET, SOLVE, SOLVEVEC

cnp.import_array()

__all__ = ["SlogdetResult", "det", "inv", "slogdet", "solve", "solvevec"]


class SlogdetResult(NamedTuple):
    """The determinant as ``sign * exp(logabsdet)``."""

    sign: object
    logabsdet: object


def inv(a, *, out=None, workers=None, on_error="raise", info=False):
    """
    Inverse of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square matrices.
    out : ndarray, shape (..., C, C), optional
        Where the result goes, of the result's dtype. It may overlap `a` in any
        way; the result is as if `a` had been copied first (if their memory meets, and
        not cell for cell, it passes through a temporary).
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a singular matrix does. All others are inverted in either case.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    x : ndarray, shape (..., C, C)
        In the dtype of `a`; float64 for integers.
        A matrix that is singular or not finite gives NaN.
    info : ndarray of int32, shape (...)
        0, 1 for a singular matrix, 2 for one that is not finite. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular and `on_error` is ``"raise"``: its message
        names the number of singular matrices and the first of them, and
        ``.result`` and ``.info`` hold everything that was computed.
    SquareError, ShapeError
        If the last two axes are not square; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    See Also
    --------
    solve : often better than multiplying by an inverse.

    Notes
    -----
    2 x 2 and 3 x 3 by cofactors, each right to about an ulp; other sizes, and
    whatever is close to singular, by Gaussian elimination with partial pivoting
    (Golub and Van Loan, Matrix Computations, 4th ed., sec. 3.4). Rounding decides
    whether a nearly singular matrix counts as singular: do not rely on it.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> a = np.array([[[2.0, 0.0], [0.0, 4.0]], [[1.0, 1.0], [0.0, 1.0]]])
    >>> tny.linalg.inv(a)
    array([[[ 0.5 ,  0.  ],
            [ 0.  ,  0.25]],
    <BLANKLINE>
           [[ 1.  , -1.  ],
            [ 0.  ,  1.  ]]])
    """
    return call(INV, (a,), out, workers, on_error, info)


def det(a, *, out=None, workers=None):
    """
    Determinant of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square matrices.
    out : ndarray, shape (...), optional
        Where the result goes, of the result's dtype.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    d : ndarray, shape (...)
        In the dtype of `a`, float64 for integers; a scalar for a single matrix.

    Raises
    ------
    SquareError, ShapeError
        If the last two axes are not square; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Notes
    -----
    2 x 2 and 3 x 3 by the first row, other sizes by Gaussian elimination with
    partial pivoting. Exact for matrices of small integers.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.det(np.array([[[1.0, 2.0], [3.0, 4.0]], [[2.0, 0.0], [0.0, 3.0]]]))
    array([-2.,  6.])
    """
    return call(DET, (a,), out, workers, "nan", False)


def slogdet(a, *, out=None, workers=None):
    """
    Sign of the determinant of each matrix of a batch, and the logarithm of its absolute value.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square matrices.
    out : tuple of (ndarray or None), optional
        Where the two results go, of their shape and dtype.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    sign : ndarray, shape (...)
        1, -1 or 0, or a number of magnitude 1 for complex matrices.
    logabsdet : ndarray, shape (...)
        Minus infinity for a singular matrix. Real.

    Raises
    ------
    SquareError, ShapeError
        If the last two axes are not square; if an array of `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or an array of `out` has another dtype.
    LayoutError
        If an array of `out` is read-only, unaligned, byte-swapped, or overlaps itself or the other.
    ArgumentError
        If `out` is not a tuple of two.

    Notes
    -----
    The pivots of Gaussian elimination with partial pivoting, mantissas and exponents apart, so that
    nothing overflows.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> sign, logabsdet = tny.linalg.slogdet(-1e200 * np.eye(3))
    >>> print(sign, round(float(logabsdet / np.log(10)), 12))
    -1.0 600.0
    """
    return SlogdetResult(*call(SLOGDET, (a,), out, workers, "nan", False))


def solve(a, b, *, out=None, workers=None, on_error="raise", info=False):
    """
    Solution of a linear system for each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square coefficient matrices.
    b : array_like, shape (C,) or (..., C, K)
        Right-hand sides: one vector for all if 1-D, else matrices, as in NumPy 2.
    out : ndarray, optional
        Where the result goes, of the result's shape and dtype. It may overlap `a`
        and `b` in any way; the result is as if they had been copied first (if their memory
        meets, and not cell for cell, it passes through a temporary).
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a singular matrix does. All other systems are solved in either case.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    x : ndarray, shape (..., C) or (..., C, K)
        NumPy's result dtype. A matrix that is singular or not finite gives NaN.
    info : ndarray of int32, shape (...)
        0, 1 for a singular matrix, 2 for one that is not finite. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular and `on_error` is ``"raise"``; see `inv`.
    ShapeError
        If the shapes do not fit together.
    DTypeError
        If `a` or `b` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Notes
    -----
    Gaussian elimination with partial pivoting (Golub and Van Loan, Matrix
    Computations, 4th ed., sec. 3.4).

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 2.0]))
    array([0.5, 0.5])
    """
    cdef ndarray y = acquire_input(b, "solve", "b")
    return call(SOLVEVEC if cnp.PyArray_NDIM(y) == 1 else SOLVE, (a, y), out, workers, on_error, info, (), "solve")


def solvevec(a, b, *, out=None, workers=None, on_error="raise", info=False):
    """
    Solution of a linear system with one right-hand side for each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square coefficient matrices.
    b : array_like, shape (..., C)
        Right-hand sides, one vector per matrix; the batch axes broadcast.
    out : ndarray, shape (..., C), optional
        Where the result goes, of the result's dtype. It may overlap `a` and `b`, as in `solve`.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a singular matrix does. All other systems are solved in either case.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    x : ndarray, shape (..., C)
        NumPy's result dtype. A matrix that is singular or not finite gives NaN.
    info : ndarray of int32, shape (...)
        0, 1 for a singular matrix, 2 for one that is not finite. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular and `on_error` is ``"raise"``; see `inv`.
    ShapeError
        If the shapes do not fit together.
    DTypeError
        If `a` or `b` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    See Also
    --------
    solve : follows NumPy, where right-hand sides of more than one axis are matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> a = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> tny.linalg.solvevec(a, np.array([[3.0, 4.0], [1.0, 3.0]]))
    array([[1., 1.],
           [0., 1.]])
    """
    return call(SOLVEVEC, (a, b), out, workers, on_error, info)

