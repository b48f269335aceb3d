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

SPACE = (1, 2, 3)  # the axes of (T, X, Y, Z) that are space
PICTURE = Path("out/motion.png")


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


def gradients(frames, spacing, sigma=1.0):
    """Spatial derivatives per mm, channel first: (3, T, X, Y, Z)."""
    smooth = gaussian_filter(frames, sigma, axes=SPACE)
    return np.stack(np.gradient(smooth, *spacing, axis=SPACE))


def windowed(field, rho=2.5):
    """Average (..., T, X, Y, Z) over a Gaussian window around each voxel."""
    return gaussian_filter(field, rho, axes=(-3, -2, -1))


def structure_tensors(grad, ridge=1e-4):
    """The windowed outer product of the gradient with itself, (T, X, Y, Z, 3, 3).

    The result is a view of channel-first memory: nobody has to copy it to compute on it. The small
    ridge keeps the tensors of flat tissue and of empty air invertible.
    """
    tensors = windowed(grad[:, None] * grad[None, :])
    tensors += ridge * np.eye(3, dtype=grad.dtype)[:, :, None, None, None, None]
    return np.moveaxis(tensors, (0, 1), (-2, -1))


def right_hand_sides(frames, grad):
    """What the motion between successive frames has to explain, (T - 1, X, Y, Z, 3, 1)."""
    change = np.diff(gaussian_filter(frames, 1.0, axes=SPACE), axis=0)
    both = (grad[:, 1:] + grad[:, :-1]) / 2
    return np.moveaxis(windowed(-both * change), 0, -1)[..., None]


def edge_strength(tensors):
    """The geometric mean of the gradient over the three principal directions, per mm."""
    return np.maximum(tny.linalg.det(tensors), 0) ** (1 / 6)


def motion(tensors, rhs):
    """Motion in mm from each frame to the next, (T - 1, X, Y, Z, 3)."""
    normal = (tensors[1:] + tensors[:-1]) / 2
    return tny.linalg.solve(normal, rhs)[..., 0]


def standard_error(tensors, frames, head, rho=2.5):
    """Expected error of the motion in mm, (T - 1, X, Y, Z), from the noise of the frames."""
    noise = np.diff(gaussian_filter(frames, 1.0, axes=SPACE), axis=0)[:, head].std()
    voxels = (2 * np.sqrt(np.pi) * rho) ** 3  # how many of them the window averages
    spread = np.trace(tny.linalg.inv((tensors[1:] + tensors[:-1]) / 2), axis1=-2, axis2=-1)
    return noise * np.sqrt(spread / voxels)


# ---------------------------------------------------------- teeny beside NumPy


def compare(tensors, rhs, repeats=5, progress=lambda text: None):
    """Time both libraries in turns, one thread each: rows of (name, teeny s, NumPy s, largest difference)."""
    normal = (tensors[1:] + tensors[:-1]) / 2
    rows = []
    for name, arguments in (("inv", [tensors]), ("det", [tensors]), ("solve", [normal, rhs])):
        ours, numpys = getattr(tny.linalg, name), getattr(np.linalg, name)
        seconds = np.empty((2, repeats))
        for turn in range(repeats):
            progress(f"{name} {turn + 1}/{repeats}")
            seconds[0, turn], ours_result = timed(ours, *arguments, workers=1)
            seconds[1, turn], numpys_result = timed(numpys, *arguments)
        rows.append((name, *np.median(seconds, axis=1), difference(ours_result, numpys_result, normal.ndim)))
    return rows


def timed(function, *arguments, **options):
    start = time.perf_counter()
    result = function(*arguments, **options)
    return time.perf_counter() - start, result


def difference(x, reference, ndim):
    """The largest difference within a cell, relative to the largest entry of that cell."""
    cell = tuple(range(ndim - 2, x.ndim))
    return np.max(np.abs(x - reference).max(axis=cell) / np.abs(reference).max(axis=cell))


def print_table(rows, cells):
    print(f"\n  {'':8}{'cells':>10}{'teeny':>12}{'NumPy':>12}{'NumPy/teeny':>14}{'difference':>14}")
    for name, ours, numpys, error in rows:
        print(f"  {name:8}{cells[name]:>10,}{ours * 1e3:>9.1f} ms{numpys * 1e3:>9.1f} ms"
              f"{numpys / ours:>13.0f}x{error:>14.1e}")
    print("\n  One thread each, in turns, medians. Difference: the largest of all cells, relative to the cell.\n")


