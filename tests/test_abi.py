"""The binary interface: locked in abi.json, and compared when a downstream module is imported.

Exported is what ``cimport teeny`` names and what the public headers define.
``python tests/test_abi.py --update`` takes additions into the lock; what is locked is
removed or changed only together with ``TEENY_ABI_VERSION``, in ``teeny/abi.h``.
"""

import ctypes
import importlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import teeny as tny
from teeny._core.abi import abi_version

LOCK = Path(__file__).with_name("abi.json")
INCLUDE = Path(tny.get_include())
FACE = Path(tny.__file__).with_name("__init__.pxd")
PRIVATE = {"lanes.h", "vector_math.h"}  # for teeny's own leaves
REMEDY = "raise TEENY_ABI_VERSION in teeny/include/teeny/abi.h, build, and run python tests/test_abi.py --update"

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no cc")


# ------------------------------------------------------- what is exported


def headers():
    """The text of every public header, without its comments."""
    paths = sorted(path for path in (INCLUDE / "teeny").glob("*.h") if path.name not in PRIVATE)
    return {path.name: re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL) for path in paths}


def structs():
    """The fields of every struct, by its name."""
    found = re.findall(r"typedef struct\s*\w*\s*\{([^{}]*)\}\s*(\w+);", "".join(headers().values()))
    function_pointer = re.compile(r"\(\*(\w+)\)\([^)]*\)")
    return {name: re.findall(r"(\w+)\s*(?:\[\w+\]\s*)*[;,]", function_pointer.sub(r"\1", body)) for body, name in found}


def constants():
    """Names of integer macros and of members of enums."""
    text = "".join(headers().values())
    members = ",".join(re.findall(r"enum\s*\w*\s*\{([^}]*)\}", text))
    macros = re.findall(r"#define (\w+) \d+\s", text)
    return [*macros, *re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", members)]


def signatures():
    """Functions and types of functions in headers, without the names of their parameters."""
    text = "".join(headers().values())
    found = re.findall(r"static inline ([^{;]*?)(\w+)(\([^{;]*?\))\s*\{", text)
    found += re.findall(r"typedef ([^{;]*?\(\*)(\w+)(\)\([^{;]*?\));", text)
    types = {name: result + re.sub(r" ?\w+(?=[,)])", "", rest) for result, name, rest in found}
    return {name: " ".join(signature.split()) for name, signature in types.items()}


def measured():
    """Sizes, offsets and constants, as the C compiler sees them."""
    values = {name: name for name in constants() if name != "TEENY_ABI_VERSION"}
    for name, fields in structs().items():
        values[name] = f"sizeof({name})"
        values |= {f"{name}.{field}": f"offsetof({name}, {field})" for field in fields}
    program = ["#include <stddef.h>", "#include <stdio.h>", *(f"#include <teeny/{name}>" for name in headers())]
    program += ["int main(void) {"]
    program += [f'printf("{name} %lld\\n", (long long){value});' for name, value in values.items()]
    program += ["return 0; }"]
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder, "measure.c"), Path(folder, "measure")
        source.write_text("\n".join(program))
        subprocess.run(["cc", "-std=c11", f"-I{INCLUDE}", source, "-o", binary], check=True)
        printed = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in map(str.split, printed.splitlines())}


def compiled():
    """The functions and classes that the cimport face names; bytes of objects are counted behind Python's head."""
    head = object.__basicsize__
    x = np.zeros(1)
    carrier = tny.as_anyrank(x)
    memory = ctypes.string_at(id(carrier), tny.AnyRank.__basicsize__)
    found = {"teeny._core.carrier.AnyRank.c": memory.index(struct.pack("P", x.ctypes.data)) - head}
    named = re.findall(r"^from (\S+) cimport (\([^)]*\)|.*)", FACE.read_text(), re.MULTILINE)
    for module, names in [*named, ("teeny._core.abi", "check_abi")]:  # import_teeny calls check_abi
        if find_spec(module) is None:  # declarations alone
            continue
        loaded = importlib.import_module(module)
        capsules = getattr(loaded, "__pyx_capi__", {})
        for name in re.findall(r"(\w+)(?: as \w+)?", names):
            if name in capsules:
                found[f"{module}.{name}"] = re.search('"(.*)"', repr(capsules[name]))[1]
            elif isinstance(getattr(loaded, name, None), type):
                found[f"{module}.{name}"] = getattr(loaded, name).__basicsize__ - head
    return found


def exported():
    return measured() | signatures() | compiled()


# ------------------------------------------------------------------- lock


def differences(locked, found):
    """What was removed or changed; additions are neither."""
    gone = [f"{name}: removed" for name in locked.keys() - found.keys()]
    shared = sorted(locked.keys() & found.keys())
    return sorted(gone) + [f"{n}: {locked[n]!r} became {found[n]!r}" for n in shared if locked[n] != found[n]]


def update():
    lock = json.loads(LOCK.read_text())
    found = exported()
    broken = differences(lock["names"], found)
    if broken and abi_version() <= lock["version"]:
        sys.exit("\n".join([*broken, REMEDY]))
    LOCK.write_text(json.dumps({"version": abi_version(), "names": found}, indent=1, sort_keys=True) + "\n")


