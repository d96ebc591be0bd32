from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of, snapshot

from vclean.classify.methods import get
from vclean.classify.methods.kimatu import MarkupRuns
from vclean.features.blocks import extract_blocks

TEXT = "<p>It rained all day in the valley, and nobody minded; it was warm, after all. So it went on.</p>"
MENU = "<ul>" + "<li><a href=/>Link</a></li>" * 5 + "</ul>"


def letters(html):
    return "".join(get("kimatu")(extract_blocks(snapshot(html))).labels)


def runs(html):
    context = context_of(html)
    return MarkupRuns(context, context.blocks.visibility == 0)


class TestRuns:
    def test_run_has_equal_tags_and_classes(self):
        result = runs("<p>a</p><p>b</p><p class=x>c</p><div>d</div><p>e</p><p hidden>f</p>")
        assert result.number.tolist() == [0, 0, 1, 2, 3, 4]
        assert result.first.tolist() == [0, 2, 3, 4, 5]
        assert result.signature[0] == result.signature[3] != result.signature[1]

    def test_ratios_agree_with_manual_computation(self):
        result = runs("<p>ab.</p><p>c.</p><div><a href=/>defg</a>h!</div><ul><li hidden>hidden text</ul>")
        assert result.size.tolist() == pytest.approx([(5 / 6 + 2.5 / 6 + 1) / 3, (1 + 1 + 0.5) / 3, 0])
        assert result.links.tolist() == pytest.approx([0, 4 / 6, 0])

    def test_page_without_punctuation(self):
        assert np.isfinite(runs("<p>a</p>").size).all()


class TestLabel:
    def test_keeps_text_and_drops_menus(self):
        assert letters(f"{MENU}{TEXT * 3}{MENU}") == "ooooopppooooo"

    def test_keeps_headings_before_candidates(self):
        assert letters(f"{MENU}<h1>Rain</h1><h2>A report</h2>{TEXT * 3}<h2>More</h2>{MENU}") == "ooooohhppp" + "o" * 6

    def test_restores_runs_similar_to_a_candidate(self):
        html = f"{TEXT * 3}<blockquote>x</blockquote><p>Short.</p><div>y</div>{MENU}<div>z</div>"
        assert letters(html)[:5] == "pppop"

    def test_drops_functional_blocks(self):
        posted = "".join(f"<p>Posted by {name}</p>{TEXT}" for name in ("Ann", "Bob", "Cid"))
        assert letters(posted) == "opopop"

    def test_keeps_the_later_of_a_quotation_and_its_repetition(self):
        quoted = "<p>nobody minded; it was warm</p>"
        assert letters(f"{TEXT}{quoted}{TEXT}{quoted}") == "popp"

    def test_long_sentence_is_not_a_heading(self):
        long_heading = TEXT.replace("<p>", "<h2>").replace("</p>", "</h2>")
        assert letters(f"{TEXT}{TEXT}<h2>Title</h2>{TEXT}") == "pphp"
        assert set(letters(long_heading)) <= {"h", "p"}

    def test_drops_hidden_blocks(self):
        assert letters(f"{TEXT}<p hidden>Hidden words.</p>{TEXT}") == "pop"
