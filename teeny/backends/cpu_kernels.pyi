from numpy.typing import NDArray

from teeny.backends.base import Accepts, Backend
from teeny.ops import Operation

class CpuKernels(Backend):
    workers: int | None
    def __init__(self, workers: int | None = None) -> None: ...
    def accepts(self, op: Operation, *operands: NDArray) -> Accepts: ...
    def try_kernel(self, op: Operation, *operands: NDArray) -> bool: ...