def test_nothing_locked_was_removed_or_changed():
    lock = json.loads(LOCK.read_text())
    assert abi_version() == lock["version"], "run python tests/test_abi.py --update"
    broken = differences(lock["names"], exported())
    assert not broken, "\n".join([*broken, REMEDY])


def test_lock_tells_changes_from_additions():
    locked = {"size": 48, "offset": 8, "call": "int (int)"}
    assert differences(locked, {**locked, "more": 1}) == []
    assert differences(locked, {"size": 56, "call": "int (long)"}) == [
        "offset: removed",
        "call: 'int (int)' became 'int (long)'",
        "size: 48 became 56",
    ]


def test_lock_has_all_kinds():
    names = json.loads(LOCK.read_text())["names"]
    assert names["TEENY_MAX_NDIM"] == 64
    assert names["TEENY_ERROR_RANK"] == -1
    assert names["teeny_anyrank_t"] == 48
    assert names["teeny_anyrank_t.strides"] == 16
    assert names["teeny_peel_begin"] == "int (teeny_cursor_t *, const teeny_anyrank_t *, int, int64_t, int64_t)"
    assert names["teeny_leaf_t"] == "int64_t (*)(const teeny_run_t *)"
    assert names["teeny._core.driver.batch_apply"].startswith("int64_t (teeny_leaf_t, void *, ")
    assert names["teeny._core.carrier.AnyRank"] > names["teeny._core.carrier.AnyRank.c"] + names["teeny_anyrank_t"]


def test_every_struct_is_seen_and_compared_at_import():
    text = headers()
    assert len(structs()) == "".join(text.values()).count("typedef struct")
    compared = re.findall(r"TEENY_ABI_STRUCT\((teeny_\w+)\)", text["abi.h"])
    assert sorted(compared) == sorted(name for name in structs() if name.endswith("_t"))


# --------------------------------------------- a pair that does not match

DOWNSTREAM = """
from teeny cimport AnyRank, as_anyrank, import_teeny

import_teeny()

def ndim(x):
    cdef AnyRank a = as_anyrank(x)
    return a.c.ndim
"""

CURSOR = json.loads(LOCK.read_text())["names"]["teeny_cursor_t"]

# What the teeny that a module was compiled with has otherwise: header, text, replacement. Then what is said.
MISMATCHES = {
    "version": (
        [("abi.h", r"(TEENY_ABI_VERSION) \d+", r"\1 9999")],
        f"ImportError: downstream: compiled for ABI 9999 of teeny, found ABI {abi_version()} "
        f"in teeny {tny.__version__}: rebuild downstream with this teeny, ",
    ),
    "size": (
        [
            ("peel.h", r"linear;([^}]*\} teeny_cursor_t;)", r"linear, more;\1"),
            ("peel.h", r"(teeny_cursor_t[)]) ==", r"\1 - 8 =="),
        ],
        f"ImportError: downstream: compiled with a teeny_cursor_t of {CURSOR + 8} bytes, found {CURSOR} bytes in ",
    ),
    "struct": (
        [("abi.h", r"{ NULL, 0 }", '{ "teeny_later_t", 8 }, { NULL, 0 }')],
        "ImportError: downstream: compiled with a teeny_later_t of 8 bytes, found none in teeny ",
    ),
    # here Cython is first
    "class": (
        [("anyrank.h", "uint32_t flags;", "int64_t flags;"), ("anyrank.h", r"(teeny_anyrank_t[)]) ==", r"\1 - 8 ==")],
        "size changed, may indicate binary incompatibility",
    ),
}


def environment():
    """For processes that find the teeny of this one, wherever they run."""
    return {**os.environ, "PYTHONPATH": str(FACE.parent.parent)}


@pytest.fixture(scope="module")
def downstream(tmp_path_factory):
    """C code of a module that cimports teeny."""
    folder = tmp_path_factory.mktemp("downstream")
    Path(folder, "downstream.pyx").write_text(DOWNSTREAM)
    subprocess.run([sys.executable, "-m", "cython", "-3", "downstream.pyx"], cwd=folder, env=environment(), check=True)
    return folder / "downstream.c"


def load(source, include, folder):
    """Compile `source` against the headers in `include`, import it in a fresh process and use it."""
    folders = [include, np.get_include(), sysconfig.get_path("include")]
    build = [*sysconfig.get_config_var("LDSHARED").split(), "-fPIC", *(f"-I{path}" for path in folders)]
    subprocess.run([*build, source, "-o", folder / "downstream.so"], check=True)
    code = "import downstream, numpy; print(downstream.ndim(numpy.zeros((2, 3, 4))))"
    return subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment(), capture_output=True, text=True)


@pytest.mark.slow
def test_matching_pair_is_loaded(downstream, tmp_path):
    done = load(downstream, INCLUDE, tmp_path)
    assert done.stdout == "3\n", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("edits", "sentence"), MISMATCHES.values(), ids=MISMATCHES)
def test_mismatched_pair_is_refused(edits, sentence, downstream, tmp_path):
    include = tmp_path / "include"
    shutil.copytree(INCLUDE, include)
    for name, old, new in edits:
        header = include / "teeny" / name
        text, count = re.subn(old, new, header.read_text())
        assert count == 1
        header.write_text(text)
    done = load(downstream, include, tmp_path)
    assert done.returncode == 1
    assert sentence in done.stderr.splitlines()[-1]


if __name__ == "__main__" and sys.argv[1:] == ["--update"]:
    update()
