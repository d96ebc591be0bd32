from __future__ import annotations

import pytest
from helpers.pages import snapshot

from vclean.classify.content.postprocess import is_in_named_comments
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

    def test_skips_elements_with_the_first_heading(self) -> None:
        assert marks(f"<div class=has-comments>{ARTICLE}{COMMENTS}</div><p>{'Imprint ' * 9}") == "-----"
