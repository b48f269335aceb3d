"""Build against the installed teeny: Cython finds its .pxd files by itself, `get_include` has the headers."""

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

import teeny


def kernels(name):
    return Extension(
        f"fieldkernels.{name}",
        [f"fieldkernels/{name}.pyx"],
        include_dirs=[teeny.get_include(), numpy.get_include()],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
    )


modules = [kernels("norms"), kernels("resampling")]
setup(ext_modules=cythonize(modules, build_dir="build", language_level=3))
