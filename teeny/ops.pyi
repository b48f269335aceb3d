class Operation:
    name: str
    inputs: dict[str, int]
    outputs: dict[str, int]
    def __init__(self, name: str, inputs: dict[str, int], outputs: dict[str, int]) -> None: ...

DET: Operation
INV: Operation
SOLVE: Operation
