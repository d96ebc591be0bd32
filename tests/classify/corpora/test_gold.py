from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from vclean.classify.corpora import gold as gold_module
from vclean.classify.corpora.gold import (
    GoldPage,
    align,
    aligned_positions,
    find_covered_blocks,
    gold_units,
    match_out_of_order,
    tokenize,
)
from vclean.labels import LABELS, UNKNOWN

WORDS = st.lists(st.sampled_from("abcde"), max_size=40)
TEXTS = st.lists(st.text(alphabet="ab cd\n", max_size=20), max_size=8)


def letters(gold):
    return "".join("?" if code == UNKNOWN else LABELS[code].value for code in gold.label)


class TestContent:
    @pytest.mark.parametrize(("block", "content"), [("the cat sat x y z", True), ("the cat sat w x y z", False)])
    def test_content_has_half_of_its_words_in_the_gold(self, block, content):
        assert align([block], GoldPage(text="the cat sat")).is_content.tolist() == [content]

    def test_matches_gold_out_of_order(self):
        blocks = ["first passage of the gold text", "second passage that is a good deal longer than the first one"]
        gold = align(blocks, GoldPage(text=f"{blocks[1]}\n{blocks[0]}"))
        assert gold.is_content.tolist() == [True, True]
        assert gold.content_share.tolist() == [1, 1]

    def test_second_copy_of_a_block_is_not_content(self):
        block = "the same words once for phones once for desks"
        gold = align([block, "menu", block], GoldPage(text=block))
        assert gold.is_content.sum() == 1

    @given(TEXTS, st.text(alphabet="ab cd\n", max_size=60))
    def test_shares_are_in_range_and_only_content_has_a_label(self, blocks, text):
        gold = align(blocks, GoldPage(text=text))
        assert np.all((gold.content_share >= 0) & (gold.content_share <= 1))
        assert np.all((gold.label == LABELS.index("o")) == ~gold.is_content)

    @given(TEXTS)
    def test_page_equal_to_its_gold_is_all_content(self, blocks):
        gold = align(blocks, GoldPage(text="\n".join(blocks)))
        assert gold.is_content.tolist() == [bool(block.split()) for block in blocks]


class TestMarkupTypes:
    """Labels from CleanEval's marks: `<h>`, `<p>`, `<l>` precede the units."""

    def test_later_block_of_a_unit_is_a_continuation(self):
        markup = "<h>Cats\n\n<p>Cats sleep a lot\nand they purr too.\n<l>* black\n<l>* white"
        page = GoldPage(text=re.sub("<[hpl]>", "", markup), markup=markup)
        blocks = ["Cats", "Cats sleep a lot", "and they purr too", "black", "white", "Imprint"]
        assert letters(align(blocks, page)) == "hpcllo"

    @pytest.mark.parametrize(
        ("text", "markup", "blocks", "expected"),
        [
            ("Cats sleep a lot", "<h>All about cats<p>Cats sleep a lot", ["All about", "Cats sleep a lot"], "op"),
            ("Cats sleep a lot\nDogs do not", "<p>Cats sleep a lot", ["Cats sleep a lot", "Dogs do not"], "p?"),
        ],
        ids=["more markup than text", "more text than markup"],
    )
    def test_text_determines_content_and_markup_labels(self, text, markup, blocks, expected):
        assert letters(align(blocks, GoldPage(text=text, markup=markup))) == expected


class TestMarkdownTypes:
    """Labels from WCXB's Markdown: headings and list items; all other lines are paragraphs."""

    def test_fenced_code_is_a_paragraph(self):
        """Ignore marks at the beginning of code lines, but not after the fence."""
        page = GoldPage(text="pip here\nitem two\nA title", markdown="```sh\n# pip here\n- item two\n```\n## A title")
        assert letters(align(["# pip here", "- item two", "A title"], page)) == "pph"

    def test_link_targets_are_ignored(self):
        units = gold_units(GoldPage(markdown='See [the cat](https://example.org/a_(b)?q=1 "A title") and more'))
        assert [unit.words for unit in units] == [["see", "the", "cat", "and", "more"]]


