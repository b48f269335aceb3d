"""How an MRI series moves: one 3x3 matrix per voxel, inverted, reduced to its determinant and solved.

Run ``python examples/motion.py``. It reads the 4-D series that ships inside nibabel and

1. forms the structure tensor of every voxel of every frame, a field of shape (T, X, Y, Z, 3, 3);
2. takes its determinant, which is large where the image varies in all three directions;
3. solves, in every voxel, the least-squares problem for the motion from one frame to the next
   (Lucas and Kanade), and inverts the matrix for the standard error of that motion;
4. compares teeny with NumPy on these very fields, and draws ``out/motion.png``.
"""

import sys
import time
from importlib.resources import as_file, files
from pathlib import Path

import matplotlib as mpl
import nibabel as nib
import numpy as np
from scipy.ndimage import binary_fill_holes, gaussian_filter

import teeny as tny

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.colors import hsv_to_rgb

SPACE = (-3, -2, -1)  # the axes of (..., X, Y, Z)
BLUR = 0.7  # width in voxels of the filter in front of the derivatives
FINE, WIDE = 1.0, 5.0  # width in voxels of the window around a voxel: to see edges, and to measure motion
PICTURE = Path("out/motion.png")
VIRIDIS = plt.get_cmap("viridis").with_extremes(bad="black")


# ------------------------------------------------------------------ the flow


def load():
    """The series as float32 frames (T, X, Y, Z), its voxel size in mm, and a mask of the head."""
    with as_file(files("nibabel") / "tests/data/example4d.nii.gz") as path:
        image = nib.load(path)
        frames = np.moveaxis(image.get_fdata(dtype=np.float32), -1, 0)
    smooth = gaussian_filter(frames[0], 1)
    head = binary_fill_holes(smooth > 0.4 * np.percentile(smooth, 95))
    # Slices are acquired one after another, each a little brighter or darker than in the frame before.
    brightness = np.mean(frames, axis=(1, 2), where=head, keepdims=True)
    return frames / brightness, image.header.get_zooms()[:3], head


def windowed(field, width):
    """Average (..., X, Y, Z) over a Gaussian window around each voxel."""
    return gaussian_filter(field, width, axes=SPACE)


def gradients(frames, spacing):
    """Spatial derivatives per mm, channel first: (3, T, X, Y, Z)."""
    return np.stack(np.gradient(frames, *spacing, axis=SPACE))


def structure_tensors(grad, width, ridge=1e-4):
    """The windowed outer product of the gradient with itself, (T, X, Y, Z, 3, 3).

    The result is a view of channel-first memory: nobody has to copy it to compute on it. The small
    ridge keeps the tensors of flat tissue and of empty air invertible.
    """
    tensors = windowed(grad[:, None] * grad[None, :], width)
    tensors += ridge * np.eye(3, dtype=grad.dtype)[:, :, None, None, None, None]
    return np.moveaxis(tensors, (0, 1), (-2, -1))


def right_hand_sides(frames, grad, width):
    """What the motion between successive frames has to explain, (T - 1, X, Y, Z, 3, 1)."""
    both = (grad[:, 1:] + grad[:, :-1]) / 2
    return np.moveaxis(windowed(-both * np.diff(frames, axis=0), width), 0, -1)[..., None]


def normal_matrices(tensors):
    """One matrix for each pair of successive frames, (T - 1, X, Y, Z, 3, 3)."""
    return (tensors[1:] + tensors[:-1]) / 2


def edge_strength(tensors):
    """The geometric mean of the gradient over the three principal directions, per mm."""
    return np.maximum(tny.linalg.det(tensors), 0) ** (1 / 6)


def motion(normal, rhs):
    """Motion in mm from each frame to the next, (T - 1, X, Y, Z, 3)."""
    return tny.linalg.solve(normal, rhs)[..., 0]


def standard_error(normal, frames, head, width):
    """Expected error of that motion in mm, (T - 1, X, Y, Z), if all change in the head were noise."""
    noise = np.diff(frames, axis=0)[:, head].std()
    voxels = (2 * np.sqrt(np.pi) * np.hypot(width, BLUR)) ** 3  # how many of them the window averages
    return noise * np.sqrt(np.trace(tny.linalg.inv(normal), axis1=-2, axis2=-1) / voxels)


