"""What is to be computed: a batch of small matrices in some layout, an output, the right answer."""

from dataclasses import dataclass, replace

import numpy as np

COLUMNS = {"inv": None, "det": None, "solve vector": 1, "solve matrix": 3}  # of the right-hand side
DIFFERENT = 4096  # cells that differ; larger batches repeat them
CHECKED = 500  # cells whose result is compared


@dataclass(frozen=True)
class Problem:
    op: str
    inputs: tuple[np.ndarray, ...]
    out: np.ndarray

    @property
    def function(self):
        return self.op.split()[0]

    @property
    def size(self):
        return self.inputs[0].shape[-1]

    @property
    def dtype(self):
        return self.inputs[0].dtype.name

    @property
    def cells(self):
        return self.inputs[0][..., 0, 0].size

    @property
    def nbytes(self):
        return sum(array.nbytes for array in (*self.inputs, self.out))

    def head(self, cells):
        """The same problem with fewer cells, for those who need long."""
        first, second = self.inputs[0].shape[:2]
        part = np.s_[: max(cells // second, 1)]
        if first * second <= cells:
            return self
        return replace(self, inputs=tuple(array[part] for array in self.inputs), out=self.out[part])

    def check(self, name, result):
        """Refuse to time what computes something else; only the kind of answer is in question, not its last digits."""
        first = [array.reshape(-1, *array.shape[-2:])[:CHECKED].astype(np.float64) for array in self.inputs]
        expected = getattr(np.linalg, self.function)(*first)
        found = np.asarray(result, np.float64).reshape(-1, *expected.shape[1:])[: len(expected)]
        error = np.abs(found - expected) / (1 + np.abs(expected))
        if not np.median(error) < 1e-3:
            raise AssertionError(f"{name} computes another {self.op} of {self.size} x {self.size} {self.dtype}")


def make(op, size, dtype, batch, layout="contiguous"):
    """Random matrices (*batch, size, size) in the given layout, and a C-contiguous output."""
    rng = np.random.default_rng(size)
    inputs = [LAYOUTS[layout](random(rng, (*batch, size, size), dtype))]
    if COLUMNS[op]:
        inputs.append(random(rng, (*batch, size, COLUMNS[op]), dtype))
    shape = batch if op == "det" else inputs[-1].shape
    return Problem(op, tuple(inputs), np.ones(shape, dtype))


def random(rng, shape, dtype):
    return np.resize(rng.standard_normal((DIFFERENT, *shape[2:])).astype(dtype), shape)


# Each takes C-contiguous cells (B0, B1, C, C) and gives the same values in another place.
LAYOUTS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: placed(a, a.swapaxes(0, 1).shape, lambda base: base.swapaxes(0, 1)),
    "stepped": lambda a: placed(a, (a.shape[0], 2 * a.shape[1], *a.shape[2:]), lambda base: base[:, ::2]),
    "reversed": lambda a: placed(a, a.shape, lambda base: base[::-1, ::-1]),
    "channel-first": lambda a: placed(a, (*a.shape[2:], *a.shape[:2]), lambda base: np.moveaxis(base, (0, 1), (2, 3))),
}


def placed(a, shape, view):
    cells = view(np.ones(shape, a.dtype))
    cells[...] = a
    return cells
