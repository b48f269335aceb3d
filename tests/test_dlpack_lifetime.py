"""DLPack: who frees what, how often, and in which thread."""

import ctypes
import gc
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest
from capsules import CLASSIC, CUDA, KINDS, VERSIONED, Cuda, Producer, lent, take_over

import teeny as tny
from teeny import as_anyrank, from_dlpack, to_dlpack, to_dltensor


class Array(np.ndarray):
    """An array that can be watched."""


def watched():
    x = np.arange(3.0).view(Array)
    return x, weakref.ref(x)


@KINDS
def test_capsules_keep_what_they_show(kind):
    x, gone = watched()
    capsule = to_dlpack(x, max_version=(1, 0) if kind == VERSIONED else None)
    del x
    assert gone() is not None
    array = np.from_dlpack(lent(capsule))
    assert array.tolist() == [0, 1, 2]
    del capsule
    gc.collect()
    assert gone() is not None
    del array
    gc.collect()
    assert gone() is None


@KINDS
def test_capsules_that_nobody_takes(kind):
    x, gone = watched()
    capsule = to_dlpack(x, max_version=(1, 0) if kind == VERSIONED else None)
    del x, capsule
    gc.collect()
    assert gone() is None


@KINDS
@pytest.mark.skipif(os.name == "nt", reason="POSIX threads")
def test_deleter_in_a_foreign_thread(kind):
    x, gone = watched()
    deleter, managed = take_over(to_dlpack(x, max_version=(1, 0) if kind == VERSIONED else None))
    del x
    libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
    libc.pthread_create.argtypes = [ctypes.c_void_p] * 4
    libc.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]
    assert gone() is not None
    assert libc.pthread_create(ctypes.byref(thread), None, deleter, managed) == 0
    assert libc.pthread_join(thread, None) == 0
    assert gone() is None


EXIT = """
import ctypes, sys
import numpy as np, teeny
from capsules import take_over
libc = ctypes.CDLL(None)
libc.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
for max_version in (None, (1, 0)):
    deleter, managed = take_over(teeny.to_dlpack(np.zeros(3), max_version=max_version))
    assert libc.__cxa_atexit(deleter, managed, None) == 0
at = teeny.from_dlpack(np.zeros(3))
sys.kept = at, at.fixed(1), teeny.to_dlpack(np.zeros(3)), teeny.to_dlpack(at, max_version=(1, 0))
print("well")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="registers what runs after the interpreter")
def test_deleter_after_the_interpreter(tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", EXIT]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "well\n", "")


def refuses(call):
    try:
        call()
    except tny.Error:
        return
    raise AssertionError("nothing was raised")


def cycle(x, readonly, producer, broken):
    """Every way in and out, and ways to be refused."""
    at, unread, far = as_anyrank(x), broken.capsule(), producer.capsule()
    x.__dlpack__(), at.__dlpack__(), at.__dlpack__(max_version=(1, 0)), to_dlpack(x, copy=True)
    from_dlpack(x), from_dlpack(x.__dlpack__()), from_dlpack(to_dltensor(x)), from_dlpack(at, copy=True)
    np.from_dlpack(at), from_dlpack(producer.capsule()), as_anyrank(Cuda())
    refuses(lambda: from_dlpack(unread))
    refuses(lambda: from_dlpack(far, space="mapped"))
    refuses(lambda: to_dlpack(readonly))
    refuses(lambda: to_dltensor(readonly))
    refuses(lambda: at.__dlpack__(dl_device=CUDA))
    refuses(lambda: as_anyrank(Cuda(mask=x)))


def resident():
    """Bytes of memory in use, where that is easily known; a sanitizer holds back what is freed."""
    if sys.platform != "linux" or "libasan" in os.environ.get("LD_PRELOAD", ""):
        return 0
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("count", [1_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nothing_is_lost_or_freed_twice(count):
    x, readonly = np.arange(3.0), np.arange(3.0)
    readonly.flags.writeable = False
    producer, broken = Producer(x), Producer(x, CLASSIC, dtype=(2, 32, 4))
    things = x, readonly, x.dtype, producer, broken
    for _ in range(200):
        cycle(x, readonly, producer, broken)
    gc.collect()
    references, memory = list(map(sys.getrefcount, things)), resident()
    for _ in range(count):
        cycle(x, readonly, producer, broken)
    gc.collect()
    assert list(map(sys.getrefcount, things)) == references
    assert producer.frees == (count + 200, count + 200)
    assert broken.frees == (0, count + 200)
    assert resident() - memory < 2**20
