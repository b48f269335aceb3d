"""How a batch is split and walked: the same bits whoever computes them, from any thread and after a fork.

`isa.built` and `TEENY_ISA` as such are test_packaging's business.
"""

import itertools
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from references import DTYPES, SIZES, SUITES, suite

import teeny as tny
from teeny._core import isa
from teeny.linalg import det, inv, solve

ISAS = [name for name in isa.supported() if name in isa.built()["systems"]]


def mixed(dtype, size):
    """Cells of every kind side by side: in one bundle some take the fast path and some do not."""
    suites = [suite(name, dtype, size) for name in SUITES]
    a, b = np.concatenate([s.a for s in suites]), np.concatenate([s.b for s in suites])
    order = np.random.default_rng(size).permutation(len(a))
    a, b = a[order], b[order]
    a[7::50] = 0
    a[9::50] = np.nan
    return a, b


def sparse(size):
    """Zeros of either sign: products whose rounding errors are zeros too."""
    rng = np.random.default_rng(size)
    a = rng.standard_normal((2000, size, size))
    return np.where(rng.random(a.shape) < 0.4, np.copysign(0.0, a), a), a[..., :1]


def tiny(size):
    """Entries whose products underflow here and there."""
    rng = np.random.default_rng(size)
    a = np.ldexp(rng.standard_normal((4000, size, size)), rng.integers(-700, 95, (4000, size, size)))
    return a, a[..., :1]


def results(a, b, **options):
    return inv(a, on_error="nan", **options), det(a, **options), solve(a, b, on_error="nan", **options)


def same_bits(found, expected):
    return all(x.tobytes() == y.tobytes() for x, y in zip(found, expected, strict=True))


