"""DLPack for people: `from_dlpack`, `to_dlpack`, `to_dltensor`; what they do stands in `interchange`."""

from numpy.ma import MaskedArray

from cpython.pycapsule cimport PyCapsule_CheckExact
from libc.stdint cimport int64_t, uintptr_t

from teeny._core.errors import ArgumentError, BoundaryError, DTypeError
from teeny._core.carrier cimport AnyRank, carry_loan, check_space, taken
from teeny._core.interchange cimport (Loan, attribute, check_copy, check_stream, check_writable, dltensor_t, export,
                                      fill_tensor, loan_of_capsule, loan_of_copy, loan_of_dlpack, loan_of_tensor)
from teeny._core.view cimport refuse_pickle
from teeny._core.vocabulary cimport DType, as_dtype

from teeny._core.geometry import keep_strides

__all__ = ["DLTensor", "from_dlpack", "to_dlpack", "to_dltensor"]


def from_dlpack(m, shape=None, layout=keep_strides, *, dtype=None, space=None, stream=None, copy=None):
    """
    Take in an array by DLPack, without copying it.

    A capsule that is refused keeps its name and stays its producer's; one that is taken
    in is freed, by its own deleter, when the last carrier or view of it is gone.

    Parameters
    ----------
    m : object with ``__dlpack__``, capsule, DLTensor or int
        An array; a capsule, ``"dltensor"`` or ``"dltensor_versioned"``; or a bare ``DLTensor *``:
        what `to_dltensor` gives, or its address. What an address points to is borrowed: it must
        be a valid struct, and outlive all that is made of it.
    shape : anyshape, optional
        Sizes that the first and the last axes are promised to have: ``anyshape[..., -1, 3]``.
    layout : LayoutTag, optional
        Strides that the axes after the ``...`` are promised to have: `keep_strides` (anything),
        `ccontiguous`, `fcontiguous` or ``strides(...)``.
    dtype : dtype, optional
        What the elements are expected to be. Nothing is converted.
    space : {"view", "pinned", "mapped", "gpu_view"}, optional
        Where the memory is expected to be. Nothing is moved.
    stream : int, optional
        The stream that will use device memory, in the producer's numbering; passed on to it.
    copy : bool, optional
        True for a copy, False for an error where the producer would make one.

    Returns
    -------
    AnyRank
        Read-only if the producer says so.

    Raises
    ------
    BoundaryError
        If `m` is nothing of that kind, was consumed before, is of another major version, or if
        its producer fails.
    DTypeError
        If the elements are not the expected ones, or none that can be computed on.
    DeviceError
        If the memory is on an unknown device, not in `space`, or out of reach for the copy.
    ShapeError, LayoutError
        If sizes are negative, offsets do not fit the address space, or either is not as promised.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> x = np.arange(6.0).reshape(2, 3)
    >>> tny.from_dlpack(x[:, ::-1])
    AnyRank(shape=(2, 3), strides=(3, -1), dtype=float64)
    >>> capsule = x.__dlpack__()
    >>> tny.from_dlpack(capsule, dtype="float64").shape
    (2, 3)
    >>> tny.from_dlpack(capsule)
    Traceback (most recent call last):
    teeny.BoundaryError: from_dlpack: m: found a capsule that has been consumed
    """
    cdef Loan loan
    cdef AnyRank at
    check_copy(copy, "from_dlpack")
    check_stream(stream, "from_dlpack")
    cdef DType expected = None if dtype is None else as_dtype(dtype, "from_dlpack: dtype")
    loan = borrow(m, stream, copy, "from_dlpack")
    at = carry_loan(loan)
    if expected is not None and at.dtype != expected:
        raise DTypeError(f"from_dlpack: m: found data type {at.dtype}, expected {expected}")
    if space is not None:
        check_space(at, space, "from_dlpack")
    if copy is False and loan.copied:
        raise BoundaryError("from_dlpack: copy: found a copy by the producer, expected its own memory")
    if copy and not loan.copied:
        at = carry_loan(loan_of_copy(&at.c, "from_dlpack"))
    if shape is not None or layout is not keep_strides:
        at.promise(shape, layout, "from_dlpack")
    loan.take("from_dlpack: m")
    return at


