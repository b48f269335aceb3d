"""The boundary: any array of any rank as an `AnyRank`, without a copy."""

from cpython.buffer cimport PyObject_CheckBuffer
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uintptr_t
from libc.stdlib cimport calloc, free

import numpy as np
from numpy.ma import MaskedArray

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.errors import ArgumentError, BoundaryError, DeviceError, DTypeError, LayoutError, ShapeError
from teeny._core.geometry cimport promised
from teeny._core.interchange cimport Loan, address, attribute, loan_of_cuda, loan_of_dlpack, space_of
from teeny._core.layout cimport (Mapping, derive, index_type_of, integers, layout_stride, make_extents, make_mapping,
                                 narrowed, strides_right)
from teeny._core.peel cimport cell_at, count_cells, cells_of
from teeny._core.view cimport SPACES, Strided, make_view
from teeny._core.vocabulary cimport (COMPLEX, CPU, MAX_NDIM, READONLY, UINT, UNALIGNED, VIEW, Device, DType, anyrank_t,
                                     as_device, as_dtype, dtype_from_numpy, dtype_t, flag, integer, raise_status, small)

from teeny._core.geometry import keep_strides

cnp.import_array()

__all__ = ["AnyRank", "as_anyrank"]


def as_anyrank(x, shape=None, layout=keep_strides, *, copy_meta=False, max_rank=32, space=None):
    """
    Describe any array, whatever its rank, without copying it.

    Parameters
    ----------
    x : array
        A NumPy array, anything with the buffer protocol (``memoryview``, ``bytearray``,
        ``array.array``), ``__dlpack__``, ``__cuda_array_interface__`` (which names no device: the
        first one is assumed) or ``__array_interface__``, or another carrier or view.
        Read-only, empty, 0-d, broadcast, reversed, overlapping and unaligned arrays are welcome.
        A ``numpy.matrix`` is taken as the two-dimensional array it is; lists and masked arrays
        are refused.
    shape : anyshape, optional
        Sizes that the first and the last axes are promised to have: ``anyshape[..., -1, 3]``.
    layout : LayoutTag, optional
        Strides that the axes after the ``...`` are promised to have: `keep_strides` (anything),
        `ccontiguous`, `fcontiguous` or ``strides(...)``.
    copy_meta : bool, optional
        Copy shape and strides into a store of `max_rank` axes, which can be passed by value.
    max_rank : int, optional
        Axes of that store, up to 64.
    space : {"view", "pinned", "mapped", "gpu_view"}, optional
        Where the memory is expected to be. By default, wherever it is.

    Returns
    -------
    AnyRank

    Raises
    ------
    BoundaryError
        If `x` is no array.
    DTypeError
        If it does not hold numbers or booleans in native byte order.
    LayoutError
        If its strides are no multiples of its item, or not as promised.
    DeviceError
        If its memory is not in `space`.
    ShapeError
        If it has more axes than the store, or its sizes are not as promised.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> field = np.zeros((4, 5, 6, 3, 3), np.float32)
    >>> at = tny.as_anyrank(field[:, ::-1])
    >>> at
    AnyRank(shape=(4, 5, 6, 3, 3), strides=(270, -54, 9, 3, 1), dtype=float32)
    >>> at.size_front(-2)
    120
    >>> for cell in at.peel_front(-2).subrange(0, 2):
    ...     np.asarray(cell)[...] = np.eye(3)
    >>> float(field.sum())
    6.0
    >>> tny.as_anyrank(bytearray(b"abc"))
    AnyRank(shape=(3,), strides=(1,), dtype=uint8)
    """
    cdef AnyRank at = taken(x, "as_anyrank: x")
    cdef int room = small(max_rank, 0, MAX_NDIM, "as_anyrank: max_rank")
    if shape is not None or layout is not keep_strides:
        at.promise(shape, layout, "as_anyrank")
    if space is not None:
        check_space(at, space, "as_anyrank")
    if flag(copy_meta, "as_anyrank: copy_meta"):
        at.copy_metadata(room, "as_anyrank")
    return at


