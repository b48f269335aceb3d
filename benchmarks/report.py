"""What was measured, for people and for programs: benchmarks.md, benchmarks.json, and plots."""

import json
import os
import platform
import shlex
import sys
import tomllib
from itertools import groupby
from pathlib import Path

import numpy as np

import teeny as tny
from benchmarks import linalg, plots
from benchmarks.harness import LONGEST, OURS
from benchmarks.peers import PEERS

PREDICTIONS = tomllib.loads(Path(__file__).with_name("predictions.toml").read_text())

HEAD = """\
# Benchmarks

Figures are times a plain copy that reads and writes the same bytes (**x copy**), unless a heading says otherwise:
ratios of medians over {repeats} rounds, in which all contenders take turns, in one process. ± is half the distance
between the quartiles of the ratios within a round. *Of best peer* is teeny's time over that of the fastest peer.
Whoever needs more than {longest} s for a case is given fewer of its cells; figures are per cell, against the same copy.
Peers run at their best setting: Eigen and Numba compiled for this machine, with fixed sizes, closed forms in the type
of the data, and outputs given. *Eigen direct* is its closed form for symmetric eigenvalues, which is inaccurate. teeny
is the portable build; what it computes of matrices of float32 it computes in float64, but for products.

A timing during which the process lost its core to others is taken again; {disturbed} of {timings} stand disturbed.
"""

VIEWED = "From such views into a C-contiguous output, beside a plain copy of the views into C-contiguous memory."
NOTES = {
    **dict.fromkeys(linalg.VIEWS, VIEWED),
    "contiguous": "A million cells, or 256 MB of matrices (32 MB with `--quick`). `solve`, `cho_solve` and `lstsq` "
    "have 3 right-hand sides each, `lstsq` 8 rows; `matmul, one a` multiplies all others by one matrix.",
    "in cache": "1000 cells, computed over and over. Eigen repeats them in C++, the others pay for their calls.",
    "one call": "Microseconds for one matrix or number, from Python. Numba writes into a given output; the others "
    "allocate.",
    "two threads": "The copy still has one thread.",
    "elements": "A million numbers, into a given output.",
    "in place": "A million numbers, scaled by -1 or added to. Transposed: in Fortran order. Gaps: rows of 3, with "
    "one between neighbours. The copy reads and writes as much as the same work does out of place.",
    "cell to cell, compiled": "Nanoseconds per cell, in cache: a batch of 10 x 10 x 10 cells, of which one element is "
    "read. By hand: three loops, for a batch of three axes and no other. NumPy sums the same elements.",
    "cell to cell, in Python": "Microseconds per cell, a view each, of the same batches. NumPy by `np.ndindex`; "
    "nested: by iterating over axis after axis.",
    "calls at the boundary": "Microseconds. In: `as_anyrank` beside `memoryview`. By DLPack: `from_dlpack` of either "
    "library. Out: `np.asarray`, or `np.from_dlpack`. One cell: number 555 of the batch.",
}
NANOSECONDS = ("cell to cell, compiled",)


def write(results, folder):
    """Write everything that can be written here; the paths of what was."""
    folder.mkdir(parents=True, exist_ok=True)
    markdown, data = (folder / f"benchmarks.{kind}" for kind in ("md", "json"))
    markdown.write_text(document(results))
    data.write_text(json.dumps({"machine": machine(), "cases": [as_data(r) for r in results]}, indent=1))
    return [markdown, data, *plots.draw(results, folder)]


def machine():
    """All that the figures depend on and that is easily told."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "teeny": tny.__version__,
        "peers": {peer.name: peer.absent or peer.version() for peer in PEERS},
        "command": shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]]),
    }


def processor():
    """Its name: Linux keeps it where Python does not look."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


# ------------------------------------------------------------------- tables


def document(results):
    facts = machine()
    present = ", ".join(f"{peer.name} {peer.version()}" for peer in PEERS if not peer.absent)
    absent = "; ".join(f"{peer.name} ({peer.absent})" for peer in PEERS if peer.absent) or "none"
    parts = [HEAD.format(
        repeats=len(results[0].seconds), longest=LONGEST,
        disturbed=sum(r.disturbed for r in results), timings=sum(r.seconds.size for r in results),
    )]
    parts.append(f"`{facts['command']}`: {facts['processor']}, {facts['cores']} cores, Python {facts['python']}, "
                 f"teeny {facts['teeny']}. Peers: {present}. Absent: {absent}.\n")
    for section, members in groupby(results, key=lambda result: result.case.section):
        parts.append(f"## {section[0].upper()}{section[1:]}\n")
        if section in NOTES:
            parts.append(NOTES[section] + "\n")
        parts.append(table(list(members)) + "\n")
    return "\n".join(parts)


def table(results):
    """One row per case. Columns without a single entry are left out."""
    columns = {"case": [f"`{r.case.op}` {r.case.size} {r.case.dtype}" for r in results]}
    columns["predicted"] = [prediction(r) for r in results]
    peers = [peer.name for peer in PEERS]
    names = dict.fromkeys(name for r in results for name in r.names if name != "copy")
    for name in sorted(names, key=lambda name: peers.index(name) if name in peers else -1):
        columns[name] = [entry(r, name) for r in results]
    columns["ns per cell"] = [f"{r.median(OURS) * 1e9:.2f}" if "copy" in r else "" for r in results]
    columns["of best peer"] = [of_best_peer(r) for r in results]
    columns["NumPy / teeny"] = [f"{r.ratio('NumPy', OURS):.3g}" if "NumPy" in r else "" for r in results]
    columns = {name: entries for name, entries in columns.items() if any(entries)}
    rows = [list(columns), ["---"] + ["---:"] * (len(columns) - 1), *zip(*columns.values(), strict=True)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def prediction(result):
    case = result.case
    return str(PREDICTIONS.get(case.section, {}).get(f"{case.op} {case.size} {case.dtype}", ""))


def entry(result, name):
    if name not in result:
        return ""
    if "copy" not in result:
        return f"{result.median(name) * (1e9 if result.case.section in NANOSECONDS else 1e6):.2f}"
    text = f"{result.ratio(name, 'copy'):.3g}"
    return f"**{text}** ± {result.spread(name, 'copy'):.2g}" if name == OURS else text


def of_best_peer(result):
    best = result.best([peer.name for peer in PEERS])
    return f"{result.ratio(OURS, best):.2f} ({best})" if best else ""


def as_data(result):
    case = result.case
    return {
        "section": case.section,
        "op": case.op,
        "size": case.size,
        "dtype": case.dtype,
        "disturbed": result.disturbed,
        "predicted": PREDICTIONS.get(case.section, {}).get(f"{case.op} {case.size} {case.dtype}"),
        "contenders": {
            name: {
                "cells": cells,
                "ns_per_cell": result.median(name) * 1e9,
                "x_copy": result.ratio(name, "copy") if "copy" in result else None,
                "x_copy_spread": result.spread(name, "copy") if "copy" in result else None,
                "rounds_ns": np.round(result.of(name) * 1e9, 4).tolist(),
            }
            for name, cells in zip(result.names, result.cells, strict=True)
        },
    }
