# Every target makes what it needs in a private .venv: Python >= 3.11 and a C compiler are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

SOURCES := setup.py $(shell find teeny -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

# $(call listed,<path into pyproject.toml>): the requirements that stand there.
listed = $$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))$(1))")

.PHONY: demo test test-asan lint bench bench-quick wheel clean

demo: $(VENV)/built $(VENV)/extra-demo
	$(BIN)/python examples/motion.py

test: $(VENV)/built $(VENV)/extra-test $(VENV)/extra-demo
	$(BIN)/python -m pytest

# A build of its own that checks every access to memory (gcc), and the tests of what the package computes. Python
# allocates with malloc, so that its memory is checked too; it never frees all, so leaks are not.
ASAN_TESTS := $(filter-out %/test_benchmarks.py %/test_demo.py %/test_packaging.py %/test_performance.py,$(wildcard tests/test_*.py))

test-asan: $(VENV)/extra-test
	TEENY_SANITIZE=1 $(BIN)/python setup.py -q build --build-base build/asan --build-lib build/asan/lib
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	PYTHONSAFEPATH=1 PYTHONPATH=$(CURDIR)/build/asan/lib $(BIN)/python -m pytest --capture=sys $(ASAN_TESTS)

lint: $(VENV)/extra-lint
	$(BIN)/ruff check .
	$(BIN)/cython-lint --no-pycodestyle teeny examples
	$(BIN)/mypy

bench: $(VENV)/built $(VENV)/extra-bench
	$(BIN)/python -m benchmarks

bench-quick: $(VENV)/built $(VENV)/extra-bench
	$(BIN)/python -m benchmarks --quick

# The wheel is built from the sdist, and tested alone: in a clean environment, with the sources out of sight.
wheel: $(VENV)/extra-wheel
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python .ci/check_wheel.py dist/*.whl
	.ci/try $(BIN)/python build/wheel dist/*.whl -m "slow or not slow"

clean:
	rm -rf $(VENV) build dist out *.egg-info
	find teeny -name '*.so' -delete

# The sources are on the path of the environment, and compiled where they lie.
$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install $(call listed,['build-system']['requires'])
	echo "$(CURDIR)" > $$($(BIN)/python -c "import site; print(site.getsitepackages()[0])")/teeny.pth
	touch $@

$(VENV)/built: pyproject.toml $(SOURCES) $(VENV)/created
	$(BIN)/python setup.py -q egg_info build_ext --inplace
	touch $@

$(VENV)/extra-%: pyproject.toml $(VENV)/created
	$(PIP) install $(call listed,['project']['optional-dependencies']['$*'])
	touch $@
