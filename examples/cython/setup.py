"""Build against the installed teeny: Cython finds its .pxd files by itself, `get_include` has the headers."""

from Cython.Build import cythonize
from setuptools import Extension, setup

import teeny

kernels = Extension("fieldnorms.kernels", ["fieldnorms/kernels.pyx"], include_dirs=[teeny.get_include()])

setup(ext_modules=cythonize([kernels], compiler_directives={"language_level": 3, "cdivision": True}))
