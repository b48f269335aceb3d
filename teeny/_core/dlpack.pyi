from typing import Any

from teeny._core.carrier import AnyRank
from teeny._core.geometry import LayoutTag, anyshape
from teeny._core.vocabulary import Device

def from_dlpack(
    m: Any,
    shape: anyshape | None = None,
    layout: LayoutTag = ...,
    *,
    dtype: Any = None,
    space: str | None = None,
    stream: int | None = None,
    copy: bool | None = None,
) -> AnyRank: ...
def to_dlpack(
    x: Any,
    *,
    max_version: tuple[int, int] | None = None,
    stream: int | None = None,
    dl_device: Device | tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any: ...
def to_dltensor(x: Any) -> DLTensor: ...

class DLTensor:
    @property
    def ptr(self) -> int: ...