cdef Loan borrow(object m, object stream, object copy, str function):
    cdef str what = function + ": m"
    if issubclass(type(m), MaskedArray):
        raise BoundaryError(f"{what}: found a masked array, whose mask would be ignored; pass .filled(value) or .data")
    if attribute(m, "__dlpack__", what) is not None:
        return loan_of_dlpack(m, stream, copy, what)
    if stream is not None:
        raise ArgumentError(f"{function}: stream: found one for a tensor that is there already, "
                            "expected None: a stream is told to __dlpack__")
    if PyCapsule_CheckExact(m):
        return loan_of_capsule(m, what)
    if isinstance(m, DLTensor):
        return loan_of_tensor(&(<DLTensor> m).tensor, m, what)
    if not isinstance(m, int):
        raise BoundaryError(f"{what}: found {type(m).__name__}, expected an object with __dlpack__, a capsule, "
                            "a DLTensor, or the address of one")
    if not 0 < m < 2**63 or m % sizeof(int64_t) != 0:
        raise BoundaryError(f"{what}: found {m}, expected the address of a DLTensor")
    return loan_of_tensor(<const dltensor_t *> <uintptr_t> m, None, what)


def to_dlpack(x, *, max_version=None, stream=None, dl_device=None, copy=None):
    """
    Hand out an array as a DLPack capsule, without copying it.

    The capsule keeps the memory alive, until it is dropped or its consumer has called the
    deleter: from any thread, also after Python is gone.

    Parameters
    ----------
    x : array
        Anything that `as_anyrank` takes.
    max_version : (int, int), optional
        The newest version that the consumer knows. From (1, 0) on, the capsule is a
        ``"dltensor_versioned"``; by default a ``"dltensor"``, which cannot say read-only.
    stream : int, optional
        The stream that will use device memory. A carrier starts no work, so nothing is waited for.
    dl_device : (int, int) or Device, optional
        The device that is expected: the memory's own, or the host for memory that it can reach.
    copy : bool, optional
        True for a copy in C order, of host memory. By default, and for False, nothing is copied.

    Returns
    -------
    capsule

    Raises
    ------
    BoundaryError
        If the memory is read-only and the capsule cannot say so, or DLPack has no such data type.
    DeviceError
        If the memory is on another device than `dl_device`, or out of reach for the copy.
    ArgumentError
        If an option is nothing of its kind.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> x = np.arange(6.0)
    >>> x.flags.writeable = False
    >>> tny.from_dlpack(tny.to_dlpack(x, max_version=(1, 0))).readonly
    True
    >>> tny.to_dlpack(x)
    Traceback (most recent call last):
    teeny.BoundaryError: to_dlpack: x: found read-only memory, which only a capsule \
with max_version=(1, 0) or above can say
    """
    cdef AnyRank at = taken(x, "to_dlpack: x")
    return export(&at.c, at, stream, max_version, dl_device, copy, "to_dlpack", "to_dlpack: x")


def to_dltensor(x):
    """
    Hand out an array as a bare ``DLTensor *``, for C code that takes one.

    Parameters
    ----------
    x : array
        Anything that `as_anyrank` takes, but read-only: the struct could not say so.

    Returns
    -------
    DLTensor
        ``.ptr`` is the address of the struct.

    Raises
    ------
    BoundaryError
        If the memory is read-only, or DLPack has no such data type.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> x = np.arange(6.0)
    >>> tensor = tny.to_dltensor(x[::2])
    >>> tny.from_dlpack(tensor.ptr)
    AnyRank(shape=(3,), strides=(2,), dtype=float64)
    """
    cdef AnyRank at = taken(x, "to_dltensor: x")
    cdef DLTensor tensor = DLTensor.__new__(DLTensor)
    check_writable(&at.c, "to_dltensor: x")
    fill_tensor(&tensor.tensor, &at.c, "to_dltensor: x")
    tensor.at = at
    return tensor


cdef class DLTensor:
    """
    A borrowed DLPack struct; made by `to_dltensor`.

    The struct, and the memory it describes, live as long as this object.
    """

    def __init__(self):
        raise TypeError("DLTensor is not made by calling it; use to_dltensor")

    @property
    def ptr(self):
        """The address of the struct."""
        return <uintptr_t> &self.tensor

    def __reduce__(self):
        refuse_pickle(self)

    def __repr__(self):
        return f"DLTensor({self.at!r})"
