"""Find what a page strikes out or names as a former price."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_TAGS: Final = ("del", "s", "strike")
_NAME: Final = re.compile(
    r"(?:old|was|former|original|compare|strike|crossed|list|msrp|rrp)[-_]*(?:at[-_]*)?price|"
    r"price[-_]*(?:old|was|former|original|compare|strike|crossed|list|rrp)|strike-?through|line-?through",
    re.IGNORECASE,
)
"""Names of elements with the price before a sale."""


def is_struck(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are struck out, or inside of one that is: bool (N,)."""
    struck = snapshot.is_tag(_TAGS)
    struck |= np.array(["line-through" in line for line in snapshot.styles.column("text-decoration-line")], dtype=bool)[
        snapshot.style
    ]
    classes = snapshot.values("class")
    if len(classes.node):
        named = np.array([bool(_NAME.search(names)) for names in classes.distinct], dtype=bool)
        struck[classes.node[named[classes.index]]] = True
    return np.asarray(tree.path_sum(struck, snapshot.end) > 0) if struck.any() else struck
