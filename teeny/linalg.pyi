from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_OnError = Literal["raise", "nan"]

@overload
def inv(
    a: ArrayLike,
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def inv(
    a: ArrayLike,
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
def det(a: ArrayLike, *, out: NDArray[Any] | None = None, workers: int | None = None) -> Any: ...
@overload
def solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
