"""One call of an operation: operands acquired and checked, results made, a backend asked, failures reported.

Whatever can be refused is refused before anything is written. A leaf of this
package, where there is one, is run at once; otherwise the ordered list of
backends is asked. float16 and bfloat16 are computed as float64 and rounded once.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport dtype as dtype_t, ndarray

from teeny._core.errors import ArgumentError, LayoutError, LinAlgError, ShapeError, SquareError
from teeny._core.operands cimport acquire_input, acquire_output, describe, disturbs, meet_in_memory, new_output, readable
from teeny._core.run cimport CELL_FAILED, leaf_t
from teeny._core.threads import MAX_WORKERS, positive
from teeny._core.vocabulary cimport anyrank_t
from teeny.backends import BackendList, CpuKernels, Lapack, dispatch_kernel
from teeny.backends.cpu_kernels cimport apply_leaf, find_leaf
from teeny.ops cimport SAME, STATUS, Operation

cnp.import_array()


cdef object call(Operation op, tuple arguments, object out, object workers, object on_error, object info,
                 tuple sizes=(), str name=None):
    cdef anyrank_t carriers[8]
    cdef int64_t meta[8][128]
    cdef int64_t size[8]
    cdef int64_t batch[64]
    cdef int32_t nowhere = 0
    cdef list inputs = [], results = [], targets = []
    cdef ndarray x, result, target, status = None
    cdef dtype_t dtype, work, kind, computed
    cdef leaf_t leaf
    cdef int64_t failures
    cdef int k, axis, ndim, lead, last, threads = 0
    cdef bint reports, single, in_place = False, want_info = info is True

    if name is None:
        name = op.name
    if workers is not None:
        threads = min(positive(workers, name, "workers"), MAX_WORKERS)
    if not isinstance(on_error, str) or on_error not in ("raise", "nan"):
        raise ArgumentError(f"{name}: on_error must be 'raise' or 'nan', not {on_error!r}")

    if not want_info and info is not False:
        want_info = truth(info, name)

    for axis in range(op.axis_count):
        size[axis] = -1 if axis < op.bound else <int64_t> sizes[axis - op.bound]
    for k in range(op.input_count):
        x = acquire_input(arguments[k], name, <str> op.names[k])
        if not op.bind(k, x, size):
            raise misshapen(op, name, k, x, inputs, size)
        inputs.append(x)
    ndim = broadcast(op, name, inputs, batch)

    dtype = result_dtype(op, inputs)
    work = computed_as(dtype)
    for k in range(op.input_count):
        x = readable(<ndarray> inputs[k], work if op.kind[k] == SAME else real_part(work))
        describe(x, &carriers[k], meta[k])
        inputs[k] = x

    last = op.input_count + op.output_count
    reports = op.kind[last - 1] == STATUS
    if reports:
        last -= 1
    single = last - op.input_count == 1
    if out is not None and not single:
        check_outputs(op, name, out, last - op.input_count)
    for k in range(op.input_count, last):
        lead = ndim + op.cell[k]
        for axis in range(op.cell[k]):
            batch[ndim + axis] = size[op.axis[k][axis]]
        kind, computed = (dtype, work) if op.kind[k] == SAME else (real_part(dtype), real_part(work))
        if op.kind[k] == STATUS:
            kind = computed = STATUS_DTYPE
        given = out if single or out is None else out[k - op.input_count]
        result = None if given is None else acquire_output(given, name, lead, batch, kind)
        if result is not None and kind.num == computed.num and not disturbs_any(result, inputs):
            target = result
            in_place = in_place or meets_any(result, inputs)
        else:
            target = new_output(lead, batch, ndim, computed.num, False, carriers, op.cell, op.input_count)
            if result is None:
                result = target if kind.num == computed.num else np.empty_like(target, kind)
        describe(target, &carriers[k], meta[k])
        results.append(result)
        targets.append(target)
    if out is not None and not single:
        check_disjoint(op, name, results)

    leaf = find_leaf(op, work.num, op.leaf_size(size))
    if reports:
        # an array is made only for who asks; if a cell fails without, all is done again, but not over an input
        if want_info or leaf == NULL or in_place:
            status = new_output(ndim, batch, ndim, cnp.NPY_INT32, True, carriers, op.cell, op.input_count)
            describe(status, &carriers[last], meta[last])
        else:
            describe_nowhere(&nowhere, ndim, batch, &carriers[last], meta[last])

    if leaf != NULL:
        failures = apply_leaf(leaf, op, carriers, threads)
        if failures and status is None and on_error == "raise":
            status = new_output(ndim, batch, ndim, cnp.NPY_INT32, True, carriers, op.cell, op.input_count)
            describe(status, &carriers[last], meta[last])
            failures = apply_leaf(leaf, op, carriers, threads)
    else:
        dispatch_kernel(op, (*inputs, *targets, status) if reports else (*inputs, *targets),
                        BackendList(CpuKernels(workers), Lapack()))
        failures = np.count_nonzero(status == CELL_FAILED) if reports else 0

    for k in range(len(results)):
        if targets[k] is not results[k]:
            cnp.PyArray_CopyInto(<ndarray> results[k], <ndarray> targets[k])
        elif out is None and ndim == 0 and op.cell[op.input_count + k] == 0:
            results[k] = results[k][()]  # a scalar, as NumPy has it
    answer = (results[0] if out is None else out) if single else tuple(results)
    if failures and on_error == "raise":
        raise failure(op, name, answer, status)
    return (answer, status) if want_info else answer


cdef bint truth(object info, str name) except -1:
    try:
        return bool(info)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: info must be True or False, not {info!r}") from error


# ------------------------------------------------------------------ shapes


cdef object misshapen(Operation op, str name, int k, ndarray x, list inputs, const int64_t *size):
    """What is wrong with the shape of an input."""
    operand = op.names[k]
    axes = op.inputs[operand]
    square = len(set(axes)) < len(axes)
    earlier = {axis for other in op.names[:k] for axis in op.inputs[other]}
    sizes = dict(zip(op.axes, [size[axis] for axis in range(op.axis_count)]))
    wanted = ", ".join([str(sizes[axis]) if axis in earlier else "C" if square else axis.upper() for axis in axes])
    because = "".join([f", as {op.names[j]} has shape {inputs[j].shape}" for j in range(k)
                       if not set(axes).isdisjoint(op.inputs[op.names[j]])])
    text = f"{name}: {operand} must have shape (..., {wanted}){because}, not {(<object> x).shape}"
    return SquareError(text) if square else ShapeError(text)


cdef int broadcast(Operation op, str name, list inputs, int64_t *batch) except -1:
    """The batch axes of all inputs together; how many."""
    cdef ndarray x
    cdef int k, axis, lead, ndim = 0
    cdef int64_t size
    for k in range(op.input_count):
        ndim = max(ndim, cnp.PyArray_NDIM(<ndarray> inputs[k]) - op.cell[k])
    for axis in range(ndim):
        batch[axis] = 1
    for k in range(op.input_count):
        x = <ndarray> inputs[k]
        lead = ndim - (cnp.PyArray_NDIM(x) - op.cell[k])
        for axis in range(lead, ndim):
            size = cnp.PyArray_DIM(x, axis - lead)
            if size != batch[axis] and size != 1:
                if batch[axis] != 1:
                    raise ShapeError(f"{name}: the batch axes of {' and '.join(op.inputs)} do not broadcast: "
                                     f"shapes {' and '.join([str(each.shape) for each in inputs])}")
                batch[axis] = size
    return ndim


# ------------------------------------------------------------------ dtypes

cdef dtype_t STATUS_DTYPE = cnp.PyArray_DescrFromType(cnp.NPY_INT32)


cdef dtype_t result_dtype(Operation op, list inputs):
    """NumPy's, of the inputs of full dtype; integers count as float64 where that is all there is."""
    cdef dtype_t dtype = None, each
    cdef int k
    for k in range(op.input_count):
        if op.kind[k] != SAME:
            continue
        each = (<ndarray> inputs[k]).dtype
        if not cnp.PyArray_ISNOTSWAPPED(<ndarray> inputs[k]):
            each = each.newbyteorder("=")
        if op.inexact and (cnp.PyArray_ISINTEGER(<ndarray> inputs[k]) or cnp.PyArray_ISBOOL(<ndarray> inputs[k])):
            each = cnp.PyArray_DescrFromType(cnp.NPY_FLOAT64)
        if dtype is None:
            dtype = each
        elif dtype.num != each.num:
            dtype = np.result_type(dtype, each)
    return dtype


