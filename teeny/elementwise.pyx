"""Arithmetic on the elements of arrays, element by element.

All functions broadcast their arguments, promote dtypes as NumPy does (numbers of Python take the dtype of the arrays
beside them), and write into `out` if it is given, which may be an input or overlap one in any way: the result
is as if the inputs had been copied first.
"""

import numpy as np

from teeny._core.ranked.table cimport (OP_ABS, OP_ADD, OP_AXPY, OP_CEIL, OP_CLAMP, OP_COS, OP_DIV, OP_EQUAL, OP_EXP,
                                       OP_FLOOR, OP_FMA, OP_GREATER, OP_GREATER_EQUAL, OP_LESS, OP_LESS_EQUAL, OP_LOG,
                                       OP_MAXIMUM, OP_MINIMUM, OP_MUL, OP_NEG, OP_NOT_EQUAL, OP_POW, OP_ROUND,
                                       OP_SIGN, OP_SIN, OP_SQRT, OP_SUB, OP_TANH, OP_TRUNC)
from teeny.elements cimport Function, call

__all__ = [
    "abs",
    "add",
    "axpy",
    "ceil",
    "clamp",
    "cos",
    "div",
    "equal",
    "exp",
    "floor",
    "fma",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "log",
    "maximum",
    "minimum",
    "mul",
    "neg",
    "not_equal",
    "pow",
    "round",
    "sign",
    "sin",
    "sqrt",
    "sub",
    "tanh",
    "trunc",
]


def _clamp(a, lo, hi):
    return np.minimum(np.maximum(a, lo), hi)


def _axpy(alpha, x, y):
    return np.add(np.multiply(alpha, x), y)


def _fma(a, b, c):
    """Of what has no kernel: products of integers are exact, those of halves are in float64."""
    dtype = np.result_type(a, b, c)
    if dtype.kind in "cg" or dtype.itemsize > 8:
        raise TypeError(f"there is no fused multiply-add of {dtype}")
    if dtype.kind in "biu":
        return np.add(np.multiply(a, b), c)
    if dtype == np.float32 or dtype == np.float64:
        return fma(*[np.array(x, dtype) for x in (a, b, c)])
    a, b, c = [np.asarray(x, dtype).astype(np.float64) for x in (a, b, c)]
    return (a * b + c).astype(dtype)


cdef:
    Function ADD = Function(OP_ADD, "add", ("a", "b"), np.add)
    Function SUB = Function(OP_SUB, "sub", ("a", "b"), np.subtract)
    Function MUL = Function(OP_MUL, "mul", ("a", "b"), np.multiply)
    Function DIV = Function(OP_DIV, "div", ("a", "b"), np.true_divide)
    Function POW = Function(OP_POW, "pow", ("a", "b"), np.power)
    Function MINIMUM = Function(OP_MINIMUM, "minimum", ("a", "b"), np.minimum)
    Function MAXIMUM = Function(OP_MAXIMUM, "maximum", ("a", "b"), np.maximum)
    Function CLAMP = Function(OP_CLAMP, "clamp", ("a", "lo", "hi"), _clamp)
    Function NEG = Function(OP_NEG, "neg", ("a",), np.negative)
    Function ABS = Function(OP_ABS, "abs", ("a",), np.absolute)
    Function SIGN = Function(OP_SIGN, "sign", ("a",), np.sign)
    Function SQRT = Function(OP_SQRT, "sqrt", ("a",), np.sqrt)
    Function EXP = Function(OP_EXP, "exp", ("a",), np.exp)
    Function LOG = Function(OP_LOG, "log", ("a",), np.log)
    Function SIN = Function(OP_SIN, "sin", ("a",), np.sin)
    Function COS = Function(OP_COS, "cos", ("a",), np.cos)
    Function TANH = Function(OP_TANH, "tanh", ("a",), np.tanh)
    Function FLOOR = Function(OP_FLOOR, "floor", ("a",), np.floor)
    Function CEIL = Function(OP_CEIL, "ceil", ("a",), np.ceil)
    Function TRUNC = Function(OP_TRUNC, "trunc", ("a",), np.trunc)
    Function ROUND = Function(OP_ROUND, "round", ("a",), np.rint)
    Function FMA = Function(OP_FMA, "fma", ("a", "b", "c"), _fma)
    Function AXPY = Function(OP_AXPY, "axpy", ("alpha", "x", "y"), _axpy)
    Function EQUAL = Function(OP_EQUAL, "equal", ("a", "b"), np.equal, True)
    Function NOT_EQUAL = Function(OP_NOT_EQUAL, "not_equal", ("a", "b"), np.not_equal, True)
    Function LESS = Function(OP_LESS, "less", ("a", "b"), np.less, True)
    Function LESS_EQUAL = Function(OP_LESS_EQUAL, "less_equal", ("a", "b"), np.less_equal, True)
    Function GREATER = Function(OP_GREATER, "greater", ("a", "b"), np.greater, True)
    Function GREATER_EQUAL = Function(OP_GREATER_EQUAL, "greater_equal", ("a", "b"), np.greater_equal, True)


