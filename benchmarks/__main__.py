"""The command line: run the cases of every family, then write Markdown, JSON and plots."""

import argparse
import os
import sys
from pathlib import Path

# Settings that machines carry for the sake of old OpenBLAS builds, and that slow a current NumPy.
# They count when NumPy is loaded, so the process starts anew without them.
SLOWING = {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and cells: under two minutes")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="cases whose name contains one of these: inv 'det 3'")
    parser.add_argument("--repeats", type=int, default=9, help="interleaved rounds per case (default: 9)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the report (default: out)")
    options = parser.parse_args()

    from benchmarks import arithmetic, boundary, harness, linalg, report

    cases = [case for family in (linalg, arithmetic, boundary) for case in family.cases(options.quick)]
    sections = list(dict.fromkeys(case.section for case in cases))
    cases.sort(key=lambda case: sections.index(case.section))
    if options.only:
        cases = [case for case in cases if any(text in case.name for text in options.only)]
    if not cases:
        parser.error(f"no case has a name that contains any of {options.only}")
    results = harness.run(cases, options.repeats)
    for path in report.write(results, options.out):
        print(f"wrote {path}")


if __name__ == "__main__":
    if SLOWING & set(os.environ):
        kept = {name: value for name, value in os.environ.items() if name not in SLOWING}
        os.execve(sys.executable, sys.orig_argv, kept)
    main()
