"""A separate package cimports the installed teeny, as C and as C++, and its own tests pass in a fresh process."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "cython"
PAGE = ROOT / "docs" / "write-a-kernel.md"


def run(*command, cwd, **environment):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("language", "suffix"), [("c", ".c"), ("c++", ".cpp")])
def test_example_package(language, suffix, tmp_path):
    sources = shutil.copytree(EXAMPLE, tmp_path / "sources", ignore=shutil.ignore_patterns("build", "*.so", "*.c"))
    modules = list(sources.glob("fieldkernels/*.pyx"))
    for module in modules:
        module.write_text(f"# distutils: language = {language}\n" + module.read_text())
    site = str(tmp_path / "site")
    run("pip", "install", "--no-build-isolation", "--no-deps", "--target", site, ".", cwd=sources)
    compiled = {path.stem for path in sources.glob(f"build/fieldkernels/*{suffix}")}
    assert compiled == {module.stem for module in modules}
    printed = run("pytest", "-q", "--rootdir", str(sources), str(sources / "tests"), cwd=tmp_path, PYTHONPATH=site)
    assert "passed" in printed


@pytest.mark.skipif(not PAGE.exists(), reason="no docs beside the tests")
def test_page_shows_the_code_of_the_example():
    paths = [*EXAMPLE.glob("fieldkernels/*.py*"), *EXAMPLE.glob("tests/*.py"), EXAMPLE / "setup.py"]
    sources = [path.read_text() for path in paths]
    shown = re.findall(r"^```(?:cython|python)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(shown) > 8
    for code in shown:
        assert any(f"\n{code}" in source for source in sources), f"not in examples/cython:\n{code}"
