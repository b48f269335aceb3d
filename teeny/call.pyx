"""One call of an operation: operands acquired and checked, results made, a backend asked, failures reported.

Whatever can be refused is refused before anything is written. A leaf of this
package, where there is one, is run at once; otherwise the ordered list of
backends is asked. float16 and bfloat16 are computed as float64 and rounded once.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport dtype as dtype_t, ndarray

from teeny._core.errors import ArgumentError, DTypeError, LayoutError, LinAlgError, ShapeError, SquareError
from teeny._core.operands cimport acquire_input, acquire_output, describe, disturbs, meet_in_memory, new_output, readable
from teeny._core.run cimport CELL_FAILED, leaf_t
from teeny._core.threads import MAX_WORKERS, positive
from teeny._core.vocabulary cimport anyrank_t
from teeny.backends import BackendList, CpuKernels, Lapack, dispatch_kernel
from teeny.backends.cpu_kernels cimport apply_leaf, find_leaf
from teeny.ops cimport REAL, SAME, STATUS, Operation

cnp.import_array()


cdef struct frame_t:
    # what a call knows of its operands, inputs before outputs
    anyrank_t carriers[8]
    int64_t meta[8][128]
    int64_t size[8]      # of the axes of cells
    int64_t shape[66]    # of the batch; behind it, of a cell
    int ndim             # of the batch


cdef object call(Operation op, tuple arguments, object out, object workers, object on_error, object info,
                 tuple sizes=(), str name=None):
    cdef frame_t f
    cdef int32_t nowhere = 0
    cdef list inputs, results = [], targets = []
    cdef ndarray status = None
    cdef dtype_t dtype, work
    cdef leaf_t leaf
    cdef int64_t failures
    cdef int k, last = op.input_count + op.output_count - 1, threads = 0
    cdef bint reports = op.kind[last] == STATUS, in_place, want_info = info is True

    if name is None:
        name = op.name
    if workers is not None:
        threads = min(positive(workers, name, "workers"), MAX_WORKERS)
    if not isinstance(on_error, str) or on_error not in ("raise", "nan"):
        raise ArgumentError(f"{name}: on_error must be 'raise' or 'nan', not {on_error!r}")
    if not want_info and info is not False:
        want_info = truth(info, name)

    inputs = acquire_inputs(op, name, arguments, sizes, &f)
    dtype = result_dtype(op, name, inputs)
    work = computed_as(dtype)
    for k in range(op.input_count):
        inputs[k] = readable(<ndarray> inputs[k], work if op.kind[k] == SAME else real_part(work))
        describe(<ndarray> inputs[k], &f.carriers[k], f.meta[k])
    in_place = make_outputs(op, name, out, last if reports else last + 1, dtype, work, inputs, results, targets, &f)

    leaf = find_leaf(op, work.type_num, op.leaf_size(f.size))
    if reports:
        # an array is made only for who asks; if a cell fails without, all is done again, but not over an input
        if want_info or leaf == NULL or in_place:
            status = new_status(op, &f)
        else:
            describe_nowhere(&nowhere, &f, last)
    if leaf != NULL:
        failures = apply_leaf(leaf, op, f.carriers, threads)
        if failures and status is None and on_error == "raise":
            status = new_status(op, &f)
            failures = apply_leaf(leaf, op, f.carriers, threads)
    else:
        dispatch_kernel(op, (*inputs, *targets, status) if reports else (*inputs, *targets),
                        BackendList(CpuKernels(workers), Lapack()))
        failures = np.count_nonzero(status == CELL_FAILED) if reports else 0

    for k in range(len(results)):
        if targets[k] is not results[k]:
            cnp.PyArray_CopyInto(<ndarray> results[k], <ndarray> targets[k])
        elif out is None and f.ndim == 0 and op.cell[op.input_count + k] == 0:
            results[k] = results[k][()]  # a scalar, as NumPy has it
    if len(results) == 1:
        answer = results[0] if out is None else out
    else:
        answer = tuple(results)
    if failures and on_error == "raise":
        raise failure(op, name, answer, status)
    return (answer, status) if want_info else answer


cdef bint truth(object info, str name) except -1:
    try:
        return bool(info)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: info must be True or False, not {info!r}") from error


# ------------------------------------------------------------------ inputs


cdef list acquire_inputs(Operation op, str name, tuple arguments, tuple sizes, frame_t *f):
    """The arguments as arrays, not yet of one dtype; the sizes of all axes, and the shape of the batch."""
    cdef list inputs = []
    cdef ndarray x
    cdef int k, axis
    for axis in range(op.axis_count):
        f.size[axis] = -1 if axis < op.bound else <int64_t> sizes[axis - op.bound]
    for k in range(op.input_count):
        x = acquire_input(arguments[k], name, <str> op.names[k])
        if not op.bind(k, x, f.size):
            raise misshapen(op, name, k, x, inputs, f.size)
        inputs.append(x)
    f.ndim = broadcast(op, name, inputs, f.shape)
    return inputs


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


cdef dtype_t result_dtype(Operation op, str name, list inputs):
    """NumPy's, of the inputs of full dtype; integers count as float64 where that is all there is."""
    cdef dtype_t dtype = None, each
    cdef int k
    for k in range(op.input_count):
        if op.kind[k] != SAME:
            continue
        each = (<ndarray> inputs[k]).descr
        if not cnp.PyArray_ISNOTSWAPPED(<ndarray> inputs[k]):
            each = each.newbyteorder("=")
        if op.inexact and (cnp.PyArray_ISINTEGER(<ndarray> inputs[k]) or cnp.PyArray_ISBOOL(<ndarray> inputs[k])):
            each = cnp.PyArray_DescrFromType(cnp.NPY_FLOAT64)
        if dtype is None:
            dtype = each
        elif dtype.type_num != each.type_num:
            try:
                dtype = np.result_type(dtype, each)
            except TypeError as error:
                raise DTypeError(f"{name}: {' and '.join(op.inputs)} have dtypes without a common one, {dtype} and "
                                 f"{each}") from error
    return dtype


