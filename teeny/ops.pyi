FAILED: int
UNDEFINED: int

class Operation:
    name: str
    signature: str
    failure: str
    inexact: bool
    names: tuple[str, ...]
    axes: tuple[str, ...]
    inputs: dict[str, tuple[str, ...]]
    outputs: dict[str, tuple[str, ...]]
    def __init__(
        self, name: str, signature: str, id: int = -1, failure: str = "singular", inexact: bool = True
    ) -> None: ...

CHOLESKY: Operation
CHO_SOLVE: Operation
DET: Operation
EIGH: Operation
EIGVALSH: Operation
EXPM: Operation
INV: Operation
LSTSQ: Operation
MATMUL: Operation
MATVEC: Operation
OUTER: Operation
PINV: Operation
QR: Operation
SLOGDET: Operation
SOLVE: Operation
SOLVEVEC: Operation
SVD: Operation
SVDVALS: Operation
SYM_DET: Operation
SYM_INV: Operation
SYM_MATVEC: Operation
SYM_PACK: Operation
SYM_SOLVE: Operation
SYM_UNPACK: Operation
TRACE: Operation
VECMAT: Operation
