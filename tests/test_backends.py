"""Operations, backends and their selection."""

import copy
import pickle

import numpy as np
import pytest

import teeny as tny
from teeny.backends import Accepts, Backend, BackendList, CpuKernels, Lapack, dispatch_kernel
from teeny.linalg import det, inv, solve
from teeny.ops import DET, INV, SOLVE, SOLVEVEC, UNDEFINED


class Recording(Backend):
    """Answers and does what it is told, and remembers what it was asked."""

    takes = "whatever the test says"

    def __init__(self, answer, does=False):
        self.answer, self.does, self.asked, self.tried = answer, does, 0, 0

    def accepts(self, op, *operands):
        self.asked += 1
        return self.answer

    def try_kernel(self, op, *operands):
        self.tried += 1
        return self.does


def operands(rng, op, dtype="f8", size=3, batch=(5,)):
    a = (rng.standard_normal((*batch, size, size)) + 4 * np.eye(size)).astype(dtype)
    info = np.zeros(batch, np.int32)
    if op is DET:
        return a, np.zeros(batch, dtype)
    if op is INV:
        return a, np.zeros_like(a), info
    return a, rng.standard_normal((*batch, size, 2)).astype(dtype), np.zeros((*batch, size, 2), dtype), info


FUNCTIONS = {"inv": inv, "det": det, "solve": solve}
OPERATIONS = pytest.mark.parametrize("op", [INV, DET, SOLVE], ids=lambda op: op.name)


# ------------------------------------------------------------------ selection


def test_the_first_that_accepts_and_does_it_has_done_it(rng):
    no, declines, does, never = (
        Recording(Accepts.NO, True),
        Recording(Accepts.MAYBE, False),
        Recording(Accepts.YES, True),
        Recording(Accepts.YES, True),
    )
    assert dispatch_kernel(INV, operands(rng, INV), BackendList(no, declines, does, never)) is does
    assert [(b.asked, b.tried) for b in (no, declines, does, never)] == [(1, 0), (1, 1), (1, 1), (0, 0)]


def test_if_all_decline_each_is_named(rng):
    a, x, info = operands(rng, INV, "f2")
    backends = BackendList(CpuKernels(), Lapack(), Recording(Accepts.MAYBE))
    with pytest.raises(tny.DTypeError) as raised:
        dispatch_kernel(INV, (a, x, info), backends)
    for words in ("inv", "float16", "5, 3, 3", *(f"{type(b).__name__} accepts {b.takes}" for b in backends)):
        assert words in str(raised.value)
    assert not x.any()
    with pytest.raises(tny.DTypeError, match="no backend"):
        dispatch_kernel(INV, (a, x, info), BackendList())


def test_a_failure_is_no_reason_to_ask_the_next(rng):
    class Fails(Backend):
        def accepts(self, op, *operands):
            return Accepts.YES

        def try_kernel(self, op, *operands):
            raise MemoryError

    never = Recording(Accepts.YES, True)
    with pytest.raises(MemoryError):
        dispatch_kernel(INV, operands(rng, INV), BackendList(Fails(), never))
    assert never.asked == 0


@OPERATIONS
def test_a_plain_backend_does_nothing(rng, op):
    given = operands(rng, op)
    assert Backend().accepts(op, *given) is Accepts.NO
    assert Backend().try_kernel(op, *given) is False
    assert not given[-1].any()


def test_values_show_what_they_are():
    assert repr(BackendList(CpuKernels(workers=2), Lapack())) == "BackendList(CpuKernels(workers=2), Lapack())"
    assert next(iter(BackendList(CpuKernels(), Lapack()))).workers is None
    assert isinstance(BackendList(), tuple)


# ------------------------------------------------------------------ the two backends


@OPERATIONS
@pytest.mark.parametrize("backend", [CpuKernels(), CpuKernels(workers=2), Lapack()], ids=repr)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_backends_agree(rng, size, dtype, backend, op):
    given = operands(rng, op, dtype, size)
    inputs = given[: len(op.inputs)]
    before = [x.tobytes() for x in inputs]
    assert backend.accepts(op, *given) is Accepts.YES
    assert dispatch_kernel(op, given, BackendList(backend)) is backend
    expected = getattr(np.linalg, op.name)(*inputs)
    result = given[len(op.inputs)]
    assert np.abs(result - expected).max() <= 64 * np.finfo(dtype).eps * np.abs(expected).max()
    assert [x.tobytes() for x in inputs] == before


@pytest.mark.parametrize("op", [INV, SOLVE], ids=lambda op: op.name)
@pytest.mark.parametrize("backend", [CpuKernels(), Lapack()], ids=repr)
@pytest.mark.parametrize("size", [1, 3, 8])
def test_backends_report_singular_cells_alike(rng, size, backend, op):
    given = operands(rng, op, size=size)
    a, x, info = given[0], *given[len(op.inputs) :]
    a[[1, 4]] = 0
    assert dispatch_kernel(op, given, BackendList(backend)) is backend
    assert info.tolist() == [0, 1, 0, 0, 1]
    assert np.isnan(x[[1, 4]]).all()
    assert np.isfinite(x[[0, 2, 3]]).all()