cdef dtype_t computed_as(dtype_t dtype):
    """float64 for float16 and bfloat16, whose number is that of a type added to NumPy."""
    if dtype.type_num == cnp.NPY_FLOAT16 or dtype.type_num >= 256:
        return cnp.PyArray_DescrFromType(cnp.NPY_FLOAT64)
    return dtype


cdef dtype_t real_part(dtype_t dtype):
    if dtype.type_num == cnp.NPY_COMPLEX64:
        return cnp.PyArray_DescrFromType(cnp.NPY_FLOAT32)
    if dtype.type_num == cnp.NPY_COMPLEX128:
        return cnp.PyArray_DescrFromType(cnp.NPY_FLOAT64)
    return dtype


# ------------------------------------------------------------------ outputs


cdef bint make_outputs(Operation op, str name, object out, int stop, dtype_t dtype, dtype_t work, list inputs,
                       list results, list targets, frame_t *f) except -1:
    """Fill in what is returned and what is computed into, up to operand `stop`; whether that is an input's memory."""
    cdef ndarray result, target
    cdef dtype_t kind, computed
    cdef int k, axis, ndim
    cdef bint single = stop - op.input_count == 1, in_place = False
    if out is not None and not single:
        check_outputs(op, name, out, stop - op.input_count)
    for k in range(op.input_count, stop):
        ndim = f.ndim + op.cell[k]
        if ndim > 64:
            raise ShapeError(f"{name}: {op.names[k]} would have {ndim} axes, more than the 64 that NumPy has")
        for axis in range(op.cell[k]):
            f.shape[f.ndim + axis] = f.size[op.axis[k][axis]]
        if op.kind[k] == SAME:
            kind, computed = dtype, work
        elif op.kind[k] == REAL:
            kind, computed = real_part(dtype), real_part(work)
        else:
            kind = computed = STATUS_DTYPE
        given = out if single or out is None else out[k - op.input_count]
        result = None if given is None else acquire_output(given, name, ndim, f.shape, kind)
        if result is not None and kind.type_num == computed.type_num and not disturbs_any(result, inputs):
            target = result
            in_place = in_place or meets_any(result, inputs)
        else:
            target = new_output(ndim, f.shape, f.ndim, computed.type_num, False, f.carriers, op.cell, op.input_count)
            if result is None:
                result = target if kind.type_num == computed.type_num else np.empty_like(target, kind)
        describe(target, &f.carriers[k], f.meta[k])
        results.append(result)
        targets.append(target)
    if out is not None and not single:
        check_disjoint(op, name, results)
    return in_place


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


cdef ndarray new_status(Operation op, frame_t *f):
    cdef int last = op.input_count + op.output_count - 1
    status = new_output(f.ndim, f.shape, f.ndim, cnp.NPY_INT32, True, f.carriers, op.cell, op.input_count)
    describe(status, &f.carriers[last], f.meta[last])
    return status


cdef void describe_nowhere(int32_t *status, frame_t *f, int k) noexcept:
    """A status of all cells in one place, which nobody reads."""
    cdef anyrank_t *c = &f.carriers[k]
    cdef int axis
    for axis in range(f.ndim):
        f.meta[k][axis] = f.shape[axis]
        f.meta[k][f.ndim + axis] = 0
    c.data = status
    c.shape = f.meta[k]
    c.strides = f.meta[k] + f.ndim
    c.ndim = f.ndim
    c.dtype.bits = 32
    c.dtype.lanes = 1


cdef object failure(Operation op, str name, result, ndarray status):
    bad = np.argwhere(status == CELL_FAILED)
    if status.ndim == 0:
        return LinAlgError(f"{name}: the matrix is {op.failure}", result=result, info=status)
    return LinAlgError(f"{name}: {len(bad)} of {status.size} matrices are {op.failure}, the first at batch index "
                       f"{tuple(bad[0].tolist())}", result=result, info=status)
