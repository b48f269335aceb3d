"""Operation tags: what is asked for, apart from who computes it.

A backend receives a tag and the operands in the tag's order, inputs before
outputs. The batch axes of all operands broadcast; an output has the full batch
shape and the dtype that NumPy's function of the same name would give it.
``info`` is an int32 output of per-cell status, zero where all is well, and
already zeroed when a backend receives it.
"""

import re

__all__ = ["DET", "INV", "SOLVE", "Operation"]


cdef class Operation:
    """One operation on cells of a batch.

    Parameters
    ----------
    name : str
    signature : str
        The operands' names and the axes of a cell, ``"a(n,n),b(n,k)->x(n,k),info()"``.

    Attributes
    ----------
    inputs, outputs : dict of str to tuple of str
        The same, taken apart.

    Examples
    --------
    >>> from teeny.ops import SOLVE
    >>> SOLVE
    solve: a(n,n),b(n,k)->x(n,k),info()
    >>> SOLVE.inputs
    {'a': ('n', 'n'), 'b': ('n', 'k')}
    """

    def __init__(self, str name, str signature):
        self.name = name
        self.signature = signature
        self.inputs, self.outputs = (
            {operand: tuple(re.findall(r"\w+", axes)) for operand, axes in re.findall(r"(\w+)\(([^)]*)\)", side)}
            for side in signature.split("->")
        )
        self.input_count = len(self.inputs)
        self.output_count = len(self.outputs)
        for k, axes in enumerate([*self.inputs.values(), *self.outputs.values()]):
            self.cell[k] = len(axes)

    def fits(self, operands):
        """Whether there are as many operands as named, whose cells agree in every axis."""
        sizes = {}
        named = {**self.inputs, **self.outputs}
        if len(operands) != len(named):
            return False
        for x, axes in zip(operands, named.values()):
            if x.ndim < len(axes):
                return False
            for axis, size in zip(axes, x.shape[x.ndim - len(axes):]):
                if sizes.setdefault(axis, size) != size:
                    return False
        return True

    def __repr__(self):
        return f"{self.name}: {self.signature}"

    def __reduce__(self):
        return self.name.upper()


INV = Operation("inv", "a(n,n)->x(n,n),info()")
DET = Operation("det", "a(n,n)->d()")
SOLVE = Operation("solve", "a(n,n),b(n,k)->x(n,k),info()")

globals().update(INV=INV, DET=DET, SOLVE=SOLVE)
