"""Memory that crosses the border of the library: DLPack both ways, ``__cuda_array_interface__`` in.

Only descriptions are exchanged. Nothing is dereferenced but the structs of DLPack
themselves, so memory of any device passes.
"""

import numpy as np

cimport numpy as cnp
from cpython.number cimport PyNumber_Index
from cpython.pycapsule cimport (PyCapsule_Destructor, PyCapsule_GetName, PyCapsule_GetPointer, PyCapsule_IsValid,
                                PyCapsule_New, PyCapsule_SetName)
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport INT64_MAX, int64_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport strcmp
from numpy cimport ndarray

from teeny._core.errors import ArgumentError, BoundaryError, DeviceError, DTypeError, Error, LayoutError, ShapeError
from teeny._core.layout cimport Mapping, integers, make_mapping, strides_right
from teeny._core.vocabulary cimport (BFLOAT, BOOL, COMPLEX, CPU, CUDA, CUDA_HOST, CUDA_MANAGED, FLOAT, GPU_VIEW, INT,
                                     MAPPED, MAX_NDIM, PINNED, READONLY, UINT, VIEW, Device, anyrank_t, device_t,
                                     dtype_from_numpy, dtype_t, integer, make_device, make_dtype, raise_status)

cdef extern from *:
    """
    #if PY_VERSION_HEX < 0x030D0000
    #define Py_IsFinalizing _Py_IsFinalizing
    #endif
    """
    bint Py_IsInitialized() noexcept nogil
    bint Py_IsFinalizing() noexcept nogil

cnp.import_array()

cdef dict SPACE_OF = {CPU: VIEW, CUDA: GPU_VIEW, CUDA_HOST: PINNED, CUDA_MANAGED: MAPPED}

cdef str TYPES = ("expected bool, int8 to int64, uint8 to uint64, float16 to float64, bfloat16, complex64 "
                  "or complex128, of one lane")

cdef const char *CLASSIC = "dltensor"
cdef const char *VERSIONED = "dltensor_versioned"
cdef const char *USED_CLASSIC = "used_dltensor"
cdef const char *USED_VERSIONED = "used_dltensor_versioned"


# What both ways have in common.

cdef bint exchangeable(dtype_t c) noexcept:
    if c.lanes != 1:
        return False
    if c.code == INT or c.code == UINT:
        return c.bits == 8 or c.bits == 16 or c.bits == 32 or c.bits == 64
    if c.code == FLOAT:
        return c.bits == 16 or c.bits == 32 or c.bits == 64
    if c.code == COMPLEX:
        return c.bits == 64 or c.bits == 128
    return c.code == BFLOAT and c.bits == 16 or c.code == BOOL and c.bits == 8


cdef int space_of(device_t device, str what) except -1:
    if device.type not in SPACE_OF or device.id < 0:
        raise DeviceError(f"{what}: device: found {make_device(device)}, expected cpu, cuda, cuda_host or cuda_managed")
    return SPACE_OF[device.type]


cdef object address(object ptr, Mapping mapping, int itemsize, str what):
    cdef bint unsigned = mapping.index.code == UINT
    cdef uint64_t step, most = INT64_MAX // itemsize
    cdef int axis
    first = integer(ptr, what)
    low, high = mapping.reach
    if first < 0:
        raise BoundaryError(f"{what}: found {first}, expected an address")
    if first == 0 and mapping.size > 0:
        raise BoundaryError(f"{what}: found 0, with elements to read: shape {mapping.extents.shape}")
    for axis in range(mapping.ndim):
        step = mapping.steps[axis]
        if unsigned:
            if mapping.size == 0 or mapping.shape[axis] == 1:
                continue  # 2**63 and more is for strides that are never seen
        elif mapping.steps[axis] < 0:
            step = 0 - step
        if step > most:
            raise LayoutError(f"{what}: found strides {mapping.strides}, expected byte strides that fit 64 bits")
    if first + low * itemsize < 0 or first + (high + 1) * itemsize > 2**63:
        raise BoundaryError(f"{what}: found elements {low} to {high} from address {first}, "
                            "expected them to lie within the address space")
    return first


