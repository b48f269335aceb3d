"""Samples, bundles and masks, against counting."""

import copy
import pickle

import pytest

import teeny as tny
from teeny import BundleIndex, Mask, SampleIndex


def test_sample_of_a_thread_and_of_an_index():
    sample = SampleIndex.make(5, 3, 64)
    assert (sample.global_, sample.work) == (3 * 64 + 5, 5)
    sample = SampleIndex.make(7)
    assert (sample.global_, sample.work) == (7, 7)
    assert repr(SampleIndex(9, 1)) == "SampleIndex(global_=9, work=1)"


@pytest.mark.parametrize("width", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("n", range(10))
def test_bundles_cover_every_sample_once(width, n):
    covered = []
    for i in range(-(-n // width)):
        bundle = BundleIndex[width].make(i)
        mask = bundle.mask(n)
        inside = [mask.lane(k) for k in range(width)]
        assert bundle.base == width * i
        assert [bundle.lane(k).work for k in range(width)] == list(range(width))
        assert mask.full() == all(inside)
        covered += [bundle.lane(k).global_ for k in range(width) if inside[k]]
    assert covered == list(range(n))


def test_bundle_of_a_thread():
    bundle = BundleIndex[4].make(5, 3, 64)
    assert (bundle.base, bundle.width) == (4 * (3 * 64 + 5), 4)
    assert BundleIndex[4] is BundleIndex[4]
    assert BundleIndex[4].width == 4
    assert repr(bundle) == f"BundleIndex[4]({3 * 64 + 5})"


def test_mask_before_and_behind_the_end():
    bundle = BundleIndex[4](2)
    assert [sum(bundle.mask(n).lane(k) for k in range(4)) for n in (0, 7, 8, 9, 12, 2**62)] == [0, 0, 0, 1, 4, 4]


def test_indices_have_32_bits():
    assert SampleIndex.make(2**32 - 1).global_ == 2**32 - 1
    assert BundleIndex[4](2**30 - 1).lane(3).global_ == 2**32 - 1
    for refused in (
        lambda: SampleIndex.make(2**32),
        lambda: SampleIndex.make(-1),
        lambda: SampleIndex.make(0, 2**31, 2),
        lambda: SampleIndex.make(64, 0, 64),
        lambda: BundleIndex[4](2**30),
        lambda: BundleIndex[4](0).lane(4),
        lambda: BundleIndex[4](0).mask(-1),
        lambda: BundleIndex[0],
        lambda: Mask(5, 4),
        lambda: Mask(2, 4).lane(4),
        lambda: Mask(0, 0).lane(0),
        lambda: BundleIndex[2**17],
        lambda: SampleIndex.make(0, 0, 0),
    ):
        with pytest.raises(tny.BoundsError, match="expected"):
            refused()


def test_indices_are_values():
    things = [SampleIndex(9, 1), SampleIndex(9, 2), BundleIndex[4](3), BundleIndex[2](3), Mask(1, 4), Mask(2, 4)]
    assert len({*things, *map(copy.copy, things), *map(pickle.loads, map(pickle.dumps, things))}) == 6
    assert SampleIndex.make(7) == SampleIndex(7, 7) != 7


def test_what_is_no_index():
    for refused in (lambda: SampleIndex.make(1, 2), lambda: SampleIndex.make(1.5), lambda: BundleIndex(3)):
        with pytest.raises(tny.ArgumentError, match="expected"):
            refused()
