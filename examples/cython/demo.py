"""One frame of an MRI series, turned about the centre of its field of view and back: ``python demo.py``.

It reads the 4-D series that ships inside nibabel. SciPy is measured beside it where it is installed.
"""

import time
from importlib.resources import as_file, files
from importlib.util import find_spec

import nibabel as nib
import numpy as np
from fieldkernels import Bound, resample

DEGREES = 20


def load():
    """The first frame as a float32 image (X, Y, Z, 1), and its voxel size in mm."""
    with as_file(files("nibabel") / "tests/data/example4d.nii.gz") as path:
        series = nib.load(path)
        return series.get_fdata(dtype=np.float32)[..., :1], series.header.get_zooms()[:3]


def rotated(shape, spacing, degrees):
    """Where a frame that is turned in the plane of its slices is read: coordinates (X, Y, Z, 3) in voxels.

    The angle is one in space, whose voxels need not be cubes.
    """
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    centre = (np.array(shape) - 1) / 2
    voxels = np.moveaxis(np.indices(shape), 0, -1)
    return (((voxels - centre) * spacing) @ turn / spacing + centre).astype(np.float32)


def main():
    frame, spacing = load()
    forth, back = (rotated(frame.shape[:3], spacing, angle) for angle in (DEGREES, -DEGREES))
    start = time.perf_counter()
    again = resample(resample(frame, forth), back, bound=Bound.REPLICATE)
    seconds = (time.perf_counter() - start) / 2
    inner = np.linalg.norm((forth - forth.mean((0, 1, 2)))[..., :2], axis=-1) < min(frame.shape[:2]) / 2 - 1
    change = np.abs(again - frame)[inner].mean() / frame[inner].mean()
    print(f"turned {frame.shape[:3]} voxels by {DEGREES} degrees in {seconds * 1e3:.1f} ms")
    print(f"and back: differs from the frame by {change:.1%} on average, as interpolation blurs")
    if find_spec("scipy"):
        from scipy.ndimage import map_coordinates

        start = time.perf_counter()
        reference = map_coordinates(frame[..., 0], np.moveaxis(forth, -1, 0), order=1, mode="grid-constant")
        seconds = time.perf_counter() - start
        error = np.abs(resample(frame, forth)[..., 0] - reference).max() / reference.max()
        print(f"scipy.ndimage.map_coordinates: {seconds * 1e3:.1f} ms, the same values to {error:.0e} of the largest")


if __name__ == "__main__":
    main()
