from collections.abc import Sequence

from numpy.typing import NDArray

class Operation:
    name: str
    signature: str
    inputs: dict[str, tuple[str, ...]]
    outputs: dict[str, tuple[str, ...]]
    def __init__(self, name: str, signature: str) -> None: ...
    def fits(self, operands: Sequence[NDArray]) -> bool: ...

DET: Operation
INV: Operation
SOLVE: Operation
