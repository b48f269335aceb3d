"""The threads that large work is split over, and how many may be used.

One pool for the process, made at first use, forgotten in a forked child. The
number of threads is a setting of the current context (``contextvars``), so
``with threads(1)`` in one thread or task leaves the others alone.
"""

import contextlib
import contextvars
import operator
import os

from teeny._core.errors import ArgumentError

__all__ = ["get_num_threads", "set_num_threads", "threads"]

# More than this is taken for this.
MAX_WORKERS = 1 << 16

_POOL_LIMIT = 256

_pool = None
_default = None
_scoped = contextvars.ContextVar("teeny.threads", default=None)


def get_num_threads():
    """How many threads a call may use when ``workers`` is not given.

    The innermost `threads` context, else `set_num_threads`, else the environment
    variable ``TEENY_NUM_THREADS``, else the processors this process may use.

    Returns
    -------
    int

    Examples
    --------
    >>> import teeny as tny
    >>> with tny.threads(1):
    ...     tny.get_num_threads()
    1
    """
    return _scoped.get() or _default or _from_environment()


def set_num_threads(n):
    """Set how many threads calls may use, for the whole process.

    Parameters
    ----------
    n : int
        At least 1.

    Raises
    ------
    ArgumentError
        If `n` is not a positive integer.

    Examples
    --------
    >>> import teeny as tny
    >>> before = tny.get_num_threads()
    >>> tny.set_num_threads(2)
    >>> tny.get_num_threads()
    2
    >>> tny.set_num_threads(before)
    """
    global _default
    _default = positive(n, "set_num_threads", "n")


def threads(n):
    """Use at most `n` threads inside a ``with`` block, in this context only.

    Parameters
    ----------
    n : int
        At least 1.

    Raises
    ------
    ArgumentError
        If `n` is not a positive integer.

    Examples
    --------
    >>> import numpy as np
    >>> import teeny as tny
    >>> with tny.threads(1):
    ...     x = tny.linalg.inv(np.eye(3))
    """
    return _scope(positive(n, "threads", "n"))


@contextlib.contextmanager
def _scope(n):
    token = _scoped.set(n)
    try:
        yield
    finally:
        _scoped.reset(token)


def positive(n, function, name):
    """`n` as an int of at least 1, or an `ArgumentError` that names it."""
    try:
        value = operator.index(n)
    except Exception:
        value = 0
    if value < 1:
        raise ArgumentError(f"{function}: {name} must be an integer of at least 1, not {n!r}")
    return value


def run_all(run, parts):
    """``run(0) + ... + run(parts - 1)``, the first of them on this thread."""
    pool = _executor()
    others = []
    try:
        for part in range(1, parts):
            others.append(pool.submit(run, part))
    except RuntimeError:  # the interpreter is shutting down and takes no more work
        pass
    try:
        here = sum(run(part) for part in [0, *range(1 + len(others), parts)])
        return here + sum(future.result() for future in others)
    finally:
        # whatever interrupts this thread, no worker may outlive the arrays it works on
        while not all(future.done() for future in others):
            with contextlib.suppress(BaseException):
                for future in others:
                    future.exception()


def _from_environment():
    global _default
    value = os.environ.get("TEENY_NUM_THREADS")
    if value is None:
        _default = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    else:
        _default = positive(int(value) if value.isdecimal() else value, "import teeny", "TEENY_NUM_THREADS")
    return _default


def _executor():
    global _pool
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor  # not at import: it brings in logging

        _pool = ThreadPoolExecutor(_POOL_LIMIT, thread_name_prefix="teeny")
    return _pool


def _forget_pool():
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)
