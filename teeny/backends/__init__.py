"""Backends and their selection."""

from teeny.backends.base import Accepts, Backend, BackendList, dispatch_kernel
from teeny.backends.cpu_kernels import CpuKernels
from teeny.backends.lapack import Lapack

__all__ = ["Accepts", "Backend", "BackendList", "CpuKernels", "Lapack", "dispatch_kernel"]
