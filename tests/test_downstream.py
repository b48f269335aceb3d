"""A separate package cimports the installed teeny, and its own tests pass in a fresh process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "examples" / "cython"


def run(*command, cwd, **environment):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_example_package(tmp_path):
    sources = shutil.copytree(EXAMPLE, tmp_path / "sources", ignore=shutil.ignore_patterns("build", "*.so", "*.c"))
    site = str(tmp_path / "site")
    run("pip", "install", "--no-build-isolation", "--no-deps", "--target", site, ".", cwd=sources)
    printed = run("pytest", "-q", "--rootdir", str(sources), str(sources / "tests"), cwd=tmp_path, PYTHONPATH=site)
    assert "passed" in printed