def add(a, b, out=None, workers=None):
    """
    Sum: ``a + b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. Integers wrap around. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.add(np.array([1.0, 2.0]), 0.5)
    array([1.5, 2.5])
    """
    return call(ADD, (a, b), out, workers)


def sub(a, b, out=None, workers=None):
    """
    Difference: ``a - b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. Integers wrap around. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.sub(np.array([1.0, 2.0]), 0.5)
    array([0.5, 1.5])
    """
    return call(SUB, (a, b), out, workers)


def mul(a, b, out=None, workers=None):
    """
    Product: ``a * b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. Integers wrap around. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> a = np.arange(4.0).reshape(2, 2)
    >>> tny.mul(a, 10, out=a)
    array([[ 0., 10.],
           [20., 30.]])
    """
    return call(MUL, (a, b), out, workers)


def div(a, b, out=None, workers=None):
    """
    Quotient: ``a / b``; of integers, as float64.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. A number by zero is an infinity, zero by zero NaN, without a warning. A scalar if the
        arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.div(np.array([1, 2]), 4)
    array([0.25, 0.5 ])
    """
    return call(DIV, (a, b), out, workers)


def pow(a, b, out=None, workers=None):
    """
    Power: ``a ** b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. A negative number to a power that is no integer is NaN. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Notes
    -----
    Within 4 units in the last place. Computed by the vector math library of glibc where there is one, else by the C
    library number by number: the last bits may differ between instruction sets, but not between layouts.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.pow(np.array([1.0, 2.0, 3.0]), 2)
    array([1., 4., 9.])
    """
    return call(POW, (a, b), out, workers)


def minimum(a, b, out=None, workers=None):
    """
    The smaller of two numbers; NaN where either is.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.minimum(np.array([1.0, 5.0, np.nan]), 3.0)
    array([ 1.,  3., nan])
    """
    return call(MINIMUM, (a, b), out, workers)


def maximum(a, b, out=None, workers=None):
    """
    The larger of two numbers; NaN where either is.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.maximum(np.array([1.0, 5.0, np.nan]), 3.0)
    array([ 3.,  5., nan])
    """
    return call(MAXIMUM, (a, b), out, workers)


def clamp(a, lo, hi, out=None, workers=None):
    """
    The nearest number between two bounds: ``minimum(maximum(a, lo), hi)``.

    Parameters
    ----------
    a : array_like
        Numbers.
    lo : array_like
        Lower bounds.
    hi : array_like
        Upper bounds.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype; `hi` where `lo` is larger, NaN where one of the three is. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.clamp(np.array([-1.0, 0.5, 7.0]), 0, 1)
    array([0. , 0.5, 1. ])
    """
    return call(CLAMP, (a, lo, hi), out, workers)


