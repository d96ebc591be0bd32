"""Draw trees in preorder, for tests of functions over elements."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


def ancestors(parent, element):
    """Return the element and its ancestors by following the parents."""
    chain = []
    while element >= 0:
        chain.append(element)
        element = int(parent[element])
    return chain


@st.composite
def trees(draw):
    """Return parents in preorder: each element is a child of the previous one or of one of its ancestors."""
    parent = [-1]
    for element in range(1, draw(st.integers(1, 30))):
        chain = ancestors(parent, element - 1)
        parent.append(chain[draw(st.integers(0, len(chain) - 1))])
    return np.array(parent, dtype=np.int32)
