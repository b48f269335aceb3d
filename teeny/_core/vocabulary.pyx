"""Data types, devices, and the exceptions that status codes stand for."""

import numpy as np

from cpython.number cimport PyNumber_Index
from libc.stdint cimport int64_t, uint8_t
from numpy cimport dtype as np_dtype

from teeny._core.errors import ArgumentError, BoundsError, DeviceError, DTypeError, LayoutError, ShapeError

__all__ = ["SINGULAR", "DType", "Device"]

globals().update(SINGULAR=SINGULAR)

cdef dict KINDS = {"b": BOOL, "i": INT, "u": UINT, "f": FLOAT, "c": COMPLEX}
cdef dict LETTERS = {int(code): kind for kind, code in KINDS.items()}
cdef dict DEVICES = {"cpu": CPU, "cuda": CUDA, "cuda_host": CUDA_HOST, "cuda_managed": CUDA_MANAGED}
cdef dict DEVICE_NAMES = {int(code): name for name, code in DEVICES.items()}

cdef dict NUMPY = {}  # numpy.dtype by triple, of those that were asked for
cdef str NUMBERS = "expected booleans, integers, floats or complex numbers in native byte order"


cdef dtype_t dtype_from_numpy(np_dtype dtype, str what) except *:
    cdef dtype_t c
    cdef str kind = chr(dtype.kind)
    cdef int bits = 8 * dtype.itemsize
    c.lanes = 1
    if kind in KINDS and bits < 256 and dtype.isnative:
        c.code = KINDS[kind]
    elif dtype.name == "bfloat16":
        c.code = BFLOAT
    else:
        raise DTypeError(f"{what}: found dtype {dtype}, {NUMBERS}")
    c.bits = <uint8_t> bits
    return c


cdef DType make_dtype(dtype_t c):
    cdef DType self = DType.__new__(DType)
    self.c = c
    return self


cdef class DType:
    """
    A data type, as DLPack describes it.

    Parameters
    ----------
    code : int, str, type, numpy.dtype or DType
        DLPack's type code, or any other spelling of the whole type.
    bits : int, optional
        Bits per lane; with an integer code only.
    lanes : int, optional
        More than one can be described but not computed on.

    Raises
    ------
    DTypeError
        If the type has no description: objects, text, records, dates, a foreign byte order.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import DType
    >>> DType(2, 32)
    DType('float32')
    >>> DType(np.complex64).code, DType("bool").size_bytes
    (5, 1)
    >>> DType("float32") == DType(2, 32), DType("float32").numpy
    (True, dtype('float32'))
    """

    def __init__(self, code, bits=None, lanes=1):
        if bits is not None:
            self.c.code = small(code, 0, 255, "DType: code")
            self.c.bits = small(bits, 1, 255, "DType: bits")
            self.c.lanes = small(lanes, 1, 65535, "DType: lanes")
        elif integer(lanes, "DType: lanes") != 1:
            raise ArgumentError(f"DType: lanes: found {lanes} beside {code!r}, expected it beside a code and bits")
        else:
            self.c = as_dtype(code, "DType").c

    @property
    def code(self):
        """DLPack's type code."""
        return self.c.code

    @property
    def bits(self):
        """Bits per lane."""
        return self.c.bits

    @property
    def lanes(self):
        """Values per element; 1 for everything that can be computed on."""
        return self.c.lanes

    @property
    def size_bytes(self):
        """Bytes per element, rounded up."""
        return (self.c.bits * self.c.lanes + 7) // 8

    @property
    def numpy(self):
        """The same as a numpy.dtype; DTypeError if NumPy has none (bfloat16: needs ``ml_dtypes``)."""
        found = NUMPY.get(triple(self))
        if found is not None:
            return found
        name = numpy_name(self.c)
        if name is None:
            raise DTypeError(f"DType.numpy: NumPy has no type for {self!r}")
        if name != "bfloat16":
            return NUMPY.setdefault(triple(self), np.dtype(name))
        try:
            import ml_dtypes
        except ImportError:
            raise DTypeError("DType.numpy: bfloat16 needs the package ml_dtypes") from None
        return np.dtype(ml_dtypes.bfloat16)

    def __eq__(self, other):
        if not isinstance(other, DType):
            return NotImplemented
        return triple(self) == triple(<DType> other)

    def __hash__(self):
        return hash(triple(self))

    def __reduce__(self):
        return DType, triple(self)

    def __str__(self):
        return numpy_name(self.c) or f"(code={self.c.code}, bits={self.c.bits}, lanes={self.c.lanes})"

    def __repr__(self):
        name = numpy_name(self.c)
        return f"DType({name!r})" if name else f"DType{self}"


cdef DType as_dtype(object x, str what):
    cdef dtype_t bfloat16
    if isinstance(x, DType):
        return x
    if isinstance(x, str) and x == "bfloat16":
        bfloat16.code, bfloat16.bits, bfloat16.lanes = BFLOAT, 16, 1
        return make_dtype(bfloat16)
    try:
        dtype = np.dtype("none" if x is None else x)
    except Exception as error:
        raise DTypeError(f"{what}: found {x!r}, {NUMBERS}") from error
    return make_dtype(dtype_from_numpy(dtype, what))


