from __future__ import annotations

import pytest
from helpers.pages import context_of, snapshot

from vclean.classify.methods import get
from vclean.classify.methods.kimatu import markup_runs
from vclean.features.blocks import extract_blocks

TEXT = "<p>It rained all day in the valley, and nobody minded; it was warm, after all. So it went on.</p>"
MENU = "<ul>" + "<li><a href=/>Link</a></li>" * 5 + "</ul>"


def letters(html):
    return "".join(get("kimatu")(extract_blocks(snapshot(html))).labels)


class TestRuns:
    def test_ratios_agree_with_manual_computation(self):
        context = context_of("<p>ab.</p><p>c.</p><div><a href=/>defg</a>h!</div><ul><li hidden>hidden text</ul>")
        result = markup_runs(context, context.blocks.visibility == 0)
        assert result.size.tolist() == pytest.approx([(5 / 6 + 2.5 / 6 + 1) / 3, (1 + 1 + 0.5) / 3, 0])
        assert result.links.tolist() == pytest.approx([0, 4 / 6, 0])


class TestLabel:
    def test_keeps_text_and_drops_menus(self):
        assert letters(f"{MENU}{TEXT * 3}{MENU}") == "ooooopppooooo"

    def test_keeps_headings_before_candidates(self):
        assert letters(f"{MENU}<h1>Rain</h1><h2>A report</h2>{TEXT * 3}<h2>More</h2>{MENU}") == "ooooohhppp" + "o" * 6

    def test_restores_runs_similar_to_a_candidate(self):
        html = f"{TEXT * 3}<blockquote>x</blockquote><p>Short.</p><div>y</div>{MENU}<div>z</div>"
        assert letters(html)[:5] == "pppop"

    def test_long_sentence_is_not_a_heading(self):
        long_heading = TEXT.replace("<p>", "<h2>").replace("</p>", "</h2>")
        assert letters(f"{TEXT}{TEXT}<h2>Title</h2>{TEXT}") == "pphp"
        assert set(letters(long_heading)) <= {"h", "p"}
