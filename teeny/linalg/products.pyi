from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_OnError = Literal["raise", "nan"]

def matmul(a: ArrayLike, b: ArrayLike, *, out: NDArray[Any] | None = None, workers: int | None = None) -> Any: ...
def matvec(
    a: ArrayLike, x: ArrayLike, *, out: NDArray[Any] | None = None, workers: int | None = None
) -> NDArray[Any]: ...
def vecmat(
    x: ArrayLike, a: ArrayLike, *, out: NDArray[Any] | None = None, workers: int | None = None
) -> NDArray[Any]: ...
def outer(
    x: ArrayLike, y: ArrayLike, *, out: NDArray[Any] | None = None, workers: int | None = None
) -> NDArray[Any]: ...
def trace(
    a: ArrayLike, *, offset: SupportsIndex = 0, out: NDArray[Any] | None = None, workers: int | None = None
) -> Any: ...
@overload
def matrix_power(
    a: ArrayLike,
    n: SupportsIndex,
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def matrix_power(
    a: ArrayLike,
    n: SupportsIndex,
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
