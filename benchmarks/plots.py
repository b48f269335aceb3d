"""Pictures of what is contiguous and out of cache: benchmarks.png for 3 x 3, sizes-<dtype>.png for all sizes."""

from importlib.util import find_spec

from benchmarks.harness import OURS
from benchmarks.peers import PEERS

ORDER = [OURS, *(peer.name for peer in PEERS)]
ABREAST = 6  # panels


def draw(results, folder):
    """Draw what these results suffice for; the paths of the pictures."""
    if not find_spec("matplotlib"):
        return []
    results = [r for r in results if r.case.section == "contiguous"]
    pictures = {"benchmarks.png": at_three([r for r in results if r.case.size == 3])}
    for dtype in dict.fromkeys(r.case.dtype for r in results):
        pictures[f"sizes-{dtype}.png"] = over_sizes([r for r in results if r.case.dtype == dtype])
    paths = [folder / name for name, picture in pictures.items() if picture]
    for path in paths:
        pictures[path.name].savefig(path, dpi=130)
    return paths


def at_three(results):
    """One line per function, on it everybody's time in copies."""
    from matplotlib.figure import Figure

    if not results:
        return None
    ops, dtypes = (list(dict.fromkeys(getattr(r.case, what) for r in results)) for what in ("op", "dtype"))
    figure = Figure(figsize=(4.4 * len(dtypes) + 1, 0.28 * len(ops) + 1.4), layout="constrained")
    panels = figure.subplots(1, len(dtypes), squeeze=False, sharex=True, sharey=True)[0]
    for dtype, panel in zip(dtypes, panels, strict=True):
        rows = [r for r in results if r.case.dtype == dtype]
        for name in reversed(ORDER):
            points = [(r.ratio(name, "copy"), ops.index(r.case.op)) for r in rows if name in r]
            if points:
                panel.plot(*zip(*points, strict=True), "o", label=name, **style(name, 9 if name == OURS else 6))
        panel.axvline(1, color="0.6", linewidth=0.8)
        panel.set_xscale("log")
        panel.set_yticks(range(len(ops)), ops)
        panel.set_title(f"3 x 3, {dtype}", fontsize=10)
        panel.set_xlabel("time, in copies of the same bytes")
        panel.grid(alpha=0.25)
    panels[0].invert_yaxis()
    legend(figure, panels)
    return figure


def over_sizes(results):
    """One panel per function that was measured at several sizes."""
    from matplotlib.figure import Figure

    ops = {op: rows for op in dict.fromkeys(r.case.op for r in results)
           if len(rows := [r for r in results if r.case.op == op]) > 2}
    if not ops:
        return None
    across = min(len(ops), ABREAST)
    down = -(-len(ops) // across)
    figure = Figure(figsize=(max(2.4 * across + 1, 7), 2.3 * down + 0.6), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flat
    for op, panel in zip(ops, panels, strict=False):
        for name in reversed(ORDER):
            points = [(r.case.size, r.ratio(name, "copy")) for r in ops[op] if name in r]
            if points:
                panel.plot(*zip(*points, strict=True), "o-", label=name, **style(name, 4))
        panel.axhline(1, color="0.6", linewidth=0.8)
        panel.set_title(op, fontsize=10)
        panel.set_yscale("log")
        panel.grid(alpha=0.25)
    for panel in panels[len(ops):]:
        panel.set_axis_off()
    figure.supxlabel(f"size of the matrices, {results[0].case.dtype}", fontsize=10)
    figure.supylabel("time, in copies of the same bytes", fontsize=10)
    legend(figure, panels)
    return figure


def style(name, size):
    return {"color": f"C{ORDER.index(name)}", "markersize": size, "linewidth": 2.5 if name == OURS else 1.2}


def legend(figure, panels):
    """Everyone who is in some panel, in the order of the report."""
    entries = {}
    for panel in panels:
        entries |= dict(zip(*reversed(panel.get_legend_handles_labels()), strict=True))
    names = [name for name in ORDER if name in entries]
    figure.legend([entries[name] for name in names], names, loc="outside upper center", ncols=len(names), fontsize=8)
