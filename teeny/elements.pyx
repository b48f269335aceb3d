"""One call of a function of elements: operands acquired, one dtype found, a kernel run.

Numbers of Python take the dtype of the arrays beside them, as NumPy has it. Where all is of one dtype that has a
kernel, that is run, over the operands as they lie. Everything else (two dtypes, complex numbers, halves, integers
that become floating point) is NumPy's to compute, with its rules and its results.
"""

from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

import numpy as np

cimport numpy as cnp
from numpy cimport dtype as dtype_t, ndarray

from teeny._core import isa
from teeny._core.driver cimport plan_elements, plan_t, run_plan
from teeny._core.errors import ArgumentError, DTypeError, ShapeError
from teeny._core.operands cimport acquire_input, acquire_output, describe, disturbs, in_place, new_output
from teeny._core.ranked.table cimport KERNEL_OPS, KERNELS, kernels_t
from teeny._core.run cimport leaf_t
from teeny._core.threads import MAX_WORKERS, positive
from teeny._core.vocabulary cimport anyrank_t, raise_status

cnp.import_array()

cdef kernels_t kernels


def load():
    """Collect the kernels of both modules, each in the variant that suits this CPU."""
    cdef const kernels_t *family
    cdef int op, typenum
    for module in ("arithmetic", "transcendental"):
        for variant in isa.load(f"teeny._core.ranked.{module}"):
            capsule = variant.table()
            family = <const kernels_t *> PyCapsule_GetPointer(capsule, KERNELS)
            for op in range(KERNEL_OPS):
                for typenum in range(16):
                    if family.leaf[op][typenum] != NULL:
                        kernels.leaf[op][typenum] = family.leaf[op][typenum]


load()

cdef dtype_t TRUTH = cnp.PyArray_DescrFromType(cnp.NPY_BOOL)


cdef class Function:

    def __cinit__(self, int op, str name, tuple arguments, otherwise, bint compares=False):
        self.op = op
        self.name = name
        self.arguments = arguments
        self.otherwise = otherwise
        self.compares = compares


cdef object call(Function function, tuple operands, object out, object workers):
    cdef anyrank_t carriers[4]
    cdef int64_t meta[4][128]
    cdef int64_t numbers[4]
    cdef int64_t shape[64]
    cdef int core[4]
    cdef plan_t plan
    cdef list inputs
    cdef ndarray result = None, target = None
    cdef dtype_t dtype
    cdef leaf_t leaf = NULL
    cdef int k, ndim, count = len(operands), threads = 0
    cdef int typenum

    if workers is not None:
        threads = min(positive(workers, function.name, "workers"), MAX_WORKERS)
    inputs = acquire(function, operands)
    typenum = common_type(inputs)
    ndim = broadcast(function, inputs, shape)
    if 0 <= typenum < 16:
        leaf = kernels.leaf[function.op][typenum]
    for k in range(count):
        core[k] = 0
        if isinstance(inputs[k], ndarray):
            describe(<ndarray> inputs[k], &carriers[k], meta[k])
        elif leaf == NULL or not put_number(inputs[k], typenum, &numbers[k]):
            leaf = NULL
            break
        else:
            carriers[k].data = &numbers[k]
            carriers[k].ndim = 0
            carriers[k].dtype.bits = 64
            carriers[k].dtype.lanes = 1
    if leaf == NULL:
        return otherwise(function, inputs, ndim, shape, out)
    dtype = TRUTH if function.compares else cnp.PyArray_DescrFromType(typenum)
    if out is not None:
        if isinstance(out, ndarray) and cnp.PyArray_TYPE(<ndarray> out) != dtype.type_num:
            return otherwise(function, inputs, ndim, shape, out)
        result = acquire_output(out, function.name, ndim, shape, dtype)
        target = None if disturbs_any(result, inputs) else result
    if target is None:
        target = new_output(ndim, shape, ndim, dtype.type_num, False, carriers, core, count)
    describe(target, &carriers[count], meta[count])
    raise_status(plan_elements(&plan, leaf, NULL, carriers, count, 1), function.name)
    run_plan(&plan, threads)
    if result is None:
        return target if ndim > 0 else (<object> target)[()]
    if target is not result:
        cnp.PyArray_CopyInto(result, target)
    return result


cdef list acquire(Function function, tuple operands):
    """Arrays, and numbers of Python as they are, unless there are no arrays."""
    cdef list inputs = []
    cdef int k
    cdef bint numbers = True
    for k in range(len(operands)):
        x = operands[k]
        if type(x) is float or type(x) is int or type(x) is bool or type(x) is complex:
            inputs.append(x)
        else:
            inputs.append(acquire_input(x, function.name, <str> function.arguments[k]))
            numbers = False
    if numbers:
        try:
            return [np.asarray(x) for x in inputs] if len(set(map(type, inputs))) == 1 else [
                np.asarray(x, np.result_type(*inputs)) for x in inputs]
        except OverflowError as error:
            raise ArgumentError(f"{function.name}: {error}") from error
    return inputs


