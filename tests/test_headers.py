"""Every public header stands on its own, in C and in C++."""

import shutil
import subprocess

import pytest

import teeny as tny

HEADERS = ["vocabulary", "anyrank", "layout", "dlpack", "peel", "sample", "run", "static_int", "abi", "view"]
COMPILERS = {"c": ("cc", "-std=c11"), "cpp": ("c++", "-std=c++17")}


@pytest.mark.parametrize("language", COMPILERS)
@pytest.mark.parametrize("header", HEADERS)
def test_header(header, language, tmp_path):
    compiler, standard = COMPILERS[language]
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    source = tmp_path / f"alone.{language}"
    source.write_text(f"#include <teeny/{header}.h>\nint main(void) {{ return 0; }}\n")
    strict = [standard, "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only"]
    done = subprocess.run([compiler, *strict, f"-I{tny.get_include()}", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
