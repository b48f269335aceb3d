"""Symmetric matrices in packed storage.

A symmetric C x C matrix is a vector of ``C (C + 1) / 2`` elements: **the diagonal,
then the elements above it row by row**. For C = 3 that is
``(a00, a11, a22, a01, a02, a12)``. Arrays are ``(*batch, C (C + 1) / 2)``: any number
of leading axes, any strides.

The matrices need not be definite: systems and inverses are as accurate as those of
`teeny.linalg.solvevec` and `teeny.linalg.inv`.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.errors import ShapeError
from teeny._core.operands cimport acquire_input
from teeny.call cimport call
from teeny.ops cimport SYM_DET, SYM_INV, SYM_MATVEC, SYM_PACK, SYM_SOLVE, SYM_UNPACK

cnp.import_array()

__all__ = ["det", "inv", "matvec", "pack", "solve", "unpack"]


cdef int64_t order(ndarray x, str function, str name) except -1:
    """The C of packed C x C matrices."""
    cdef int64_t n, size = cnp.PyArray_DIM(x, cnp.PyArray_NDIM(x) - 1) if cnp.PyArray_NDIM(x) > 0 else -1
    n = <int64_t> ((sqrt(8.0 * size + 1.0) - 1.0) / 2.0) if size >= 0 else 0
    if n * (n + 1) // 2 != size:
        raise ShapeError(f"{function}: {name} must have shape (..., C (C + 1) / 2), "
                         f"as (..., 3), (..., 6), (..., 10), not {(<object> x).shape}")
    return n


cdef ndarray packed(object a, str function):
    cdef ndarray x = acquire_input(a, function, "a")
    order(x, function, "a")
    return x


cdef ndarray packed_with(object a, ndarray y, str function, str name):
    """`a`, whose matrices are as large as the vectors of `y`."""
    cdef ndarray x = acquire_input(a, function, "a")
    cdef int64_t n = order(x, function, "a")
    if cnp.PyArray_NDIM(y) == 0 or cnp.PyArray_DIM(y, cnp.PyArray_NDIM(y) - 1) != n:
        raise ShapeError(f"{function}: {name} must have shape (..., {n}), not {(<object> y).shape}, "
                         f"where a holds {n} x {n} matrices")
    return x


def pack(a, *, upper=False, out=None, workers=None):
    """
    Packed storage of each symmetric matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Symmetric matrices. Only the lower triangle is read, or only the upper one with
        ``upper=True``; the other may hold anything.
    upper : bool, optional
        Which triangle to read.
    out : ndarray, shape (..., C (C + 1) / 2), optional
        Where the result goes, of the result's dtype. It may overlap `a` in any way.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    x : ndarray, shape (..., C (C + 1) / 2)
        The diagonal, then the elements above it row by row, in the dtype of `a`.

    Raises
    ------
    SquareError, ShapeError
        If the last two axes are not square; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    See Also
    --------
    unpack : the inverse.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.sym.pack(np.array([[0.0, 3.0, 4.0], [3.0, 1.0, 5.0], [4.0, 5.0, 2.0]]))
    array([0., 1., 2., 3., 4., 5.])
    """
    cdef ndarray x = acquire_input(a, "sym.pack", "a")
    cdef int last = cnp.PyArray_NDIM(x) - 1
    cdef int64_t n = 0
    if last > 0 and cnp.PyArray_DIM(x, last) == cnp.PyArray_DIM(x, last - 1):
        n = cnp.PyArray_DIM(x, last)
        if upper:
            x = (<object> x).swapaxes(-1, -2)
    return call(SYM_PACK, (x,), out, workers, "nan", False, (n * (n + 1) // 2,), "sym.pack")


def unpack(x, *, out=None, workers=None):
    """
    Full storage of each packed symmetric matrix of a batch.

    Parameters
    ----------
    x : array_like, shape (..., C (C + 1) / 2)
        Packed symmetric matrices: the diagonal, then the elements above it row by row.
    out : ndarray, shape (..., C, C), optional
        Where the result goes, of the result's dtype. It may overlap `x` in any way.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    a : ndarray, shape (..., C, C)
        Symmetric matrices, in the dtype of `x`.

    Raises
    ------
    ShapeError
        If the last axis is no triangular number; if `out` has another shape.
    DTypeError
        If `x` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    See Also
    --------
    pack : the inverse.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.sym.unpack(np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]))
    array([[0., 3., 4.],
           [3., 1., 5.],
           [4., 5., 2.]])
    """
    cdef ndarray y = acquire_input(x, "sym.unpack", "x")
    return call(SYM_UNPACK, (y,), out, workers, "nan", False, (order(y, "sym.unpack", "x"),), "sym.unpack")


def matvec(a, x, *, out=None, workers=None):
    """
    Product of each packed symmetric matrix of a batch and a vector.

    Parameters
    ----------
    a : array_like, shape (..., C (C + 1) / 2)
        Packed symmetric matrices: the diagonal, then the elements above it row by row.
    x : array_like, shape (..., C)
        Vectors; the batch axes broadcast.
    out : ndarray, shape (..., C), optional
        Where the result goes, of the result's dtype. It may overlap `a` and `x` in any way.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    y : ndarray, shape (..., C)
        NumPy's result dtype.

    Raises
    ------
    ShapeError
        If the last axis of `a` is no triangular number, or the shapes do not fit together.
    DTypeError
        If `a` or `x` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.sym.matvec(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0]))
    array([4., 5.])
    """
    cdef ndarray y = acquire_input(x, "sym.matvec", "x")
    return call(SYM_MATVEC, (packed_with(a, y, "sym.matvec", "x"), y), out, workers, "nan", False, (), "sym.matvec")


def solve(a, b, *, out=None, workers=None, on_error="raise", info=False):
    """
    Solution of a linear system for each packed symmetric matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C (C + 1) / 2)
        Packed symmetric matrices, definite or not: the diagonal, then the elements above it row by row.
    b : array_like, shape (..., C)
        Right-hand sides, one vector per matrix; the batch axes broadcast.
    out : ndarray, shape (..., C), optional
        Where the result goes, of the result's dtype. It may overlap `a` and `b` in any way.
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
        If a matrix is exactly singular and `on_error` is ``"raise"``; see `teeny.linalg.inv`.
    ShapeError
        If the last axis of `a` is no triangular number, or the shapes do not fit together.
    DTypeError
        If `a` or `b` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.sym.solve(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0]))
    array([1., 1.])
    """
    cdef ndarray y = acquire_input(b, "sym.solve", "b")
    return call(SYM_SOLVE, (packed_with(a, y, "sym.solve", "b"), y), out, workers, on_error, info, (), "sym.solve")


def inv(a, *, out=None, workers=None, on_error="raise", info=False):
    """
    Inverse of each packed symmetric matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C (C + 1) / 2)
        Packed symmetric matrices, definite or not: the diagonal, then the elements above it row by row.
    out : ndarray, shape (..., C (C + 1) / 2), optional
        Where the result goes, of the result's dtype. It may overlap `a` in any way.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.
    on_error : {"raise", "nan"}, optional
        What a singular matrix does. All others are inverted in either case.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    x : ndarray, shape (..., C (C + 1) / 2)
        In the dtype of `a`, float64 for integers; packed like `a`.
        A matrix that is singular or not finite gives NaN.
    info : ndarray of int32, shape (...)
        0, 1 for a singular matrix, 2 for one that is not finite. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular and `on_error` is ``"raise"``; see `teeny.linalg.inv`.
    ShapeError
        If the last axis of `a` is no triangular number; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.sym.inv(np.array([2.0, 1.0, 1.0]))
    array([ 1.,  2., -1.])
    """
    return call(SYM_INV, (packed(a, "sym.inv"),), out, workers, on_error, info, (), "sym.inv")


def det(a, *, out=None, workers=None):
    """
    Determinant of each packed symmetric matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C (C + 1) / 2)
        Packed symmetric matrices: the diagonal, then the elements above it row by row.
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
    ShapeError
        If the last axis of `a` is no triangular number; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> float(tny.linalg.sym.det(np.array([2.0, 3.0, 1.0])))
    5.0
    """
    return call(SYM_DET, (packed(a, "sym.det"),), out, workers, "nan", False, (), "sym.det")
