"""Strided memory: what every description of it has in common, and the one of fixed rank."""

from cpython.buffer cimport PyObject_GetBuffer
from cpython.ref cimport Py_DECREF
from libc.stdint cimport int64_t, uintptr_t

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from teeny._core.errors import DeviceError, LayoutError
from teeny._core.layout cimport Mapping, make_mapping
from teeny._core.vocabulary cimport GPU_VIEW, READONLY, UNALIGNED, anyrank_t, make_device, make_dtype

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
        cdef int axis
        return tuple([self.c.strides[axis] for axis in range(self.c.ndim)])

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
        return np.dtype(np.int64)

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

    def __dlpack__(self, **options):
        return as_ndarray(self, f"{type(self).__name__}.__dlpack__").__dlpack__(**options)

    def __dlpack_device__(self):
        return self.c.device.type, self.c.device.id

    def __repr__(self):
        text = f"{type(self).__name__}(shape={self.shape}, strides={self.strides}, dtype={self.dtype}"
        if not self.device.is_cpu:
            text += f", device={self.device}"
        return text + (", readonly)" if self.readonly else ")")


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
    array = cnp.PyArray_New(ndarray, x.c.ndim, shape, dtype.num, strides, data, 0, flags, None)
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
        """Bytes of a C struct that holds the pointer, the sizes and the strides."""
        return sizeof(void *) + 2 * sizeof(int64_t) * self.c.ndim


cdef View make_view(Strided source, Mapping mapping, void *data):
    cdef View view = View.__new__(View)
    view.describe(&source.c, mapping, source.owner)
    view.c.data = data
    return view
