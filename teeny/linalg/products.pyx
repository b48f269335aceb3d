"""Products of batches of small matrices and vectors, the trace, and powers."""

from libc.stdint cimport int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.errors import ArgumentError, LinAlgError, ShapeError, SquareError
from teeny._core.operands cimport acquire_input, acquire_output
from teeny._core.vocabulary cimport integer
from teeny.call cimport call
from teeny.ops cimport INV, MATMUL, MATVEC, OUTER, TRACE, VECMAT

cnp.import_array()

__all__ = ["matmul", "matrix_power", "matvec", "outer", "trace", "vecmat"]


def matmul(a, b, *, out=None, workers=None):
    """
    Product of the matrices of two batches.

    Parameters
    ----------
    a : array_like, shape (..., M, L) or (L,)
        Matrices, or one vector, taken as a row.
    b : array_like, shape (..., L, N) or (L,)
        Matrices, or one vector, taken as a column. The batch axes broadcast.
    out : ndarray, optional
        Where the result goes, of the result's shape and dtype. It may overlap `a`
        and `b` in any way; the result is as if they had been copied first (if their memory
        meets, and not cell for cell, it passes through a temporary).
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    c : ndarray, shape (..., M, N)
        NumPy's result dtype. The axis of a vector is left out; the product of two
        vectors is a scalar.

    Raises
    ------
    ShapeError
        If `a` or `b` is a scalar, or their shapes or that of `out` do not fit together.
    DTypeError
        If `a` or `b` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    See Also
    --------
    matvec, vecmat : where the last axis holds vectors, also with batch axes.

    Notes
    -----
    Up to 8 x 8, every element is a sum of rounded products from left to right, in
    the dtype itself: its error is at most L eps |a| |b| (Higham, Accuracy and Stability of
    Numerical Algorithms, 2nd ed., sec. 3.5).

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> a = np.array([[[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]]])
    >>> tny.linalg.matmul(a, [[1.0, 1.0], [0.0, 1.0]])
    array([[[1., 3.],
            [3., 7.]],
    <BLANKLINE>
           [[0., 1.],
            [1., 1.]]])
    """
    cdef ndarray x = acquire_input(a, "matmul", "a"), y = acquire_input(b, "matmul", "b")
    cdef int x_ndim = cnp.PyArray_NDIM(x), y_ndim = cnp.PyArray_NDIM(y)
    if x_ndim == 0 or y_ndim == 0:
        raise ShapeError(f"matmul: {'b' if x_ndim else 'a'} must have shape (C,) or (..., M, N), not ()")
    if x_ndim > 1 and y_ndim > 1:
        return call(MATMUL, (x, y), out, workers, "nan", False)
    if x_ndim > 1:
        return call(MATVEC, (x, y), out, workers, "nan", False, (), "matmul")
    if y_ndim > 1:
        return call(VECMAT, (x, y), out, workers, "nan", False, (), "matmul")
    if out is not None:
        out = acquire_output(out, "matmul", 0, NULL, np.result_type(x, y))
    product = call(VECMAT, (x, (<object> y)[:, np.newaxis]), None if out is None else out.reshape(1), workers, "nan",
                   False, (), "matmul")
    return product[0] if out is None else out


def matvec(a, x, *, out=None, workers=None):
    """
    Product of each matrix of a batch with a vector.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        Matrices.
    x : array_like, shape (..., N)
        Vectors. The batch axes broadcast.
    out : ndarray, shape (..., M), optional
        Where the result goes, of the result's dtype. It may overlap `a` and `x`, as in `matmul`.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    y : ndarray, shape (..., M)
        NumPy's result dtype.

    Raises
    ------
    ShapeError
        If the shapes do not fit together.
    DTypeError
        If `a` or `x` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.matvec(np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[-2.,  1.],
           [-4.,  3.]])
    """
    return call(MATVEC, (a, x), out, workers, "nan", False)


def vecmat(x, a, *, out=None, workers=None):
    """
    Product of a vector with each matrix of a batch.

    Parameters
    ----------
    x : array_like, shape (..., M)
        Vectors. Unlike those of `numpy.vecmat` they are not conjugated.
    a : array_like, shape (..., M, N)
        Matrices. The batch axes broadcast.
    out : ndarray, shape (..., N), optional
        Where the result goes, of the result's dtype. It may overlap `x` and `a`, as in `matmul`.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    y : ndarray, shape (..., N)
        NumPy's result dtype.

    Raises
    ------
    ShapeError
        If the shapes do not fit together.
    DTypeError
        If `x` or `a` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.linalg.vecmat(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, -1.0], [1.0, 0.0]]))
    array([[ 2., -1.],
           [ 4., -3.]])
    """
    return call(VECMAT, (x, a), out, workers, "nan", False)


def outer(x, y, *, out=None, workers=None):
    """
    Outer product of the vectors of two batches.

    Parameters
    ----------
    x : array_like, shape (..., M)
        Vectors.
    y : array_like, shape (..., N)
        Vectors, not conjugated. The batch axes broadcast.
    out : ndarray, shape (..., M, N), optional
        Where the result goes, of the result's dtype. It may overlap `x` and `y`, as in `matmul`.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    c : ndarray, shape (..., M, N)
        ``x[..., :, None] * y[..., None, :]``, in NumPy's result dtype.

    Raises
    ------
    ShapeError
        If the shapes do not fit together.
    DTypeError
        If `x` or `y` hold anything but numbers of up to 64 bits or complex numbers of up to
        128, or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import teeny as tny
    >>> tny.linalg.outer([1.0, 2.0], [[1.0, 0.0], [3.0, 4.0]])
    array([[[1., 0.],
            [2., 0.]],
    <BLANKLINE>
           [[3., 4.],
            [6., 8.]]])
    """
    return call(OUTER, (x, y), out, workers, "nan", False)


