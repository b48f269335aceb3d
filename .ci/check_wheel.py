"""Check that a wheel carries all that others build on, nothing stray, and is small."""

import sys
from pathlib import Path
from zipfile import ZipFile

LIMIT = 10e6
SHIPPED = (".py", ".pyi", ".pxd", ".h", ".typed")

wheel = Path(sys.argv[1])
carried = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
expected = {str(path) for path in Path("teeny").rglob("*") if path.suffix in SHIPPED}
compiled = {name for name in carried if name.endswith((".so", ".pyd"))}

problems = [f"missing: {name}" for name in sorted(expected - carried)]
problems += [f"stray: {name}" for name in sorted(carried - expected - compiled)]
if not compiled:
    problems.append("missing: compiled modules")
if wheel.stat().st_size > LIMIT:
    problems.append(f"too large: {wheel.stat().st_size / 1e6:.1f} MB")

print(f"{wheel.name}: {len(carried)} files, {len(compiled)} compiled, {wheel.stat().st_size / 1e6:.1f} MB")
sys.exit("\n".join(problems) or None)
