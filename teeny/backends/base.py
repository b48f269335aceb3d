"""Who computes: backends as values, in an ordered list.

The first backend of a list that accepts an operation on its operands, and then
does it, has done it. Order is the list's business, never inheritance's.
"""

import enum

from teeny._core.errors import DTypeError

__all__ = ["Accepts", "Backend", "BackendList", "dispatch_kernel"]


class Accepts(enum.Enum):
    """A backend's answer, from types and shapes alone."""

    NO = 0
    MAYBE = 1
    YES = 2


class Backend:
    """Base of the backends. A value: it may carry state such as a number of workers."""

    takes = "nothing"
    """What it accepts, in words, for the error that lists who declined and why."""

    def accepts(self, op, *operands):
        """Whether it can do `op` on operands like these; nothing is read or written."""
        return Accepts.NO

    def try_kernel(self, op, *operands):
        """Do all of `op` and return True, or write nothing and return False."""
        return False

    def __repr__(self):
        return f"{type(self).__name__}()"


class BackendList(tuple):
    """Backends in the order in which they are asked.

    Examples
    --------
    >>> from teeny.backends import BackendList, Lapack
    >>> BackendList(Lapack())
    BackendList(Lapack())
    """

    __slots__ = ()

    def __new__(cls, *backends):
        return super().__new__(cls, backends)

    def __repr__(self):
        return f"BackendList({', '.join(map(repr, self))})"


def dispatch_kernel(op, operands, selector):
    """Have the first backend of `selector` that accepts `op` compute it.

    Parameters
    ----------
    op : Operation
    operands : sequence of ndarray
        Inputs, then outputs, as `op` names them.
    selector : BackendList

    Returns
    -------
    Backend
        The one that did it.

    Raises
    ------
    DTypeError
        If every backend declined; the message says what each accepts.
    """
    for backend in selector:
        if backend.accepts(op, *operands) is not Accepts.NO and backend.try_kernel(op, *operands):
            return backend
    found = ", ".join(f"{name} {x.dtype}{list(x.shape)}" for name, x in zip(op.inputs, operands, strict=False))
    accepted = "; ".join(f"{type(backend).__name__} accepts {backend.takes}" for backend in selector)
    raise DTypeError(f"{op.name}: no backend accepts {found} ({accepted})")
