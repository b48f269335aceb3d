"""Orthogonal factors of batches of small matrices, of any two sizes: QR, singular values, least squares."""

from libc.stdint cimport int64_t

from typing import NamedTuple

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.errors import ArgumentError, ShapeError
from teeny._core.operands cimport acquire_input
from teeny.call cimport call
from teeny.ops cimport LSTSQ, PINV, QR, SVD, SVDVALS

cnp.import_array()

__all__ = ["QRResult", "SVDResult", "lstsq", "pinv", "qr", "svd", "svdvals"]


class QRResult(NamedTuple):
    """What `qr` returns."""

    Q: np.ndarray
    R: np.ndarray


class SVDResult(NamedTuple):
    """What `svd` returns."""

    U: np.ndarray
    S: np.ndarray
    Vh: np.ndarray


def qr(a, mode="reduced", *, out=None, workers=None):
    """
    QR factorisation of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        Matrices.
    mode : {"reduced", "complete", "r"}, optional
        How many columns Q and rows R have, P: ``min(M, N)``, or M if ``"complete"``.
        ``"r"`` returns the reduced R alone.
    out : tuple of (ndarray or None), optional
        Where Q and R go, of their shape and dtype; one array if `mode` is ``"r"``. They may
        overlap `a` in any way; the result is as if `a` had been copied first (if their memory
        meets, and not cell for cell, it passes through a temporary).
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    Q : ndarray, shape (..., M, P)
        Orthonormal columns.
    R : ndarray, shape (..., P, N)
        Upper triangular. The signs are LAPACK's: its diagonal may be negative.
        A matrix that is not finite gives NaN.

    Raises
    ------
    ShapeError
        If `a` is not at least 2-D; if an array of `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or an array of `out` has another dtype.
    LayoutError
        If an array of `out` is read-only, unaligned, byte-swapped, or overlaps itself or the other.
    ArgumentError
        If `mode` is none of the above; if `out` is not a tuple of two where it must be.

    Notes
    -----
    Householder reflections (Golub and Van Loan, Matrix Computations, 4th ed., sec. 5.2).

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> q, r = tny.linalg.qr(np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> q.round(4)
    array([[-0.6, -0.8],
           [-0.8,  0.6]])
    >>> r.round(4)
    array([[-5. , -2.2],
           [ 0. ,  0.4]])
    """
    cdef ndarray x = acquire_input(a, "qr", "a")
    cdef int64_t m, n
    if not isinstance(mode, str) or mode not in ("reduced", "complete", "r"):
        raise ArgumentError(f"qr: mode must be 'reduced', 'complete' or 'r', not {mode!r}")
    m, n = sizes(x)
    sides = (m if mode == "complete" else min(m, n),)
    if mode == "r":
        return call(QR, (x,), None if out is None else (None, out), workers, "nan", False, sides)[1]
    return QRResult(*call(QR, (x,), out, workers, "nan", False, sides))


def svd(a, full_matrices=True, compute_uv=True, *, out=None, workers=None, on_error="raise", info=False):
    """
    Singular value decomposition of each matrix of a batch, ``a = U @ diag(S) @ Vh``.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        Matrices.
    full_matrices : bool, optional
        Whether `U` and `Vh` are square, or have ``R = min(M, N)`` columns and rows.
    compute_uv : bool, optional
        Whether to return `U` and `Vh` at all; if not, see `svdvals`.
    out : tuple of (ndarray or None), optional
        Where the three results go, of their shape and dtype. They may overlap `a` in any
        way; the result is as if `a` had been copied first (if their memory meets, and
        not cell for cell, it passes through a temporary).
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a matrix does whose singular values did not converge.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    U : ndarray, shape (..., M, M) or (..., M, R)
        Orthonormal columns, whatever the rank.
    S : ndarray, shape (..., R)
        In descending order, not negative. float32 for float32 and complex64, else float64.
    Vh : ndarray, shape (..., N, N) or (..., R, N)
        Orthonormal rows, whatever the rank.
    info : ndarray of int32, shape (...)
        0, 1 for a matrix whose singular values did not converge, 2 for one that is not
        finite; its results are NaN. Only with ``info=True``, beside a triple of the others.

    Raises
    ------
    LinAlgError
        If the singular values of a matrix did not converge and `on_error` is ``"raise"``:
        ``.result`` and ``.info`` hold everything that was computed. No finite matrix of
        up to 8 x 8 is known to do that.
    ShapeError
        If `a` is not at least 2-D; if an array of `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or an array of `out` has another dtype.
    LayoutError
        If an array of `out` is read-only, unaligned, byte-swapped, or overlaps itself or another.
    ArgumentError
        If `out` is not a tuple of three.

    See Also
    --------
    svdvals : the singular values alone.

    Notes
    -----
    Up to 8 x 8 by QR with pivoting and one-sided Jacobi rotations of the rows of R (Drmac
    and Veselic, SIAM J. Matrix Anal. Appl. 29, 2008): small singular values are right to their
    own last digits where rows or columns of the matrix are merely scaled differently.
    Those below 2**-960 times the largest count as zero.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> u, s, vh = tny.linalg.svd(np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]]))
    >>> s
    array([3., 2.])
    >>> u.shape, vh.shape
    ((3, 3), (2, 2))
    """
    cdef ndarray x = acquire_input(a, "svd", "a")
    cdef int64_t m, n, r
    if not compute_uv:
        return call(SVDVALS, (x,), out, workers, on_error, info, (min(sizes(x)),), "svd")
    m, n = sizes(x)
    r = min(m, n)
    result = call(SVD, (x,), out, workers, on_error, info, (m, r, n) if full_matrices else (r, r, r))
    return (SVDResult(*result[0]), result[1]) if info else SVDResult(*result)