cdef object attribute(object producer, str name, str what):
    try:
        return getattr(producer, name, None)
    except Exception as error:
        raise BoundaryError(f"{what}: found a {type(producer).__name__} that cannot be taken in: {error}") from error


cdef int check_stream(object stream, str what) except -1:
    """0 could mean either of CUDA's default streams."""
    if stream is None:
        return 0
    try:
        number = 0 if isinstance(stream, (bool, np.bool_)) else PyNumber_Index(stream)
    except Exception:
        number = 0
    if number == 0 or not -1 <= number < 2**64:
        raise ArgumentError(f"{what}: stream: found {stream!r}, expected None, -1 (no ordering), 1 (legacy default), "
                            "2 (per-thread default) or the address of a stream")
    return 0


cdef int check_copy(object copy, str what) except -1:
    if copy is not None and not isinstance(copy, (bool, np.bool_)):
        raise ArgumentError(f"{what}: copy: found {copy!r}, expected None, True or False")
    return 0


# In.

cdef class Loan:
    """Foreign memory; given back to its producer when nothing here uses it any more."""

    cdef int take(self, str what) except -1:
        """Rename the capsule: the tensor is ours now."""
        cdef const char *name = CLASSIC if self.classic != NULL else VERSIONED
        if self.classic == NULL and self.versioned == NULL:
            return 0
        if not PyCapsule_IsValid(self.lender, name):
            raise BoundaryError(f"{what}: found a capsule that was consumed meanwhile")
        PyCapsule_SetName(self.lender, USED_CLASSIC if self.classic != NULL else USED_VERSIONED)
        self.taken = True
        self.lender = None
        return 0

    def __dealloc__(self):
        if not self.taken:
            return
        if self.classic != NULL and self.classic.deleter != NULL:
            self.classic.deleter(self.classic)
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)


cdef Loan loan_of_dlpack(object producer, object stream, object copy, str what):
    """By ``__dlpack__``, the newest form of it that the producer knows."""
    cdef Loan loan
    cdef bint asked = True
    wishes = {name: value for name, value in (("stream", stream), ("copy", copy)) if value is not None}
    try:
        try:
            capsule = producer.__dlpack__(max_version=(DLPACK_MAJOR, DLPACK_MINOR), **wishes)
        except TypeError:
            asked = False
            capsule = producer.__dlpack__() if stream is None else producer.__dlpack__(stream=stream)
    except Exception as error:
        raise BoundaryError(f"{what}: found a {type(producer).__name__} that cannot be taken in: {error}") from error
    loan = loan_of_capsule(capsule, what)
    if asked and copy:
        loan.copied = True
    return loan


cdef Loan loan_of_capsule(object capsule, str what):
    cdef Loan loan = Loan.__new__(Loan)
    loan.lender = capsule
    if PyCapsule_IsValid(capsule, CLASSIC):
        loan.classic = <dlmanaged_t *> PyCapsule_GetPointer(capsule, CLASSIC)
        read_tensor(loan, &loan.classic.dl_tensor, what)
    elif PyCapsule_IsValid(capsule, VERSIONED):
        loan.versioned = <dlversioned_t *> PyCapsule_GetPointer(capsule, VERSIONED)
        if loan.versioned.version.major != DLPACK_MAJOR:
            raise BoundaryError(f"{what}: found DLPack version {loan.versioned.version.major}."
                                f"{loan.versioned.version.minor}, expected {DLPACK_MAJOR}")
        read_tensor(loan, &loan.versioned.dl_tensor, what)
        loan.copied = loan.versioned.flags & DLPACK_IS_COPIED
        if loan.versioned.flags & DLPACK_READ_ONLY:
            loan.c.flags |= READONLY
    else:
        refuse_capsule(capsule, what)
    return loan


