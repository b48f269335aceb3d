"""Build of the compiled modules; everything else stands in pyproject.toml."""

import copy
import os
import platform
from pathlib import Path

import numpy
from Cython.Build import cythonize
from Cython.Compiler import Errors
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HEADERS = [str(header) for header in sorted(Path("teeny/include").rglob("*.h"))]
MACROS = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION")]

GNU = os.name != "nt"

# No contraction and no reassociation: a cell's bits are the same on every machine.
# The two --param lift gcc's limits on unrolling loops whose bounds are static sizes.
FLAGS = [
    "-O3",
    "-g0",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fvisibility=hidden",
    "-Wno-psabi",
    "-Wno-maybe-uninitialized",
    "--param=max-completely-peeled-insns=2000",
    "--param=max-completely-peel-times=16",
]
if not GNU:
    FLAGS = ["/O2", "/fp:precise"]

# `make test-asan`: the first bad access to memory and the first undefined operation end the process.
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if os.environ.get("TEENY_SANITIZE") else []
if SANITIZE:
    FLAGS += ["-O1", "-g", "-fno-omit-frame-pointer"]

# Modules of kernels are compiled once per instruction set, from one C file;
# `teeny._core.isa` picks one at import. Each room has flags of its own: elements of integers wrap around, as NumPy's
# do, and what is selected may be computed without (that changes no value).
KERNELS = {
    "teeny._core.leaves.": [],
    "teeny._core.ranked.": ["-fwrapv", "-fno-trapping-math", "-Wno-tautological-compare"],
}
VARIANTS = {"baseline": []}
if GNU and platform.machine().lower() in ("x86_64", "amd64"):
    VARIANTS = {"v2": ["-march=x86-64-v2"], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4"]}
# Vector mathematics where the C library has it; elsewhere it computes one number at a time.
LIBMVEC = "v2" in VARIANTS and platform.libc_ver()[0] == "glibc"
if LIBMVEC:
    MACROS.append(("TEENY_LIBMVEC", "1"))

# A kernel is one straight line of code: what it calls is inlined, what is rare is kept out of it.
KERNEL_FLAGS = ["-fno-inline-functions-called-once"] if GNU else []
KERNEL_MACROS = [("CYTHON_INLINE", "inline __attribute__((always_inline))")] if GNU and not SANITIZE else []

DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "cdivision": True,
    "autotestdict": False,
    "embedsignature": True,
    "embedsignature.format": "python",
}


def extension(name, source, flags=(), macros=()):
    return Extension(
        name,
        [str(source)],
        include_dirs=["teeny/include", numpy.get_include()],
        define_macros=[*MACROS, *macros],
        libraries=["mvec"] if LIBMVEC and name.startswith("teeny._core.ranked.transcendental") else [],
        extra_compile_args=[*FLAGS, *flags, *SANITIZE],
        extra_link_args=SANITIZE,
        depends=["setup.py", *HEADERS],
    )


def variants(module):
    """One extension per instruction set; the macro renames the function Python looks for."""
    room, _, stem = module.name.rpartition(".")
    room_flags = KERNELS[f"{room}."] if GNU else []
    for isa, flags in VARIANTS.items():
        macros = [(f"PyInit_{stem}", f"PyInit_{stem}_{isa}"), *KERNEL_MACROS]
        yield extension(f"{module.name}_{isa}", module.sources[0], KERNEL_FLAGS + room_flags + flags, macros)


def extensions():
    Errors.LEVEL = 2  # to Cython, memoryviews that a macro fills look unassigned
    sources = sorted(Path("teeny").rglob("*.pyx"))
    modules = [extension(".".join(path.with_suffix("").parts), path) for path in sources]
    for module in cythonize(modules, compiler_directives=DIRECTIVES, build_dir="build/cython"):
        if module.name.startswith(tuple(KERNELS)):
            yield from variants(module)
        else:
            yield module


class BuildExt(build_ext):
    """Extensions in parallel, each in its own object folder: variants share a C file, not their flags."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, ext):
        private = copy.copy(self)
        private.build_temp = os.path.join(self.build_temp, ext.name)
        build_ext.build_extension(private, ext)


setup(ext_modules=list(extensions()), cmdclass={"build_ext": BuildExt})
