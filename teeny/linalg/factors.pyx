"""Positive definite matrices: Cholesky factors, and systems solved by them."""

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.errors import LinAlgError
from teeny._core.operands cimport acquire_input
from teeny.call cimport call
from teeny.ops cimport CHO_SOLVE, CHOLESKY, Operation

cnp.import_array()

__all__ = ["cho_solve", "cholesky"]


cdef object transposed(object x):
    """The transpose of each square matrix; what holds none is left to be refused."""
    return x.swapaxes(-1, -2) if x.ndim >= 2 and x.shape[-1] == x.shape[-2] else x


cdef object column(object x):
    return x[..., None]


cdef object only_column(object x):
    return x[..., 0]


ctypedef object (*view_t)(object)


cdef object call_behind(view_t there, view_t back, Operation op, tuple arguments, object out, object workers,
                        object on_error, object info):
    """`call` where the user sees the result, and has given `out`, on this side of a view: `back` of what is `there`."""
    try:
        answer = call(op, arguments, there(out) if isinstance(out, np.ndarray) else out, workers, on_error, info)
    except LinAlgError as error:
        if error.result is not None:
            error.result = back(error.result) if out is None else out
        raise
    result, status = answer if info else (answer, None)
    result = back(result) if out is None else out
    return (result, status) if info else result


def cholesky(a, *, upper=False, out=None, workers=None, on_error="raise", info=False):
    """
    Cholesky factor of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Symmetric (or Hermitian) positive definite matrices. Only the lower triangle is read,
        or only the upper one with ``upper=True``; the other may hold anything.
    upper : bool, optional
        Return the upper triangular factor ``U`` of ``A = U^H U`` instead of the lower
        triangular ``L`` of ``A = L L^H``.
    out : ndarray, shape (..., C, C), optional
        Where the result goes, of the result's dtype. It may overlap `a` in any
        way; the result is as if `a` had been copied first.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a matrix that is not positive definite does. All others are factored in either case.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    l : ndarray, shape (..., C, C)
        The factor, in the dtype of `a`, float64 for integers; zeros in the other triangle.
        A matrix that is not positive definite or not finite gives NaN throughout.
    info : ndarray of int32, shape (...)
        0, 1 for a matrix that is not positive definite, 2 for one that is not finite. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite and `on_error` is ``"raise"``: its message names
        the number of such matrices and the first of them, and ``.result`` and ``.info`` hold
        everything that was computed. As in NumPy, NaN does not raise.
    SquareError, ShapeError
        If the last two axes are not square; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    See Also
    --------
    cho_solve : solve linear systems with the factor.

    Notes
    -----
    Column by column, without exchanges (Golub and Van Loan, Matrix Computations, 4th ed.,
    sec. 4.2). The factor is that of a matrix within ``(C + 1) eps |A|`` of `a`; rounding decides
    whether one that is singular to that precision counts as positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    if not upper:
        return call(CHOLESKY, (a,), out, workers, on_error, info)
    # the lower factor of the transpose, which is the conjugate, transposed
    a = transposed(acquire_input(a, "cholesky", "a"))
    return call_behind(transposed, transposed, CHOLESKY, (a,), out, workers, on_error, info)


def cho_solve(l, b, *, upper=False, out=None, workers=None, on_error="raise", info=False):
    """
    Solution of a linear system for each matrix of a batch, given its Cholesky factor.

    Parameters
    ----------
    l : array_like, shape (..., C, C)
        Lower triangular factors ``L`` of the matrices ``A = L L^H``, as of `cholesky`. The strict
        upper triangle is not read.
    b : array_like, shape (C,) or (..., C, K)
        Right-hand sides: one vector for all if 1-D, else matrices, as in `solve`.
    upper : bool, optional
        `l` holds upper triangular factors ``U`` of ``A = U^H U``; its strict lower triangle is not read.
    out : ndarray, optional
        Where the result goes, of the result's shape and dtype. It may overlap `l`
        and `b` in any way; the result is as if they had been copied first.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a singular factor does. All other systems are solved in either case.
    info : bool, optional
        Return the status of each factor too.

    Returns
    -------
    x : ndarray, shape (..., C) or (..., C, K)
        NumPy's result dtype. A factor that is singular or not finite gives NaN.
    info : ndarray of int32, shape (...)
        0, 1 for a factor with a zero on its diagonal, 2 for one that is not finite. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If a factor has a zero on its diagonal and `on_error` is ``"raise"``; see `cholesky`.
    ShapeError
        If the shapes do not fit together.
    DTypeError
        If `l` or `b` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    See Also
    --------
    cholesky : the factors.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> a, b = np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([6.0, 7.0])
    >>> tny.linalg.cho_solve(tny.linalg.cholesky(a), b)
    array([1., 1.])
    """
    cdef ndarray y = acquire_input(b, "cho_solve", "b")
    if upper:
        l = transposed(acquire_input(l, "cho_solve", "l"))
        if cnp.PyArray_ISCOMPLEX(<ndarray> l):
            l = l.conj()
    if cnp.PyArray_NDIM(y) == 1:
        return call_behind(column, only_column, CHO_SOLVE, (l, column(y)), out, workers, on_error, info)
    return call(CHO_SOLVE, (l, y), out, workers, on_error, info)