@pytest.mark.parametrize("size", [3, 9])
def test_nan_is_no_warning_and_no_failure(rng, size):
    """NaN is not singular, to either backend: it gives NaN and a status of its own."""
    a = rng.standard_normal((4, size, size)) + 4 * np.eye(size)
    a[2] = np.nan
    d = det(a)
    assert np.isfinite(d[[0, 1, 3]]).all()
    assert np.isnan(d[2])
    x, info = inv(a, info=True)
    assert np.isnan(x[2]).all()
    assert info.tolist() == [0, 0, UNDEFINED, 0]


@pytest.mark.parametrize("backend", [CpuKernels(), Lapack()], ids=repr)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_an_entry_that_is_not_finite_makes_its_matrix_undefined(rng, size, bad, backend):
    """Alike with every backend, wherever it stands; and its neighbour does not notice."""
    good = rng.standard_normal((size, size)) + 4 * np.eye(size)
    a = np.stack([good] * 2 * size**2)
    for k in range(size**2):
        a[2 * k].flat[k] = bad
    for op, more, shape in (
        (INV, (), (size, size)),
        (SOLVE, (np.ones((size, 2)),), (size, 2)),
        (SOLVEVEC, (np.ones(size),), (size,)),
    ):
        x, info = np.zeros((len(a), *shape)), np.zeros(len(a), np.int32)
        dispatch_kernel(op, (a, *more, x, info), BackendList(backend))
        assert info.tolist() == [UNDEFINED, 0] * size**2
        assert np.isnan(x[::2]).all()
        expected = np.linalg.inv(good) @ (*more, np.eye(size))[0]
        np.testing.assert_allclose(x[1::2], np.broadcast_to(expected, x[1::2].shape))


@OPERATIONS
@pytest.mark.parametrize(("dtype", "size"), [("f8", 9), ("f8", 0), ("c8", 3), ("i8", 3), ("f2", 3), ("g", 3)])
def test_kernels_decline_what_they_have_no_leaf_for(rng, op, dtype, size):
    given = operands(rng, op, dtype, size)
    assert CpuKernels().accepts(op, *given) is Accepts.NO
    assert CpuKernels().try_kernel(op, *given) is False
    assert not given[len(op.inputs)].any()


def misfits():
    """Operands that a kernel must not touch: it would read or write what is not theirs."""
    a, x, info = np.ones((9, 8, 8)), np.zeros((9, 8, 8)), np.zeros(9, np.int32)
    read_only = x.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(bytearray(x.nbytes + 1), x.dtype, offset=1).reshape(x.shape)
    yield "small output", INV, (a, np.zeros((9, 2, 2)), info)
    yield "not square", INV, (np.ones((9, 8, 2)), x, info)
    yield "narrow output", INV, (a, x.astype("f4"), info)
    yield "wide output", INV, (a.astype("f4"), x, info)
    yield "wide status", INV, (a, x, info.astype("i8"))
    yield "read-only output", INV, (a, read_only, info)
    yield "unaligned output", INV, (a, unaligned, info)
    yield "swapped output", INV, (a, x.astype(x.dtype.newbyteorder()), info)
    yield "swapped input", INV, (a.astype(a.dtype.newbyteorder()), x, info)
    yield "an operand less", INV, (a, x)
    yield "an operand more", INV, (a, x, info, info)
    yield "no matrix", INV, (np.ones(8), x, info)
    yield "short right-hand side", SOLVE, (a, np.ones((9, 3, 1)), np.zeros((9, 8, 1)), info)
    yield "columns", SOLVE, (a, np.ones((9, 8, 3)), np.zeros((9, 8, 1)), info)
    yield "dtypes", SOLVE, (a, np.ones((9, 8, 1), "f4"), np.zeros((9, 8, 1)), info)
    yield "vector", SOLVE, (a, np.ones(8), np.zeros((9, 8)), info)


@pytest.mark.parametrize(("op", "given"), [pytest.param(*case, id=name) for name, *case in misfits()])
def test_kernels_decline_operands_that_do_not_fit(op, given):
    assert CpuKernels().accepts(op, *given) is Accepts.NO
    assert CpuKernels().try_kernel(op, *given) is False
    for x in given[len(op.inputs) :]:
        assert not x.any()


@pytest.mark.parametrize(
    "given",
    [
        (np.ones((9, 3, 3)), np.zeros((4, 3, 3)), np.zeros(9, np.int32)),
        (np.ones((9, 3, 3)), np.zeros((3, 3)), np.zeros(9, np.int32)),
        (np.ones((9, 3, 3)), np.zeros((9, 3, 3)), np.zeros(4, np.int32)),
        (np.ones((9, 3, 3)), np.zeros((9, 3, 3)), np.zeros((), np.int32)),
    ],
)
def test_outputs_have_the_whole_batch(given):
    with pytest.raises((tny.ShapeError, tny.DTypeError)):
        dispatch_kernel(INV, given, BackendList(CpuKernels()))
    assert not given[1].any()
    assert not given[2].any()


# ------------------------------------------------------------------ operations


@OPERATIONS
def test_an_operation_is_one_object(op):
    assert copy.deepcopy(op) is op
    assert pickle.loads(pickle.dumps(op)) is op
    assert op.name in repr(op)
    assert next(iter(op.inputs)) == "a"
