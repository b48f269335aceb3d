"""Foreign memory by hand: DLPack structs and capsules made with ctypes, whose frees are counted, and who lends them."""

import ctypes

import pytest

CLASSIC, VERSIONED = b"dltensor", b"dltensor_versioned"
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = (1, 0), (2, 0), (3, 0), (13, 0)
USED = {CLASSIC: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}  # a capsule does not copy its name
READ_ONLY, IS_COPIED = 1, 2
KINDS = pytest.mark.parametrize("kind", [CLASSIC, VERSIONED], ids=bytes.decode)
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Classic(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", Version),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def function(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


new_capsule = function("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
pointer_of = function("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
name_of = function("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
rename = function("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
# of a capsule that is about to go, and has no references any more
dying_has_name = function("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)


def int64s(values):
    return None if values is None else (ctypes.c_int64 * len(values))(*values)


def describe(tensor, x, **changes):
    """Fill a DLTensor with a NumPy array, or with anything else."""
    fields = {
        "data": x.ctypes.data,
        "device": CPU,
        "ndim": x.ndim,
        "dtype": (CODES[x.dtype.kind], 8 * x.itemsize, 1),
        "shape": x.shape,
        "strides": [stride // x.itemsize for stride in x.strides],
        "byte_offset": 0,
    } | changes
    tensor.data, tensor.ndim, tensor.byte_offset = fields["data"], fields["ndim"], fields["byte_offset"]
    tensor.device, tensor.dtype = Device(*fields["device"]), DataType(*fields["dtype"])
    tensor.shape, tensor.strides = int64s(fields["shape"]), int64s(fields["strides"])


EVERY = []  # a producer lasts: nobody can tell when C is done with its struct and its functions


class Producer:
    """An array behind a capsule. Its frees: `deleted` by the consumer, `dropped` with the capsule."""

    def __init__(self, x, kind=VERSIONED, *, flags=0, version=(1, 0), has_deleter=True, **changes):
        self.x, self.kind, self.deleted, self.dropped = x, kind, 0, 0
        self.delete, self.drop = CALLBACK(self._delete), CALLBACK(self._drop)
        self.managed = Classic() if kind == CLASSIC else Versioned(version=Version(*version), flags=flags)
        self.managed.deleter = ctypes.cast(self.delete, ctypes.c_void_p).value if has_deleter else None
        describe(self.managed.tensor, x, **changes)
        EVERY.append(self)

    def _delete(self, managed):
        assert managed == ctypes.addressof(self.managed)
        self.deleted += 1

    def _drop(self, capsule):
        self.dropped += dying_has_name(capsule, self.kind)

    def capsule(self):
        return new_capsule(ctypes.addressof(self.managed), self.kind, ctypes.cast(self.drop, ctypes.c_void_p))

    @property
    def frees(self):
        return self.deleted, self.dropped


def managed_of(capsule):
    """The struct in somebody else's capsule."""
    kind = Classic if name_of(capsule) == CLASSIC else Versioned
    return kind.from_address(pointer_of(capsule, name_of(capsule)))


def take_over(capsule):
    """What a consumer in C does: (deleter, its argument)."""
    managed = managed_of(capsule)
    rename(capsule, USED[name_of(capsule)])
    return managed.deleter, ctypes.addressof(managed)


class Lender:
    """An object with ``__dlpack__``, which notes how it is asked."""

    def __init__(self, give, device=CPU):
        self.give, self.device, self.asked = give, device, []

    def __dlpack__(self, **wishes):
        self.asked.append(wishes)
        self.given = self.give()  # kept, so that its destructor, which is Python, runs when no error is under way
        return self.given

    def __dlpack_device__(self):
        return self.device


def lent(capsule):
    return Lender(lambda: capsule)


class Cuda:
    """Memory that is not there, on a device that need not be."""

    def __init__(self, **changes):
        self.interface = {"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 3} | changes

    @property
    def __cuda_array_interface__(self):
        if isinstance(self.interface, Exception):
            raise self.interface
        return self.interface
