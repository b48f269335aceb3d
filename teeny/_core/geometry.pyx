"""Static geometry: promises about sizes and strides, checked once and kept in the mapping.

What a tag says becomes part of the `Extents` and the layout of a mapping, so every view
that is made through it knows its static sizes and strides.
"""

from enum import StrEnum

from teeny._core.errors import ArgumentError, LayoutError, ShapeError
from teeny._core.layout cimport (INT64, Extents, Mapping, derive, integers, layout_left, layout_right, layout_stride,
                                 make_extents, make_mapping, ordered_left, ordered_right)

from teeny._core.layout import dyn

__all__ = ["anyshape", "ccontiguous", "etc", "fcontiguous", "keep_strides", "shape", "storage", "strides"]

#: Stands for any number of axes in `anyshape`.
etc = Ellipsis


class storage(StrEnum):
    """
    Names of the memory spaces.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank, storage
    >>> as_anyrank(np.zeros(3), space=storage.view).space == storage.view
    True
    """

    view = "view"
    pinned = "pinned"
    mapped = "mapped"
    gpu_view = "gpu_view"


def shape(*dims):
    """
    The sizes of a fixed number of axes, to be promised.

    Parameters
    ----------
    *dims : int
        A size, or -1 (`dyn`) where nothing is promised.

    Returns
    -------
    Extents

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank, ccontiguous, shape
    >>> cell = as_anyrank(np.zeros((4, 5, 3, 3))).peel_front_at(0, shape(-1, 3, 3), ccontiguous)
    >>> cell.static_extent(2), cell.static_stride(0)
    (3, 9)
    """
    return Extents(*dims)


cdef class anyshape:
    """
    The sizes of the first and the last axes of an array of any rank, to be promised.

    Spelled with an index that holds one ``...``, for any number of axes; -1 (`dyn`) where
    nothing is promised.

    Attributes
    ----------
    head, tail : tuple of int
        What stands before and after the ``...``.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import anyshape, as_anyrank
    >>> tag = anyshape[..., -1, 3]
    >>> tag.tail
    (-1, 3)
    >>> at = as_anyrank(np.zeros((4, 5, 6, 3)), tag)
    >>> [cell.static_extent(1) for cell in at.peel_front(-2).subrange(0, 2)]
    [3, 3]
    >>> as_anyrank(np.zeros((4, 5, 6, 2)), tag)
    Traceback (most recent call last):
    ...
    teeny.ShapeError: as_anyrank: shape: found size 2 on axis 3, expected 3 by anyshape[..., -1, 3]
    """

    def __cinit__(self):
        self.head = self.tail = ()

    def __init__(self):
        raise TypeError("anyshape is not made by calling it; spell it like anyshape[..., -1, 3]")

    @classmethod
    def __class_getitem__(cls, sizes):
        cdef anyshape tag = anyshape.__new__(anyshape)
        cdef tuple all = sizes if isinstance(sizes, tuple) else (sizes,)
        places = [place for place, size in enumerate(all) if size is etc]
        if len(places) != 1:
            raise ShapeError(f"anyshape: found {len(places)} of ... in {all}, expected one, "
                             "for the axes whose number is not known; shape(...) has none")
        tag.head = (<Extents> Extents(*all[:places[0]])).pattern
        tag.tail = (<Extents> Extents(*all[places[0] + 1:])).pattern
        return tag

    def __eq__(self, other):
        if not isinstance(other, anyshape):
            return NotImplemented
        return self.head == (<anyshape> other).head and self.tail == (<anyshape> other).tail

    def __hash__(self):
        return hash((self.head, self.tail))

    def __reduce__(self):
        return anyshape.__class_getitem__, ((*self.head, etc, *self.tail),)

    def __repr__(self):
        return f"anyshape[{', '.join([*map(str, self.head), '...', *map(str, self.tail)])}]"


cdef anyshape ANY = anyshape[(etc,)]


cdef class LayoutTag:
    """What is promised of strides; see `keep_strides`, `ccontiguous`, `fcontiguous` and `strides`."""

    def __cinit__(self):
        self.name = "keep_strides"

    def __init__(self):
        raise TypeError("LayoutTag is not made by calling it; use keep_strides, ccontiguous, fcontiguous or strides")

    def __eq__(self, other):
        if not isinstance(other, LayoutTag):
            return NotImplemented
        return self.name == (<LayoutTag> other).name and self.steps == (<LayoutTag> other).steps

    def __hash__(self):
        return hash((self.name, self.steps))

    def __reduce__(self):
        return self.name if self.steps is None else (strides, self.steps)

    def __repr__(self):
        return self.name if self.steps is None else f"{self.name}({', '.join(map(str, self.steps))})"


cdef LayoutTag make_layout(str name, tuple steps=None):
    cdef LayoutTag tag = LayoutTag.__new__(LayoutTag)
    tag.name, tag.steps = name, steps
    return tag


#: Nothing is promised of strides.
keep_strides = make_layout("keep_strides")
#: C order: a stride is static where all later sizes are.
ccontiguous = make_layout("ccontiguous")
#: Fortran order: a stride is static where all earlier sizes are.
fcontiguous = make_layout("fcontiguous")


def strides(*steps):
    """
    The stride of each axis, to be promised.

    Parameters
    ----------
    *steps : int
        A stride, in elements, or -1 (`dyn`) where nothing is promised.

    Returns
    -------
    LayoutTag

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import anyshape, as_anyrank, strides
    >>> at = as_anyrank(np.zeros((4, 6, 6))[:, ::2], anyshape[..., -1, 6], strides(12, 1))
    >>> at.fixed(3).static_stride(1)
    12
    """
    return make_layout("strides", integers(steps, "strides"))


