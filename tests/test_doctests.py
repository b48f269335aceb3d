"""Every example in a docstring runs, in compiled modules too, and so does the README."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import teeny

README = Path(__file__).parent.parent / "README.md"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = ["teeny", *(module.name for module in pkgutil.walk_packages(teeny.__path__, "teeny."))]
# a variant that this CPU does not run must not even be imported
MODULES = [name for name in MODULES if not name.startswith(("teeny._core.leaves.", "teeny._core.ranked."))]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


def test_docstrings_of_compiled_functions_are_found():
    assert doctest.testmod(teeny.linalg.systems, optionflags=OPTIONS).attempted > 3


def test_readme():
    results = doctest.testfile(str(README), module_relative=False, optionflags=OPTIONS)
    assert results.attempted > 3
    assert results.failed == 0
