"""What every kernel of this package checks of an array before it reads it."""

from typing import Any

import teeny as tny

STORAGE = tny.DType("float32"), tny.DType("float64")


def operand(x: Any, what: str) -> tny.AnyRank:
    """The carrier of any array that a kernel can read; errors begin with `what`, its function and name."""
    try:
        at = tny.as_anyrank(x)
    except tny.Error as error:
        raise type(error)(f"{what}: {error}") from error
    if at.dtype not in STORAGE:
        raise tny.DTypeError(f"{what}: found {at.dtype}, expected float32 or float64")
    if at.space == "gpu_view":
        raise tny.DeviceError(f"{what}: found memory on {at.device}, expected it on the host")
    if not at.aligned:
        raise tny.LayoutError(f"{what}: found unaligned elements; numpy.require(x, requirements='A') aligns them")
    return at
