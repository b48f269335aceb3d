"""The demo measures what it says it measures, on images whose motion and edges are known."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

for package in ("nibabel", "matplotlib"):
    pytest.importorskip(package)
fourier_shift = pytest.importorskip("scipy.ndimage").fourier_shift

DEMO = Path(__file__).parents[1] / "examples" / "motion.py"
SPACING = (2.0, 1.5, 1.0)
WINDOW = 2.0
INNER = (slice(None), slice(8, -8), slice(8, -8), slice(8, -8))


@pytest.fixture(scope="module")
def demo():
    spec = importlib.util.spec_from_file_location("motion_demo", DEMO)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def texture(demo, rng, shape=(32, 32, 32)):
    """A smooth periodic image, so that moving it by a fraction of a voxel is exact."""
    noise = np.fft.fftn(rng.standard_normal(shape))
    frequencies = np.meshgrid(*(np.fft.fftfreq(size) for size in shape), indexing="ij")
    spectrum = noise * np.exp(-(6 * np.linalg.norm(frequencies, axis=0)) ** 2 * 2)
    image = np.fft.ifftn(spectrum).real
    return spectrum / image.std()


def measured(demo, frames):
    grad = demo.gradients(frames, SPACING)
    normal = demo.normal_matrices(demo.structure_tensors(grad, WINDOW))
    return normal, demo.motion(normal, demo.right_hand_sides(frames, grad, WINDOW))


def test_motion_is_recovered(demo, rng):
    spectrum = texture(demo, rng)
    voxels = np.array([0.2, -0.1, 0.15])
    frames = np.stack([np.fft.ifftn(fourier_shift(spectrum, step * voxels)).real for step in (0, 1, 2)])
    _, moved = measured(demo, frames)
    assert moved.shape == (2, 32, 32, 32, 3)
    expected = np.broadcast_to(voxels * SPACING, moved.shape)
    np.testing.assert_allclose(moved[INNER], expected[INNER], atol=0.05)


def test_error_bounds_the_scatter_of_noise(demo, rng):
    still = np.fft.ifftn(texture(demo, rng)).real
    head = np.ones(still.shape, bool)
    frames = still + 0.02 * rng.standard_normal((2, *still.shape))
    normal, moved = measured(demo, demo.windowed(frames, demo.BLUR))
    scatter = np.sqrt(np.mean(np.sum(moved**2, axis=-1)[INNER]))
    expected = np.sqrt(np.mean(demo.standard_error(normal, frames, head, WINDOW)[INNER] ** 2))
    assert expected / 2 < scatter < expected


def test_determinant_of_a_ramp(demo):
    slope, ridge = np.array([0.3, -0.2, 0.1]), 1e-2
    place = np.meshgrid(*(np.arange(12) * side for side in SPACING), indexing="ij")
    ramp = np.tensordot(slope, place, 1)[np.newaxis]
    tensors = demo.structure_tensors(demo.gradients(ramp, SPACING), demo.FINE, ridge)
    expected = (ridge**2 * (ridge + slope @ slope)) ** (1 / 6)  # slope slope' + ridge I
    np.testing.assert_allclose(demo.edge_strength(tensors), expected, rtol=1e-6)


def test_comparison_counts_cells_and_differences(demo, rng):
    tensors = rng.standard_normal((2, 4, 5, 6, 3, 3)).astype(np.float32)
    normal, rhs = demo.normal_matrices(tensors), rng.standard_normal((1, 4, 5, 6, 3, 1)).astype(np.float32)
    rows = demo.compare(tensors, normal, rhs, repeats=1)
    assert [row[:3] for row in rows] == [
        (name, dtype, cells)
        for name, cells in (("inv", 240), ("det", 240), ("solve", 120))
        for dtype in ("float32", "float64")
    ]
    assert all(row[-1] < 1e-9 if row[1] == "float64" else row[-1] < 1e-6 for row in rows)
    x = np.array([[1.0, 2.0], [0.0, 0.0], [4.0, 10.0]])
    assert demo.difference(x, x - [[0, 0], [0, 0], [1, 0]], 1) == pytest.approx(0.1)


@pytest.mark.slow
def test_whole_demo(tmp_path):
    run = subprocess.run([sys.executable, DEMO], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    assert "solve  float64" in run.stdout
    assert (tmp_path / "out" / "motion.png").stat().st_size > 100_000