def trace(a, *, offset=0, out=None, workers=None):
    """
    Sum along a diagonal of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., M, N)
        Matrices.
    offset : int, optional
        Which diagonal: above the main one if positive, below if negative. The sum of
        one that lies outside of the matrix is 0.
    out : ndarray, shape (...), optional
        Where the result goes, of the result's dtype.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    Returns
    -------
    t : ndarray, shape (...)
        In the dtype of `a`, but no integer narrower than the platform's, as in NumPy; a
        scalar for a single matrix.

    Raises
    ------
    ShapeError
        If `a` has less than two axes, or `out` another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.
    ArgumentError
        If `offset` is no integer.

    Notes
    -----
    float32 is added up in float64 and rounded once.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> a = np.arange(9.0).reshape(3, 3)
    >>> print(tny.linalg.trace(a), tny.linalg.trace(a, offset=1))
    12.0 6.0
    """
    cdef ndarray x = acquire_input(a, "trace", "a")
    shift = integer(offset, "trace", ": offset")
    if cnp.PyArray_NDIM(x) < 2:
        raise ShapeError(f"trace: a must have shape (..., M, N), not {(<object> x).shape}")
    if cnp.PyArray_ISINTEGER(x) or cnp.PyArray_ISBOOL(x):
        x = (<object> x).astype(np.empty(0, (<object> x).dtype).sum().dtype, copy=False)
    diagonal = (<object> x)[..., shift:] if shift > 0 else (<object> x)[..., -shift:, :]
    return call(TRACE, (diagonal,), out, workers, "nan", False)


def matrix_power(a, n, *, out=None, workers=None, on_error="raise", info=False):
    """
    Power of each matrix of a batch.

    Parameters
    ----------
    a : array_like, shape (..., C, C)
        Square matrices.
    n : int
        The exponent, of either sign.
    out : ndarray, shape (..., C, C), optional
        Where the result goes, of the result's dtype. It may overlap `a`, as in `matmul`.
    workers : int, optional
        Number of threads for this package's kernels. By default as many as the size
        is worth, up to `teeny.get_num_threads`. The result does not depend on it.

    on_error : {"raise", "nan"}, optional
        What a singular matrix does if `n` is negative. All other powers are computed in either case.
    info : bool, optional
        Return the status of each matrix too.

    Returns
    -------
    p : ndarray, shape (..., C, C)
        In the dtype of `a`; for negative `n` in that of its inverse. Integers wrap
        around where they overflow, as in NumPy.
    info : ndarray of int32, shape (...)
        That of the inverse if `n` is negative, else 0. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If `n` is negative, a matrix is exactly singular and `on_error` is ``"raise"``; see `inv`.
    SquareError, ShapeError
        If the last two axes are not square; if `out` has another shape.
    DTypeError
        If `a` holds anything but numbers of up to 64 bits or complex numbers of up to 128,
        or `out` has another dtype.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.
    ArgumentError
        If `n` is no integer.

    Notes
    -----
    By repeated squaring, of the inverse if `n` is negative: less than two products for
    each binary digit of `n`.

    Examples
    --------
    >>> import teeny as tny
    >>> tny.linalg.matrix_power([[1, 1], [1, 0]], 10)
    array([[89, 55],
           [55, 34]])
    """
    cdef ndarray x = acquire_input(a, "matrix_power", "a")
    cdef int64_t shape[64]
    cdef int axis, ndim = cnp.PyArray_NDIM(x)
    n = integer(n, "matrix_power", ": n")
    for axis in range(ndim):
        shape[axis] = cnp.PyArray_DIM(x, axis)
    if ndim < 2 or shape[ndim - 1] != shape[ndim - 2]:
        raise SquareError(f"matrix_power: a must have shape (..., C, C), not {(<object> x).shape}")
    dtype = (<object> x).dtype.newbyteorder("=")
    if n < 0 and dtype.kind in "biu":
        dtype = np.dtype(np.float64)
    if out is not None:
        acquire_output(out, "matrix_power", ndim, shape, dtype)
    if not isinstance(on_error, str) or on_error not in ("raise", "nan"):
        raise ArgumentError(f"matrix_power: on_error must be 'raise' or 'nan', not {on_error!r}")

    status = np.zeros((<object> x).shape[:-2], np.int32)
    base = x
    if dtype.num == cnp.NPY_FLOAT16 or dtype.num >= 256:  # float16 and bfloat16 are rounded once, at the end
        base = base.astype(np.float64)
    if n < 0:
        base, status = call(INV, (base,), None, workers, "nan", True, (), "matrix_power")
    result = power(base, abs(n), workers)
    if out is None:
        out = result.astype(dtype, copy=result is x)
    else:
        np.copyto(out, result, casting="same_kind")
    if on_error == "raise" and (status == 1).any():
        first = tuple(np.argwhere(status == 1)[0].tolist())
        raise LinAlgError(f"matrix_power: {np.count_nonzero(status == 1)} of {status.size} matrices are singular, the "
                          f"first at batch index {first}", result=out, info=status)
    return (out, status) if info else out


cdef object power(object base, object n, object workers):
    """base to the n, which is not negative; what is ours is multiplied in place."""
    if n == 0:
        return np.broadcast_to(np.eye(base.shape[-1], dtype=base.dtype), base.shape).copy()
    square, result = base, None
    while True:
        if n % 2:
            into = None if result is base else result
            result = square if result is None else call(MATMUL, (result, square), into, workers, "nan", False)
        n //= 2
        if n == 0:
            return result
        into = None if square is base or square is result else square
        square = call(MATMUL, (square, square), into, workers, "nan", False)
