"""The benchmarks time the right work, and their report says what was measured."""

import time
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import arithmetic, boundary, linalg, report
from benchmarks.harness import Case, Contender, Result, affordable, looped, measure
from benchmarks.peers.numba import ELEMENTWISE, KERNELS
from benchmarks.problem import LAYOUTS, make


@pytest.fixture
def result():
    case = Case("contiguous", "inv", 3, "float64", list)
    seconds = np.array([[1.0, 2.0, 3.0, 40.0], [2.0, 2.0, 6.0, 40.0], [2.0, 4.0, 8.0, 100.0]]) * 1e-9
    return Result(case, ["copy", "teeny", "Numba", "NumPy"], [10, 10, 10, 1], seconds, 0)


def test_figures(result):
    assert result.median("teeny") == 2e-9
    assert result.ratio("NumPy", "teeny") == pytest.approx(20)
    assert result.spread("teeny", "copy") == pytest.approx(0.25)  # of 2, 1 and 2 copies
    assert result.best(["PyTorch", "NumPy", "Numba"]) == "Numba"
    assert result.best(["PyTorch"]) is None


def test_report(result, tmp_path):
    text = report.table([result])
    assert text.splitlines()[2] == "| `inv` 3 float64 | 1.1 | **1** ± 0.25 | 3 | 20 | 2.00 | 0.33 (Numba) | 20 |"
    written = report.write([result], tmp_path)
    assert {path.name for path in written} >= {"benchmarks.md", "benchmarks.json"}
    assert all(path.stat().st_size for path in written)
    assert text in (tmp_path / "benchmarks.md").read_text()


def test_cases():
    families = linalg, arithmetic, boundary
    full, quick = ({case.name for family in families for case in family.cases(quick)} for quick in (False, True))
    predicted = {f"{section}: {key}" for section, keys in report.PREDICTIONS.items() for key in keys}
    assert predicted <= full
    assert quick <= full


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("op", ["inv", "matvec"])
def test_layouts_hold_the_same_cells(op, layout):
    plain, placed = make(op, 3, "float32", (4, 6)), make(op, 3, "float32", (4, 6), layout)
    for expected, found in zip(plain.inputs, placed.inputs, strict=True):
        np.testing.assert_array_equal(found, expected)
        assert (found.strides == expected.strides) == (layout == "contiguous")


def test_one_matrix_for_all():
    one, field = make("matmul, one a", 3, "float32", (4, 6)).inputs
    assert one.shape == (1, 1, 3, 3)
    assert field.shape == (4, 6, 3, 3)


def small(op):
    """A case of it that takes no time."""
    if op in linalg.SIZES:
        return linalg.case("in cache", op, 2, "float32")
    return arithmetic.case("in place" if op in arithmetic.IN_PLACE else "elements", op, "float32", (4, 6))


@pytest.mark.parametrize("op", [*linalg.SIZES, *arithmetic.ELEMENTS, *arithmetic.IN_PLACE])
def test_contenders_are_checked(op, monkeypatch):
    monkeypatch.setattr(linalg, "PEERS", [peer for peer in linalg.PEERS if peer.name == "NumPy"])
    monkeypatch.setattr(linalg, "IN_CACHE", (2, 10))
    case = small(op)
    assert measure(case, 1).names[:2] == ["copy", "teeny"]
    problem = make(op, case.size, "float32", (4, 6))
    wrong = Contender("wrong", lambda loops: tuple(map(np.zeros_like, problem.outputs)), problem.cells, problem.check)
    with pytest.raises(AssertionError, match=f"wrong computes another {op} of size {case.size}, float32"):
        measure(replace(case, build=lambda: [wrong]), 1)


@pytest.mark.parametrize(("function", "size"), KERNELS)
def test_kernels_written_by_hand(function, size):
    problem = make(function, size, "float64", (1, 1)).one()
    views = [array[None] if array.ndim == 0 else array for array in (*problem.inputs, *problem.outputs)]
    KERNELS[function, size](*views)  # as plain Python
    problem.check("Numba", problem.out)


@pytest.mark.parametrize("function", ELEMENTWISE)
def test_elements_written_by_hand(function):
    problem = make(function, 1, "float64", (1, 1)).one()
    problem.check("Numba", ELEMENTWISE[function](*map(float, problem.operands)))


def test_who_needs_long_is_given_less():
    def bind(problem):
        return lambda loops: time.sleep(problem.cells * loops * 5e-6)

    problem = make("det", 2, "float32", (200, 1000))
    assert affordable("slow", bind, problem).cells < problem.cells / 5
    assert affordable("quick", lambda problem: looped(int), problem).cells == problem.cells
    assert affordable("unable", lambda problem: None, problem) is None


@pytest.mark.parametrize("case", list(boundary.cases()), ids=lambda case: case.name)
def test_the_boundary_is_walked_by_all(case):
    result = measure(case, 1)
    assert {"teeny", "NumPy"} <= set(result.names)
    assert (result.seconds > 0).all()


def test_walks_are_checked():
    for case in (case for case in boundary.cases() if case.section.startswith("cell to cell")):
        contender = next(iter(case.build()))
        with pytest.raises(AssertionError, match=r"teeny (walks|ends) elsewhere"):
            contender.check("teeny", np.inf)
