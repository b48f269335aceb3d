"""Run-time facts turned into static ones, once, at the boundary: values, ranks, index types, layouts, data types.

The compiled side, static tags and fused types, stands in ``dispatch.pxd``.
"""

from enum import Enum

from cpython.pycapsule cimport PyCapsule_CheckExact

from teeny._core.carrier cimport AnyRank, carry_loan, check_space, taken
from teeny._core.dlpack cimport DLTensor, borrow
from teeny._core.errors import ArgumentError, DTypeError
from teeny._core.geometry import ccontiguous, fcontiguous
from teeny._core.interchange cimport Loan
from teeny._core.view cimport View
from teeny._core.vocabulary cimport MAX_NDIM, DType, flag, integer

__all__ = ["candidates", "dispatch_dlpack", "dispatch_dlpack_dtype", "dispatch_index", "dispatch_layout",
           "dispatch_rank", "dispatch_value", "dispatch_values"]

# 15 types of element that a kernel may be instantiated for.
cdef frozenset SUPPORTED = frozenset(map(DType, [
    "bool",
    "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128",
]))


cdef class candidates:
    """
    The values that a run-time value may have.

    Parameters
    ----------
    values : iterable of int
        Integers or enumerators.
    value : int
        The run-time value: any integer, or an enumerator that stands for one.

    Examples
    --------
    >>> from teeny import candidates, dispatch_values
    >>> order, bound = 1, 3
    >>> dispatch_values(lambda o, b: print(o, b), candidates((0, 1, 3), order), candidates(range(8), bound))
    1 3
    True
    """

    cdef tuple values
    cdef object value

    def __cinit__(self, values, value):
        self.values = whole_each(values, "candidates: values")
        self.value = whole(value, "candidates: value")

    def __reduce__(self):
        return candidates, (self.values, self.value)

    def __repr__(self):
        return f"candidates({self.values}, {self.value})"


def dispatch_value(values, value, f):
    """
    Call `f` with the candidate that a value is equal to.

    Parameters
    ----------
    values : iterable of int
        The candidates: integers or enumerators.
    value : int
        The run-time value: any integer, or an enumerator that stands for one.
    f : callable
        ``f(candidate)``, an int.

    Returns
    -------
    bool
        Whether there was one. A miss is no error.

    Examples
    --------
    >>> from teeny import dispatch_value
    >>> dispatch_value((1, 2, 3), 2, print)
    2
    True
    >>> dispatch_value((1, 2, 3), 4, print)
    False
    """
    check_callable(f, "dispatch_value")
    number = whole(value, "dispatch_value: value")
    if number not in whole_each(values, "dispatch_value: values"):
        return False
    f(number)
    return True


def dispatch_values(f, *lists):
    """
    Call `f` with one candidate of each list.

    Parameters
    ----------
    f : callable
        ``f(a, b, ...)``, with an int per list.
    *lists : candidates
        What each value may be. The product of their lengths is the number of instances of a kernel.

    Returns
    -------
    bool
        Whether every value was in its list; if not, `f` is not called.

    Examples
    --------
    >>> from teeny import candidates, dispatch_values
    >>> dispatch_values(print, candidates((1, 2, 3), 3), candidates((0, 1), 0))
    3 0
    True
    >>> dispatch_values(print, candidates((1, 2, 3), 7), candidates((0, 1), 0))
    False
    """
    check_callable(f, "dispatch_values")
    for each in lists:
        if not isinstance(each, candidates):
            raise ArgumentError(f"dispatch_values: lists: found {each!r}, expected candidates(values, value)")
    for each in lists:
        if (<candidates> each).value not in (<candidates> each).values:
            return False
    f(*[(<candidates> each).value for each in lists])
    return True


def dispatch_rank(at, f, max_rank=32, narrow_index=False):
    """
    Call `f` with a carrier as a view of its rank.

    Parameters
    ----------
    at : AnyRank
    f : callable
        ``f(view)``.
    max_rank : int, optional
        The largest rank that `f` is there for.
    narrow_index : bool, optional
        Whether the view has 32-bit indices where they fit.

    Returns
    -------
    bool
        False if there are more axes than `max_rank`.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank, dispatch_rank
    >>> at = as_anyrank(np.zeros((2, 3)))
    >>> dispatch_rank(at, print), dispatch_rank(at, print, max_rank=1)
    View(shape=(2, 3), strides=(3, 1), dtype=float64)
    (True, False)
    """
    if not isinstance(at, AnyRank):
        raise ArgumentError(f"dispatch_rank: at: found {type(at).__name__}, expected AnyRank; as_anyrank makes one")
    check_callable(f, "dispatch_rank")
    narrow = flag(narrow_index, "dispatch_rank: narrow_index")
    if at.ndim > whole(max_rank, "dispatch_rank: max_rank"):
        return False
    view = at.fixed(at.ndim)
    if narrow:
        return dispatch_index(view, f)
    f(view)
    return True


