"""Options of the boundary that are nothing of their kind: refused by name, before anything is done."""

import numpy as np
import pytest
from capsules import Producer, name_of

import teeny as tny
from teeny import AnyRank, as_anyrank, from_dlpack, to_dlpack

X = np.zeros((4, 3, 3))
AT = as_anyrank(X)
VIEW = AT.fixed(3)
DATA = X.ctypes.data


class Broken:
    """An object that fails whatever is done with it."""

    def fail(self, *_):
        raise RuntimeError("of mine")

    __index__ = __int__ = __float__ = __bool__ = __iter__ = __len__ = __eq__ = __getattr__ = fail
    __hash__ = object.__hash__

    def __repr__(self):
        return "Broken()"


NUMBERS = {
    "from_pointer: ptr": lambda n: AnyRank.from_pointer(n, "f8", (0,)),
    "from_pointer: shape": lambda n: AnyRank.from_pointer(DATA, "f8", (n,)),
    "from_pointer: strides": lambda n: AnyRank.from_pointer(DATA, "f8", (2,), (n,)),
    "as_anyrank: max_rank": lambda n: as_anyrank(X, max_rank=n),
    "reindex: max_rank": lambda n: AT.reindex("int32", n),
    "fixed: rank": AT.fixed,
    "size_front: keep": AT.size_front,
    "peel_front: keep": AT.peel_front,
    "peel_front_at: keep": lambda n: AT.peel_front_at(0, n),
    "peel_front_at: i": lambda n: AT.peel_front_at(n, -2),
    "subrange: lo": lambda n: AT.peel_front(-2).subrange(n, 2),
    "subrange: hi": lambda n: AT.peel_front(-2).subrange(0, n),
    "peel_together: keep": lambda n: tny.peel_together(AT, keep=(n,)),
    "View: found .* on axis 0": lambda n: VIEW[n],
    "View: found .* on axis 1": lambda n: VIEW[:, slice(n, None)],
    "permute: axis": lambda n: VIEW.permute(n, 1, 0),
    "flip: axis": VIEW.flip,
    "squeeze: axis": VIEW.squeeze,
    "unsqueeze: axis": VIEW.unsqueeze,
    "static_extent: axis": VIEW.static_extent,
    "static_stride: axis": VIEW.static_stride,
    "Extents": tny.Extents,
    "Extents: axis": lambda n: tny.Extents(3).extent(n),
    "layout_stride: strides": lambda n: tny.layout_stride(tny.Extents(3), (n,)),
    "layout_right": lambda n: tny.layout_right(tny.Extents(3))(n),
    "anyshape|Extents": lambda n: tny.anyshape[..., n],
    "strides": tny.strides,
    "dispatch_value: value": lambda n: tny.dispatch_value((1, 2), n, print),
    "dispatch_value: values": lambda n: tny.dispatch_value((1, n), 1, print),
    "candidates: value": lambda n: tny.candidates((1, 2), n),
    "dispatch_rank: max_rank": lambda n: tny.dispatch_rank(AT, print, n),
    "dispatch_dlpack: max_rank": lambda n: tny.dispatch_dlpack(X, print, max_rank=n),
    "to_dlpack: max_version": lambda n: to_dlpack(X, max_version=(n, 0)),
    "to_dlpack: dl_device": lambda n: to_dlpack(X, dl_device=(n, 0)),
    "to_dlpack: stream": lambda n: to_dlpack(X, stream=n),
    "AnyRank.__dlpack__: stream": lambda n: AT.__dlpack__(stream=n),
    "from_dlpack: stream": lambda n: from_dlpack(X, stream=n),
    "DType: bits": lambda n: tny.DType(2, n),
    "Device: id": lambda n: tny.Device(2, n),
    "SampleIndex: work": lambda n: tny.SampleIndex(1, n),
    "SampleIndex.make: thread": lambda n: tny.SampleIndex.make(n),
    "SampleIndex.make: block_dim": lambda n: tny.SampleIndex.make(1, 2, n),
    "BundleIndex: width": lambda n: tny.BundleIndex[n],
    "Mask: count": lambda n: tny.Mask(n, 4),
}


@pytest.mark.parametrize("number", ["a", 1.5, float("nan"), [[]], Broken()], ids=repr)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name, number):
    with pytest.raises(tny.ArgumentError, match=rf"^({name})\b") as caught:
        NUMBERS[name](number)
    assert "found" in str(caught.value)


