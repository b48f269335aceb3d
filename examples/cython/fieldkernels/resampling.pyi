from enum import IntEnum
from typing import Any

from numpy.typing import NDArray

class Order(IntEnum):
    NEAREST = 0
    LINEAR = 1

class Bound(IntEnum):
    ZERO = 0
    REPLICATE = 1
    DCT2 = 2
    DFT = 3

POINTS_PER_WORKER: int

def resample(
    image: Any, coordinates: Any, order: Order | int = ..., bound: Bound | int = ..., *, workers: int = 0
) -> NDArray[Any]: ...
def instantiations() -> int: ...
