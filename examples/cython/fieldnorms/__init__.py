"""Invariants of fields of square matrices, of any batch rank and any strides."""

from fieldnorms.kernels import invariants, remove_trace

__all__ = ["invariants", "remove_trace"]
