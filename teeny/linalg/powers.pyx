"""Functions of matrices that are sums of their powers."""

from teeny.call cimport call
from teeny.ops cimport EXPM

__all__ = ["expm"]


def expm(a, *, out=None, workers=None, on_error="raise", info=False):
    """
    Exponential of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square matrices.
    out : ndarray, shape (..., C, C), optional
        Where the result goes, of the result's dtype. It may overlap `a` in any
        way; the result is as if `a` had been copied first.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        For uniformity: there is no finite matrix without an exponential.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    x : ndarray, shape (..., C, C)
        In the dtype of `a`, float64 for integers. A matrix that is not finite gives NaN throughout.
        Elements beyond the range of the dtype are infinite, or NaN where infinities met.
    info : ndarray of int32, shape (...)
        0, or 2 for a matrix that is not finite. Only with ``info=True``.

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
    Each matrix is divided by a power of two of its own, a Pade approximant of order 13 is taken,
    and squared as often (Higham, SIAM J. Matrix Anal. Appl. 26, 2005). The power of two follows the
    norms of the fourth and sixth powers and not only that of the matrix, so that matrices far
    from normal are not squared more often than is good for them (Al-Mohy and Higham, SIAM J.
    Matrix Anal. Appl. 31, 2009).

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.expm(np.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[1., 1.],
           [0., 1.]])
    """
    return call(EXPM, (a,), out, workers, on_error, info)