def run(script, **environment):
    """Run `script` in a fresh process and return what it prints."""
    here = os.path.dirname(__file__)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([here, *sys.path]), **environment}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# ------------------------------------------------------------------ the same bits


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_cell_does_not_see_its_neighbours(dtype, size):
    a, b = mixed(dtype, size)
    expected = results(a, b)
    alone = [np.stack(each) for each in zip(*(results(x, y) for x, y in zip(a, b, strict=True)), strict=True)]
    assert same_bits(alone, expected)
    for start in range(1, 5):
        assert same_bits(results(a[start:], b[start:]), [x[start:] for x in expected])
    order = np.random.default_rng(1).permutation(len(a))
    assert same_bits(results(a[order], b[order]), [x[order] for x in expected])


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "channel first": lambda x: np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0),
    "columns": lambda x: x.swapaxes(-1, -2).copy().swapaxes(-1, -2),
    "every third": lambda x: np.repeat(x, 3, 0)[::3],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "backwards inside": lambda x: x[:, ::-1, ::-1].copy()[:, ::-1, ::-1],
    "with gaps": lambda x: np.pad(x, ((0, 0), (1, 2), (2, 1)))[:, 1:-2, 2:-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_no_layout_changes_a_bit(dtype, size, layout):
    a, b = mixed(dtype, size)
    expected = results(a, b)
    there = LAYOUTS[layout]
    assert same_bits(results(there(a), there(b)), expected)
    out = [there(np.zeros_like(x)) if x.ndim == 3 else np.zeros((len(x), 2), dtype)[:, 1] for x in expected]
    inv(there(a), out=out[0], on_error="nan")
    det(a, out=out[1])
    solve(a, there(b), out=out[2], on_error="nan")
    assert same_bits(out, expected)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_broadcasting_changes_no_bit(dtype, size):
    a, b = mixed(dtype, size)
    a, b = a[:20], b[:15]
    grid = solve(a[:, None], b, on_error="nan")
    assert grid.shape == (20, 15, size, 2)
    for i in range(20):
        for j in range(15):
            assert grid[i, j].tobytes() == solve(a[i], b[j], on_error="nan").tobytes()
    wide = inv(np.broadcast_to(a[3], (2, 9, size, size)), on_error="nan")
    assert wide.tobytes() == inv(a[3], on_error="nan").tobytes() * 18


@pytest.mark.parametrize("workers", [2, 7, 300])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_no_number_of_workers_changes_a_bit(dtype, size, workers):
    a, b = mixed(dtype, size)
    expected = results(a, b, workers=1)
    assert same_bits(results(a, b, workers=workers), expected)
    # a batch that does not merge, whose rows are shorter than a worker's share
    a, b = (np.broadcast_to(x, (4, *x.shape)).copy()[:, ::3].swapaxes(0, 1) for x in (a, b))
    status = inv(a, on_error="nan", info=True, workers=1)[1]
    x, info = inv(a, on_error="nan", info=True, workers=workers)
    assert same_bits(results(a, b, workers=workers), results(a.copy(), b.copy(), workers=1))
    assert x.tobytes() == inv(a, on_error="nan", workers=1).tobytes()
    assert info.tolist() == status.tolist()
    # in place a cell that two workers took would be inverted twice
    inv(a, on_error="nan", out=a, workers=workers)
    assert a.tobytes() == x.tobytes()
    a[1, 2] = 0
    with pytest.raises(tny.LinAlgError) as raised:
        inv(a, workers=workers)
    assert raised.value.info[1, 2] == 1


def test_large_work_is_split_and_right(rng):
    a = rng.standard_normal((300, 257, 3, 3)) + 4 * np.eye(3)
    with tny.threads(1):
        expected = inv(a), det(a)
    with tny.threads(3):
        assert same_bits((inv(a), det(a)), expected)
        assert same_bits((inv(a.swapaxes(0, 1)).swapaxes(0, 1), det(a[::-1])[::-1]), expected)
    assert np.abs(a @ expected[0] - np.eye(3)).max() < 1e-10


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize("shape", [(130, 70), (16, 65), (70, 17), (3, 40, 200), (200, 3, 90), (2, 5, 33, 70)])
def test_operands_that_lie_in_different_orders(rng, shape, workers):
    """Whatever way the batch is walked, every cell is met once."""
    cells, sides = rng.standard_normal((13, 2, 2)) + 4 * np.eye(2), rng.standard_normal((13, 2, 1))
    index = rng.integers(13, size=shape)
    expected = inv(cells)[index], det(cells)[index], solve(cells, sides)[index]

    def lay_out(values, order):
        axes = (*order, *range(len(order), values.ndim))
        return values.transpose(axes).copy().transpose(np.argsort(axes))

    for order in itertools.permutations(range(len(shape))):
        a, b = lay_out(cells[index], order), sides[index]
        out = [np.full_like(x, np.nan) for x in expected]
        inv(a, out=out[0], workers=workers)
        det(a, out=out[1], workers=workers)
        solve(a, b, out=out[2], workers=workers)
        assert same_bits(out, expected)
        assert same_bits((inv(a, workers=workers), det(a), solve(a, b, workers=workers)), expected)
        solve(a, b, out=b, workers=workers)
        assert same_bits((b,), expected[2:])


EVERYTHING = """
import hashlib
import numpy as np
from references import DTYPES, SIZES
from test_driver import mixed, results, sparse, tiny
digest = hashlib.sha256()
for size in SIZES:
    for a, b in (*(mixed(dtype, size) for dtype in DTYPES), sparse(size), tiny(size)):
        for x in (*results(a, b), *results(a.swapaxes(1, 2)[::-1], b[::-1])):
            # the sign of a NaN is nobody's promise
            digest.update(np.where(np.isnan(x), x.dtype.type(np.nan), x).tobytes())
print(digest.hexdigest())
"""


def test_no_instruction_set_changes_a_bit():
    assert len({run(EVERYTHING, TEENY_ISA=name) for name in ISAS}) == 1


# ------------------------------------------------------------------ threads


def test_many_threads_at_once():
    cases = [mixed(dtype, size) for dtype in DTYPES for size in (2, 3, 4, 8)]
    expected = [results(a, b, workers=1) for a, b in cases]
    start, failures = threading.Barrier(8), []

    def work(k):
        start.wait()
        for turn in range(20):
            case = (k + turn) % 8
            if not same_bits(results(*cases[case], workers=1 + turn % 3), expected[case]):
                failures.append((k, turn))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_many_threads_share_one_array(rng):
    a = rng.standard_normal((5000, 3, 3)) + 4 * np.eye(3)
    expected, out = inv(a), np.empty_like(a)
    parts = [slice(k, None, 8) for k in range(8)]
    threads = [threading.Thread(target=lambda p: inv(a[p], out=out[p], workers=2), args=(p,)) for p in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out.tobytes() == expected.tobytes()


def test_other_threads_run_meanwhile(rng):
    """The kernels let go of the interpreter: a thread that only counts goes on counting."""
    a = np.broadcast_to(rng.standard_normal((8, 8)), (2_000_000, 8, 8))
    counted, stop = [], threading.Event()

    def count():
        while not stop.wait(0.001):
            counted.append(time.perf_counter())

    counter = threading.Thread(target=count)
    counter.start()
    start = time.perf_counter()
    det(a, workers=1)
    end = time.perf_counter()
    stop.set()
    counter.join()
    # one tick in fifty is enough: without the interpreter there is none inside
    assert sum(start < tick < end for tick in counted) >= max(2, 20 * (end - start))


POOL = "import threading; pool = lambda: sum(t.name.startswith('teeny') for t in threading.enumerate())\n"
LARGE = "import numpy as np, teeny as tny; a = np.ones((200_000, 3, 3), 'f4') + np.eye(3, dtype='f4')\n"


def test_one_thread_starts_none():
    script = POOL + LARGE + "with tny.threads(1):\n    tny.linalg.inv(a)\nprint(pool())"
    assert run(script) == "0"
    assert run(POOL + LARGE + "tny.linalg.inv(a, workers=1); print(pool())") == "0"
    assert run(POOL + LARGE + "tny.linalg.inv(a); print(pool())", TEENY_NUM_THREADS="1") == "0"
    assert run(POOL + LARGE + "tny.linalg.inv(a[:100]); print(pool())", TEENY_NUM_THREADS="4") == "0"


def test_large_work_starts_a_pool():
    assert int(run(POOL + LARGE + "tny.linalg.inv(a); print(pool())", TEENY_NUM_THREADS="3")) > 0
    assert int(run(POOL + LARGE + "tny.linalg.inv(a, workers=2); print(pool())", TEENY_NUM_THREADS="1")) > 0


def test_number_of_threads_from_the_environment():
    script = "import teeny as tny; print(tny.get_num_threads())"
    assert run(script, TEENY_NUM_THREADS="5") == "5"
    bad = "import teeny as tny\ntry:\n    tny.get_num_threads()\nexcept tny.Error as error:\n    print(error)"
    for value in ("0", "-1", "many", "1.5"):
        assert "TEENY_NUM_THREADS" in run(bad, TEENY_NUM_THREADS=value)


def test_threads_is_for_the_block_and_the_thread():
    before = tny.get_num_threads()
    seen = []
    with tny.threads(before + 3):
        assert tny.get_num_threads() == before + 3
        with tny.threads(1):
            assert tny.get_num_threads() == 1
        other = threading.Thread(target=lambda: seen.append(tny.get_num_threads()))
        other.start()
        other.join()
        assert tny.get_num_threads() == before + 3
    assert seen == [before]
    with pytest.raises(ZeroDivisionError), tny.threads(before + 1):
        1 / 0  # noqa: B018
    assert tny.get_num_threads() == before


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", None])
def test_a_number_of_threads_is_a_positive_integer(n):
    before = tny.get_num_threads()
    with pytest.raises(tny.Error, match="set_num_threads: n must be an integer of at least 1"):
        tny.set_num_threads(n)
    with pytest.raises(tny.Error, match="threads: n must be"), tny.threads(n):
        pytest.fail("entered the block")
    assert tny.get_num_threads() == before


def test_set_num_threads():
    before = tny.get_num_threads()
    try:
        tny.set_num_threads(np.int64(3))
        assert tny.get_num_threads() == 3
    finally:
        tny.set_num_threads(before)


# ------------------------------------------------------------------ fork and exit

FORK = """
import os, threading, warnings
import numpy as np, teeny as tny
warnings.simplefilter("ignore", DeprecationWarning)  # the parent has threads: that is the point
a = np.random.default_rng(1).standard_normal((20_000, 3, 3)) + 4 * np.eye(3)
expected = tny.linalg.inv(a, workers=4)
assert any(t.name.startswith("teeny") for t in threading.enumerate())
for _ in range(5):
    child = os.fork()
    if child == 0:
        ok = all(tny.linalg.inv(a, workers=n).tobytes() == expected.tobytes() for n in (4, 1, 2))
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert tny.linalg.inv(a, workers=4).tobytes() == expected.tobytes()
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_computes_after_its_parent_has():
    assert run(FORK) == "done"


def test_calls_while_the_interpreter_ends():
    script = LARGE + (
        "import atexit, threading\n"
        "tny.linalg.inv(a, workers=2)\n"
        "atexit.register(lambda: print(tny.linalg.inv(a, workers=2).shape))\n"
        "threading.Thread(target=lambda: [tny.linalg.inv(a, workers=2) for _ in range(5)]).start()\n"
    )
    assert run(script) == "(200000, 3, 3)"


def test_more_threads_than_can_be_counted(rng):
    a = rng.standard_normal((200_000, 3, 3))
    with tny.threads(10**20):
        assert np.array_equal(tny.linalg.inv(a), tny.linalg.inv(a, workers=1))


def test_settings_are_checked_where_they_are_made():
    for wrong in (0, -3, 0.5, "2"):
        with pytest.raises(tny.ArgumentError, match="threads: n must be an integer of at least 1"):
            tny.threads(wrong)
        with pytest.raises(tny.ArgumentError, match="CpuKernels: workers must be an integer of at least 1"):
            tny.backends.CpuKernels(workers=wrong)
