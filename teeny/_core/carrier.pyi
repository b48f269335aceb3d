from collections.abc import Sequence
from typing import Any

from teeny._core.geometry import LayoutTag, anyshape
from teeny._core.layout import Extents
from teeny._core.peel import Cells
from teeny._core.view import Strided, View
from teeny._core.vocabulary import Device

def as_anyrank(
    x: Any,
    shape: anyshape | None = None,
    layout: LayoutTag = ...,
    *,
    copy_meta: bool = False,
    max_rank: int = 32,
    space: str | None = None,
) -> AnyRank: ...

class AnyRank(Strided):
    @staticmethod
    def from_pointer(
        ptr: int,
        dtype: Any,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
        *,
        device: Device | str | None = None,
        owner: Any = None,
        readonly: bool = False,
    ) -> AnyRank: ...
    @property
    def ndim(self) -> int: ...
    @property
    def copy_meta(self) -> bool: ...
    @property
    def device_passable(self) -> bool: ...
    @property
    def metadata(self) -> bytes | None: ...
    def reindex(self, to: Any, max_rank: int | None = None) -> AnyRank: ...
    def size_front(self, keep: int) -> int: ...
    def peel_front(self, keep: int) -> Cells[View]: ...
    def peel_front_at(self, i: int, keep: int | Extents, layout: LayoutTag = ...) -> View: ...
    def fixed(self, rank: int) -> View: ...
