"""Benchmarks: ``python -m benchmarks``. One file per family of functions, a harness, a report, peers."""
