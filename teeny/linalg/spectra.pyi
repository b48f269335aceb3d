from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_OnError = Literal["raise", "nan"]
_Triangle = Literal["L", "U", "l", "u"]

class EighResult(NamedTuple):
    eigenvalues: NDArray[Any]
    eigenvectors: NDArray[Any]

@overload
def eigh(
    a: ArrayLike,
    UPLO: _Triangle = "L",
    *,
    out: tuple[NDArray[Any] | None, NDArray[Any] | None] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> EighResult: ...
@overload
def eigh(
    a: ArrayLike,
    UPLO: _Triangle = "L",
    *,
    out: tuple[NDArray[Any] | None, NDArray[Any] | None] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[EighResult, NDArray[np.int32]]: ...
@overload
def eigvalsh(
    a: ArrayLike,
    UPLO: _Triangle = "L",
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> NDArray[Any]: ...
@overload
def eigvalsh(
    a: ArrayLike,
    UPLO: _Triangle = "L",
    *,
    out: NDArray[Any] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[NDArray[Any], NDArray[np.int32]]: ...
