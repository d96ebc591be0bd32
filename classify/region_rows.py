"""The rows the region model learns from: the containers of a page beside their roles.

Marked pages tell the roles of their regions and, of every other container, that it is none. Pages without marks tell
something too, by their landmarks: a `<nav>` is navigation, and a container with the ARIA role `contentinfo` a footer.
What told the role is hidden from the features of such rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify import marks as marking
from vclean.features import linguistic, names, structural, tree, visual
from vclean.features.region_blocks import NONE
from vclean.features.region_columns import BOX_COLUMNS, TEXT_COLUMNS, region_matrix
from vclean.features.regions import candidates, is_candidate, regions_at
from vclean.roles import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.marks import Mark
    from vclean.features.columns import Values
    from vclean.features.view import View

CODES: Final = {role: code for code, role in enumerate(Role)}
"""The class of every role."""

_PLAIN: Final = len(TEXT_COLUMNS) + len(BOX_COLUMNS)
_LANDMARKS: Final = {
    "tag_nav": Role.NAVIGATION,
    "aria_navigation": Role.NAVIGATION,
    "tag_aside": Role.SIDEBAR,
    "aria_complementary": Role.SIDEBAR,
    "tag_footer": Role.FOOTER,
    "aria_contentinfo": Role.FOOTER,
    "tag_header": Role.HEADER,
    "aria_banner": Role.HEADER,
    "tag_main": Role.CONTENT,
    "aria_main": Role.CONTENT,
    "tag_article": Role.ARTICLE,
    "aria_article": Role.ARTICLE,
    "tag_form": Role.FORM,
    "aria_search": Role.FORM,
}


@dataclass(frozen=True, slots=True, eq=False)
class RegionRows:
    """R containers of one page with their roles.

    Attributes:
        x: float32 (R, len(region_columns.COLUMNS)).
        role: int8 (R,), a code of `CODES`, or `NONE`.
    """

    x: NDArray[np.float32]
    role: NDArray[np.int8]

    def __len__(self) -> int:
        """The number of containers."""
        return len(self.role)


def block_values(view: View) -> Values:
    """The columns of the blocks that the features of regions are made of."""
    return {**linguistic.compute(view), **structural.compute(view), **visual.compute(view)}


def marked_rows(view: View, marks: Sequence[Mark], *, named: bool = True) -> RegionRows:
    """The marked regions of a page, with or without text, and its other candidates as none.

    Args:
        view: the page.
        marks: its marks; those whose element is not in the page are left out.
        named: whether its tags and names may be seen; they must not where the marks were made from them.
    """
    element = marking.locate(view.snapshot, marks)
    found = element >= 0
    node = np.concatenate([element[found], _others(view, element[found])])
    role = np.full(len(node), NONE, dtype=np.int8)
    role[: found.sum()] = [CODES[mark.role] for mark, there in zip(marks, found, strict=True) if there]
    x = region_matrix(regions_at(view, node), block_values(view))
    return RegionRows(x if named else hide_names(x), role)


def _others(view: View, marked: NDArray[np.int32]) -> NDArray[np.int32]:
    """The candidates that hold the same blocks as none of the `marked` elements."""
    holder = tree.nearest(is_candidate(view), view.snapshot.parent)
    taken = holder[marked[view.block_count[marked] > 0]]
    return np.setdiff1d(candidates(view).node, taken)


def hide_names(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """`x` without what tags, ARIA roles and names say: NaN."""
    hidden = x.copy()
    hidden[:, _PLAIN:] = np.nan
    return hidden


def landmark_rows(view: View) -> RegionRows:
    """The landmarks of a page, by tag or ARIA role; their tags, roles and names hidden.

    A landmark inside an article or an aside belongs to it and not to the page, so its role is unknown (HTML, 4.3.8:
    `<header>` and `<footer>` apply to their nearest sectioning content).
    """
    bits, parent = names.kind_bits(view.snapshot), view.snapshot.parent
    own, around = (names.unpack(found, len(names.KINDS)) for found in (bits, names.above(bits, parent)))
    inner = around[:, [names.KINDS.index(f"tag_{tag}") for tag in ("article", "aside", "nav", "form")]].any(axis=1)
    role = np.full(len(parent), -1, dtype=np.int8)
    for name, kind in _LANDMARKS.items():
        role[own[:, names.KINDS.index(name)]] = CODES[kind]
    node = np.flatnonzero((role >= 0) & ~inner & (view.block_count > 0)).astype(np.int32)
    return RegionRows(hide_names(region_matrix(regions_at(view, node), block_values(view))), role[node])
