"""What the compiler made of a module: the instructions of its functions, as objdump prints them."""

import re
import subprocess
from dataclasses import dataclass
from functools import cache

REGISTERS = {"v2": "xmm", "v3": "ymm", "v4": "zmm"}


@dataclass(frozen=True)
class Instruction:
    address: int
    name: str
    operands: str

    @property
    def target(self):
        """Where a jump goes; None for anything else, and for jumps through a register."""
        place = re.match(r"[0-9a-f]+(?= <)", self.operands) if self.name.startswith("j") else None
        return int(place[0], 16) if place else None

    @property
    def packed(self):
        """Whether this is floating-point arithmetic on a register full of numbers, not on one of them."""
        return re.fullmatch(r"v?(add|sub|mul|div|min|max|sqrt|fn?m(add|sub)\d*)p[sd]", self.name) is not None


@cache
def functions(path):
    """The instructions of every function, by symbol."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True)
    found = {}
    for block in text.stdout.split("\n\n"):
        heading = re.match(r"[0-9a-f]+ <(\S+)>:\n", block)
        if heading:
            lines = re.findall(r"^ *([0-9a-f]+):\t(\S+) *(.*)$", block, re.M)
            found[heading[1]] = [Instruction(int(address, 16), *rest) for address, *rest in lines]
    return found


def straight_lines(code):
    """The code cut at every jump, and at every place that a jump goes to."""
    targets = {instruction.target for instruction in code}
    lines = [[]]
    for instruction in code:
        if instruction.address in targets:
            lines.append([])
        lines[-1].append(instruction)
        if instruction.name.startswith("j"):
            lines.append([])
    return lines


def loops(code):
    """The bodies of the innermost loops: straight lines that jump to their own first instruction."""
    return [line for line in straight_lines(code) if line and line[-1].target == line[0].address]
