"""Instruction sets: what this CPU runs, and the variant of the leaves that goes with it.

A module of leaves is built once per instruction set, as ``small_v2``, ``small_v3``
and so on, or as ``small_baseline`` alone where the compiler or the machine offers
no choice. This module is built for any CPU; nothing else knows about variants.
"""

import os
import pkgutil
from importlib import import_module

from teeny._core.errors import Error

cdef extern from *:
    """
    #if defined(__clang__)
    #define TEENY_COMPILER "clang " __clang_version__
    #elif defined(__GNUC__)
    #define TEENY_COMPILER "gcc " __VERSION__
    #else
    #define TEENY_COMPILER "unknown"
    #endif

    #if defined(__GNUC__) && defined(__x86_64__)
    #define TEENY_HAS(feature) (__builtin_cpu_supports(feature) != 0)
    #else
    #define TEENY_HAS(feature) 0
    #endif
    static int teeny_has_v2(void) { return TEENY_HAS("ssse3") && TEENY_HAS("sse4.2") && TEENY_HAS("popcnt"); }
    static int teeny_has_v3(void) {
        return teeny_has_v2() && TEENY_HAS("avx2") && TEENY_HAS("fma") && TEENY_HAS("bmi") && TEENY_HAS("bmi2");
    }
    static int teeny_has_v4(void) {
        return teeny_has_v3() && TEENY_HAS("avx512f") && TEENY_HAS("avx512bw") && TEENY_HAS("avx512cd")
            && TEENY_HAS("avx512dq") && TEENY_HAS("avx512vl");
    }
    """
    const char *TEENY_COMPILER
    bint has_v2 "teeny_has_v2"()
    bint has_v3 "teeny_has_v3"()
    bint has_v4 "teeny_has_v4"()

#: The compiler that built this module.
compiler = TEENY_COMPILER.decode()

#: The variant in use, per module of leaves.
chosen = {}


def supported():
    """The instruction sets this CPU runs, best last."""
    runs = {"baseline": True, "v2": has_v2(), "v3": has_v3(), "v4": has_v4()}
    return [isa for isa, present in runs.items() if present]


def built():
    """The variants that were built, per module of leaves."""
    variants = {}
    for module in pkgutil.iter_modules(import_module("teeny._core.leaves").__path__):
        stem, _, isa = module.name.rpartition("_")
        variants.setdefault(stem, []).append(isa)
    return variants


def choose(available):
    """The best of the variants ``available``, or the one that ``TEENY_ISA`` names."""
    usable = [isa for isa in supported() if isa in available]
    forced = os.environ.get("TEENY_ISA")
    if forced:
        if forced not in usable:
            raise Error(f"TEENY_ISA: found {forced!r}, expected one of {', '.join(usable)}")
        return forced
    if not usable:
        raise Error(f"teeny: built for {', '.join(available)}, but this CPU runs only {', '.join(supported())}")
    return usable[-1]


def load(stem):
    """Import the module of leaves ``stem`` in the variant that suits this CPU, the last of a list.

    v4 leaves to v3 what it does no faster, so v3 comes before it.
    """
    available = built()[stem]
    chosen[stem] = choose(available)
    variants = ["v3", "v4"] if chosen[stem] == "v4" and "v3" in available else [chosen[stem]]
    return [import_module(f"teeny._core.leaves.{stem}_{isa}") for isa in variants]
