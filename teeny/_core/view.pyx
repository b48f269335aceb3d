"""Strided memory: what every description of it has in common, and the one of fixed rank."""

from cpython.buffer cimport PyObject_GetBuffer
from cpython.number cimport PyNumber_Index
from cpython.ref cimport Py_DECREF
from libc.stdint cimport int64_t, uintptr_t

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.errors import ArgumentError, BoundsError, DeviceError, LayoutError, ShapeError
from teeny._core.geometry cimport LayoutTag, recast
from teeny._core.interchange cimport export
from teeny._core.layout cimport (Extents, Mapping, derive, is_dense, is_left, is_right, layout_stride, make_extents,
                                 make_mapping, narrowed)
from teeny._core.geometry import ccontiguous, fcontiguous, keep_strides
from teeny._core.layout import dyn
from teeny._core.vocabulary cimport (GPU_VIEW, MAX_NDIM, READONLY, UNALIGNED, anyrank_t, flag, integer,
                                     make_device, make_dtype)

cnp.import_array()

__all__ = ["View"]

SPACES = ("view", "pinned", "mapped", "gpu_view")
cdef Mapping NO_AXES = make_mapping(0, NULL, NULL, "")


cdef class Strided:
    """A data pointer, a data type, a shape and strides; never changes after it is made."""

    def __cinit__(self):
        self.mapping = NO_AXES

    def __init__(self):
        raise TypeError(f"{type(self).__name__} is not made by calling it; use as_anyrank or AnyRank.from_pointer")

    cdef int describe(self, const anyrank_t *c, Mapping mapping, object owner) except -1:
        """Fill a new object; shape and strides are the mapping's."""
        self.c = c[0]
        self.c.ndim = mapping.ndim
        self.c.shape = mapping.shape
        self.c.strides = mapping.steps
        self.mapping = mapping
        self.owner = owner
        return 0

    @property
    def shape(self):
        """The size of each axis."""
        cdef int axis
        return tuple([self.c.shape[axis] for axis in range(self.c.ndim)])

    @property
    def strides(self):
        """The stride of each axis, in elements."""
        return self.mapping.strides

    @property
    def dtype(self):
        """The data type, a `DType`."""
        return make_dtype(self.c.dtype)

    @property
    def device(self):
        """Where the memory lies, a `Device`."""
        return make_device(self.c.device)

    @property
    def space(self):
        """Who can reach the memory: ``"view"`` (host), ``"pinned"``, ``"mapped"`` or ``"gpu_view"``."""
        return SPACES[self.c.space]

    @property
    def data(self):
        """The address of element (0, ..., 0)."""
        return <uintptr_t> self.c.data

    @property
    def nbytes(self):
        """Bytes of all elements, as if each had its own place."""
        return self.mapping.size * self.dtype.size_bytes

    @property
    def readonly(self):
        """Whether the memory must not be written."""
        return self.c.flags & READONLY != 0

    @property
    def aligned(self):
        """Whether every element lies at a multiple of its type's alignment; if not, no kernel takes it."""
        return self.c.flags & UNALIGNED == 0

    @property
    def index_dtype(self):
        """The type in which sizes and strides are stored."""
        return self.mapping.index_dtype

    def index_fits(self, to):
        """
        Whether every offset that is reached, and every size, fits an integer type.

        Parameters
        ----------
        to : dtype
            int8 to int64, or uint8 to uint64.

        Returns
        -------
        bool

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> at = as_anyrank(np.zeros((2, 64)))
        >>> at.index_fits("int8"), at.index_fits("int32")
        (True, True)
        >>> as_anyrank(np.zeros((2, 64))[::-1]).index_fits("uint8")
        False
        """
        return self.mapping.index_fits(to)

    def __array__(self, dtype=None, copy=None):
        if copy is not None:
            copy = flag(copy, type(self).__name__, ".__array__: copy")
        array = as_ndarray(self, f"{type(self).__name__}.__array__")
        if dtype is None or np.dtype(dtype) == array.dtype:
            return array.copy() if copy else array
        if copy is False:
            raise LayoutError(f"{type(self).__name__}.__array__: another dtype, {np.dtype(dtype)}, needs a copy")
        return array.astype(dtype)

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        cdef Py_buffer filled
        PyObject_GetBuffer(as_ndarray(self, "buffer protocol"), &filled, flags)
        Py_DECREF(None)  # what Cython put into buffer.obj, which is now replaced
        buffer[0] = filled

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        cdef str function = f"{type(self).__name__}.__dlpack__"
        return export(&self.c, self, stream, max_version, dl_device, copy, function, function)

    def __dlpack_device__(self):
        return self.c.device.type, self.c.device.id

    def __reduce__(self):
        refuse_pickle(self)

    def __repr__(self):
        text = f"{type(self).__name__}(shape={self.shape}, strides={self.strides}, dtype={self.dtype}"
        if not self.device.is_cpu:
            text += f", device={self.device}"
        return text + (", readonly)" if self.readonly else ")")


