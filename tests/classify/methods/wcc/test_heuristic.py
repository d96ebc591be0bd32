from __future__ import annotations

import pytest
from helpers.pages import snapshot

from vclean.classify.methods import get
from vclean.features.blocks import extract_blocks

LONG = "It rained without stopping through the whole afternoon, and nobody in town minded much."
WEAK = "It is as it is and so it was as it has to be."


def letters(name, html):
    return "".join(get(name)(extract_blocks(snapshot(html))).labels)


class TestBaseline:
    def test_every_block_is_a_paragraph(self):
        html = "<h1>Cats</h1><ul><li>one</ul><p>two<br><br>three</p><p style='display:none'>no</p>"
        assert letters("wcc-baseline", html) == "ppppo"


class TestHeuristic:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            (f"<p>{LONG}</p>", "p"),
            (f"<h1>Title</h1><p>{LONG}</p>", "hp"),
            (f"<p>Title</p><p>ab</p><p>{LONG}</p>", "hop"),  # a line of 3 characters or fewer is no title
            (f"<p>Title</p><p>ab</p><p>ab</p><p>{LONG}</p>", "ooop"),  # 3 lines ago is too far
            (f"<p>First</p><p>Second</p><p>{LONG}</p>", "ohp"),
            (f"<p>Title</p><p>{LONG}</p><p>{LONG}</p>", "hpp"),
            (f"<p>{LONG}</p><p>Last</p>", "po"),
            (f"<p>{WEAK}</p><p>{LONG}</p>", "hp"),  # words of 3 characters or fewer on average
            ("<p>Ten words have to be more than that here, ten</p>", "o"),
            (f"<p>Title</p><p hidden>{LONG}</p>", "oo"),
            (f"<p>Title</p><p hidden>Hidden</p><p hidden>Hidden</p><p>{LONG}</p>", "hoop"),
        ],
    )
    def test_labels_lines(self, html, expected):
        assert letters("wcc-heuristic", html) == expected

    def test_page_without_text(self):
        assert letters("wcc-heuristic", "<p hidden>Hidden</p>") == "o"
