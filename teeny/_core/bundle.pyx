"""Samples and bundles: the index of one sample, of W consecutive ones, and which of them exist.

Indices have 32 bits, as in ``teeny/sample.h``.
"""

import functools

from libc.stdint cimport int64_t, uint32_t

from teeny._core.errors import ArgumentError, BoundsError
from teeny._core.vocabulary cimport integer

__all__ = ["BundleIndex", "Mask", "SampleIndex"]


cdef int64_t within(object value, int64_t high, str what, int64_t low=0) except -1:
    """`value` as an integer from low to high, or an error that begins with `what`."""
    number = integer(value, what)
    if not low <= number <= high:
        raise BoundsError(f"{what}: found {number}, expected {low} to {high}")
    return number


cdef uint32_t grid_index(object thread, object block, object block_dim, str what) except? 0:
    """thread + block * block_dim, if that fits 32 bits."""
    if (block is None) != (block_dim is None):
        raise ArgumentError(f"{what}: found one of block and block_dim, expected both or neither")
    if block is None:
        return within(thread, 2**32 - 1, what + ": thread")
    cdef object threads = within(block_dim, 2**32 - 1, what + ": block_dim", 1)  # wide enough for the product
    cdef object first = within(block, 2**32 - 1, what + ": block") * threads
    return within(first + within(thread, threads - 1, what + ": thread"), 2**32 - 1, what)


cdef class SampleIndex:
    """
    One sample: where it is in the whole grid, and in its block.

    Parameters
    ----------
    global_, work : int
        Grid-wide and block-local index.

    Raises
    ------
    BoundsError
        If an index is negative or does not fit 32 bits.

    Examples
    --------
    >>> from teeny import SampleIndex
    >>> SampleIndex.make(7)
    SampleIndex(global_=7, work=7)
    >>> SampleIndex.make(3, 2, 128)
    SampleIndex(global_=259, work=3)
    """

    def __init__(self, global_, work):
        self.c.global_ = within(global_, 2**32 - 1, "SampleIndex: global_")
        self.c.work = within(work, 2**32 - 1, "SampleIndex: work")

    @classmethod
    def make(cls, thread, block=None, block_dim=None):
        """The sample of a thread of a block of `block_dim`; on the host, of a plain index."""
        return cls(grid_index(thread, block, block_dim, "SampleIndex.make"), thread)

    @property
    def global_(self):
        """Index in the whole grid."""
        return self.c.global_

    @property
    def work(self):
        """Index in the block, or lane of the bundle."""
        return self.c.work

    def __eq__(self, other):
        return isinstance(other, SampleIndex) and self.__reduce__() == other.__reduce__()

    def __hash__(self):
        return hash(self.__reduce__())

    def __reduce__(self):
        return SampleIndex, (self.global_, self.work)

    def __repr__(self):
        return f"SampleIndex(global_={self.global_}, work={self.work})"


cdef class BundleIndex:
    """
    W consecutive samples handled together: ``BundleIndex[W]`` number i is samples W i to W i + W.

    Parameters
    ----------
    i : int
        Which bundle.

    Raises
    ------
    BoundsError
        If a sample of it does not fit 32 bits.

    Examples
    --------
    >>> from teeny import BundleIndex
    >>> b = BundleIndex[4].make(2)
    >>> b.width, b.base, b.lane(3)
    (4, 8, SampleIndex(global_=11, work=3))
    >>> mask = b.mask(10)
    >>> [mask.lane(k) for k in range(4)], mask.full()
    ([True, True, False, False], False)
    """

    #: Samples per bundle; ``BundleIndex[W]`` has one.
    width = None

    def __init__(self, i):
        cdef type kind = type(self)
        if kind.width is None:
            raise ArgumentError("BundleIndex: found no width, expected BundleIndex[W]")
        self.c = bundle(within(i, 2**32 // kind.width - 1, kind.__name__), kind.width)

    def __class_getitem__(cls, width):
        return of_width(within(width, 2**16, "BundleIndex: width", 1))

    @classmethod
    def make(cls, thread, block=None, block_dim=None):
        """The bundle of a thread of a block of `block_dim`; on the host, of a plain index."""
        return cls(grid_index(thread, block, block_dim, f"{cls.__name__}.make"))

    @property
    def base(self):
        """The first sample."""
        return self.c.base

    def lane(self, k):
        """The k-th sample; its ``work`` is k."""
        cdef sample_t lane = bundle_lane(self.c, within(k, <int64_t> self.c.width - 1, f"{type(self).__name__}.lane"))
        return SampleIndex(lane.global_, lane.work)

    def mask(self, n):
        """Which lanes are among the first `n` samples."""
        cdef mask_t mask = bundle_mask(self.c, within(n, 2**63 - 1, f"{type(self).__name__}.mask"))
        return Mask(mask.count, mask.width)

    def __eq__(self, other):
        return isinstance(other, BundleIndex) and self.__reduce__() == other.__reduce__()

    def __hash__(self):
        return hash(self.__reduce__())

    def __reduce__(self):
        return remake, (self.width, self.c.base // max(self.c.width, 1))

    def __repr__(self):
        return f"{type(self).__name__}({self.c.base // max(self.c.width, 1)})"


def remake(width, i):
    return BundleIndex[width](i)


@functools.cache
def of_width(width):
    return type(f"BundleIndex[{width}]", (BundleIndex,), {"__slots__": (), "__module__": __name__, "width": width})


cdef class Mask:
    """
    Which lanes of a bundle are inside: the first `count` of `width`.

    Parameters
    ----------
    count, width : int

    Raises
    ------
    BoundsError
        If there are more than `width`.

    Examples
    --------
    >>> from teeny import Mask
    >>> Mask(2, 4).lane(1), Mask(2, 4).lane(2), Mask(4, 4).full()
    (True, False, True)
    """

    def __init__(self, count, width):
        self.c.width = within(width, 2**32 - 1, "Mask: width")
        self.c.count = within(count, self.c.width, "Mask: count")

    def lane(self, k):
        """Whether lane k is inside."""
        return mask_lane(self.c, within(k, <int64_t> self.c.width - 1, "Mask.lane"))

    def full(self):
        """Whether all lanes are."""
        return mask_full(self.c)

    def __eq__(self, other):
        return isinstance(other, Mask) and self.__reduce__() == other.__reduce__()

    def __hash__(self):
        return hash(self.__reduce__())

    def __reduce__(self):
        return Mask, (self.c.count, self.c.width)

    def __repr__(self):
        return f"Mask({self.c.count}, {self.c.width})"
