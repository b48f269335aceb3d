"""Instruction sets: what this CPU runs, and the variant of the kernels that goes with it.

A module of kernels, in ``leaves`` or ``ranked``, is built once per instruction set, as ``systems_v2``,
``systems_v3`` and so on, or as ``systems_baseline`` alone where the compiler or the machine offers
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

#: The variant in use, per module of kernels.
chosen = {}

ROOMS = "teeny._core.leaves", "teeny._core.ranked"


def supported():
    """The instruction sets this CPU runs, best last."""
    runs = {"baseline": True, "v2": has_v2(), "v3": has_v3(), "v4": has_v4()}
    return [isa for isa, present in runs.items() if present]


def built():
    """The variants that were built, per module of kernels."""
    return {module.rpartition(".")[2]: variants for room in ROOMS for module, variants in modules(room).items()}


def modules(room):
    """The modules of a room by their full names, with the variants of each."""
    variants = {}
    for module in pkgutil.iter_modules(import_module(room).__path__, f"{room}."):
        name, _, isa = module.name.rpartition("_")
        variants.setdefault(name, []).append(isa)
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


def load(module):
    """Import a module of kernels in the variant that suits this CPU, the last of a list.

    v4 leaves to v3 what it does no faster, so v3 comes before it.
    """
    room, _, stem = module.rpartition(".")
    available = modules(room)[module]
    chosen[stem] = choose(available)
    variants = ["v3", "v4"] if chosen[stem] == "v4" and "v3" in available else [chosen[stem]]
    return [import_module(f"{module}_{isa}") for isa in variants]