cdef Mapping recast(Mapping mapping, object tag, object layout, str what):
    if not isinstance(tag, Extents):
        raise ArgumentError(f"{what}: shape: found {tag!r}, expected shape(...)")
    if len((<Extents> tag).pattern) != mapping.ndim:
        raise ShapeError(f"{what}: shape: found {mapping.ndim} axes, expected {tag.rank} by {tag!r}")
    check_sizes(mapping, (<Extents> tag).sizes or (<Extents> tag).pattern, 0, what, tag)
    return fold(mapping, (<Extents> tag).pattern, layout, 0, mapping.size == 0, what)


cdef tuple promised(Mapping mapping, object tag, object layout, str what):
    cdef Mapping tail, whole
    cdef anyshape ends
    cdef int rest, first
    if tag is not None and not isinstance(tag, anyshape):
        raise ArgumentError(f"{what}: shape: found {tag!r}, expected anyshape[...] or None")
    ends = ANY if tag is None else tag
    if layout is not keep_strides and not ends.tail:
        raise ArgumentError(f"{what}: layout: found {layout!r}, expected sizes after the ... of anyshape "
                            "that it belongs to")
    first = mapping.ndim - len(ends.tail)
    rest = first - len(ends.head)
    if rest < 0:
        raise ShapeError(f"{what}: shape: found {mapping.ndim} axes, expected at least "
                         f"{mapping.ndim - rest} by {tag!r}")
    check_sizes(mapping, ends.head, 0, what, tag)
    check_sizes(mapping, ends.tail, first, what, tag)
    tail = fold(plain(mapping, first, what), ends.tail, layout, first, mapping.size == 0, what)
    whole = derive(layout_stride, mapping.index,
                   make_extents(ends.head + (dyn,) * rest + ends.tail, mapping.extents.shape),
                   mapping.strides[:first] + tail.strides, (dyn,) * first + tail.static_strides(), what)
    return whole, tail


cdef Mapping trailing(Mapping mapping, int keep, Mapping tail, str what):
    cdef int lead = mapping.ndim - keep, loose = max(0, keep - tail.ndim)
    cdef tuple pattern
    if plain_already(mapping):
        return make_mapping(keep, mapping.shape + lead, mapping.steps + lead, what)
    pattern = (dyn,) * loose + (<Extents> tail.extents).pattern[tail.ndim - keep + loose:]
    extents = make_extents(pattern, (<Extents> mapping.extents).sizes[lead:])
    if loose == 0 and isinstance(tail, layout_right) or keep == tail.ndim and isinstance(tail, layout_left):
        return derive(type(tail), mapping.index, extents, None, None, what)
    return derive(layout_stride, mapping.index, extents, mapping.strides[lead:],
                  (dyn,) * loose + tail.static_strides()[tail.ndim - keep + loose:], what)


cdef bint plain_already(Mapping mapping):
    """Whether nothing is static, and indices are as Python's."""
    cdef bint sizes = mapping.known is None or mapping.known.rank_dynamic == mapping.ndim
    return (sizes and mapping.fixed is None and type(mapping) is layout_stride
            and mapping.index.bits == INT64.bits and mapping.index.code == INT64.code)


cdef Mapping plain(Mapping mapping, int first, str what):
    """The axes from `first` on, with nothing static."""
    cdef tuple sizes = (<Extents> mapping.extents).sizes[first:]
    return derive(layout_stride, mapping.index, make_extents((dyn,) * len(sizes), sizes),
                  mapping.strides[first:], None, what)


cdef Mapping fold(Mapping mapping, tuple pattern, object layout, int first, bint unseen, str what):
    """`mapping` with static sizes that are right, and the strides of `layout`, which are checked."""
    cdef Extents extents = make_extents(pattern, (<Extents> mapping.extents).sizes)
    cdef LayoutTag tag
    cdef tuple steps
    if not isinstance(layout, LayoutTag):
        raise ArgumentError(f"{what}: layout: found {layout!r}, expected keep_strides, ccontiguous, fcontiguous "
                            "or strides(...)")
    tag = layout
    if tag.name == "keep_strides":
        return derive(type(mapping), mapping.index, extents, mapping.strides, mapping.fixed, what)
    if tag.name == "strides":
        if len(tag.steps) != mapping.ndim:
            raise LayoutError(f"{what}: layout: found {tag!r}, expected one stride for each of {mapping.ndim} axes")
        check_strides(mapping, tag.steps, first, unseen, what, tag)
        steps = tuple([found if step == dyn else step for step, found in zip(tag.steps, mapping.strides)])
        return derive(layout_stride, mapping.index, extents, steps, tag.steps, what)
    if tag.name == "ccontiguous":
        check_strides(mapping, ordered_right(extents.sizes), first, unseen, what, tag)
        return derive(layout_right, mapping.index, extents, None, None, what)
    check_strides(mapping, ordered_left(extents.sizes), first, unseen, what, tag)
    return derive(layout_left, mapping.index, extents, None, None, what)


cdef int check_sizes(Mapping mapping, tuple sizes, int first, str what, object tag) except -1:
    for axis, size in enumerate(sizes, first):
        if size != dyn and size != mapping.shape[axis]:
            raise ShapeError(f"{what}: shape: found size {mapping.shape[axis]} on axis {axis}, "
                             f"expected {size} by {tag!r}")
    return 0


cdef int check_strides(Mapping mapping, tuple steps, int first, bint unseen, str what, object tag) except -1:
    """The stride of an axis of one element is never seen, and those of an empty array are not."""
    for axis, (step, found) in enumerate(zip(steps, mapping.strides)):
        if step not in (dyn, found) and mapping.shape[axis] > 1 and not unseen:
            raise LayoutError(f"{what}: layout: found stride {found} on axis {first + axis}, "
                              f"expected {step} by {tag!r}")
    return 0
