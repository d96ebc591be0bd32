from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot, view

from vclean.classify.methods import get
from vclean.classify.methods.kimatu import MarkupRuns
from vclean.features.blocks import extract_blocks

TEXT = "<p>It rained all day in the valley, and nobody minded; it was warm, after all. So it went on.</p>"
MENU = "<ul>" + "<li><a href=/>Link</a></li>" * 5 + "</ul>"


def letters(html):
    return "".join(get("kimatu")(extract_blocks(snapshot(html))).labels)


def runs(html):
    found = view(html)
    return MarkupRuns(found, found.blocks.visibility == 0)


class TestRuns:
    def test_neighbours_of_the_same_tag_and_classes(self):
        found = runs("<p>a</p><p>b</p><p class=x>c</p><div>d</div><p>e</p><p hidden>f</p>")
        assert found.number.tolist() == [0, 0, 1, 2, 3, 4]
        assert found.first.tolist() == [0, 2, 3, 4, 5]
        assert found.signature[0] == found.signature[3] != found.signature[1]

    def test_ratios_by_hand(self):
        found = runs("<p>ab.</p><p>c.</p><div><a href=/>defg</a>h!</div><ul><li hidden>hidden text</ul>")
        assert found.length.tolist() == pytest.approx([5 / 6, 1, 0])
        assert found.mean_length.tolist() == pytest.approx([2.5 / 6, 1, 0])
        assert found.punctuation.tolist() == pytest.approx([1, 0.5, 0])
        assert found.links.tolist() == pytest.approx([0, 4 / 6, 0])

    def test_a_page_without_punctuation(self):
        assert np.isfinite(runs("<p>a</p>").punctuation).all()


class TestLabel:
    def test_text_and_not_menus(self):
        assert letters(f"{MENU}{TEXT * 3}{MENU}") == "ooooopppooooo"

    def test_headings_right_before(self):
        assert letters(f"{MENU}<h1>Rain</h1><h2>A report</h2>{TEXT * 3}<h2>More</h2>{MENU}") == "ooooohhppp" + "o" * 6

    def test_runs_akin_to_a_candidate_come_back(self):
        html = f"{TEXT * 3}<blockquote>x</blockquote><p>Short.</p><div>y</div>{MENU}<div>z</div>"
        assert letters(html)[:5] == "pppop"

    def test_functional_blocks_go(self):
        posted = "".join(f"<p>Posted by {name}</p>{TEXT}" for name in ("Ann", "Bob", "Cid"))
        assert letters(posted) == "opopop"

    def test_of_a_quotation_and_what_repeats_it_the_later_one_stays(self):
        quoted = "<p>nobody minded; it was warm</p>"
        assert letters(f"{TEXT}{quoted}{TEXT}{quoted}") == "popp"

    def test_a_long_sentence_is_no_heading(self):
        long_heading = TEXT.replace("<p>", "<h2>").replace("</p>", "</h2>")
        assert letters(f"{TEXT}{TEXT}<h2>Title</h2>{TEXT}") == "pphp"
        assert set(letters(long_heading)) <= {"h", "p"}

    def test_what_is_hidden_is_left_out(self):
        assert letters(f"{TEXT}<p hidden>Hidden words.</p>{TEXT}") == "pop"
