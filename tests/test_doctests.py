"""Every example in a docstring runs, in compiled modules too."""

import doctest
import importlib
import pkgutil

import pytest

import teeny

MODULES = ["teeny", *(module.name for module in pkgutil.walk_packages(teeny.__path__, "teeny."))]
# a variant that this CPU does not run must not even be imported
MODULES = [name for name in MODULES if not name.startswith("teeny._core.leaves.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for example in finder.find(module, name):
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0
