"""Linear algebra on batches of small matrices.

Arrays are ``(*batch, C, C)``: any number of leading axes, any strides. Float32
and float64 up to 8 x 8 run on this package's kernels (arithmetic in float64,
rounded once); larger, complex and integer matrices go to LAPACK. Inputs are read
where they lie; only byte-swapped and unaligned ones, and ones of another dtype
than the result, are copied. ``numpy.matrix`` is taken as the array it is; masked
arrays are refused.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport dtype as dtype_t, ndarray

from teeny._core.errors import ArgumentError, LinAlgError, ShapeError, SquareError
from teeny._core.operands cimport acquire_input, acquire_output, as_column, describe, disturbs, new_output, readable
from teeny._core.run cimport leaf_t
from teeny._core.threads import MAX_WORKERS, positive
from teeny._core.vocabulary cimport anyrank_t
from teeny.backends import BackendList, CpuKernels, Lapack, dispatch_kernel
from teeny.backends.cpu_kernels cimport apply_leaf, find_leaf
from teeny.ops cimport DET, INV, SOLVE, Operation

cnp.import_array()

__all__ = ["det", "inv", "solve"]

# Status of so few cells fits the stack; an array is made only for who asks, or for an error.
cdef enum:
    FEW_CELLS = 16


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
        float32 for float32, complex for complex, float64 for float64 and integers.
        A singular matrix gives NaN.
    info : ndarray of int32, shape (...)
        0, or 1 for a singular matrix. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular and `on_error` is ``"raise"``: its message
        names the number of singular matrices and the first of them, and
        ``.result`` and ``.info`` hold everything that was computed.
    SquareError, ShapeError
        If the last two axes are not square; if `out` has another shape.
    DTypeError
        If `a` holds anything but booleans, integers, float32, float64, complex64 or
        complex128, or `out` has another dtype.
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
    cdef ndarray x = acquire_input(a, "inv", "a")
    check_square(x, "inv", "a")
    cdef int64_t shape[64]
    cdef int axis, ndim = cnp.PyArray_NDIM(x)
    for axis in range(ndim):
        shape[axis] = cnp.PyArray_DIM(x, axis)
    return apply(INV, x, None, ndim, shape, ndim - 2, out, workers, on_error, info)


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
        float32 for float32, complex for complex, float64 for float64 and
        integers; a scalar for a single matrix.

    Raises
    ------
    SquareError, ShapeError
        If the last two axes are not square; if `out` has another shape.
    DTypeError
        If `a` holds anything but booleans, integers, float32, float64, complex64 or
        complex128, or `out` has another dtype.
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
    cdef ndarray x = acquire_input(a, "det", "a")
    check_square(x, "det", "a")
    cdef int64_t shape[64]
    cdef int axis, batch = cnp.PyArray_NDIM(x) - 2
    for axis in range(batch):
        shape[axis] = cnp.PyArray_DIM(x, axis)
    result = apply(DET, x, None, batch, shape, batch, out, workers, "nan", False)
    return result[()] if batch == 0 and out is None else result


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
        NumPy's result dtype. A singular matrix gives NaN.
    info : ndarray of int32, shape (...)
        0, or 1 for a singular matrix. Only with ``info=True``.

    Raises
    ------
    LinAlgError
        If a matrix is exactly singular and `on_error` is ``"raise"``; see `inv`.
    ShapeError
        If the shapes do not fit together.
    DTypeError
        If `a` or `b` hold anything but booleans, integers, float32, float64, complex64
        or complex128, or `out` has another dtype.
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
    cdef ndarray x = acquire_input(a, "solve", "a")
    cdef ndarray y = acquire_input(b, "solve", "b")
    check_square(x, "solve", "a")
    cdef bint vector = cnp.PyArray_NDIM(y) == 1
    cdef int64_t shape[64]
    cdef int ndim = solution_shape(x, y, vector, shape)
    return apply(SOLVE, x, y, ndim, shape, ndim - (1 if vector else 2), out, workers, on_error, info)


# ------------------------------------------------------------------ shapes


cdef int check_square(ndarray x, str function, str name) except -1:
    cdef int ndim = cnp.PyArray_NDIM(x)
    if ndim < 2 or cnp.PyArray_DIM(x, ndim - 1) != cnp.PyArray_DIM(x, ndim - 2):
        raise SquareError(f"{function}: {name} must have shape (..., C, C), not {(<object> x).shape}")
    return 0


cdef int solution_shape(ndarray a, ndarray b, bint vector, int64_t *shape) except -1:
    """The shape of a solution: broadcast batch axes, then b's own. Its rank."""
    cdef int cell = 1 if vector else 2
    cdef int a_lead = cnp.PyArray_NDIM(a) - 2, b_lead = cnp.PyArray_NDIM(b) - cell, lead = max(a_lead, b_lead), axis
    cdef int64_t size = cnp.PyArray_DIM(a, a_lead), m, n
    if b_lead < 0 or cnp.PyArray_DIM(b, b_lead) != size:
        raise ShapeError(f"solve: b must have shape ({size},) or (..., {size}, K), as a has shape "
                         f"{(<object> a).shape}, not {(<object> b).shape}")
    for axis in range(lead):
        m = cnp.PyArray_DIM(a, axis - lead + a_lead) if axis >= lead - a_lead else 1
        n = cnp.PyArray_DIM(b, axis - lead + b_lead) if axis >= lead - b_lead else 1
        if m != n and m != 1 and n != 1:
            raise ShapeError(f"solve: the batch axes of a and b do not broadcast: "
                             f"shapes {(<object> a).shape} and {(<object> b).shape}")
        shape[axis] = n if m == 1 else m
    for axis in range(cell):
        shape[lead + axis] = cnp.PyArray_DIM(b, b_lead + axis)
    return lead + cell