cdef dtype_t computed_as(dtype_t dtype):
    """float64 for float16 and bfloat16, whose number is that of a type added to NumPy."""
    if dtype.num == cnp.NPY_FLOAT16 or dtype.num >= 256:
        return cnp.PyArray_DescrFromType(cnp.NPY_FLOAT64)
    return dtype


cdef dtype_t real_part(dtype_t dtype):
    if dtype.num == cnp.NPY_COMPLEX64:
        return cnp.PyArray_DescrFromType(cnp.NPY_FLOAT32)
    if dtype.num == cnp.NPY_COMPLEX128:
        return cnp.PyArray_DescrFromType(cnp.NPY_FLOAT64)
    return dtype


# ------------------------------------------------------------------ outputs


cdef int check_outputs(Operation op, str name, object out, int expected) except -1:
    if not isinstance(out, tuple) or len(out) != expected:
        names = ", ".join(op.names[op.input_count:op.input_count + expected])
        found = f"a tuple of {len(out)}" if isinstance(out, tuple) else type(out).__name__
        raise ArgumentError(f"{name}: out must be a tuple of {expected} arrays ({names}), not {found}")
    return 0


cdef int check_disjoint(Operation op, str name, list outputs) except -1:
    for k in range(len(outputs)):
        for j in range(k):
            if np.shares_memory(outputs[j], outputs[k]):
                raise LayoutError(f"{name}: two arrays of out, {op.names[op.input_count + j]} and "
                                  f"{op.names[op.input_count + k]}, share memory")
    return 0


cdef bint disturbs_any(ndarray out, list inputs):
    cdef int k
    for k in range(len(inputs)):
        if disturbs(out, <ndarray> inputs[k]):
            return True
    return False


cdef bint meets_any(ndarray out, list inputs):
    cdef int k
    for k in range(len(inputs)):
        if meet_in_memory(out, <ndarray> inputs[k]):
            return True
    return False


# ------------------------------------------------------------------ status


cdef void describe_nowhere(int32_t *status, int ndim, const int64_t *batch, anyrank_t *c, int64_t *meta) noexcept:
    """A status of all cells in one place, which nobody reads."""
    cdef int axis
    for axis in range(ndim):
        meta[axis] = batch[axis]
        meta[ndim + axis] = 0
    c.data = status
    c.shape = meta
    c.strides = meta + ndim
    c.ndim = ndim
    c.dtype.bits = 32
    c.dtype.lanes = 1


cdef object failure(Operation op, str name, result, ndarray status):
    bad = np.argwhere(status == CELL_FAILED)
    if status.ndim == 0:
        return LinAlgError(f"{name}: the matrix is {op.failure}", result=result, info=status)
    return LinAlgError(f"{name}: {len(bad)} of {status.size} matrices are {op.failure}, the first at batch index "
                       f"{tuple(bad[0].tolist())}", result=result, info=status)
