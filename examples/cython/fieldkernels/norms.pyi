from typing import Any

import numpy as np
from numpy.typing import NDArray

def invariants(field: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]: ...
def remove_trace(field: NDArray[np.float32] | NDArray[np.float64]) -> None: ...