# ------------------------------------------------------------------ dtypes


cdef dtype_t result_dtype(ndarray x, ndarray y):
    """NumPy's: integers count as float64."""
    cdef int first = inexact(x), second = first if y is None else inexact(y)
    if first == cnp.NPY_FLOAT16 or second == cnp.NPY_FLOAT16:  # as NumPy, no backend takes it for float64
        first = second = cnp.NPY_FLOAT16
    if first == second:
        return cnp.PyArray_DescrFromType(first)
    return np.result_type(cnp.PyArray_DescrFromType(first), cnp.PyArray_DescrFromType(second))


cdef int inexact(ndarray x) noexcept:
    if cnp.PyArray_ISINTEGER(x) or cnp.PyArray_ISBOOL(x):
        return cnp.NPY_FLOAT64
    return cnp.PyArray_TYPE(x)


# -------------------------------------------------------------------- call


cdef object apply(Operation op, ndarray x, ndarray y, int ndim, const int64_t *shape, int batch,
                  object out, object workers, object on_error, bint want_info):
    """Acquire everything, let the first backend that accepts compute, report."""
    cdef anyrank_t carriers[4]
    cdef int64_t meta[4][128]
    cdef int32_t few[FEW_CELLS]
    cdef ndarray result, target, status = None
    cdef dtype_t dtype = result_dtype(x, y)
    cdef leaf_t leaf = find_leaf(op, dtype.num, cnp.PyArray_DIM(x, cnp.PyArray_NDIM(x) - 1))
    cdef int64_t failures
    cdef int inputs = op.input_count, threads = 0
    # the right-hand side and the solution are vectors, described as matrices of one column
    cdef bint vector = y is not None and cnp.PyArray_NDIM(y) == 1

    if workers is not None:
        threads = min(positive(workers, op.name, "workers"), MAX_WORKERS)
    if not isinstance(on_error, str) or on_error not in ("raise", "nan"):
        raise ArgumentError(f"{op.name}: on_error must be 'raise' or 'nan', not {on_error!r}")

    x = readable(x, dtype)
    describe(x, &carriers[0], meta[0])
    if y is not None:
        y = readable(y, dtype)
        describe(y, &carriers[1], meta[1])
        if vector:
            as_column(&carriers[1], meta[1])

    if out is None:
        result = target = new_output(ndim, shape, batch, dtype.num, False, carriers, op.cell, inputs)
    else:
        result = target = acquire_output(out, op.name, ndim, shape, dtype)
        if disturbs(result, x) or (y is not None and disturbs(result, y)):
            target = new_output(ndim, shape, batch, dtype.num, False, carriers, op.cell, inputs)
    describe(target, &carriers[inputs], meta[inputs])
    if vector:
        as_column(&carriers[inputs], meta[inputs])

    if op.output_count == 2:
        if want_info or leaf == NULL or not few_cells(batch, shape):
            status = new_output(batch, shape, batch, cnp.NPY_INT32, True, carriers, op.cell, inputs)
            describe(status, &carriers[inputs + 1], meta[inputs + 1])
        else:
            describe_few(few, batch, shape, &carriers[inputs + 1], meta[inputs + 1])

    if leaf != NULL:
        failures = apply_leaf(leaf, op, carriers, threads)
    else:
        b, solution = (y[:, np.newaxis], target[..., np.newaxis]) if vector else (y, target)
        operands = [operand for operand in (x, b, solution, status) if operand is not None]
        dispatch_kernel(op, operands, BackendList(CpuKernels(workers), Lapack()))
        failures = 0 if status is None else np.count_nonzero(status)
    if target is not result:
        cnp.PyArray_CopyInto(result, target)
    if failures and on_error == "raise":
        if status is None:
            status = np.array([few[i] for i in range(FEW_CELLS)], np.int32)[:count(batch, shape)]
            status = status.reshape([shape[i] for i in range(batch)])
        raise singular_error(op.name, out if out is not None else result, status)
    return (result, status) if want_info else result


cdef int64_t count(int batch, const int64_t *shape) noexcept:
    cdef int64_t cells = 1
    cdef int axis
    for axis in range(batch):
        cells *= shape[axis]
    return cells


cdef bint few_cells(int batch, const int64_t *shape) noexcept:
    cdef int axis
    for axis in range(batch):
        if shape[axis] > FEW_CELLS:
            return False
    return batch <= 8 and count(batch, shape) <= FEW_CELLS


cdef void describe_few(int32_t *few, int batch, const int64_t *shape, anyrank_t *c, int64_t *meta) noexcept:
    """A zeroed status array on the caller's stack."""
    cdef int64_t step = 1
    cdef int axis
    for axis in range(FEW_CELLS):
        few[axis] = 0
    for axis in range(batch - 1, -1, -1):
        meta[axis] = shape[axis]
        meta[batch + axis] = step
        step *= shape[axis]
    c.data = few
    c.shape = meta
    c.strides = meta + batch
    c.ndim = batch
    c.dtype.bits = 32
    c.dtype.lanes = 1


cdef object singular_error(str function, result, ndarray status):
    bad = np.argwhere(status)
    first = tuple(bad[0].tolist())
    if status.ndim == 0:
        return LinAlgError(f"{function}: the matrix is singular", result=result, info=status)
    return LinAlgError(f"{function}: {len(bad)} of {status.size} matrices are singular, the first at batch index {first}",
                       result=result, info=status)