cdef AnyRank carry(object x):
    return taken(x, "as_anyrank: x")


cdef AnyRank taken(object x, str what):
    cdef Loan loan
    if type(x) is ndarray:
        return carry_array(<ndarray> x, x, what)
    if isinstance(x, Strided):
        return carry_strided(<Strided> x)
    if isinstance(x, ndarray):
        if issubclass(type(x), MaskedArray):
            raise BoundaryError(f"{what}: {MASKED}; pass .filled(value) or .data")
        return carry_array(<ndarray> x, x, what)
    if PyObject_CheckBuffer(x):
        return carry_buffer(x, what)
    if attribute(x, "__dlpack__", what) is not None:
        loan = loan_of_dlpack(x, None, None, what)
        loan.take(what)
        return carry_loan(loan)
    interface = attribute(x, "__cuda_array_interface__", what)
    if interface is not None:
        return carry_loan(loan_of_cuda(interface, x, what))
    interface = attribute(x, "__array_interface__", what)
    if interface is not None:
        return carry_interface(x, interface, what)
    raise BoundaryError(f"{what}: found {type(x).__name__}, expected an array: with the buffer protocol, __dlpack__, "
                        "__cuda_array_interface__ or __array_interface__; numpy.asarray makes one of lists and numbers")


cdef AnyRank carry_buffer(object x, str what):
    try:
        buffer = memoryview(x)
    except Exception as error:
        raise BoundaryError(f"{what}: found a {type(x).__name__} that gives no buffer: {error}") from error
    try:
        array = np.asarray(buffer)
    except Exception as error:
        raise DTypeError(f"{what}: found a buffer that NumPy cannot describe: {error}") from error
    return carry_array(array, buffer, what)


cdef AnyRank carry_interface(object x, object interface, str what):
    if isinstance(interface, dict) and interface.get("mask") is not None:
        raise BoundaryError(f"{what}: {MASKED}")
    try:
        array = np.asarray(x)
    except Exception as error:
        raise BoundaryError(f"{what}: found an __array_interface__ that cannot be read: {error}") from error
    return carry_array(array, array, what)


cdef AnyRank carry_loan(Loan loan):
    cdef AnyRank at = AnyRank.__new__(AnyRank)
    at.describe(&loan.c, loan.mapping, loan)
    at.flag_alignment()
    return at


cdef AnyRank carry_strided(Strided x):
    cdef AnyRank at = AnyRank.__new__(AnyRank)
    at.describe(&x.c, x.mapping, x.owner)
    at.tail = x.tail
    return at


cdef AnyRank carry_array(ndarray array, object owner, str what):
    cdef AnyRank at = AnyRank.__new__(AnyRank)
    cdef anyrank_t c
    cdef int64_t shape[64]
    cdef int64_t strides[64]
    cdef int axis, ndim = cnp.PyArray_NDIM(array)
    cdef cnp.npy_intp stride, itemsize = cnp.PyArray_ITEMSIZE(array)
    cdef bint seen = cnp.PyArray_SIZE(array) > 0
    c.dtype = dtype_from_numpy(array.descr, what)
    for axis in range(ndim):
        shape[axis] = cnp.PyArray_DIM(array, axis)
        stride = cnp.PyArray_STRIDE(array, axis)
        strides[axis] = stride // itemsize
        if strides[axis] * itemsize != stride and seen and shape[axis] > 1:
            raise LayoutError(f"{what}: found a stride of {stride} bytes on axis {axis}, "
                              f"expected a multiple of the item, {itemsize} bytes")
    c.data = cnp.PyArray_DATA(array)
    c.flags = 0 if cnp.PyArray_ISWRITEABLE(array) else READONLY
    c.space = VIEW
    c.device.type, c.device.id = CPU, 0
    at.describe(&c, make_mapping(ndim, shape, strides, what), owner)
    at.flag_alignment()
    return at


