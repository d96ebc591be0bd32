from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content.postprocess import comment_probability, is_in_named_comments
from vclean.classify.content.stacking import REGION_COLUMNS
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext

ARTICLE = "<div><h1>The ferry</h1><p>The river rose in the night, and nobody minded.</div>"
SAID = "<p>Nice.<p>I minded."


def called(html: str) -> str:
    """One sign a block: c where it is among comments."""
    return "".join("c" if flag else "-" for flag in is_in_named_comments(PageContext(extract_blocks(snapshot(html)))))


class TestCalledComments:
    @pytest.mark.parametrize(
        "attribute", ["id=comments", "class=comment-list", "id=disqus_thread", "class=wpComments", "class=Kommentare"]
    )
    def test_by_class_or_id(self, attribute: str) -> None:
        assert called(f"{ARTICLE}<div {attribute}>{SAID}</div><p>Imprint") == "--cc-"

    def test_any_element_round_the_block(self) -> None:
        assert called(f"{ARTICLE}<div class=comments><div><div>{SAID}</div></div></div>") == "--cc"

    def test_a_theme_s_word_on_the_body(self) -> None:
        assert called(f"<body class=comments-open>{ARTICLE}{SAID}") == "----"

    def test_what_holds_the_heading(self) -> None:
        assert called(f"<div class=has-comments>{ARTICLE}{SAID}</div><p>{'Imprint ' * 9}") == "-----"

    @pytest.mark.parametrize("html", [ARTICLE, f"{ARTICLE}<div class=commerce>{SAID}</div>"])
    def test_no_comments(self, html: str) -> None:
        assert "c" not in called(html)

    def test_no_blocks(self) -> None:
        assert called("<div class=comments></div>") == ""


class TestAmongComments:
    VIEW = PageContext(extract_blocks(snapshot(f"{ARTICLE}<div id=comments>{SAID}</div><div>{SAID}</div>")))

    def test_names_alone(self) -> None:
        """Where the model knows no regions."""
        found = comment_probability(self.VIEW, np.full((6, len(REGION_COLUMNS)), np.nan, dtype=np.float32))
        np.testing.assert_array_equal(found, [0, 0, 1, 1, 0, 0])
        assert found.dtype == np.float32

    def test_the_region_model_adds_to_them(self) -> None:
        regions = np.zeros((6, len(REGION_COLUMNS)), dtype=np.float32)
        regions[2:, [column.name for column in REGION_COLUMNS].index("within_comments")] = 0.75
        np.testing.assert_array_equal(comment_probability(self.VIEW, regions), [0, 0, 1, 1, 0.75, 0.75])

    def test_no_blocks(self) -> None:
        nothing = np.zeros((0, len(REGION_COLUMNS)), dtype=np.float32)
        assert comment_probability(PageContext(extract_blocks(snapshot("<p>"))), nothing).shape == (0,)