# ---------------------------------------------------------- teeny beside NumPy


def compare(tensors, normal, rhs, repeats=5, progress=lambda text: None):
    """Time both libraries in turns, one thread each: rows of (name, dtype, cells, teeny s, NumPy s, difference)."""
    rows = []
    for name, field in (("inv", [tensors]), ("det", [tensors]), ("solve", [normal, rhs])):
        ours, numpys = getattr(tny.linalg, name), getattr(np.linalg, name)
        for dtype in ("float32", "float64"):
            arguments = [array.astype(dtype) for array in field]  # astype keeps the order of the axes in memory
            seconds = np.empty((2, repeats))
            for turn in range(repeats):
                progress(f"{name} {dtype} {turn + 1}/{repeats}")
                seconds[0, turn], x = timed(ours, *arguments, workers=1)
                seconds[1, turn], reference = timed(numpys, *arguments)
            cells = field[-1][..., 0, 0].size
            rows.append((name, dtype, cells, *np.median(seconds, axis=1), difference(x, reference, tensors.ndim - 2)))
    return rows


def timed(function, *arguments, **options):
    start = time.perf_counter()
    result = function(*arguments, **options)
    return time.perf_counter() - start, result


def difference(x, reference, batch):
    """The largest difference within a cell, relative to the largest entry of that cell."""
    cell = tuple(range(batch, x.ndim))
    size = np.abs(reference).max(axis=cell)
    return np.max(np.abs(x - reference).max(axis=cell)[size > 0] / size[size > 0])


def print_table(rows):
    print(f"\n  {'':16}{'cells':>10}{'teeny':>12}{'NumPy':>12}{'NumPy/teeny':>14}{'difference':>14}")
    for name, dtype, cells, ours, numpys, error in rows:
        print(f"  {name:7}{dtype:9}{cells:>10,}{ours * 1e3:>9.1f} ms{numpys * 1e3:>9.1f} ms"
              f"{numpys / ours:>13.0f}x{error:>14.1e}")
    print("\n  One thread each, in turns, medians. Difference: the largest in any cell, relative to that cell's")
    print("  largest entry. Both compute float32 cells in float64 and round once.\n")


# ---------------------------------------------------------------- the picture


def draw(path, frames, head, edges, moved, error, slices=(3, 7, 11, 15, 19, 22)):
    """Six slices, from the base of the head to its top, in four rows; arrows where motion exceeds twice its error."""
    x, y = (slice(max(where.min() - 3, 0), where.max() + 4) for where in np.nonzero(head.any(axis=2)))
    ink, paper = "0.85", "#0b0d12"
    reach = np.percentile(np.linalg.norm(moved[head], axis=-1), 98)
    titles = "anatomy", "edges\n$\\det(J)^{1/6}$", "motion\n$J\\,v = b$", "its error\n$J^{-1}$"

    height = (y.stop - y.start) / (x.stop - x.start)
    figure, axes = plt.subplots(4, len(slices), figsize=(2 * len(slices) + 1.6, 4 * 2 * height), facecolor=paper)
    figure.subplots_adjust(left=0.06, right=0.925, top=0.995, bottom=0.005, wspace=0.02, hspace=0.02)
    for column, z in zip(axes.T, slices, strict=True):
        inside = head[x, y, z].T
        tissue = frames[0, x, y, z].T
        show(column[0], tissue, cmap="gray", vmin=0, vmax=1.6)
        strength = show(column[1], np.where(inside, edges[x, y, z].T, 0), cmap="inferno", vmin=0.005, vmax=0.07)
        show(column[2], colours(moved[x, y, z], reach, inside, tissue))
        certain = np.linalg.norm(moved[x, y, z], axis=-1) > 2 * error[x, y, z]
        arrows(column[2], moved[x, y, z], head[x, y, z] & certain, reach)
        doubt = show(column[3], np.where(inside, error[x, y, z].T * 1e3, np.nan), cmap=VIRIDIS, vmin=0, vmax=45)
    for row, title in zip(axes, titles, strict=True):
        row[0].text(-0.1, 0.5, title, transform=row[0].transAxes, color=ink, rotation=90, ha="center", va="center",
                    fontsize=11, linespacing=1.6)
    bar(figure, axes[1, -1], strength, "per mm", ink)
    bar(figure, axes[3, -1], doubt, "µm", ink)
    wheel(figure, axes[2, -1], reach, ink)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, facecolor=paper)
    plt.close(figure)


