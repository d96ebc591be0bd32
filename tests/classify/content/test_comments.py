from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content.postprocess import comment_probability, is_in_named_comments
from vclean.classify.content.stacking import REGION_COLUMNS
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext

ARTICLE = "<div><h1>The ferry</h1><p>The river rose in the night, and nobody minded.</div>"
COMMENTS = "<p>Nice.<p>I minded."


def marks(html: str) -> str:
    """Return one character per block: `c` in comments, `-` elsewhere."""
    return "".join("c" if flag else "-" for flag in is_in_named_comments(PageContext(extract_blocks(snapshot(html)))))


class TestIsInNamedComments:
    @pytest.mark.parametrize(
        "attribute", ["id=comments", "class=comment-list", "id=disqus_thread", "class=wpComments", "class=Kommentare"]
    )
    def test_finds_class_or_id(self, attribute: str) -> None:
        assert marks(f"{ARTICLE}<div {attribute}>{COMMENTS}</div><p>Imprint") == "--cc-"

    def test_finds_any_ancestor(self) -> None:
        assert marks(f"{ARTICLE}<div class=comments><div><div>{COMMENTS}</div></div></div>") == "--cc"

    def test_skips_the_body(self) -> None:
        assert marks(f"<body class=comments-open>{ARTICLE}{COMMENTS}") == "----"

    def test_skips_elements_with_the_first_heading(self) -> None:
        assert marks(f"<div class=has-comments>{ARTICLE}{COMMENTS}</div><p>{'Imprint ' * 9}") == "-----"

    @pytest.mark.parametrize("html", [ARTICLE, f"{ARTICLE}<div class=commerce>{COMMENTS}</div>"])
    def test_no_comments(self, html: str) -> None:
        assert "c" not in marks(html)

    def test_no_blocks(self) -> None:
        assert marks("<div class=comments></div>") == ""


class TestCommentProbability:
    CONTEXT = PageContext(extract_blocks(snapshot(f"{ARTICLE}<div id=comments>{COMMENTS}</div><div>{COMMENTS}</div>")))

    def test_uses_names_without_region_model(self) -> None:
        probability = comment_probability(self.CONTEXT, np.full((6, len(REGION_COLUMNS)), np.nan, dtype=np.float32))
        np.testing.assert_array_equal(probability, [0, 0, 1, 1, 0, 0])
        assert probability.dtype == np.float32

    def test_uses_names_and_region_model(self) -> None:
        regions = np.zeros((6, len(REGION_COLUMNS)), dtype=np.float32)
        regions[2:, [column.name for column in REGION_COLUMNS].index("within_comments")] = 0.75
        np.testing.assert_array_equal(comment_probability(self.CONTEXT, regions), [0, 0, 1, 1, 0.75, 0.75])

    def test_no_blocks(self) -> None:
        nothing = np.zeros((0, len(REGION_COLUMNS)), dtype=np.float32)
        assert comment_probability(PageContext(extract_blocks(snapshot("<p>"))), nothing).shape == (0,)