class TestHeadlines:
    """Labels from L3S-GN1: `x-nc-sel1` marks the headline; other labels are unknown."""

    def test_the_headline_is_a_heading(self):
        page = GoldPage(
            text="Storm hits coast\nIt rained all day long",
            annotated=b'<h2><span class="x-nc-sel1">Storm hits\ncoast</span></h2><p class="x-nc-sel2">It rained</p>',
        )
        assert letters(align(["Storm hits coast", "It rained all day long", "Related news"], page)) == "h?o"

    def test_blocks_of_a_unit_without_label_have_no_label(self):
        assert letters(align(["It rained", "all day long"], GoldPage(text="It rained all day long"))) == "??"


class TestFindCoveredBlocks:
    @given(TEXTS, TEXTS)
    def test_agrees_with_align(self, blocks, lines):
        text = "\n".join(lines)
        assert find_covered_blocks(blocks, text).tolist() == align(blocks, GoldPage(text=text)).is_content.tolist()


def words(text):
    return text.split()


class TestTokens:
    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            ("Don't, STOP_now!", ["don", "t", "stop_now"]),
            ("你好 world カナ", ["你", "好", "world", "カ", "ナ"]),
            ("한국어 문장 Ключ", ["한국어", "문장", "ключ"]),
            (" — \n•", []),
        ],
        ids=["case and punctuation", "scripts without spaces", "other scripts", "no word"],
    )
    def test_tokens(self, text, tokens):
        assert tokenize(text) == tokens


class TestAlignedPositions:
    @pytest.mark.parametrize(
        ("page", "gold", "expected"),
        [
            ("big news | sports | big news it rained | imprint", "big news it rained", [5, 6, 7, 8]),
            ("cats news dogs weather | cats dogs run home", "cats dogs run", [5, 6, 7]),
        ],
    )
    def test_a_title_matches_as_a_whole_above_its_text_not_in_a_menu(self, page, gold, expected):
        assert np.flatnonzero(aligned_positions(words(page), words(gold)) >= 0).tolist() == expected

    @given(WORDS, WORDS)
    def test_words_are_equal_ascending_and_as_many_as_in_the_longest_common_subsequence(self, page, gold):
        positions = aligned_positions(page, gold)
        aligned = positions[positions >= 0]
        assert len(aligned) == LCSseq.similarity(page, gold)
        assert (np.diff(aligned) > 0).all()
        assert [gold[position] for position in aligned] == [page[at] for at in np.flatnonzero(positions >= 0)]

    def test_texts_over_the_limit_are_not_aligned(self, monkeypatch):
        monkeypatch.setattr(gold_module, "MAX_CELLS", 99)
        assert (aligned_positions(["x"] * 10, ["x"] * 10) == -1).all()
        assert (aligned_positions(["x"] * 10, ["x"] * 9) >= 0).sum() == 9


GOLD = words("one two three four five six seven eight")


def match(block, gold=GOLD, covered=()):
    """Return the positions of a block in gold, of which another block covers some; None for none."""
    matched, is_content = [np.array(covered, dtype=np.int32), np.full(len(block), -1)], np.array([True, False])
    match_out_of_order([[], block], gold, matched, is_content)
    return matched[1].tolist() if is_content[1] else None


class TestMatch:
    @pytest.mark.parametrize(
        ("covered", "block", "expected"),
        [
            ([3], "three four five", None),
            ([-1], "one two three x y z", None),
            ([-1], "six seven eight", [5, 6, 7]),
        ],
        ids=["covered gold", "too few n-grams", "negative positions cover nothing"],
    )
    def test_free_gold(self, covered, block, expected):
        assert match(words(block), covered=covered) == expected

    def test_number_of_tried_positions_is_limited(self):
        text = words("a b c x") * (gold_module.MAX_STARTS + 1) + words("a b c d e f g h i j")
        assert match(words("a b c d e f g h i j"), text) == [0, 1, 2, *range(len(text) - 7, len(text))]

    @given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
    def test_positions_are_correct_and_used_once(self, gold, block):
        positions = match(block, gold) or []
        places = [position for position in positions if position >= 0]
        assert len(set(places)) == len(places)
        assert all(gold[at] == word for word, at in zip(block, positions, strict=False) if at >= 0)