def neg(a, out=None, workers=None):
    """
    The number with the other sign: ``-a``.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        The dtype of `a`. Integers wrap around. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.neg(np.array([1.0, -2.0]))
    array([-1.,  2.])
    """
    return call(NEG, (a,), out, workers)


def abs(a, out=None, workers=None):
    """
    Magnitude: ``|a|``.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        The dtype of `a`, of its real part if it is complex. The most negative integer stays itself. A scalar if the
        arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.abs(np.array([1.0, -2.0]))
    array([1., 2.])
    """
    return call(ABS, (a,), out, workers)


def sign(a, out=None, workers=None):
    """
    -1, 0 or 1, as the number is negative, zero or positive; NaN for NaN.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        The dtype of `a`. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.sign(np.array([3.0, 0.0, -2.0]))
    array([ 1.,  0., -1.])
    """
    return call(SIGN, (a,), out, workers)


def sqrt(a, out=None, workers=None):
    """
    Square root, correctly rounded; NaN for negative numbers, without a warning.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype: of integers, floating point. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.sqrt(np.array([4.0, 9.0]))
    array([2., 3.])
    """
    return call(SQRT, (a,), out, workers)


def exp(a, out=None, workers=None):
    """
    Exponential: e to the power of `a`.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype: of integers, floating point. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Notes
    -----
    Within 4 units in the last place. Computed by the vector math library of glibc where there is one, else by the C
    library number by number: the last bits may differ between instruction sets, but not between layouts.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.exp(np.array([0.0, 1.0])).round(6)
    array([1.      , 2.718282])
    """
    return call(EXP, (a,), out, workers)


def log(a, out=None, workers=None):
    """
    Natural logarithm; NaN for negative numbers and minus infinity for 0, without a warning.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype: of integers, floating point. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Notes
    -----
    Within 4 units in the last place. Computed by the vector math library of glibc where there is one, else by the C
    library number by number: the last bits may differ between instruction sets, but not between layouts.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.log(np.array([1.0, np.e]))
    array([0., 1.])
    """
    return call(LOG, (a,), out, workers)


def sin(a, out=None, workers=None):
    """
    Sine of an angle in radians.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype: of integers, floating point. NaN for infinities. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Notes
    -----
    Within 4 units in the last place. Computed by the vector math library of glibc where there is one, else by the C
    library number by number: the last bits may differ between instruction sets, but not between layouts.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.sin(np.array([0.0, np.pi / 2]))
    array([0., 1.])
    """
    return call(SIN, (a,), out, workers)


def cos(a, out=None, workers=None):
    """
    Cosine of an angle in radians.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype: of integers, floating point. NaN for infinities. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Notes
    -----
    Within 4 units in the last place. Computed by the vector math library of glibc where there is one, else by the C
    library number by number: the last bits may differ between instruction sets, but not between layouts.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.cos(np.array([0.0, np.pi]))
    array([ 1., -1.])
    """
    return call(COS, (a,), out, workers)


def tanh(a, out=None, workers=None):
    """
    Hyperbolic tangent.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype: of integers, floating point. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Notes
    -----
    Within 4 units in the last place. Computed by the vector math library of glibc where there is one, else by the C
    library number by number: the last bits may differ between instruction sets, but not between layouts.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.tanh(np.array([0.0, 100.0]))
    array([0., 1.])
    """
    return call(TANH, (a,), out, workers)


def floor(a, out=None, workers=None):
    """
    The next integer below, or the number itself if it is one.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        The dtype of `a`. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.floor(np.array([1.5, -1.5]))
    array([ 1., -2.])
    """
    return call(FLOOR, (a,), out, workers)


def ceil(a, out=None, workers=None):
    """
    The next integer above, or the number itself if it is one.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        The dtype of `a`. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.ceil(np.array([1.5, -1.5]))
    array([ 2., -1.])
    """
    return call(CEIL, (a,), out, workers)


