"""NumPy operands of the public functions (see operands.pxd)."""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uintptr_t

import numpy as np

cimport numpy as cnp
from numpy cimport dtype as dtype_t, ndarray

from teeny._core.driver cimport order_axes
from teeny._core.errors import DTypeError, LayoutError, ShapeError
from teeny._core.vocabulary cimport CPU, FLOAT, INT, READONLY, VIEW, anyrank_t

cnp.import_array()


cdef void describe(ndarray x, anyrank_t *c, int64_t *meta) noexcept:
    cdef int axis, ndim = cnp.PyArray_NDIM(x)
    cdef cnp.npy_intp itemsize = cnp.PyArray_ITEMSIZE(x)
    c.data = cnp.PyArray_DATA(x)
    c.ndim = ndim
    c.shape = meta
    c.strides = meta + ndim
    c.flags = 0 if cnp.PyArray_ISWRITEABLE(x) else READONLY
    c.space = VIEW
    c.device.type = CPU
    c.device.id = 0
    c.dtype.code = INT if cnp.PyArray_ISINTEGER(x) else FLOAT
    c.dtype.bits = <unsigned char> (8 * itemsize)
    c.dtype.lanes = 1
    for axis in range(ndim):
        meta[axis] = cnp.PyArray_DIM(x, axis)
        meta[ndim + axis] = cnp.PyArray_STRIDE(x, axis) // itemsize


cdef bint in_place(ndarray x) noexcept:
    cdef int axis
    cdef cnp.npy_intp itemsize = cnp.PyArray_ITEMSIZE(x)
    if not (cnp.PyArray_ISALIGNED(x) and cnp.PyArray_ISNOTSWAPPED(x)):
        return False
    for axis in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_DIM(x, axis) > 1 and cnp.PyArray_STRIDE(x, axis) % itemsize != 0:
            return False
    return True


cdef ndarray acquire_input(object x, str function, str name):
    cdef ndarray array
    if type(x) is ndarray:
        array = <ndarray> x
    else:
        array = as_ndarray(x, function, name)
    if not (cnp.PyArray_ISNUMBER(array) or cnp.PyArray_ISBOOL(array) or cnp.PyArray_TYPE(array) == cnp.NPY_FLOAT16
            or array.dtype.name == "bfloat16"):
        raise DTypeError(f"{function}: {name} must hold numbers, not dtype {array.dtype}")
    return array


cdef ndarray as_ndarray(object x, str function, str name):
    if isinstance(x, np.ma.MaskedArray):
        raise DTypeError(f"{function}: {name} is a masked array, whose mask would be ignored; "
                         "pass .filled(value) or .data")
    try:
        if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
            return np.from_dlpack(x)
        return np.asarray(x)
    except ValueError as error:
        raise ShapeError(f"{function}: {name} is no array: {error}") from error
    except TypeError as error:
        raise DTypeError(f"{function}: {name} is no array: {error}") from error


cdef ndarray readable(ndarray x, dtype_t dtype):
    if cnp.PyArray_TYPE(x) == dtype.type_num and in_place(x):
        return x
    return converted(x, dtype)


cdef ndarray converted(object x, dtype_t dtype):
    """A copy in `dtype`; what is broadcast is copied once, and broadcast again."""
    once = tuple([slice(1) if step == 0 else slice(None) for step in x.strides])
    copy = np.array(x[once], dtype=dtype, copy=True, order="K", subok=False)
    return np.broadcast_to(copy, x.shape)


cdef ndarray acquire_output(object out, str function, int ndim, const int64_t *shape, dtype_t dtype):
    cdef ndarray y
    cdef int axis
    cdef bint fits
    if not isinstance(out, ndarray) or isinstance(out, np.ma.MaskedArray):
        raise DTypeError(f"{function}: out must be a numpy.ndarray, not {type(out).__name__}")
    y = <ndarray> out
    if cnp.PyArray_TYPE(y) != dtype.type_num:
        raise DTypeError(f"{function}: out must have dtype {dtype}, not {y.dtype}")
    fits = cnp.PyArray_NDIM(y) == ndim
    for axis in range(ndim):
        fits = fits and cnp.PyArray_DIM(y, axis) == shape[axis]
    if not fits:
        raise ShapeError(f"{function}: out must have shape {shape_tuple(ndim, shape)}, not {out.shape}")
    if not cnp.PyArray_ISWRITEABLE(y):
        raise LayoutError(f"{function}: out is read-only")
    if not in_place(y):
        raise LayoutError(f"{function}: out must be aligned and in native byte order, with strides that are "
                          f"multiples of its item; it has dtype {y.dtype.str}, strides {out.strides} bytes")
    if overlaps_itself(y):
        raise LayoutError(f"{function}: out writes some of its memory twice: shape {out.shape}, "
                          f"strides {out.strides} bytes")
    return y