cdef int refuse_pickle(object x) except -1:
    raise TypeError(f"{type(x).__name__}: found a description of memory that is another object's, which is neither "
                    "copied nor pickled; numpy.array(x) makes an array of its own")


cdef ndarray as_ndarray(Strided x, str what):
    cdef cnp.npy_intp shape[64]
    cdef cnp.npy_intp strides[64]
    cdef cnp.dtype dtype
    cdef ndarray array
    cdef int axis, flags = 0 if x.c.flags & READONLY else cnp.NPY_ARRAY_WRITEABLE
    # NumPy takes NULL for a wish to allocate; of an empty array it reads nothing
    cdef void *data = x.c.data if x.c.data != NULL else <void *> &x.c
    if x.c.space == GPU_VIEW:
        raise DeviceError(f"{what}: found memory on {x.device}, expected memory that the host can reach")
    dtype = x.dtype.numpy
    for axis in range(x.c.ndim):
        shape[axis] = x.c.shape[axis]
        strides[axis] = x.c.strides[axis] * dtype.itemsize
    try:
        array = cnp.PyArray_New(ndarray, x.c.ndim, shape, dtype.num, strides, data, 0, flags, None)
    except ValueError as error:
        raise LayoutError(f"{what}: found shape {x.shape}, which NumPy does not take: {error}") from error
    cnp.set_array_base(array, x)
    return array


