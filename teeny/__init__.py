"""Static-shape kernels over fields of small matrices and vectors.

Arrays are ``(*batch, *spatial, C)``: any number of leading axes, any strides,
taken in without a copy. This module is names only; see ``teeny.linalg`` for the
functions, and ``as_anyrank`` for the boundary.
"""

from pathlib import Path

from teeny import backends, linalg
from teeny._core.bundle import BundleIndex, Mask, SampleIndex
from teeny._core.carrier import AnyRank, as_anyrank
from teeny._core.config import show_config
from teeny._core.dispatch import (
    candidates,
    dispatch_dlpack,
    dispatch_dlpack_dtype,
    dispatch_index,
    dispatch_layout,
    dispatch_rank,
    dispatch_value,
    dispatch_values,
)
from teeny._core.dlpack import DLTensor, from_dlpack, to_dlpack, to_dltensor
from teeny._core.errors import (
    ArgumentError,
    BoundaryError,
    BoundsError,
    DeviceError,
    DTypeError,
    Error,
    LayoutError,
    LinAlgError,
    ShapeError,
    SquareError,
)
from teeny._core.geometry import anyshape, ccontiguous, etc, fcontiguous, keep_strides, shape, storage, strides
from teeny._core.layout import Extents, dyn, layout_left, layout_right, layout_stride
from teeny._core.peel import peel_together
from teeny._core.threads import get_num_threads, set_num_threads, threads
from teeny._core.view import View
from teeny._core.vocabulary import Device, DType
from teeny._version import __version__
from teeny.elementwise import (
    abs,
    add,
    axpy,
    ceil,
    clamp,
    cos,
    div,
    equal,
    exp,
    floor,
    fma,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    maximum,
    minimum,
    mul,
    neg,
    not_equal,
    pow,
    round,
    sign,
    sin,
    sqrt,
    sub,
    tanh,
    trunc,
)

__all__ = [
    "AnyRank",
    "ArgumentError",
    "BoundaryError",
    "BoundsError",
    "BundleIndex",
    "DLTensor",
    "DType",
    "DTypeError",
    "Device",
    "DeviceError",
    "Error",
    "Extents",
    "LayoutError",
    "LinAlgError",
    "Mask",
    "SampleIndex",
    "ShapeError",
    "SquareError",
    "View",
    "__version__",
    "abs",
    "add",
    "anyshape",
    "as_anyrank",
    "axpy",
    "backends",
    "candidates",
    "ccontiguous",
    "ceil",
    "clamp",
    "cos",
    "dispatch_dlpack",
    "dispatch_dlpack_dtype",
    "dispatch_index",
    "dispatch_layout",
    "dispatch_rank",
    "dispatch_value",
    "dispatch_values",
    "div",
    "dyn",
    "equal",
    "etc",
    "exp",
    "fcontiguous",
    "floor",
    "fma",
    "from_dlpack",
    "get_include",
    "get_num_threads",
    "greater",
    "greater_equal",
    "keep_strides",
    "layout_left",
    "layout_right",
    "layout_stride",
    "less",
    "less_equal",
    "linalg",
    "log",
    "maximum",
    "minimum",
    "mul",
    "neg",
    "not_equal",
    "peel_together",
    "pow",
    "round",
    "set_num_threads",
    "shape",
    "show_config",
    "sign",
    "sin",
    "sqrt",
    "storage",
    "strides",
    "sub",
    "tanh",
    "threads",
    "to_dlpack",
    "to_dltensor",
    "trunc",
]


def get_include():
    """The folder of the C headers, for a downstream build.

    Returns
    -------
    str

    Examples
    --------
    >>> import os
    >>> import teeny as tny
    >>> os.path.isfile(os.path.join(tny.get_include(), "teeny", "run.h"))
    True
    """
    return str(Path(__file__).parent / "include")
