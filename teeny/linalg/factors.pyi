from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_OnError = Literal["raise", "nan"]

@overload
def cholesky(
    a: ArrayLike,
    *,
    upper: bool = False,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def cholesky(
    a: ArrayLike,
    *,
    upper: bool = False,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
@overload
def cho_solve(
    l: ArrayLike,
    b: ArrayLike,
    *,
    upper: bool = False,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def cho_solve(
    l: ArrayLike,
    b: ArrayLike,
    *,
    upper: bool = False,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