cdef class View(Strided):
    """
    Strided memory of fixed rank: a cell of a batch, or a whole carrier.

    Made by `AnyRank.peel_front`, `AnyRank.peel_front_at` and `AnyRank.fixed`. It shares
    its producer's memory, and keeps it alive.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank
    >>> v = as_anyrank(np.arange(6.0).reshape(2, 3).T).fixed(2)
    >>> v
    View(shape=(3, 2), strides=(1, 3), dtype=float64)
    >>> v.layout(2, 1)
    5
    >>> np.asarray(v)
    array([[0., 3.],
           [1., 4.],
           [2., 5.]])
    """

    @property
    def rank(self):
        """Number of axes."""
        return self.c.ndim

    @property
    def extents(self):
        """The size of each axis, as `Extents`."""
        return self.mapping.extents

    @property
    def layout(self):
        """The mapping from an index to the offset of its element."""
        return self.mapping

    @property
    def metadata_nbytes(self):
        """Bytes of a C struct that holds the pointer, and the sizes and strides that are not static."""
        cdef int held = self.mapping.extents.rank_dynamic
        if type(self.mapping) is layout_stride:
            held += self.mapping.static_strides().count(dyn)
        return sizeof(void *) + aligned(held * self.mapping.index.bits // 8)

    def static_extent(self, axis):
        """
        The static size of an axis, or `dyn`.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import anyshape, as_anyrank
        >>> v = as_anyrank(np.zeros((4, 5, 3)), anyshape[..., 3]).fixed(3)
        >>> v.static_extent(0), v.static_extent(-1)
        (-1, 3)
        """
        return self.mapping.extents.static_extent(one_axis(axis, self.c.ndim, "static_extent"))

    def static_stride(self, axis):
        """
        The static stride of an axis, or `dyn`. A stride of -1 counts as dynamic.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import anyshape, as_anyrank, ccontiguous
        >>> v = as_anyrank(np.zeros((4, 5, 3)), anyshape[..., -1, 3], ccontiguous).fixed(3)
        >>> [v.static_stride(axis) for axis in range(3)]
        [-1, 3, 1]
        """
        return self.mapping.static_stride(one_axis(axis, self.c.ndim, "static_stride"))

    def is_contiguous(self, layout=ccontiguous):
        """
        Whether the elements lie one after another, in C or Fortran order.

        Parameters
        ----------
        layout : {ccontiguous, fcontiguous}, optional
            The order; C by default.

        Returns
        -------
        bool

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank, fcontiguous
        >>> v = as_anyrank(np.zeros((2, 3))).fixed(2)
        >>> v.is_contiguous(), v.permute(1, 0).is_contiguous(), v.permute(1, 0).is_contiguous(fcontiguous)
        (True, False, True)
        """
        if isinstance(layout, LayoutTag) and layout == fcontiguous:
            return is_left(self.c.ndim, self.c.shape, self.c.strides)
        if isinstance(layout, LayoutTag) and layout == ccontiguous:
            return is_right(self.c.ndim, self.c.shape, self.c.strides)
        raise ArgumentError(f"is_contiguous: layout: found {layout!r}, expected ccontiguous or fcontiguous")

    def is_dense(self):
        """
        Whether the elements fill the memory they reach: in any order of axes, reversed or not.

        Returns
        -------
        bool

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> x = np.zeros((2, 3, 4))
        >>> as_anyrank(x.transpose(1, 2, 0)).fixed(3).is_dense(), as_anyrank(x[:, :2]).fixed(3).is_dense()
        (True, False)
        """
        return is_dense(self.c.ndim, self.c.shape, self.c.strides)

    cdef list axes(self):
        """Per axis its size, stride, static size and static stride."""
        return list(zip(self.shape, self.mapping.strides, (<Extents> self.mapping.extents).pattern,
                        self.mapping.static_strides()))

    cdef View rearranged(self, list axes, object offset, str what):
        """The same memory with other axes, from the element at `offset` on."""
        if len(axes) > MAX_NDIM:
            raise ShapeError(f"{what}: found {len(axes)} axes, expected at most {MAX_NDIM}")
        sizes, strides, pattern, fixed = map(tuple, zip(*axes)) if axes else [()] * 4
        cdef Mapping mapping = derive(layout_stride, self.mapping.index, make_extents(pattern, sizes), strides, fixed,
                                      what)
        # an empty view has no element to move to
        cdef int64_t elements = offset if mapping.size > 0 else 0
        return make_view(self, mapping, <char *> self.c.data + elements * (self.c.dtype.bits * self.c.dtype.lanes // 8))

    def __getitem__(self, key):
        """
        A view of some elements, as NumPy's basic indexing picks them; or an element, if each axis has an integer.

        A whole axis keeps its static size, and each axis its static stride, times the step.
        """
        cdef list axes = self.axes(), picked = []
        cdef tuple keys = key if isinstance(key, tuple) else (key,)
        cdef int used = sum([item is not None and item is not Ellipsis for item in keys])
        cdef int dots = sum([item is Ellipsis for item in keys])
        if used > self.c.ndim:
            raise BoundsError(f"View: found {used} indices, expected at most {self.c.ndim}")
        if dots > 1:
            raise BoundsError("View: found several ..., expected at most one")
        if used == len(keys) == self.c.ndim and not any([isinstance(item, slice) for item in keys]):
            for axis, item in enumerate(keys):
                position(item, axes[axis][0], axis)
            return as_ndarray(self, "View")[keys]
        if dots == 0:
            keys += (Ellipsis,)
        offset, axis = 0, 0
        for item in keys:
            if item is None:
                picked.append(NEW_AXIS)
            elif item is Ellipsis:
                picked += axes[axis:axis + self.c.ndim - used]
                axis += self.c.ndim - used
            elif isinstance(item, slice):
                start, kept = part(item, axes[axis], axis)
                offset += start * axes[axis][1]
                picked.append(kept)
                axis += 1
            else:
                offset += position(item, axes[axis][0], axis) * axes[axis][1]
                axis += 1
        return self.rearranged(picked, offset, "View")

    def permute(self, *axes):
        """
        The same elements with the axes in another order.

        Parameters
        ----------
        *axes : int
            Every axis once: the first of the result, and so on.

        Returns
        -------
        View

        Raises
        ------
        ShapeError
            If an axis is missing.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> as_anyrank(np.zeros((2, 3, 4))).fixed(3).permute(2, 0, 1).shape
        (4, 2, 3)
        """
        cdef list old = self.axes(), order = many_axes(axes, self.c.ndim, "permute")
        if len(order) != self.c.ndim:
            raise ShapeError(f"permute: found {len(order)} axes, expected all {self.c.ndim}")
        return self.rearranged([old[axis] for axis in order], 0, "permute")

    def flip(self, *axes):
        """
        The same elements with axes reversed.

        Parameters
        ----------
        *axes : int
            All by default.

        Returns
        -------
        View

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> np.asarray(as_anyrank(np.arange(6).reshape(2, 3)).fixed(2).flip(1))
        array([[2, 1, 0],
               [5, 4, 3]])
        """
        cdef list new = self.axes()
        offset = 0
        for axis in many_axes(axes, self.c.ndim, "flip") if axes else range(self.c.ndim):
            size, stride, static_size, static_stride = new[axis]
            offset += (size - 1) * stride
            new[axis] = size, -stride, static_size, dyn if static_stride == dyn else -static_stride
        return self.rearranged(new, offset, "flip")

    def squeeze(self, *axes):
        """
        The same elements without axes of size 1.

        Parameters
        ----------
        *axes : int
            All of size 1 by default.

        Returns
        -------
        View

        Raises
        ------
        ShapeError
            If an axis has another size.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> as_anyrank(np.zeros((2, 1, 3, 1))).fixed(4).squeeze(-1).shape
        (2, 1, 3)
        """
        cdef list old = self.axes()
        gone = many_axes(axes, self.c.ndim, "squeeze") if axes else [a for a in range(self.c.ndim) if old[a][0] == 1]
        for axis in gone:
            if old[axis][0] != 1:
                raise ShapeError(f"squeeze: found size {old[axis][0]} on axis {axis}, expected 1")
        return self.rearranged([old[axis] for axis in range(self.c.ndim) if axis not in gone], 0, "squeeze")

    def unsqueeze(self, *axes):
        """
        The same elements with new axes, of static size 1.

        Parameters
        ----------
        *axes : int
            Where they stand in the result.

        Returns
        -------
        View

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> as_anyrank(np.zeros((2, 3))).fixed(2).unsqueeze(0, -1).shape
        (1, 2, 3, 1)
        """
        cdef list new = self.axes()
        for axis in sorted(many_axes(axes, self.c.ndim + len(axes), "unsqueeze")):
            new.insert(axis, NEW_AXIS)
        return self.rearranged(new, 0, "unsqueeze")

    def recast(self, shape, layout=keep_strides):
        """
        The same elements, with sizes and strides that are promised to be static.

        Parameters
        ----------
        shape : Extents
            What ``teeny.shape`` gives: a size per axis, or -1 where nothing is promised.
        layout : LayoutTag, optional
            `keep_strides`, `ccontiguous`, `fcontiguous` or ``strides(...)``.

        Returns
        -------
        View

        Raises
        ------
        ShapeError, LayoutError
            If a size or a stride is not as promised.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank, ccontiguous, shape
        >>> v = as_anyrank(np.zeros((5, 3, 3))).fixed(3).recast(shape(-1, 3, 3), ccontiguous)
        >>> v.layout
        layout_right(Extents(dyn, 3, 3)(5))
        >>> [v.static_stride(axis) for axis in range(3)], v.metadata_nbytes
        ([9, 3, 1], 16)
        """
        return make_view(self, recast(self.mapping, shape, layout, "recast"), self.c.data)

    def reindex(self, to):
        """
        The same elements, with sizes and strides stored in another integer type.

        Parameters
        ----------
        to : dtype
            int8 to int64, or uint8 to uint64.

        Returns
        -------
        View

        Raises
        ------
        LayoutError
            If ``index_fits(to)`` is false.

        Examples
        --------
        >>> import numpy as np
        >>> from teeny import as_anyrank
        >>> v = as_anyrank(np.zeros((5, 3))).fixed(2)
        >>> v.metadata_nbytes, v.reindex("int32").metadata_nbytes
        (40, 24)
        """
        return make_view(self, narrowed(self.mapping, to, "reindex"), self.c.data)


# Size, stride, static size and static stride of an axis that was not there.
cdef tuple NEW_AXIS = (1, 0, 1, 0)


cdef object position(object index, object size, object axis):
    """An index on an axis, counted from its start."""
    try:
        if isinstance(index, (bool, np.bool_)):
            raise TypeError
        number = PyNumber_Index(index)
    except Exception as error:
        raise ArgumentError(f"View: found index {index!r} on axis {axis}, "
                            "expected an integer, a slice, None or ...") from error
    if not -size <= number < size:
        raise BoundsError(f"View: found index {number} on axis {axis}, expected {-size} to {size - 1}")
    return number + size if number < 0 else number


cdef tuple part(object piece, tuple axis, object which):
    """Where a slice starts, and the axis that it leaves."""
    size, stride, static_size, static_stride = axis
    try:
        start, stop, step = piece.indices(size)
    except Exception as error:
        raise ArgumentError(f"View: found {piece} on axis {which}: {error}") from error
    count = len(range(start, stop, step))
    if count <= 1:
        step = 1  # the stride is never seen, and might not fit
    whole = piece.start is None and piece.stop is None and abs(step) == 1
    fixed = dyn if static_stride == dyn else static_stride * step
    return start, (count, stride * step, static_size if whole else dyn, fixed)


cdef int one_axis(object axis, int rank, str what) except -1:
    """The number of an axis, counted from the first."""
    number = integer(axis, what, ": axis")
    if not -rank <= number < rank:
        raise BoundsError(f"{what}: found axis {number}, expected {-rank} to {rank - 1}")
    return number + rank if number < 0 else number


cdef list many_axes(tuple axes, int rank, str what):
    cdef list numbers = [one_axis(axis, rank, what) for axis in axes]
    if len(set(numbers)) != len(numbers):
        raise ShapeError(f"{what}: found axes {axes}, expected each once")
    return numbers


cdef int64_t aligned(int64_t nbytes) noexcept:
    """As many bytes as a C struct that begins with a pointer gives them."""
    return (nbytes + 7) // 8 * 8


cdef View make_view(Strided source, Mapping mapping, void *data):
    cdef View view = View.__new__(View)
    view.describe(&source.c, mapping, source.owner)
    view.c.data = data
    return view