cdef int refuse_capsule(object capsule, str what) except -1:
    cdef const char *name
    if type(capsule).__name__ != "PyCapsule":
        raise BoundaryError(f"{what}: found {type(capsule).__name__} from __dlpack__, expected a capsule")
    name = PyCapsule_GetName(capsule)
    if name != NULL and (strcmp(name, USED_CLASSIC) == 0 or strcmp(name, USED_VERSIONED) == 0):
        raise BoundaryError(f"{what}: found a capsule that has been consumed")
    text = "without a name" if name == NULL else f"named {bytes(name).decode(errors='replace')!r}"
    raise BoundaryError(f"{what}: found a capsule {text}, expected one named 'dltensor' or 'dltensor_versioned'")


cdef Loan loan_of_tensor(const dltensor_t *tensor, object lender, str what):
    cdef Loan loan = Loan.__new__(Loan)
    loan.lender = lender
    read_tensor(loan, tensor, what)
    return loan


cdef int read_tensor(Loan loan, const dltensor_t *tensor, str what) except -1:
    """The one place where a DLTensor is believed, or not."""
    cdef int64_t packed[64]
    cdef const int64_t *strides = tensor.strides
    cdef int axis, ndim = tensor.ndim
    if not exchangeable(tensor.dtype):
        raise DTypeError(f"{what}: found data type {make_dtype(tensor.dtype)}, {TYPES}")
    loan.c.space = space_of(tensor.device, what)
    if not 0 <= ndim <= MAX_NDIM:
        raise ShapeError(f"{what}: found {ndim} axes, expected 0 to {MAX_NDIM}")
    if ndim > 0 and tensor.shape == NULL:
        raise BoundaryError(f"{what}: found no shape, expected {ndim} sizes")
    for axis in range(ndim):
        if tensor.shape[axis] < 0:
            raise ShapeError(f"{what}: found size {tensor.shape[axis]} on axis {axis}, expected at least 0")
    if strides == NULL:
        raise_status(strides_right(ndim, tensor.shape, packed), what)
        strides = packed
    loan.mapping = make_mapping(ndim, tensor.shape, strides, what)
    if tensor.data == NULL and loan.mapping.size > 0:
        raise BoundaryError(f"{what}: found no data, with elements to read: shape {loan.mapping.extents.shape}")
    loan.c.data = <void *> <uintptr_t> address(<object> <uintptr_t> tensor.data + tensor.byte_offset, loan.mapping,
                                               tensor.dtype.bits // 8, what)
    loan.c.dtype = tensor.dtype
    loan.c.device = tensor.device
    return 0


cdef Loan loan_of_cuda(object interface, object producer, str what):
    """From the dictionary, which names no device: the first one is assumed."""
    cdef Loan loan = Loan.__new__(Loan)
    cdef int64_t shape[64]
    cdef int64_t strides[64]
    cdef int itemsize
    loan.lender = producer
    loan.c.device.type, loan.c.device.id = CUDA, 0
    loan.c.space = GPU_VIEW
    try:
        sizes, steps = tuple(interface["shape"]), interface.get("strides")
        ptr, readonly = interface["data"]
        readonly = bool(readonly)
        dtype = np.dtype(interface["typestr"])
        mask = interface.get("mask")
        check_stream(interface.get("stream"), what)
    except Error:
        raise
    except Exception as error:
        raise BoundaryError(f"{what}: found a __cuda_array_interface__ that cannot be read: {error!r}") from error
    if mask is not None:
        raise BoundaryError(f"{what}: found a masked array, whose mask would be ignored")
    loan.c.dtype = dtype_from_numpy(dtype, what)
    itemsize = dtype.itemsize
    read_sizes(shape, sizes, what)
    if steps is None:
        raise_status(strides_right(len(sizes), shape, strides), what)
    else:
        read_steps(strides, sizes, integers(steps, what), itemsize, what)
    loan.mapping = make_mapping(len(sizes), shape, strides, what)
    loan.c.data = <void *> <uintptr_t> address(ptr, loan.mapping, itemsize, what)
    loan.c.flags = READONLY if readonly else 0
    return loan


cdef int read_sizes(int64_t *shape, object sizes, str what) except -1:
    sizes = integers(sizes, what)
    if len(sizes) > MAX_NDIM or min(sizes, default=0) < 0:
        raise ShapeError(f"{what}: found shape {sizes}, expected at most {MAX_NDIM} sizes of at least 0")
    for axis, size in enumerate(sizes):
        shape[<int> axis] = size
    return 0


cdef int read_steps(int64_t *strides, object sizes, object steps, int itemsize, str what) except -1:
    """Strides in bytes; where none can be seen, none is checked."""
    if len(steps) != len(sizes):
        raise LayoutError(f"{what}: found {len(steps)} strides, expected one for each of {len(sizes)} axes")
    for axis, step in enumerate(steps):
        if step % itemsize != 0 and sizes[axis] > 1 and 0 not in sizes:
            raise LayoutError(f"{what}: found a stride of {step} bytes on axis {axis}, "
                              f"expected a multiple of the item, {itemsize} bytes")
        strides[<int> axis] = step // itemsize
    return 0


cdef Loan loan_of_copy(const anyrank_t *c, str what):
    """Elements are copied as bytes, so that NumPy need not know their type."""
    cdef Loan loan = Loan.__new__(Loan)
    cdef cnp.npy_intp shape[64]
    cdef cnp.npy_intp strides[64]
    cdef int64_t packed[64]
    cdef int axis, itemsize = c.dtype.bits * c.dtype.lanes // 8
    cdef ndarray copy
    if c.space == GPU_VIEW:
        raise DeviceError(f"{what}: copy: found memory on {make_device(c.device)}, "
                          "expected memory that the host can reach")
    for axis in range(c.ndim):
        shape[axis] = c.shape[axis]
        strides[axis] = c.strides[axis] * itemsize
    copy = cnp.PyArray_New(ndarray, c.ndim, shape, cnp.NPY_VOID, strides,
                           c.data if c.data != NULL else <void *> c, itemsize, 0, None)
    copy = cnp.PyArray_NewCopy(copy, cnp.NPY_CORDER)
    raise_status(strides_right(c.ndim, c.shape, packed), what)
    loan.lender = copy
    loan.copied = True
    loan.mapping = make_mapping(c.ndim, c.shape, packed, what)
    loan.c.data = cnp.PyArray_DATA(copy)
    loan.c.dtype = c.dtype
    loan.c.space = VIEW
    loan.c.device.type, loan.c.device.id = CPU, 0
    return loan


# Out.

cdef int check_writable(const anyrank_t *c, str what) except -1:
    if c.flags & READONLY:
        raise BoundaryError(f"{what}: found read-only memory, which only a capsule with max_version=(1, 0) or above "
                            "can say")
    return 0


cdef int fill_tensor(dltensor_t *tensor, const anyrank_t *c, str what) except -1:
    if not exchangeable(c.dtype):
        raise BoundaryError(f"{what}: found data type {make_dtype(c.dtype)}, {TYPES}")
    tensor.data = c.data
    tensor.device = c.device
    tensor.ndim = c.ndim
    tensor.dtype = c.dtype
    tensor.shape = <int64_t *> c.shape
    tensor.strides = <int64_t *> c.strides
    tensor.byte_offset = 0
    return 0


cdef object export(const anyrank_t *c, object keeper, object stream, object max_version, object dl_device,
                   object copy, str function, str what):
    cdef bint versioned = knows_versions(max_version, function)
    cdef uint64_t flags = 0
    cdef device_t device = target(c, dl_device, function)
    cdef Loan loan
    cdef dltensor_t tensor
    check_copy(copy, function)
    check_stream(stream, function)
    if device.type == CPU and stream is not None and stream != -1:
        raise ArgumentError(f"{function}: stream: found {stream}, expected None for host memory")
    fill_tensor(&tensor, c, what)
    tensor.device = device
    if copy:
        if device.type != CPU:
            raise DeviceError(f"{function}: copy: found memory for {make_device(device)}, copies are made for cpu only")
        keeper = loan = loan_of_copy(c, what)
        tensor.data, tensor.shape, tensor.strides = loan.c.data, loan.mapping.shape, loan.mapping.steps
        flags = DLPACK_IS_COPIED
    elif versioned:
        flags = DLPACK_READ_ONLY if c.flags & READONLY else 0
    else:
        check_writable(c, what)
    return versioned_capsule(&tensor, keeper, flags) if versioned else classic_capsule(&tensor, keeper)


cdef bint knows_versions(object max_version, str what) except -1:
    if max_version is None:
        return False
    try:
        major, _ = map(PyNumber_Index, max_version)
    except Exception as error:
        raise ArgumentError(f"{what}: max_version: found {max_version!r}, expected (major, minor)") from error
    return major >= 1


cdef device_t target(const anyrank_t *c, object dl_device, str what) except *:
    """The device to write on the label: the memory's own, or cpu for what the host can reach."""
    cdef device_t device = c.device
    if dl_device is None:
        return device
    try:
        pair = (dl_device.type, dl_device.id) if isinstance(dl_device, Device) else dl_device
        kind, number = map(PyNumber_Index, pair)
    except Exception as error:
        raise ArgumentError(f"{what}: dl_device: found {dl_device!r}, expected (type, id)") from error
    if (kind, number) == (CPU, 0) and c.space != GPU_VIEW:
        device.type, device.id = CPU, 0
    elif (kind, number) != (device.type, device.id):
        raise DeviceError(f"{what}: dl_device: found memory on {make_device(device)}, which is not moved to "
                          f"{(kind, number)}")
    return device


cdef object classic_capsule(const dltensor_t *tensor, object keeper):
    cdef dlmanaged_t *managed = <dlmanaged_t *> allocate(sizeof(dlmanaged_t))
    managed.dl_tensor = tensor[0]
    managed.manager_ctx = <void *> keeper
    managed.deleter = delete_classic
    return capsule_of(managed, CLASSIC, drop_classic, keeper)


cdef object versioned_capsule(const dltensor_t *tensor, object keeper, uint64_t flags):
    cdef dlversioned_t *managed = <dlversioned_t *> allocate(sizeof(dlversioned_t))
    managed.version.major, managed.version.minor = DLPACK_MAJOR, DLPACK_MINOR
    managed.manager_ctx = <void *> keeper
    managed.deleter = delete_versioned
    managed.flags = flags
    managed.dl_tensor = tensor[0]
    return capsule_of(managed, VERSIONED, drop_versioned, keeper)


cdef object capsule_of(void *managed, const char *name, PyCapsule_Destructor drop, object keeper):
    try:
        capsule = PyCapsule_New(managed, name, drop)
    except MemoryError:
        free(managed)
        raise
    Py_INCREF(keeper)
    return capsule


cdef void *allocate(size_t size) except NULL:
    cdef void *block = calloc(1, size)
    if block == NULL:
        raise MemoryError
    return block


# A deleter may be called by any thread, and after the interpreter is gone: then it leaves all as it is.

cdef void delete_classic(dlmanaged_t *managed) noexcept nogil:
    if Py_IsInitialized() and not Py_IsFinalizing():
        release(managed.manager_ctx)
        free(managed)


cdef void delete_versioned(dlversioned_t *managed) noexcept nogil:
    if Py_IsInitialized() and not Py_IsFinalizing():
        release(managed.manager_ctx)
        free(managed)


cdef void release(void *keeper) noexcept with gil:
    Py_DECREF(<object> keeper)


# What a capsule does when it is dropped: unless it was consumed, its name is still the same.

cdef void drop_classic(object capsule) noexcept:
    if PyCapsule_IsValid(capsule, CLASSIC):
        delete_classic(<dlmanaged_t *> PyCapsule_GetPointer(capsule, CLASSIC))


cdef void drop_versioned(object capsule) noexcept:
    if PyCapsule_IsValid(capsule, VERSIONED):
        delete_versioned(<dlversioned_t *> PyCapsule_GetPointer(capsule, VERSIONED))