@pytest.mark.parametrize("number", [0, -1, "a", 1.5, None, Broken()], ids=repr)
def test_threads(number):
    for call in (tny.threads, tny.set_num_threads):
        with pytest.raises(tny.ArgumentError, match="n must be an integer of at least 1"):
            call(number)


FLAGS = {
    "as_anyrank: copy_meta": lambda b: as_anyrank(X, copy_meta=b),
    "from_pointer: readonly": lambda b: AnyRank.from_pointer(DATA, "f8", (2,), readonly=b),
    "from_dlpack: copy": lambda b: from_dlpack(X, copy=b),
    "to_dlpack: copy": lambda b: to_dlpack(X, copy=b),
    "View.__dlpack__: copy": lambda b: VIEW.__dlpack__(copy=b),
    "View.__array__: copy": lambda b: VIEW.__array__(copy=b),
    "dispatch_rank: narrow_index": lambda b: tny.dispatch_rank(AT, print, narrow_index=b),
}


@pytest.mark.parametrize("flag", ["no", 1, np.array([1, 2]), Broken()], ids=lambda flag: type(flag).__name__)
@pytest.mark.parametrize("name", FLAGS)
def test_flags(name, flag):
    with pytest.raises(tny.ArgumentError, match=f"^{name}: found .*True or False"):
        FLAGS[name](flag)


DTYPES = {
    "from_pointer: dtype": lambda to: AnyRank.from_pointer(DATA, to, (2,)),
    "from_dlpack: dtype": lambda to: from_dlpack(X, dtype=to),
    "index_fits": AT.index_fits,
    "reindex": VIEW.reindex,
}


@pytest.mark.parametrize("dtype", ["zz", object, {"names": ["a"]}, Broken()], ids=repr)
@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(name, dtype):
    with pytest.raises(tny.DTypeError, match=f"^{name}: found .*, expected booleans, integers, floats"):
        DTYPES[name](dtype)


@pytest.mark.parametrize("space", [3, np.array(["view", "pinned"]), ["view"], Broken()], ids=lambda s: type(s).__name__)
def test_spaces(space):
    for name, call in (("as_anyrank", as_anyrank), ("from_dlpack", from_dlpack)):
        with pytest.raises(tny.ArgumentError, match=f"^{name}: space: found .*, expected one of view, pinned, mapped"):
            call(X, space=space)


@pytest.mark.parametrize("device", ["foo", 1.5, [2, 0], None.__class__, Broken()], ids=repr)
def test_devices(device):
    with pytest.raises(tny.Error, match=r"^from_pointer: device: found .*, expected"):
        AnyRank.from_pointer(DATA, "f8", (2,), device=device)


@pytest.mark.parametrize("tag", [3, "C", np.zeros(2), Broken()], ids=lambda tag: type(tag).__name__)
def test_tags(tag):
    for call, name in (
        (lambda: as_anyrank(X, tag), "as_anyrank: shape"),
        (lambda: as_anyrank(X, tny.anyshape[..., 3], tag), "as_anyrank: layout"),
        (lambda: from_dlpack(X, tag), "from_dlpack: shape"),
        (lambda: VIEW.recast(tag), "recast: shape"),
        (lambda: VIEW.recast(tny.shape(4, 3, 3), tag), "recast: layout"),
        (lambda: VIEW.is_contiguous(tag), "is_contiguous: layout"),
        (lambda: AT.peel_front_at(0, tny.shape(3, 3), tag), "peel_front_at: layout"),
    ):
        with pytest.raises(tny.ArgumentError, match=f"^{name}: found"):
            call()


def test_broken_objects_are_no_arrays():
    for call, name in (
        (as_anyrank, "as_anyrank: x"),
        (from_dlpack, "from_dlpack: m"),
        (to_dlpack, "to_dlpack: x"),
        (tny.to_dltensor, "to_dltensor: x"),
        (lambda m: tny.dispatch_dlpack(m, print), "dispatch_dlpack: m"),
        (lambda m: tny.dispatch_dlpack_dtype(m, print), "dispatch_dlpack_dtype: m"),
    ):
        with pytest.raises(tny.BoundaryError, match=f"^{name}: found a Broken that cannot be taken in: of mine"):
            call(Broken())


@pytest.mark.parametrize("options", [{"dtype": "zz"}, {"space": 3}, {"copy": 1}, {"stream": "a"}, {"shape": 3}])
def test_capsules_are_not_consumed_by_bad_options(options):
    producer = Producer(np.zeros(3))
    capsule = producer.capsule()
    with pytest.raises(tny.Error):
        from_dlpack(capsule, **options)
    assert name_of(capsule) == producer.kind
    assert from_dlpack(capsule).shape == (3,)
