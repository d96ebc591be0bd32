from __future__ import annotations

import numpy as np
import pytest
from helpers.encyclopedia import Encyclopedia
from helpers.pages import snapshot

from vclean.classify.content.model import load
from vclean.features.blocks import extract_blocks
from vclean.labels import Label

TAGS = {"heading": "h2", "paragraph": "p", "item": "li", "cell": "td"}


def kept_shares(sections: int) -> tuple[int, dict[str, float]]:
    """Return the number of blocks of an article, and by kind the share of its texts that are content."""
    article = Encyclopedia(sections)
    blocks = extract_blocks(snapshot(article.html, "https://example.org/wiki/Ferries"))
    is_content = np.array([label != Label.OTHER for label in load().label(blocks).labels])
    rows = {kind: np.isin(blocks.text, article.texts[kind]) & np.isin(blocks.tag, tag) for kind, tag in TAGS.items()}
    return len(blocks), {kind: float(is_content[mask].mean()) for kind, mask in rows.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("sections", "cells"), [(5, 1), (47, 0.5), (90, 0.25)])
def test_articles_of_any_length_keep_their_text(sections: int, cells: float) -> None:
    """Check articles of up to 3,200 blocks, the longest pages of the corpora having 1,600.

    On pages as long as those, part of the tables is lost: rows of years and names that resemble an index.
    """
    blocks, shares = kept_shares(sections)
    assert blocks > 30 * sections
    assert shares.pop("cell") >= cells
    assert shares == dict.fromkeys(("heading", "paragraph", "item"), 1)