def dispatch_index(v, f, to="int32"):
    """
    Call `f` with narrow indices if they fit, with the array as it is otherwise.

    Parameters
    ----------
    v : View or AnyRank
    f : callable
        ``f(v)`` or ``f(v.reindex(to))``.
    to : dtype, optional
        The narrow type.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank, dispatch_index
    >>> small, large = as_anyrank(np.zeros((2, 3))), as_anyrank(np.broadcast_to(np.zeros(1), 2**40))
    >>> for at in small, large:
    ...     fired = dispatch_index(at, lambda at: print(at.index_dtype))
    int32
    int64
    """
    if not isinstance(v, (AnyRank, View)):
        raise ArgumentError(f"dispatch_index: v: found {type(v).__name__}, expected a View or AnyRank")
    check_callable(f, "dispatch_index")
    f(v.reindex(to) if v.index_fits(to) else v)
    return True


def dispatch_layout(v, f):
    """
    Call `f` with a view whose layout says what its strides are.

    Parameters
    ----------
    v : View
    f : callable
        ``f(view)``, with `layout_right` as its layout if it is in C order, else `layout_left` if it is
        in Fortran order, else `layout_stride`. Only strides are looked at.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank, dispatch_layout, shape
    >>> v = as_anyrank(np.zeros((5, 3, 3))).fixed(3)
    >>> dispatch_layout(v, lambda v: print(v.layout, v.recast(shape(-1, 3, 3)).static_stride(0)))
    layout_right(Extents(dyn, dyn, dyn)(5, 3, 3)) 9
    True
    """
    if not isinstance(v, View):
        raise ArgumentError(f"dispatch_layout: v: found {type(v).__name__}, expected View")
    check_callable(f, "dispatch_layout")
    for order in (ccontiguous, fcontiguous):
        if v.is_contiguous(order):
            f(v.recast(v.extents, order))
            return True
    f(v)
    return True


def dispatch_dlpack(m, f, space=None, *, max_rank=32):
    """
    Call `f` with an array as a view of its data type and rank.

    Parameters
    ----------
    m : array
        Anything that `as_anyrank` or `from_dlpack` takes. A capsule is consumed if `f` is called.
    f : callable
        ``f(view)``.
    space : storage or str, optional
        Where the memory is expected to be. By default, wherever it is.
    max_rank : int, optional
        The largest rank that `f` is there for.

    Returns
    -------
    bool
        Whether the data type and the rank are supported.

    Raises
    ------
    BoundaryError
        If `m` is no array.
    DeviceError
        If its memory is not in `space`.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import dispatch_dlpack
    >>> dispatch_dlpack(np.zeros((2, 3), np.float32), print)
    View(shape=(2, 3), strides=(3, 1), dtype=float32)
    True
    >>> dispatch_dlpack(np.zeros(3, object), print)
    False
    """
    check_callable(f, "dispatch_dlpack")
    most = whole(max_rank, "dispatch_dlpack: max_rank")
    at = supported(m, space, most, "dispatch_dlpack")
    if at is None:
        return False
    f(at.fixed(at.ndim))
    return True


def dispatch_dlpack_dtype(m, f, space=None):
    """
    Call `f` with an array as a carrier of its data type, of any rank.

    Parameters
    ----------
    m, space
        As of `dispatch_dlpack`.
    f : callable
        ``f(at)``.

    Returns
    -------
    bool
        Whether the data type is supported.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import dispatch_dlpack_dtype
    >>> dispatch_dlpack_dtype(np.zeros((2, 5, 3)), lambda at: print(at.dtype, at.size_front(-1)))
    float64 10
    True
    """
    check_callable(f, "dispatch_dlpack_dtype")
    at = supported(m, space, MAX_NDIM, "dispatch_dlpack_dtype")
    if at is None:
        return False
    f(at)
    return True


cdef AnyRank supported(object m, object space, object max_rank, str function):
    """The carrier, or None for a data type or a rank that no kernel has: then nothing is consumed."""
    cdef Loan loan = None
    cdef AnyRank at
    try:
        if PyCapsule_CheckExact(m) or isinstance(m, (DLTensor, int)):  # of DLPack itself, which as_anyrank refuses
            loan = borrow(m, None, None, function)
            at = carry_loan(loan)
        else:
            at = taken(m, function + ": m")
    except DTypeError:
        return None
    if space is not None:
        check_space(at, space, function)
    if at.dtype not in SUPPORTED or at.ndim > max_rank:
        return None
    if loan is not None:
        loan.take(function + ": m")
    return at


cdef int check_callable(object f, str function) except -1:
    if not callable(f):
        raise ArgumentError(f"{function}: f: found {f!r}, expected a callable")
    return 0


cdef object whole(object value, str what):
    """An integer, or what an enumerator stands for."""
    try:
        return integer(value.value if isinstance(value, Enum) else value, what)
    except ArgumentError as error:
        raise ArgumentError(f"{what}: found {value!r}, expected an integer or an enumerator of one") from error


cdef tuple whole_each(object values, str what):
    try:
        each = tuple(values)
    except Exception as error:
        raise ArgumentError(f"{what}: found {values!r}, expected integers or enumerators") from error
    return tuple([whole(value, what) for value in each])
