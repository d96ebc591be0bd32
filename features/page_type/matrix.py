"""Compute the features of a page from which its type is predicted, one vector for each page.

They are independent of rendering: address, declarations, text and elements. Positions and sizes are no features,
because most pages of the training corpora have lost their style sheets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.page_type import address, contents, declarations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext

COLUMNS: Final = (*address.COLUMNS, *declarations.COLUMNS, *contents.COLUMNS)
"""Names of the features."""


def page_features(context: PageContext) -> NDArray[np.float32]:
    """Return the features of a page, in the order of `COLUMNS`: float32 (F,). NaN: the page has no URL."""
    snapshot = context.snapshot
    values = [
        *address.address_values(snapshot.url), *declarations.declared_values(snapshot),
        *contents.content_values(context),
    ]  # fmt: skip
    return np.array(values, dtype=np.float32)


def without_address(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of a page as if its URL were unknown: float32 (F,)."""
    unknown = np.array(address.address_values(""), dtype=np.float32)
    return np.concatenate([unknown, x[len(unknown) :]])
