"""Operation tags: what is asked for, apart from who computes it.

A backend receives a tag and the operands in the tag's order, inputs before
outputs. The batch axes of all operands broadcast; an output has the full batch
shape and the dtype that NumPy's function of the same name would give it.
``info`` is an int32 output of per-cell status, zero where all is well, and
already zeroed when a backend receives it.
"""

__all__ = ["DET", "INV", "SOLVE", "Operation"]


cdef class Operation:
    """One operation on cells of a batch.

    Parameters
    ----------
    name : str
    inputs, outputs : dict of str to int
        Operand names, in order, with the number of axes of a cell.

    Examples
    --------
    >>> from teeny.ops import INV
    >>> INV
    inv(a: 2) -> (x: 2, info: 0)
    """

    def __init__(self, str name, dict inputs, dict outputs):
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.input_count = len(inputs)
        self.output_count = len(outputs)
        for k, axes in enumerate([*inputs.values(), *outputs.values()]):
            self.cell[k] = axes

    def __repr__(self):
        inputs, outputs = (", ".join(f"{name}: {axes}" for name, axes in operands.items())
                           for operands in (self.inputs, self.outputs))
        return f"{self.name}({inputs}) -> ({outputs})"

    def __reduce__(self):
        return self.name.upper()


INV = Operation("inv", {"a": 2}, {"x": 2, "info": 0})
DET = Operation("det", {"a": 2}, {"d": 0})
SOLVE = Operation("solve", {"a": 2, "b": 2}, {"x": 2, "info": 0})
INV.index, DET.index, SOLVE.index = range(3)

globals().update(INV=INV, DET=DET, SOLVE=SOLVE)
