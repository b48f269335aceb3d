from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_OnError = Literal["raise", "nan"]
_Out = NDArray[Any] | None

def pack(a: ArrayLike, *, upper: bool = False, out: _Out = None, workers: int | None = None) -> NDArray[Any]: ...
def unpack(x: ArrayLike, *, out: _Out = None, workers: int | None = None) -> NDArray[Any]: ...
def matvec(a: ArrayLike, x: ArrayLike, *, out: _Out = None, workers: int | None = None) -> NDArray[Any]: ...
@overload
def solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    out: _Out = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    out: _Out = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
@overload
def inv(
    a: ArrayLike,
    *,
    out: _Out = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def inv(
    a: ArrayLike,
    *,
    out: _Out = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
def det(a: ArrayLike, *, out: _Out = None, workers: int | None = None) -> Any: ...