cdef str numpy_name(dtype_t c):
    """What NumPy calls the type, or None."""
    if c.lanes != 1 or c.bits % 8 != 0:
        return None
    if c.code == BFLOAT and c.bits == 16:
        return "bfloat16"
    try:
        return np.dtype(f"{LETTERS[c.code]}{c.bits // 8}").name
    except (KeyError, TypeError):
        return None


cdef tuple triple(DType x):
    return x.c.code, x.c.bits, x.c.lanes


cdef Device make_device(device_t c):
    cdef Device self = Device.__new__(Device)
    self.c = c
    return self


cdef class Device:
    """
    Where memory lies, as DLPack describes it.

    Parameters
    ----------
    type : int, str or Device
        DLPack's device type; or ``"cpu"``, ``"cuda:1"``, ``"cuda_host"``, ``"cuda_managed"``.
    id : int, optional
        Which of them; with an integer type only.

    Raises
    ------
    DeviceError
        If the text names no known device.

    Examples
    --------
    >>> from teeny import Device
    >>> Device(2, 1)
    Device('cuda:1')
    >>> Device("cpu").is_cpu, Device("cuda:1") == Device(2, 1)
    (True, True)
    """

    def __init__(self, type, id=0):
        if isinstance(type, (Device, str)):
            if integer(id, "Device: id") != 0:
                raise ArgumentError(f"Device: id: found {id} beside {type!r}, expected it beside a code")
            self.c = as_device(type, "Device").c
        else:
            self.c.type = small(type, 0, 2**31 - 1, "Device: type")
            self.c.id = small(id, 0, 2**31 - 1, "Device: id")

    @property
    def type(self):
        """DLPack's device type."""
        return self.c.type

    @property
    def id(self):
        """Which device of its type."""
        return self.c.id

    @property
    def is_cpu(self):
        """Ordinary host memory."""
        return self.c.type == CPU

    @property
    def is_cuda(self):
        """Memory of a CUDA device."""
        return self.c.type == CUDA

    @property
    def is_cuda_host(self):
        """Page-locked host memory."""
        return self.c.type == CUDA_HOST

    @property
    def is_cuda_managed(self):
        """Managed memory, reachable from host and device."""
        return self.c.type == CUDA_MANAGED

    def __eq__(self, other):
        if not isinstance(other, Device):
            return NotImplemented
        return self.c.type == (<Device> other).c.type and self.c.id == (<Device> other).c.id

    def __hash__(self):
        return hash((self.c.type, self.c.id))

    def __reduce__(self):
        return Device, (self.c.type, self.c.id)

    def __str__(self):
        name = DEVICE_NAMES.get(self.c.type, self.c.type)
        return name if name == "cpu" and self.c.id == 0 else f"{name}:{self.c.id}"

    def __repr__(self):
        if self.c.type not in DEVICE_NAMES:
            return f"Device({self.c.type}, {self.c.id})"
        return f"Device({str(self)!r})"


cdef Device as_device(object x, str what):
    cdef Device device
    if isinstance(x, Device):
        return x
    if not isinstance(x, str):
        raise ArgumentError(f"{what}: found {x!r}, expected a Device, or text as in 'cuda:1'")
    name, colon, number = x.partition(":")
    if name not in DEVICES or (colon and not (number.isascii() and number.isdecimal() and len(number) <= 10)):
        raise DeviceError(f"{what}: found {x!r}, expected one of {', '.join(DEVICES)}, with a number as in 'cuda:1'")
    device = Device.__new__(Device)
    device.c.type = DEVICES[name]
    device.c.id = small(int(number or 0), 0, 2**31 - 1, what)
    return device


cdef object integer(object value, str what, str which=""):
    try:
        return PyNumber_Index(value)
    except Exception as error:
        raise ArgumentError(f"{what}{which}: found {value!r}, expected an integer") from error


cdef int64_t small(object value, int64_t low, int64_t high, str what, str which="") except? -1:
    number = integer(value, what, which)
    if not low <= number <= high:
        raise ArgumentError(f"{what}{which}: found {value!r}, expected an integer from {low} to {high}")
    return number


cdef bint flag(object value, str what, str which="") except -1:
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"{what}{which}: found {value!r}, expected True or False")
    return value


cdef int raise_status(int code, str what) except -1:
    if code >= 0:
        return 0
    if code == ERROR_RANK:
        raise ShapeError(f"{what}: found fewer axes than the call needs, or more than {MAX_NDIM}")
    if code == ERROR_RANGE:
        raise BoundsError(f"{what}: found an index or a range outside the batch")
    if code == ERROR_OVERFLOW:
        raise LayoutError(f"{what}: found a size or an offset that does not fit 64 bits")
    if code == ERROR_BROADCAST:
        raise ShapeError(f"{what}: found batch axes that do not broadcast together")
    raise SystemError(f"{what}: found unknown status {code}")