def trunc(a, out=None, workers=None):
    """
    The next integer towards zero, or the number itself if it is one.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        The dtype of `a`. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.trunc(np.array([1.5, -1.5]))
    array([ 1., -1.])
    """
    return call(TRUNC, (a,), out, workers)


def round(a, out=None, workers=None):
    """
    The nearest integer, of two the even one.

    Parameters
    ----------
    a : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        The dtype of `a`. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.round(np.array([0.5, 1.5, 2.5]))
    array([0., 2., 2.])
    """
    return call(ROUND, (a,), out, workers)


def fma(a, b, c, out=None, workers=None):
    """
    ``a * b + c``, rounded once.

    Parameters
    ----------
    a, b, c : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. Integers wrap around; complex numbers are refused. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.fma(np.array([1 + 2**-52]), 1 - 2**-52, -1) == -(2.0**-104)
    array([ True])
    """
    return call(FMA, (a, b, c), out, workers)


def axpy(alpha, x, y, out=None, workers=None):
    """
    ``alpha * x + y``, the product rounded before the sum.

    Parameters
    ----------
    alpha : array_like
        Factors, most often one for all.
    x : array_like
        Numbers.
    y : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        NumPy's result dtype. Integers wrap around. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> y = np.array([1.0, 2.0])
    >>> tny.axpy(0.5, np.array([10.0, 20.0]), y, out=y)
    array([ 6., 12.])
    """
    return call(AXPY, (alpha, x, y), out, workers)


def equal(a, b, out=None, workers=None):
    """
    Whether ``a == b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        bool. Whatever is compared with NaN differs from it. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.equal(np.array([1, 2, 3]), 2)
    array([False,  True, False])
    """
    return call(EQUAL, (a, b), out, workers)


def not_equal(a, b, out=None, workers=None):
    """
    Whether ``a != b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        bool. Whatever is compared with NaN differs from it. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.not_equal(np.array([1, 2, 3]), 2)
    array([ True, False,  True])
    """
    return call(NOT_EQUAL, (a, b), out, workers)


def less(a, b, out=None, workers=None):
    """
    Whether ``a < b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        bool. Whatever is compared with NaN differs from it. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.less(np.array([1, 2, 3]), 2)
    array([ True, False, False])
    """
    return call(LESS, (a, b), out, workers)


def less_equal(a, b, out=None, workers=None):
    """
    Whether ``a <= b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        bool. Whatever is compared with NaN differs from it. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.less_equal(np.array([1, 2, 3]), 2)
    array([ True,  True, False])
    """
    return call(LESS_EQUAL, (a, b), out, workers)


def greater(a, b, out=None, workers=None):
    """
    Whether ``a > b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        bool. Whatever is compared with NaN differs from it. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.greater(np.array([1, 2, 3]), 2)
    array([False, False,  True])
    """
    return call(GREATER, (a, b), out, workers)


def greater_equal(a, b, out=None, workers=None):
    """
    Whether ``a >= b``.

    Parameters
    ----------
    a, b : array_like
        Numbers.
    out : ndarray, optional
        Where the result goes, of its shape; its dtype must be one to which NumPy casts the result as the
        ``same_kind``.
    workers : int, optional
        Number of threads. By default as many as the size is worth, up to `teeny.get_num_threads`.

    Returns
    -------
    ndarray
        bool. Whatever is compared with NaN differs from it. A scalar if the arguments are.

    Raises
    ------
    ShapeError
        If the arguments do not broadcast, or `out` has another shape.
    DTypeError
        If an argument does not hold numbers, the operation has no meaning for their dtype, or `out` cannot take the
        result's.
    LayoutError
        If `out` is read-only, unaligned, byte-swapped, or overlaps itself.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> tny.greater_equal(np.array([1, 2, 3]), 2)
    array([False,  True,  True])
    """
    return call(GREATER_EQUAL, (a, b), out, workers)
