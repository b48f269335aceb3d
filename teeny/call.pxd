"""One call of an operation, from Python arguments to a backend (see call.pyx)."""

from teeny.ops cimport Operation

# The results of `op` on `arguments`, in the order of its signature: an array, or a tuple of arrays for several outputs
# besides `info`; with `info`, that and the status of each cell. `out` is None, an array, or a tuple of arrays and None.
# `sizes` are those of the axes that no input has, in order; `name` is what errors call the function, by default as `op`.
cdef object call(Operation op, tuple arguments, object out, object workers, object on_error, object info,
                 tuple sizes=*, str name=*)