cdef bint overlaps_itself(ndarray x):
    """Whether two indices of `x` name the same element."""
    cdef int64_t steps[64]
    cdef int64_t last[64]
    cdef int64_t step, reach = 0
    cdef int axis, k, ndim = 0
    for axis in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_DIM(x, axis) == 0:
            return False
        if cnp.PyArray_DIM(x, axis) == 1:
            continue
        step = abs(<int64_t> cnp.PyArray_STRIDE(x, axis))
        k = ndim
        while k > 0 and steps[k - 1] > step:
            steps[k], last[k] = steps[k - 1], last[k - 1]
            k -= 1
        steps[k], last[k] = step, cnp.PyArray_DIM(x, axis) - 1
        ndim += 1
    for axis in range(ndim):
        # nested axes cannot meet; any others are few and strange, and are counted
        if steps[axis] <= reach:
            return meets(x)
        reach += steps[axis] * last[axis]
    return False


cdef bint meets(object x):
    """The same, by counting the distinct offsets."""
    reach = sum(abs(step) * (size - 1) for step, size in zip(x.strides, x.shape))
    if x.size > reach // x.itemsize + 1:
        return True
    offsets = np.zeros((1,) * x.ndim, np.int64)
    for axis, (step, size) in enumerate(zip(x.strides, x.shape)):
        offsets = offsets + (np.arange(size) * step).reshape((-1,) + (1,) * (x.ndim - 1 - axis))
    return np.unique(offsets).size < x.size


cdef tuple shape_tuple(int ndim, const int64_t *shape):
    return tuple([shape[axis] for axis in range(ndim)])


cdef ndarray new_output(int ndim, const int64_t *shape, int batch, int typenum, bint zeros,
                        const anyrank_t *inputs, const int *core, int count):
    cdef double cost[64]
    cdef int order[64]
    cdef cnp.npy_intp sizes[64]
    cdef cnp.npy_intp place[64]
    cdef cnp.PyArray_Dims axes
    cdef int axis, k, lead
    cdef bint ordered = True
    cdef ndarray y
    for axis in range(batch):
        cost[axis] = 0
        for k in range(count):
            lead = axis - batch + inputs[k].ndim - core[k]
            if lead >= 0 and inputs[k].shape[lead] > 1:
                cost[axis] += fabs(<double> inputs[k].strides[lead])
    order_axes(batch, cost, order)
    for axis in range(ndim):
        k = order[axis] if axis < batch else axis
        sizes[axis] = shape[k]
        place[k] = axis
        ordered = ordered and k == axis
    y = cnp.PyArray_ZEROS(ndim, sizes, typenum, 0) if zeros else cnp.PyArray_EMPTY(ndim, sizes, typenum, 0)
    if ordered:
        return y
    axes.ptr = place
    axes.len = ndim
    return cnp.PyArray_Transpose(y, &axes)


cdef bint disturbs(ndarray out, ndarray x):
    cdef int axis
    cdef bint same = cnp.PyArray_NDIM(out) == cnp.PyArray_NDIM(x) and cnp.PyArray_DATA(out) == cnp.PyArray_DATA(x)
    if not meet_in_memory(out, x):
        return False
    for axis in range(cnp.PyArray_NDIM(out) if same else 0):
        same = same and cnp.PyArray_DIM(out, axis) == cnp.PyArray_DIM(x, axis) and (
            cnp.PyArray_DIM(x, axis) == 1 or cnp.PyArray_STRIDE(out, axis) == cnp.PyArray_STRIDE(x, axis))
    return not same


cdef bint meet_in_memory(ndarray a, ndarray b) noexcept:
    cdef uintptr_t a_low, a_high, b_low, b_high
    address_range(a, &a_low, &a_high)
    address_range(b, &b_low, &b_high)
    return a_low < b_high and b_low < a_high


cdef void address_range(ndarray x, uintptr_t *low, uintptr_t *high) noexcept:
    cdef int axis
    cdef cnp.npy_intp reach
    low[0] = high[0] = <uintptr_t> cnp.PyArray_DATA(x)
    for axis in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_DIM(x, axis) == 0:
            high[0] = low[0]
            return
        reach = (cnp.PyArray_DIM(x, axis) - 1) * cnp.PyArray_STRIDE(x, axis)
        if reach < 0:
            low[0] += reach
        else:
            high[0] += reach
    high[0] += cnp.PyArray_ITEMSIZE(x)