def show(axis, image, **options):
    axis.axis("off")
    return axis.imshow(image, origin="lower", interpolation="bicubic", **options)


def colours(vectors, reach, inside, tissue):
    """Hue for the direction within the slice, brightness for the root of its length, over a hint of the anatomy."""
    vectors = np.swapaxes(vectors, 0, 1)
    length = np.clip(np.hypot(vectors[..., 0], vectors[..., 1]) / reach, 0, 1)
    hue = np.arctan2(vectors[..., 1], vectors[..., 0]) / (2 * np.pi) % 1
    paint = hsv_to_rgb(np.stack([hue, np.full_like(hue, 0.7), np.sqrt(length)], axis=-1))
    return np.clip(np.where(inside[..., None], paint + 0.1 * tissue[..., None], 0), 0, 1)


def arrows(axis, vectors, drawn, reach, step=4):
    across, up = np.meshgrid(*(np.arange(step // 2, size, step) for size in vectors.shape[:2]), indexing="ij")
    across, up = across[drawn[across, up]], up[drawn[across, up]]
    style = {"color": "white", "alpha": 0.9, "pivot": "mid", "width": 0.009, "headwidth": 3.2, "headlength": 3.5}
    size = {"angles": "xy", "scale_units": "xy", "scale": reach / (1.6 * step)}
    axis.quiver(across, up, *vectors[across, up, :2].T, **size, **style)


def bar(figure, axis, image, unit, ink):
    box = axis.get_position()
    place = figure.add_axes((box.x1 + 0.012, box.y0 + 0.2 * box.height, 0.01, 0.6 * box.height))
    scale = figure.colorbar(image, cax=place)
    scale.outline.set_visible(False)
    place.set_title(unit, color=ink, fontsize=8)
    place.tick_params(color=ink, labelcolor=ink, labelsize=8, length=2)


def wheel(figure, axis, reach, ink):
    """The key to the colours: a disc of all vectors up to the largest."""
    box = axis.get_position()
    place = figure.add_axes((box.x1 + 0.006, box.y0 + 0.35 * box.height, 0.055, 0.3 * box.height))
    side = np.linspace(-1.05, 1.05, 200)
    vectors = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1)
    disc = (np.linalg.norm(vectors, axis=-1) <= 1).T
    show(place, np.dstack([colours(vectors, 1, disc, np.zeros(disc.shape)), disc]))
    place.set_title(f"{reach * 1e3:.0f} µm", color=ink, fontsize=8)


# ------------------------------------------------------------------ the run


def main():
    start = time.perf_counter()

    def step(text):
        print(f"{time.perf_counter() - start:6.1f} s  {text}", flush=True)

    def progress(text):
        if sys.stdout.isatty():
            print(f"          {text:<20}", end="\r", flush=True)

    frames, spacing, head = load()
    size = " x ".join(f"{side:.1f}" for side in spacing)
    step(f"read {frames.shape[0]} frames of {frames.shape[1:]} voxels, each {size} mm")
    smooth = windowed(frames, BLUR)
    grad = gradients(smooth, spacing)
    edges = edge_strength(structure_tensors(grad, FINE, ridge=1e-6))[0]
    step("took the determinants of the structure tensors")
    tensors = structure_tensors(grad, WIDE)
    normal = normal_matrices(tensors)
    rhs = right_hand_sides(smooth, grad, WIDE)
    moved = motion(normal, rhs)[0]
    error = standard_error(normal, frames, head, WIDE)[0]
    speed = np.linalg.norm(moved[head], axis=-1) * 1e3
    step(f"solved for the motion: median {np.median(speed):.0f} µm, 95 % below {np.percentile(speed, 95):.0f} µm, "
         f"error {np.median(error[head]) * 1e3:.0f} µm")
    draw(PICTURE, frames, head, edges, moved, error)
    step(f"drew {PICTURE}")
    step(f"timing both libraries on fields {tensors.shape}, channel first in memory ...")
    print_table(compare(tensors, normal, rhs, progress=progress))
    step("done")


if __name__ == "__main__":
    main()
