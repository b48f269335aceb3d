"""Build against the installed teeny: its .pxd files are found by import, its headers by `get_include`."""

import teeny
from Cython.Build import cythonize
from setuptools import Extension, setup

kernels = Extension("fieldnorms.kernels", ["fieldnorms/kernels.pyx"], include_dirs=[teeny.get_include()])

setup(ext_modules=cythonize([kernels], compiler_directives={"language_level": 3, "cdivision": True}))
