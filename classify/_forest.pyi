"""Type stubs of `_forest.c`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

def predict(
    x: NDArray[np.float32],
    out: NDArray[np.float64],
    nodes: NDArray[Any],
    value: NDArray[np.float64],
    first: NDArray[np.int64],
    columns: int,
    classes: int,
    rounds: int,
    margin: float,
    /,
) -> None: ...
