from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_OnError = Literal["raise", "nan"]
_Array = NDArray[Any]
_Status = NDArray[np.int32]

class QRResult(NamedTuple):
    Q: _Array
    R: _Array

class SVDResult(NamedTuple):
    U: _Array
    S: _Array
    Vh: _Array

@overload
def qr(
    a: ArrayLike,
    mode: Literal["reduced", "complete"] = "reduced",
    *,
    out: tuple[_Array | None, _Array | None] | None = None,
    workers: int | None = None,
) -> QRResult: ...
@overload
def qr(a: ArrayLike, mode: Literal["r"], *, out: _Array | None = None, workers: int | None = None) -> _Array: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    *,
    out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> SVDResult: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    *,
    out: tuple[_Array | None, _Array | None, _Array | None] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[SVDResult, _Status]: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    *,
    compute_uv: Literal[False],
    out: _Array | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> _Array: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    *,
    compute_uv: Literal[False],
    out: _Array | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[_Array, _Status]: ...
@overload
def svdvals(
    a: ArrayLike,
    *,
    out: _Array | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> _Array: ...
@overload
def svdvals(
    a: ArrayLike,
    *,
    out: _Array | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[_Array, _Status]: ...
@overload
def pinv(
    a: ArrayLike,
    rcond: ArrayLike | None = None,
    *,
    rtol: ArrayLike | None = ...,
    out: _Array | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> _Array: ...
@overload
def pinv(
    a: ArrayLike,
    rcond: ArrayLike | None = None,
    *,
    rtol: ArrayLike | None = ...,
    out: _Array | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[_Array, _Status]: ...
@overload
def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    rcond: ArrayLike | None = None,
    *,
    out: tuple[_Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[False] = False,
) -> tuple[_Array, _Array, Any, _Array]: ...
@overload
def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    rcond: ArrayLike | None = None,
    *,
    out: tuple[_Array | None, _Array | None, _Array | None, _Array | None] | None = None,
    workers: int | None = None,
    on_error: _OnError = "raise",
    info: Literal[True],
) -> tuple[tuple[_Array, _Array, Any, _Array], _Status]: ...
