from enum import StrEnum
from types import EllipsisType
from typing import Any

from teeny._core.layout import Extents

etc: EllipsisType

class storage(StrEnum):
    view = "view"
    pinned = "pinned"
    mapped = "mapped"
    gpu_view = "gpu_view"

def shape(*dims: int) -> Extents: ...

class anyshape:
    @property
    def head(self) -> tuple[int, ...]: ...
    @property
    def tail(self) -> tuple[int, ...]: ...
    def __class_getitem__(cls, sizes: Any) -> anyshape: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class LayoutTag:
    @property
    def name(self) -> str: ...
    @property
    def steps(self) -> tuple[int, ...] | None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

keep_strides: LayoutTag
ccontiguous: LayoutTag
fcontiguous: LayoutTag

def strides(*steps: int) -> LayoutTag: ...