# ---------------------------------------------------------------- the picture


def draw(path, frames, head, edges, moved, error, slices=(3, 7, 11, 15, 19, 22)):
    """Six slices, from the base of the head to its top, in four rows."""
    x, y = (slice(max(where.min() - 3, 0), where.max() + 4) for where in np.nonzero(head.any(axis=2)))
    ink, paper = "0.85", "#0b0d12"
    reach = np.percentile(np.linalg.norm(moved[head], axis=-1), 98)
    titles = "anatomy", "edges\n$\\det(J)^{1/6}$", "motion\n$J\\,v = b$", "its error\n$J^{-1}$"

    height = (y.stop - y.start) / (x.stop - x.start)
    figure, axes = plt.subplots(4, len(slices), figsize=(2 * len(slices) + 1.6, 4 * 2 * height), facecolor=paper)
    figure.subplots_adjust(left=0.075, right=0.925, top=0.995, bottom=0.005, wspace=0.02, hspace=0.02)
    for column, z in zip(axes.T, slices, strict=True):
        inside = head[x, y, z].T
        tissue = frames[0, x, y, z].T
        show(column[0], tissue, cmap="gray", vmin=0, vmax=1.7)
        strength = show(column[1], np.where(inside, edges[x, y, z].T, 0), cmap="magma", vmin=0.01, vmax=0.11)
        show(column[2], colours(moved[x, y, z], reach, inside, tissue))
        arrows(column[2], moved[x, y, z], inside, reach)
        doubt = show(column[3], np.where(inside, error[x, y, z].T * 1e3, np.nan), cmap="viridis", vmin=0, vmax=60)
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
    """Hue for the direction within the slice, brightness for its length, over a hint of the anatomy."""
    vectors = np.swapaxes(vectors, 0, 1)
    length = np.clip(np.hypot(vectors[..., 0], vectors[..., 1]) / reach, 0, 1)
    hue = np.arctan2(vectors[..., 1], vectors[..., 0]) / (2 * np.pi) % 1
    paint = hsv_to_rgb(np.stack([hue, np.full_like(hue, 0.75), length], axis=-1))
    return np.clip(np.where(inside[..., None], paint + 0.12 * tissue[..., None], 0), 0, 1)


def arrows(axis, vectors, inside, reach, step=5):
    across, up = np.meshgrid(*(np.arange(step // 2, size, step) for size in vectors.shape[:2]), indexing="ij")
    drawn = inside[up, across]
    across, up = across[drawn], up[drawn]
    axis.quiver(across, up, *vectors[across, up, :2].T, color="white", alpha=0.9, pivot="mid", angles="xy",
                scale_units="xy", scale=reach / (1.3 * step), width=0.008, headwidth=3.5, headlength=4)


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
            print(f"          timing {text:<12}", end="\r", flush=True)

    frames, spacing, head = load()
    step(f"read {frames.shape[0]} frames of {frames.shape[1:]} voxels of {' x '.join(f'{s:.1f}' for s in spacing)} mm")
    grad = gradients(frames, spacing)
    tensors = structure_tensors(grad)
    rhs = right_hand_sides(frames, grad)
    step(f"formed structure tensors {tensors.shape}, {tensors.dtype}, channel first in memory")
    edges = edge_strength(tensors)[0]
    step("took their determinants")
    moved = motion(tensors, rhs)[0]
    error = standard_error(tensors, frames, head)[0]
    speed = np.linalg.norm(moved[head], axis=-1) * 1e3
    step(f"solved for the motion: median {np.median(speed):.0f} µm, 95 % below {np.percentile(speed, 95):.0f} µm, "
         f"standard error {np.median(error[head]) * 1e3:.0f} µm")
    draw(PICTURE, frames, head, edges, moved, error)
    step(f"drew {PICTURE}")
    step("timing teeny and NumPy on these fields ...")
    rows = compare(tensors, rhs, progress=progress)
    cells = {"inv": tensors[..., 0, 0].size, "det": tensors[..., 0, 0].size, "solve": rhs[..., 0, 0].size}
    print_table(rows, cells)
    step("done")


if __name__ == "__main__":
    main()