cdef int common_type(list inputs) noexcept:
    """The number of the dtype of all arrays, or -1 if they have several or lie so that no kernel reads them."""
    cdef int k, typenum = -2
    cdef ndarray x
    for k in range(len(inputs)):
        if not isinstance(inputs[k], ndarray):
            continue
        x = <ndarray> inputs[k]
        if not in_place(x) or (typenum >= 0 and cnp.PyArray_TYPE(x) != typenum):
            return -1
        typenum = cnp.PyArray_TYPE(x)
    return typenum


cdef bint put_number(object x, int typenum, void *place) except -1:
    """A number of Python in that type; False where it would be another number, or NumPy has something to say."""
    cdef int overflow = 0
    cdef int64_t value
    if typenum == cnp.NPY_FLOAT32 or typenum == cnp.NPY_FLOAT64:
        if type(x) is complex:
            return False
        if type(x) is int and not -(1 << 53) <= x <= 1 << 53:
            return False
        if typenum == cnp.NPY_FLOAT32:
            (<float *> place)[0] = <float> <double> x
        else:
            (<double *> place)[0] = <double> x
        return True
    if type(x) is float or type(x) is complex:
        return False
    value = PyLong_AsLongLongAndOverflow(x, &overflow)
    if overflow:
        return False
    if typenum == cnp.NPY_INT8:
        (<int8_t *> place)[0] = <int8_t> value
        return -128 <= value <= 127
    if typenum == cnp.NPY_INT16:
        (<int16_t *> place)[0] = <int16_t> value
        return -32768 <= value <= 32767
    if typenum == cnp.NPY_INT32:
        (<int32_t *> place)[0] = <int32_t> value
        return -2147483648LL <= value <= 2147483647LL
    if typenum == cnp.NPY_UINT8:
        (<uint8_t *> place)[0] = <uint8_t> value
        return 0 <= value <= 255
    if typenum == cnp.NPY_UINT16:
        (<uint16_t *> place)[0] = <uint16_t> value
        return 0 <= value <= 65535
    if typenum == cnp.NPY_UINT32:
        (<uint32_t *> place)[0] = <uint32_t> value
        return 0 <= value <= 4294967295LL
    (<int64_t *> place)[0] = value
    return typenum == cnp.NPY_INT64 or value >= 0


cdef int broadcast(Function function, list inputs, int64_t *shape) except -1:
    """The common shape of all inputs; its number of axes."""
    cdef ndarray x
    cdef int k, axis, lead, ndim = 0
    cdef int64_t size
    for k in range(len(inputs)):
        if isinstance(inputs[k], ndarray):
            ndim = max(ndim, cnp.PyArray_NDIM(<ndarray> inputs[k]))
    for axis in range(ndim):
        shape[axis] = 1
    for k in range(len(inputs)):
        if not isinstance(inputs[k], ndarray):
            continue
        x = <ndarray> inputs[k]
        lead = ndim - cnp.PyArray_NDIM(x)
        for axis in range(lead, ndim):
            size = cnp.PyArray_DIM(x, axis - lead)
            if size != shape[axis] and size != 1:
                if shape[axis] != 1:
                    shapes = " and ".join([str(np.shape(each)) for each in inputs])
                    raise ShapeError(f"{function.name}: {' and '.join(function.arguments)} do not broadcast: "
                                     f"shapes {shapes}")
                shape[axis] = size
    return ndim


cdef bint disturbs_any(ndarray out, list inputs) except -1:
    cdef int k
    for k in range(len(inputs)):
        if isinstance(inputs[k], ndarray) and disturbs(out, <ndarray> inputs[k]):
            return True
    return False


cdef object otherwise(Function function, list inputs, int ndim, const int64_t *shape, object out):
    """What no kernel computes: by NumPy, apart from `out`, which is written last."""
    if out is not None:
        acquire_output(out, function.name, ndim, shape, getattr(out, "dtype", None))
        acquire_input(out, function.name, "out")
    try:
        with np.errstate(all="ignore"):
            result = function.otherwise(*inputs)
    except TypeError as error:
        raise DTypeError(f"{function.name}: {error}") from error
    except (OverflowError, ValueError) as error:
        raise ArgumentError(f"{function.name}: {error}") from error
    if out is None:
        return result
    if not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise DTypeError(f"{function.name}: out has dtype {out.dtype}, to which a result of dtype {result.dtype} "
                         "cannot be cast without loss of its kind")
    with np.errstate(all="ignore"):
        np.copyto(out, result, casting="same_kind")
    return out
