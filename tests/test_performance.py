"""What docs/performance.md says of sizes and of instructions."""

import json
import re
import shutil
from itertools import product
from pathlib import Path

import pytest
from disassembly import REGISTERS, functions, loops, straight_lines

import teeny as tny
from teeny._core import isa

PAGE = (Path(__file__).parents[1] / "docs" / "performance.md").read_text()
LOCK = json.loads(Path(__file__).with_name("abi.json").read_text())["names"]  # by test_abi.py held to the compiler
CORE = Path(tny.__file__).parent / "_core"
VARIANTS = sorted(set(isa.built()["systems"]) & set(REGISTERS))

disassembled = pytest.mark.skipif(
    shutil.which("objdump") is None or not isa.compiler.startswith("gcc") or not VARIANTS,
    reason="what gcc made for x86-64 is read with objdump",
)


def rows(first):
    """The cells of the lines of the page's tables whose first cell looks like that; the code in it is the key."""
    lines = re.findall(r"^\| (.*) \|$", PAGE, re.MULTILINE)
    found = [line.split(" | ") for line in lines]
    return {name: cells for cells in found if re.match(first, cells[0]) for name in re.findall(r"`(.*?)`", cells[0])}


def code(module, variant, name):
    """The instructions of the function whose symbol looks like that."""
    path, = CORE.glob(f"{module}_{variant}.*")
    symbols = functions(path)
    if not any("__pyx_" in symbol for symbol in symbols):
        pytest.skip("the modules are stripped of their symbols")
    found, = (symbol for symbol in symbols if re.fullmatch(name, symbol))
    return symbols[found]


def test_footprints():
    said = {name: int(size) for name, (_, size, _) in rows("`teeny_").items()}
    assert len(said) == 12
    assert said == {name: LOCK[name] for name in said}


@disassembled
@pytest.mark.parametrize("variant", VARIANTS)
def test_leaves_of_3_x_3_have_no_loop_over_their_elements(variant):
    leaves = rows(r"`(systems|products)\.")
    assert len(leaves) == 5
    for (leaf, (_, products)), dtype in product(leaves.items(), (0, 1)):
        module, name = leaf.split(".")
        instructions = code(f"leaves/{module}", variant, rf"__pyx_fuse_{dtype}_2__pyx_f_\w*_{name}_leaf")
        line = max(straight_lines(instructions), key=lambda line: sum(i.packed for i in line))
        packed = [i for i in line if i.packed and re.search("mul|fn?m", i.name)]
        assert len(packed) >= int(products), f"{leaf}, {variant}: {len(packed)} products in a straight line"


@disassembled
@pytest.mark.parametrize("variant", VARIANTS)
def test_flat_loops_over_elements_are_packed(variant):
    leaves = rows(r"`arithmetic\.")
    assert len(leaves) == 23
    for (leaf, (_, least)), dtype in product(leaves.items(), (0, 1)):
        name = leaf.split(".")[1]
        instructions = code("ranked/arithmetic", variant, rf"__pyx_fuse_{dtype}__pyx_f_\w*arithmetic_{name}_leaf")
        packed = [loop for loop in loops(instructions) if any(
            REGISTERS[variant] in i.operands and re.search("p[sd]$|^v?p", i.name) and "mov" not in i.name for i in loop
        )]
        if (name, variant) != ("fma", "v2"):  # which has no such instruction
            assert len(packed) >= int(least), f"{leaf}, {variant}: {len(packed)} packed loops"


@disassembled
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("module", ["arithmetic", "transcendental"])
def test_kernels_of_elements_never_take_the_gil(module, variant):
    path, = CORE.glob(f"ranked/{module}_{variant}.*")
    leaves = {symbol: code for symbol, code in functions(path).items() if symbol.endswith("_leaf")}
    if not leaves:
        pytest.skip("the modules are stripped of their symbols")
    for symbol, instructions in leaves.items():
        assert not any("PyGILState" in i.operands for i in instructions), symbol