def svdvals(a, *, out=None, workers=None, on_error="raise", info=False):
    """
    Singular values of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        Matrices.
    out : ndarray, shape (..., R), optional
        Where the result goes, of the result's dtype. It may overlap `a`.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a matrix does whose singular values did not converge.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    S : ndarray, shape (..., R)
        ``R = min(M, N)`` values in descending order, the same as those of `svd`.
    info : ndarray of int32, shape (...)
        0, 1 for a matrix whose singular values did not converge, 2 for one that is not
        finite; they are NaN. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If the singular values of a matrix did not converge and `on_error` is ``"raise"``; see `svd`.
    ShapeError
        If `a` is not at least 2-D; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    See Also
    --------
    svd : the singular vectors too.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.svdvals(np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]]))
    array([3., 2.])
    """
    cdef ndarray x = acquire_input(a, "svdvals", "a")
    return call(SVDVALS, (x,), out, workers, on_error, info, (min(sizes(x)),))


def pinv(a, rcond=None, *, rtol=np._NoValue, out=None, workers=None, on_error="raise", info=False):
    """
    Pseudo-inverse (Moore-Penrose) of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        Matrices.
    rcond : array_like of float, shape (...), optional
        Singular values of at most `rcond` times the largest of their matrix count as zero. 1e-15
        unless told.
    rtol : array_like of float, shape (...), optional
        The same, in the words of the array API standard; None stands for
        ``max(M, N)`` times the precision of `a`.
    out : ndarray, shape (..., N, M), optional
        Where the result goes, of the result's dtype. It may overlap `a` in any
        way; the result is as if `a` had been copied first (if their memory meets, and
        not cell for cell, it passes through a temporary).
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a matrix does whose singular values did not converge.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    x : ndarray, shape (..., N, M)
        In the dtype of `a`; float64 for integers.
    info : ndarray of int32, shape (...)
        0, 1 for a matrix whose singular values did not converge, 2 for one that is not
        finite; its result is NaN. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If the singular values of a matrix did not converge and `on_error` is ``"raise"``; see `svd`.
    ShapeError
        If `a` is not at least 2-D; if the shapes do not fit together.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.
    ArgumentError
        If `rcond` and `rtol` are both given, or are not real.

    See Also
    --------
    lstsq : for a linear system.

    Notes
    -----
    By `svd`.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.pinv(np.array([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]))
    array([[0.5 , 0.  , 0.  ],
           [0.  , 0.25, 0.  ]])
    """
    cdef ndarray x = acquire_input(a, "pinv", "a")
    if rcond is not None and rtol is not np._NoValue:
        raise ArgumentError("pinv: rcond and rtol are the same; give one of them")
    if rcond is not None:
        threshold = tolerance(rcond, "pinv", "rcond")
    elif rtol is np._NoValue:
        threshold = DEFAULT_RCOND
    elif rtol is None:
        threshold = max(sizes(x)) * (precision(x) if x.dtype.kind in "fcV" else EPSILON)
    else:
        threshold = tolerance(rtol, "pinv", "rtol")
    return call(PINV, (x, threshold), out, workers, on_error, info)