cdef int check_space(AnyRank at, object space, str what) except -1:
    if not isinstance(space, str) or space not in SPACES:
        raise ArgumentError(f"{what}: space: found {space!r}, expected one of {', '.join(SPACES)}")
    if space != SPACES[at.c.space]:
        raise DeviceError(f"{what}: space: found memory in {SPACES[at.c.space]!r} (on {at.device}), "
                          f"expected {str(space)!r}")
    return 0


cdef str MASKED = "found a masked array, whose mask would be ignored"


cdef class AnyRank(Strided):
    """
    An array of any rank: data pointer, dtype, device, shape and strides.

    Made by `as_anyrank` or `AnyRank.from_pointer`. No arithmetic is done on it:
    `peel_front` walks its batch, `fixed` gives all of it as a view. It keeps its
    producer alive.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank
    >>> x = np.arange(12.0).reshape(2, 2, 3)
    >>> at = as_anyrank(x)
    >>> at.ndim, at.shape, at.strides, at.dtype, at.space
    (3, (2, 2, 3), (6, 3, 1), DType('float64'), 'view')
    >>> np.shares_memory(np.asarray(at), x)
    True
    >>> as_anyrank(x, copy_meta=True).metadata_nbytes
    528
    """

    @staticmethod
    def from_pointer(ptr, dtype, shape, strides=None, *, device=None, owner=None, readonly=False):
        """
        Describe memory by its address.

        Parameters
        ----------
        ptr : int
            Address of element (0, ..., 0). 0 only for an empty array.
        dtype : dtype
            Anything that `DType` takes.
        shape : sequence of int
            The size of each axis.
        strides : sequence of int, optional
            The stride of each axis, in elements; C order by default. An array of uint64 makes that
            the index type.
        device : Device or str, optional
            Where the memory lies; the host by default.
        owner : object, optional
            Kept alive as long as the carrier and its views. Without it, the memory must outlive them.
        readonly : bool, optional
            Whether the memory must not be written.

        Returns
        -------
        AnyRank

        Raises
        ------
        BoundaryError
            If the address is 0 with a shape that is not empty, or elements would lie outside the
            address space.
        ShapeError
            If a size is negative, or there are more than 64.
        LayoutError
            If there is not one stride per axis, or an offset does not fit 64 bits.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import AnyRank
        >>> x = np.arange(6.0)
        >>> at = AnyRank.from_pointer(x.ctypes.data, "float64", (2, 2), (1, 3), owner=x)
        >>> np.asarray(at)
        array([[0., 3.],
               [1., 4.]])
        """
        cdef AnyRank at = AnyRank.__new__(AnyRank)
        cdef Device place = as_device("cpu" if device is None else device, "from_pointer: device")
        cdef DType kind = as_dtype(dtype, "from_pointer: dtype")
        cdef Mapping mapping = mapping_of(shape, strides)
        cdef anyrank_t c
        c.dtype = kind.c
        if c.dtype.bits * c.dtype.lanes % 8 != 0:
            raise DTypeError(f"from_pointer: dtype: found {kind}, expected elements of whole bytes")
        c.data = <void *> <uintptr_t> address(ptr, mapping, kind.size_bytes, "from_pointer: ptr")
        c.flags = READONLY if flag(readonly, "from_pointer: readonly") else 0
        c.space = space_of(place.c, "from_pointer")
        c.device = place.c
        at.describe(&c, mapping, owner)
        at.flag_alignment()
        return at

    cdef int promise(self, object shape, object layout, str what) except -1:
        """Static geometry, checked once, here; the carrier is new."""
        self.mapping, self.tail = promised(self.mapping, shape, layout, what)
        self.c.shape, self.c.strides = self.mapping.shape, self.mapping.steps
        return 0

    cdef void flag_alignment(self) noexcept:
        """Elements are a multiple of their size apart, so the first one speaks for all."""
        cdef int alignment = self.c.dtype.bits // (16 if self.c.dtype.code == COMPLEX else 8)
        if self.mapping.size > 0 and alignment > 0 and <uintptr_t> self.c.data % alignment != 0:
            self.c.flags |= UNALIGNED

    cdef int copy_metadata(self, int room, str what) except -1:
        """Fill the store: data, ndim, shape[room], strides[room], the latter two of the index type."""
        cdef int axis, width = self.mapping.index.bits // 8
        if self.c.ndim > room:
            raise ShapeError(f"{what}: x: found {self.c.ndim} axes, expected at most max_rank={room}")
        self.store = <char *> calloc(1, stored_nbytes(room, width))
        if self.store == NULL:
            raise MemoryError
        self.max_rank = room
        (<void **> self.store)[0] = self.c.data
        (<int64_t *> self.store)[1] = self.c.ndim
        for axis in range(self.c.ndim):
            put(self.store + 16 + axis * width, self.c.shape[axis], width)
            put(self.store + 16 + (room + axis) * width, self.c.strides[axis], width)
        return 0

    def __dealloc__(self):
        free(self.store)

    @property
    def ndim(self):
        """Number of axes."""
        return self.c.ndim

    @property
    def copy_meta(self):
        """Whether shape and strides are copied into a store."""
        return self.store != NULL

    @property
    def device_passable(self):
        """Whether the metadata is one plain C struct, which a kernel can take by value."""
        return self.store != NULL

    @property
    def metadata_nbytes(self):
        """Bytes of the C struct that describes the array."""
        if self.store == NULL:
            return sizeof(anyrank_t)
        return stored_nbytes(self.max_rank, self.mapping.index.bits // 8)

    @property
    def metadata(self):
        """
        The C struct of `copy_meta` or `reindex`, as bytes: data, ndim, shape and strides; or None.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> at = as_anyrank(np.zeros((2, 3)), copy_meta=True, max_rank=2)
        >>> np.frombuffer(at.metadata, np.int64)[1:]
        array([2, 2, 3, 3, 1])
        """
        return None if self.store == NULL else self.store[:self.metadata_nbytes]

    def reindex(self, to, max_rank=None):
        """
        The same memory, with sizes and strides in a store of another integer type.

        Parameters
        ----------
        to : dtype
            int8 to int64, or uint8 to uint64.
        max_rank : int, optional
            Axes of the store, up to 64: as many as now, or 32 if there is none.

        Returns
        -------
        AnyRank
            Its space and static geometry are the same. Its cells have the index type too.

        Raises
        ------
        LayoutError
            If ``index_fits(to)`` is false.
        ShapeError
            If there are more axes than the store has.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> at = as_anyrank(np.zeros((2, 3, 3)), copy_meta=True)
        >>> at.metadata_nbytes, at.reindex("int32").metadata_nbytes
        (528, 272)
        >>> at.reindex("int32").peel_front_at(0, -2).index_dtype
        dtype('int32')
        """
        cdef AnyRank at = carry_strided(self)
        if self.tail is not None:
            at.tail = narrowed(self.tail, to, "reindex")
        at.describe(&self.c, narrowed(self.mapping, to, "reindex"), self.owner)
        if max_rank is None:
            max_rank = 32 if self.store == NULL else self.max_rank
        at.copy_metadata(small(max_rank, 0, MAX_NDIM, "reindex: max_rank"), "reindex")
        return at

    def size_front(self, keep):
        """
        Number of cells.

        Parameters
        ----------
        keep : int
            Minus the number of trailing axes that make a cell.

        Returns
        -------
        int
            The product of the other axes' sizes; 1 if there are none.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> as_anyrank(np.zeros((4, 5, 3, 3))).size_front(-2)
        20
        """
        cdef int kept
        return count_cells(self, keep, &kept, "size_front")

    def peel_front(self, keep):
        """
        The cells of the batch, in row-major order.

        Parameters
        ----------
        keep : int
            Minus the number of trailing axes that make a cell, ``-ndim`` to 0.

        Returns
        -------
        Cells
            An iterable of `View`, with a length, ``.subrange(lo, hi)`` and ``.enumerate()``.

        Raises
        ------
        ShapeError
            If `keep` is positive, or there are fewer axes.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> at = as_anyrank(np.arange(12).reshape(2, 2, 3))
        >>> for m, cell in at.peel_front(-1).enumerate():
        ...     print(m[0], m[1], np.asarray(cell))
        0 0 [0 1 2]
        0 1 [3 4 5]
        1 0 [6 7 8]
        1 1 [ 9 10 11]
        """
        return cells_of(self, keep)

    def peel_front_at(self, i, keep, layout=keep_strides):
        """
        One cell of the batch.

        Parameters
        ----------
        i : int
            Which one, in row-major order.
        keep : int or Extents
            Minus the number of trailing axes that make a cell; or what ``teeny.shape`` gives, the
            sizes that these axes are promised to have.
        layout : LayoutTag, optional
            With a shape: the strides that they are promised to have.

        Returns
        -------
        View

        Raises
        ------
        BoundsError
            If there is no such cell.
        ShapeError, LayoutError
            If sizes or strides are not as promised.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> np.asarray(as_anyrank(np.arange(12).reshape(2, 2, 3)).peel_front_at(2, -1))
        array([6, 7, 8])
        >>> from teeny import ccontiguous, shape
        >>> as_anyrank(np.zeros((7, 2, 3))).peel_front_at(2, shape(-1, 3), ccontiguous).static_stride(0)
        3
        """
        return cell_at(self, i, keep, layout)

    def fixed(self, rank):
        """
        The whole carrier as a view.

        Parameters
        ----------
        rank : int
            Its number of axes.

        Returns
        -------
        View

        Raises
        ------
        ShapeError
            If the carrier has another number of axes.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> as_anyrank(np.zeros((2, 3))).fixed(2)
        View(shape=(2, 3), strides=(3, 1), dtype=float64)
        """
        if integer(rank, "fixed: rank") != self.c.ndim:
            raise ShapeError(f"fixed: rank: found {rank}, expected {self.c.ndim}, "
                             f"the number of axes of shape {self.shape}")
        return make_view(self, self.mapping, self.c.data)


cdef size_t stored_nbytes(int room, int width) noexcept:
    """Bytes of a store, a whole number of pointers."""
    return 16 + (2 * room * width + 7) // 8 * 8


cdef void put(char *place, int64_t number, int width) noexcept:
    if width == 8:
        (<int64_t *> place)[0] = number
    elif width == 4:
        (<int32_t *> place)[0] = <int32_t> number
    elif width == 2:
        (<int16_t *> place)[0] = <int16_t> number
    else:
        (<int8_t *> place)[0] = <int8_t> number


cdef Mapping mapping_of(object shape, object strides):
    cdef tuple sizes = integers(shape, "from_pointer: shape"), steps
    cdef int64_t size[64]
    cdef int64_t step[64]
    cdef dtype_t index = index_type_of(strides)
    cdef int axis, ndim
    if len(sizes) > MAX_NDIM or min(sizes, default=0) < 0:
        raise ShapeError(f"from_pointer: shape: found {sizes}, expected at most {MAX_NDIM} sizes of at least 0")
    ndim = len(sizes)
    for axis in range(ndim):
        size[axis] = sizes[axis]
    if strides is None:
        raise_status(strides_right(ndim, size, step), "from_pointer: shape")
    else:
        steps = integers(strides, "from_pointer: strides", index.code == UINT)
        if len(steps) != ndim:
            raise LayoutError(f"from_pointer: strides: found {len(steps)}, expected one for each of {ndim} axes")
        if index.code == UINT:
            return derive(layout_stride, index, make_extents((-1,) * ndim, sizes), steps, None, "from_pointer: strides")
        for axis in range(ndim):
            step[axis] = steps[axis]
    return make_mapping(ndim, size, step, "from_pointer: shape, strides")
