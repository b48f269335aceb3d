"""Build against the installed teeny: Cython finds its .pxd files by itself, `get_include` has the headers."""

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

import teeny

kernels = Extension(
    "fieldnorms.kernels",
    ["fieldnorms/kernels.pyx"],
    include_dirs=[teeny.get_include(), numpy.get_include()],
    define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
)

setup(ext_modules=cythonize([kernels], build_dir="build", language_level=3))