def lstsq(a, b, rcond=None, *, out=None, workers=None, on_error="raise", info=False):
    """
    Least-squares solution of a linear system for each matrix of a batch.

    Of all `x` that make ``|b - a @ x|`` least, the shortest.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        Coefficient matrices.
    b : array_like, shape (M,) or (..., M, K)
        Right-hand sides: one vector for all if 1-D, else matrices.
    rcond : array_like of float, shape (...), optional
        Singular values of at most `rcond` times the largest of their matrix count as zero.
        By default ``max(M, N)`` times the precision of float64, in which float32 is computed
        too; a negative one stands for that precision alone.
    out : tuple of (ndarray or None), optional
        Where the four results go, of their shape and dtype. They may overlap `a` and `b` in any
        way; the result is as if these had been copied first (if their memory meets, and
        not cell for cell, it passes through a temporary).
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a matrix does whose singular values did not converge.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    x : ndarray, shape (..., N) or (..., N, K)
        Solutions.
    residuals : ndarray, shape (..., K)
        Squares of ``|b - a @ x|``; K is 1 if `b` is a vector. As in NumPy, empty for a single
        matrix of rank less than N or with M <= N, unless `out` has a place for it.
    rank : ndarray of int32, shape (...)
        Number of singular values that did not count as zero; 0 for a matrix that has failed.
    s : ndarray, shape (..., min(M, N))
        Singular values, descending.
    info : ndarray of int32, shape (...)
        0, 1 for a matrix whose singular values did not converge, 2 for one that is not
        finite; its results are NaN. Only with ``info=True``, beside a tuple of the others.

    Raises
    ------
    LinAlgError
        If the singular values of a matrix did not converge and `on_error` is ``"raise"``; see `svd`.
    ShapeError
        If `a` is not at least 2-D; if the shapes do not fit together.
    DTypeError
        If `a` or `b` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or an array of `out` has another dtype.
    LayoutError
        If an array of `out` is read-only, unaligned, byte-swapped, or overlaps itself or another.
    ArgumentError
        If `rcond` is not real; if `out` is not a tuple of four.

    See Also
    --------
    solve : for square matrices that are far from singular.

    Notes
    -----
    By `svd`.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> a = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> x, residuals, rank, s = tny.linalg.lstsq(a, np.array([1.0, 3.0, 5.0]))
    >>> x.round(4), int(rank)
    (array([2., 1.]), 2)
    """
    cdef ndarray x = acquire_input(a, "lstsq", "a"), y = acquire_input(b, "lstsq", "b")
    cdef bint vector = cnp.PyArray_NDIM(y) == 1, single = cnp.PyArray_NDIM(x) == 2 and cnp.PyArray_NDIM(y) <= 2
    cdef int64_t m, n
    m, n = sizes(x)
    if vector and cnp.PyArray_DIM(y, 0) != m:
        raise ShapeError(f"lstsq: b must have shape ({m},) or (..., {m}, K), not {(<object> y).shape}")
    if rcond is None:
        threshold = max(m, n) * EPSILON
    else:
        threshold = tolerance(rcond, "lstsq", "rcond")
        threshold = np.where(threshold < 0, EPSILON, threshold)
    columns = out
    if vector:
        y = y[:, np.newaxis]
        if isinstance(out, tuple) and out and isinstance(out[0], np.ndarray):
            columns = (out[0][..., np.newaxis], *out[1:])
    result = call(LSTSQ, (x, y, threshold), columns, workers, on_error, info, (min(m, n),))
    (solution, residuals, rank, s), status = result if info else (result, None)
    if vector:
        solution = solution[..., 0] if out is None or out[0] is None else out[0]
    if single and (out is None or out[1] is None) and (m <= n or rank < n):
        residuals = residuals[:0]
    result = solution, residuals, rank, s
    return (result, status) if info else result


# -------------------------------------------------------------- tolerances

cdef object DEFAULT_RCOND = np.float64(1e-15)
cdef object EPSILON = np.finfo(np.float64).eps


cdef object precision(ndarray x):
    """The machine epsilon of the type of x; 2 to the number of bits of its significand, of whatever type."""
    one = np.ones((), (<object> x).real.dtype)
    return np.float64(np.nextafter(one, 2 * one) - one)


cdef object tolerance(object value, str function, str name):
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise ArgumentError(f"{function}: {name} must be a real number, or one for each matrix, not {value!r}")
    return array


# ------------------------------------------------------------------ shapes


cdef tuple sizes(ndarray x):
    """M and N; nothing yet is known of x, and `call` refuses one of fewer axes."""
    cdef int ndim = cnp.PyArray_NDIM(x)
    if ndim < 2:
        return 0, 0
    return cnp.PyArray_DIM(x, ndim - 2), cnp.PyArray_DIM(x, ndim - 1)
