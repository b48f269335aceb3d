"""Kernels of one's own on teeny's boundary: norms of matrix fields, and resampling."""

from fieldkernels.norms import invariants, remove_trace
from fieldkernels.resampling import Bound, Order, resample

__all__ = ["Bound", "Order", "invariants", "remove_trace", "resample"]
