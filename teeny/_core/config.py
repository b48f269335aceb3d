"""What this installation is made of: versions, instruction set, threads."""

import os
import platform
import sysconfig

import numpy as np

from teeny._core import isa, threads
from teeny._core.errors import ArgumentError
from teeny._version import __version__

__all__ = ["show_config"]


def show_config(mode="stdout"):
    """Show the versions, instruction set and threads that teeny works with.

    Parameters
    ----------
    mode : {"stdout", "dicts"}, optional
        Print the information, or return it.

    Returns
    -------
    dict or None
        With ``mode="dicts"``, one dictionary per section.

    Examples
    --------
    >>> import teeny as tny
    >>> sorted(tny.show_config(mode="dicts"))
    ['build', 'isa', 'threads', 'versions']
    """
    if mode not in ("stdout", "dicts"):
        raise ArgumentError(f"show_config: mode: found {mode!r}, expected 'stdout' or 'dicts'")
    config = {
        "versions": {
            "teeny": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "build": {
            "compiler": isa.compiler,
            "platform": sysconfig.get_platform(),
        },
        "isa": {
            "chosen": dict(isa.chosen),
            "built": isa.built(),
            "supported": isa.supported(),
            "forced": os.environ.get("TEENY_ISA"),
        },
        "threads": {
            "threads": threads.get_num_threads(),
            "cpus": os.cpu_count(),
            "forced": os.environ.get("TEENY_NUM_THREADS"),
        },
    }
    if mode == "dicts":
        return config
    for section, entries in config.items():
        print(section)
        for name, value in entries.items():
            print(f"  {name + ':':<12}{_text(value)}")
    return None


def _text(value):
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(item)}" for name, item in value.items()) or "-"
    if isinstance(value, list):
        return " ".join(value)
    return "-" if value is None else str(value)
