"""The benchmarks time the right work, and their report says what was measured."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import boundary, linalg, report
from benchmarks.harness import Case, Contender, Result, looped, measure
from benchmarks.problem import COLUMNS, LAYOUTS, make


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
    assert text in (tmp_path / "benchmarks.md").read_text()


def test_every_prediction_is_of_a_case():
    names = {case.name for family in (linalg, boundary) for case in family.cases()}
    assert {f"{section}: {key}" for section, keys in report.PREDICTIONS.items() for key in keys} <= names


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_hold_the_same_cells(layout):
    plain, placed = make("inv", 3, "float32", (4, 6)), make("inv", 3, "float32", (4, 6), layout)
    np.testing.assert_array_equal(placed.inputs[0], plain.inputs[0])
    assert (placed.inputs[0].strides == plain.inputs[0].strides) == (layout == "contiguous")


@pytest.mark.parametrize("op", COLUMNS)
def test_contenders_are_checked(op, monkeypatch):
    monkeypatch.setattr(linalg, "PEERS", [peer for peer in linalg.PEERS if peer.name == "NumPy"])
    case = linalg.case("in cache", op, 2, "float32", lambda *what: linalg.batch(*what, cells=20))
    assert measure(case, 1).names == ["copy", "teeny", "NumPy"]
    problem = make(op, 2, "float32", (2, 3))
    wrong = Contender("wrong", looped(np.zeros, problem.out.shape), problem.cells, problem.check)
    with pytest.raises(AssertionError, match=f"wrong computes another {op} of 2 x 2 float32"):
        measure(replace(case, build=lambda: [wrong]), 1)


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
