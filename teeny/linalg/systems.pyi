from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_OnError = Literal["raise", "nan"]

class SlogdetResult(NamedTuple):
    sign: Any
    logabsdet: Any

def slogdet(
    a: ArrayLike, *, out: tuple[NDArray[Any] | None, NDArray[Any] | None] | None = None, workers: int | None = None
) -> SlogdetResult: ...

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
@overload
def solvevec(
    a: ArrayLike,
    b: ArrayLike,
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def solvevec(
    a: ArrayLike,
    b: ArrayLike,
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
