"""The installed package: what it carries, what it says of itself, what importing it costs."""

import importlib.metadata
import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import teeny as tny
from teeny._core import isa

PACKAGE = Path(tny.__file__).parent


def compiled_modules():
    return sorted(path for path in PACKAGE.rglob("*") if path.name.endswith(tuple(EXTENSION_SUFFIXES)))


def run(code, folder, **environment):
    """Run `code` in a fresh process, away from the sources."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True
    )


def test_version_has_one_source():
    assert tny.__version__ == importlib.metadata.version("teeny")


def test_ships_types_for_every_compiled_module_that_is_public():
    assert (PACKAGE / "py.typed").exists()
    stems = [path.parent / path.name.split(".")[0] for path in compiled_modules()]
    compiled = {".".join(stem.relative_to(PACKAGE.parent).parts): stem for stem in stems}
    public = compiled.keys() & {isa.__name__, *public_modules()}
    assert "teeny.linalg.systems" in public
    assert [name for name in sorted(public) if not compiled[name].with_suffix(".pyi").exists()] == []


def public_modules():
    """Where the public names are defined."""
    for face in (tny, tny.linalg, tny.backends):
        yield face.__name__
        yield from (getattr(getattr(face, name), "__module__", "") for name in face.__all__)


def test_ships_headers_and_declarations():
    include = Path(tny.get_include())
    assert include.is_relative_to(PACKAGE)
    for header in ("vocabulary", "anyrank", "run", "peel"):
        assert (include / "teeny" / f"{header}.h").exists()
    assert (PACKAGE / "__init__.pxd").read_text()


def test_leaves_never_take_the_gil():
    leaves = [path for path in compiled_modules() if path.parent.name == "leaves"]
    assert leaves
    for path in leaves:
        assert b"PyGILState_Ensure" not in path.read_bytes(), path.name


def test_supported_is_ordered_and_starts_with_what_runs_everywhere():
    order = ["baseline", "v2", "v3", "v4"]
    assert isa.supported() == order[: len(isa.supported())]


def test_choose_takes_the_best_that_is_built_and_runs(monkeypatch):
    monkeypatch.delenv("TEENY_ISA", raising=False)
    supported = isa.supported()
    assert isa.choose(["baseline"]) == "baseline"
    assert isa.choose(supported) == supported[-1]
    assert isa.choose([*reversed(supported), "v9"]) == supported[-1]
    with pytest.raises(tny.Error, match=r"built for v9.*baseline"):
        isa.choose(["v9"])


def test_every_family_has_the_same_variants():
    families = isa.built()
    assert "systems" in families
    assert len({tuple(sorted(variants)) for variants in families.values()}) == 1


USABLE = sorted(set(isa.built()["systems"]) & set(isa.supported()))


@pytest.mark.parametrize("name", USABLE)
def test_isa_is_forced(name, tmp_path):
    code = "import teeny; print(teeny.show_config(mode='dicts')['isa']['chosen']['systems'])"
    done = run(code, tmp_path, TEENY_ISA=name)
    assert done.stdout == f"{name}\n", done.stderr


def test_wrong_isa_is_refused_in_a_sentence(tmp_path):
    done = run("import teeny", tmp_path, TEENY_ISA="v99")
    assert done.returncode != 0
    assert f"TEENY_ISA: found 'v99', expected one of {', '.join(USABLE)}" in done.stderr


def test_show_config_says_what_runs(capsys):
    config = tny.show_config(mode="dicts")
    assert config["versions"]["teeny"] == tny.__version__
    assert config["threads"]["threads"] == tny.get_num_threads()
    assert set(config["isa"]["chosen"].values()) <= set(config["isa"]["supported"])
    assert tny.show_config() is None
    printed = capsys.readouterr().out
    for fact in (tny.__version__, config["build"]["compiler"], f"systems {config['isa']['chosen']['systems']}"):
        assert fact in printed
    with pytest.raises(ValueError, match=r"show_config: mode: found 'html'"):
        tny.show_config(mode="html")


def test_import_is_cheap(tmp_path):
    code = "import numpy, time; start = time.perf_counter(); import teeny; print(time.perf_counter() - start)"
    # the least of a few: what is asked is the cost of the package, not of a busy machine
    seconds = min(float(run(code, tmp_path).stdout) for _ in range(5))
    assert seconds < 0.1
