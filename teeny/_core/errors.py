"""Every exception the package raises on purpose.

Each inherits `Error` and the built-in that a Python user would catch.
"""

import numpy as np

__all__ = [
    "ArgumentError",
    "BoundaryError",
    "BoundsError",
    "DTypeError",
    "DeviceError",
    "Error",
    "LayoutError",
    "LinAlgError",
    "ShapeError",
    "SquareError",
]


class Error(Exception):
    """Base of the package's exceptions."""


class DTypeError(Error, TypeError):
    """A data type that cannot be described or computed on."""


class DeviceError(Error, BufferError):
    """Memory on another device than the one asked for."""


class ShapeError(Error, ValueError):
    """A shape or a rank that does not fit."""


class LayoutError(Error, ValueError):
    """Strides, alignment or extent of memory that do not fit."""


class ArgumentError(Error, ValueError):
    """An option with a value that it cannot take."""


class BoundaryError(Error, BufferError):
    """An object that cannot be taken in, or handed out."""


class BoundsError(Error, IndexError):
    """An index or a range outside its axis or batch."""


class LinAlgError(Error, np.linalg.LinAlgError):
    """Cells that linear algebra has no answer for.

    Attributes
    ----------
    result : ndarray or None
        Everything that was computed; NaN in the bad cells.
    info : ndarray of int32 or None
        The status of each cell, zero where all is well.
    """

    def __init__(self, *args, result=None, info=None):
        super().__init__(*args)
        self.result = result
        self.info = info

    def __reduce__(self):
        return type(self), self.args, {"result": self.result, "info": self.info}


class SquareError(ShapeError, LinAlgError):
    """Matrices that are not square: `ShapeError`, and what NumPy raises too."""


# users meet them as names of the package
for _name in __all__:
    globals()[_name].__module__ = "teeny"
