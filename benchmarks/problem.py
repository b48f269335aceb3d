"""What is to be computed: an operation on a batch of small cells in some layout, outputs, the right answer."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from teeny import ops

DIFFERENT = 4096  # cells that differ; larger batches repeat them
CHECKED = 500  # cells whose result is compared

# ------------------------------------------------ what each function is about


def random(rng, shape):
    return rng.standard_normal((DIFFERENT, *shape))


def symmetric(rng, shape):
    a = random(rng, shape)
    return a + a.mT


def positive(rng, shape):
    a = random(rng, shape)
    return a @ a.mT + np.eye(shape[0])


def triangular(rng, shape):
    return np.linalg.cholesky(positive(rng, shape))


def above_zero(rng, shape):
    return rng.uniform(0.1, 10, (DIFFERENT, *shape))


def nothing(rng, shape):
    return np.zeros((DIFFERENT, *shape))


def exponential(a):
    w, v = np.linalg.eig(a)
    return ((v * np.exp(w)[..., None, :]) @ np.linalg.inv(v)).real


def first(result, *others):
    return result


@dataclass(frozen=True)
class Subject:
    """The right answer: ``expected(*inputs)`` in float64 is what ``found(*results)`` has to be.

    That is the product of the factors where these are not unique. ``matrices`` draws the first input, ``others`` the
    rest.
    """

    expected: Callable
    found: Callable = first
    matrices: Callable = random
    others: Callable = random


SUBJECTS = {
    "inv": Subject(np.linalg.inv),
    "det": Subject(np.linalg.det),
    "slogdet": Subject(np.linalg.det, lambda sign, logabsdet: sign * np.exp(logabsdet)),
    "solve": Subject(np.linalg.solve),
    "solvevec": Subject(lambda a, b: np.linalg.solve(a, b[..., None])[..., 0]),
    "cholesky": Subject(np.linalg.cholesky, matrices=positive),
    "cho_solve": Subject(lambda factor, b: np.linalg.solve(factor @ factor.mT, b), matrices=triangular),
    "eigh": Subject(np.array, lambda w, v: (v * w[..., None, :]) @ v.mT, symmetric),
    "eigvalsh": Subject(np.linalg.eigvalsh, matrices=symmetric),
    "svd": Subject(np.array, lambda u, s, vh: (u * s[..., None, :]) @ vh),
    "svdvals": Subject(lambda a: np.linalg.svd(a, compute_uv=False)),
    "pinv": Subject(np.linalg.pinv),
    "qr": Subject(np.array, lambda q, r: q @ r),
    "lstsq": Subject(lambda a, b: np.linalg.pinv(a) @ b),
    "matmul": Subject(np.matmul),
    "matvec": Subject(lambda a, x: (a @ x[..., None])[..., 0]),
    "vecmat": Subject(lambda x, a: (x[..., None, :] @ a)[..., 0, :]),
    "outer": Subject(lambda x, y: x[..., :, None] * y[..., None, :]),
    "trace": Subject(lambda a: np.trace(a, axis1=-2, axis2=-1)),
    "expm": Subject(exponential),
}

# Of single elements, which have no tag: the operands too. What works in place has no output of its own.
SIGNATURES = {
    **dict.fromkeys(("add", "div", "minimum", "axpy"), "x(),y()->z()"),
    **dict.fromkeys(("square", "sqrt", "exp", "log", "sin", "tanh"), "x()->y()"),
    "add to": "x(),y()->",
    "scale": "x()->",
}
ALPHA = 0.5  # of axpy
FACTOR = -1.0  # of scale, which keeps what it is applied to again and again in range

SUBJECTS |= {
    "add": Subject(np.add),
    "div": Subject(np.divide),
    "minimum": Subject(np.minimum),
    "axpy": Subject(lambda x, y: ALPHA * x + y),
    "square": Subject(np.square),
    "sqrt": Subject(np.sqrt, matrices=above_zero),
    "exp": Subject(np.exp),
    "log": Subject(np.log, matrices=above_zero),
    "sin": Subject(np.sin),
    "tanh": Subject(np.tanh),
    "add to": Subject(np.add, others=nothing),  # again and again
    "scale": Subject(np.abs, np.abs),
}

COLUMNS = 3  # of right-hand sides
ROWS = {"lstsq": 8}  # of matrices that are not square
INTEGERS = {"rank": "int32"}  # outputs that are not of the dtype of the inputs


# ---------------------------------------------------------------- a problem


@dataclass(frozen=True)
class Problem:
    """Arrays ``(*batch, *cell)``; an input that all cells share has batch axes of length 1.

    ``op`` is a function's name, or that and a remark: ``"matmul, one a"``.
    """

    op: str
    size: int
    batch: tuple[int, ...]
    inputs: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]

    @property
    def function(self):
        return self.op.split(",")[0]

    @property
    def operands(self):
        """What a function is called with: the inputs, but what works in place gets its output for the first."""
        in_place = SIGNATURES.get(self.function, "").endswith("->")
        return (self.outputs[0], *self.inputs[1:]) if in_place else self.inputs

    @property
    def dtype(self):
        return self.inputs[0].dtype.name

    @property
    def out(self):
        """As a function takes it: an array, or a tuple of several."""
        return self.outputs if len(self.outputs) > 1 else self.outputs[0]

    @property
    def cells(self):
        return int(np.prod(self.batch))

    @property
    def nbytes(self):
        return sum(array.nbytes for array in (*self.inputs, *self.outputs))

    def head(self, cells):
        """The same problem with about so many cells, for those who need long."""
        rows = max(cells // self.batch[1], 1)
        if rows >= self.batch[0]:
            return self
        inputs, outputs = (tuple(array[:rows] for array in arrays) for arrays in (self.inputs, self.outputs))
        return replace(self, batch=(rows, self.batch[1]), inputs=inputs, outputs=outputs)

    def one(self):
        """The first cell, without batch axes."""
        inputs, outputs = (tuple(array[0, 0, ...] for array in arrays) for arrays in (self.inputs, self.outputs))
        return replace(self, batch=(), inputs=inputs, outputs=outputs)

    def check(self, name, result):
        """Refuse to time what computes something else; only the kind of answer is in question, not its last digits."""
        part = np.s_[0, :CHECKED] if self.batch else ()
        subject = SUBJECTS[self.function]
        inputs, results = (
            [np.asarray(array)[part].astype(np.float64) for array in arrays]
            for arrays in (self.inputs, result if isinstance(result, (tuple, list)) else (result,))
        )
        expected, found = subject.expected(*inputs), subject.found(*results)
        if found.shape != expected.shape or not np.median(np.abs(found - expected) / (1 + np.abs(expected))) < 1e-3:
            raise AssertionError(f"{name} computes another {self.op} of size {self.size}, {self.dtype}")


def make(op, size, dtype, batch, layout="contiguous"):
    """Random cells in the given layout, two batch axes, and C-contiguous outputs; what works in place stays there."""
    rng = np.random.default_rng(size)
    function, _, shared = op.partition(", one ")
    function = function.split(",")[0]
    subject = SUBJECTS[function]
    signature = SIGNATURES.get(function)
    operation = ops.Operation(function, signature) if signature else getattr(ops, function.upper())
    axes = {"m": ROWS.get(function, size), "k": COLUMNS}  # all others are `size`
    inputs = []
    for name, cell in operation.inputs.items():
        if name != "rtol":
            draw = subject.others if inputs else subject.matrices
            place = (lambda a: a) if name == shared else LAYOUTS[layout]
            shape = [axes.get(axis, size) for axis in cell]
            cells = draw(rng, shape).astype(dtype)
            inputs.append(place(np.resize(cells, ((1, 1) if name == shared else batch) + cells.shape[1:])))
    outputs = tuple(
        np.ones((*batch, *(axes.get(axis, size) for axis in cell)), INTEGERS.get(name, dtype))
        for name, cell in operation.outputs.items() if name != "info"
    ) or (LAYOUTS[layout](np.array(inputs[0])),)
    return Problem(op, size, tuple(batch), tuple(inputs), outputs)


# Each takes C-contiguous cells (B0, B1, ...) and gives the same values in another place.
LAYOUTS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: placed(a, a.swapaxes(0, 1).shape, lambda base: base.swapaxes(0, 1)),
    "stepped": lambda a: placed(a, (a.shape[0], 2 * a.shape[1], *a.shape[2:]), lambda base: base[:, ::2]),
    "reversed": lambda a: placed(a, a.shape, lambda base: base[::-1, ::-1]),
    "gaps": lambda a: placed(a, (a.shape[0], 2 * a.shape[1] - 1, *a.shape[2:]), lambda base: base[:, ::2]),
    "channel-first": lambda a: placed(a, a.shape[2:] + a.shape[:2], lambda base: np.moveaxis(base, (-2, -1), (0, 1))),
}


def placed(a, shape, view):
    cells = view(np.ones(shape, a.dtype))
    cells[...] = a
    return cells
