from __future__ import annotations

import math
import re

import pytest

from vclean.classify.content import stacking
from vclean.classify.explain import phrases
from vclean.classify.explain.phrases import (
    group_of,
    kind_of,
    phrase,
)

VALUES = (0.0, 1.0, 0.5, 0.02, 12.0, -1.0, -4.0, math.nan)


def values(name):
    """Return values to test for a column; codes are integers from 0."""
    return (0.0, 1.0, 2.0, math.nan) if name in ("tag", "inner_tag", "visibility") else VALUES


class TestEveryColumn:
    def test_has_a_phrase_for_each_value(self) -> None:
        """Check for placeholders, NaN, long numbers and spaces at the ends."""
        names = [column.name for column in stacking.COLUMNS]
        texts = {(name, value): phrase(name, value, "div.box (3 blocks)") for name in names for value in values(name)}
        wrong = re.compile(r"[{}|]|\bnan\b|\d\.\d{3}|  |^\s|\s$|^$")
        assert [item for item in texts.items() if wrong.search(item[1])] == []

    def test_has_a_group(self) -> None:
        assert set(phrases.COLUMN_GROUPS) == set(phrases.GROUPS)
        assert len(phrases.COLUMN_GROUPS) == len(stacking.COLUMNS)

    def test_subtree_levels(self) -> None:
        levels = dict(zip((column.name for column in stacking.COLUMNS), phrases.SUBTREE_LEVELS, strict=True))
        assert (levels["up1_headings"], levels["path_up3"], levels["words"], levels["x"]) == (1, 3, 0, 0)


class TestGroupOf:
    @pytest.mark.parametrize(
        ("group", "names"),
        [
            ("links", "link_share"),
            ("length and punctuation", "words sentences"),
            ("words", "word_score"),
            ("tags and classes", "path_score both_rank"),
            ("similar blocks", "path_blocks path_alike word_alike"),
            ("main text", "holder50_inside"),
            ("neighbors", "class_blocks-1 both_+1 both_window5"),
            ("containers", "up3_link_share path_up3"),
            ("font and color", "font_size"),
            ("page", "path_page page_words"),
        ],
    )
    def test_group_of_columns(self, group: str, names: str) -> None:
        assert {group_of(name) for name in names.split()} == {group}


class TestPhrase:
    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("link_share", 0.923, "link share 0.92"),
            ("sentences", 0, "no sentence ends"),
            ("sentences", 1, "1 sentence end"),
            ("siblings", 2, "its parent has 2 children"),
            ("words", 3, "3 words (short)"),
            ("words", 12, "12 words"),
            ("words", 1200, "1,200 words (long)"),
            ("words", 0, "no words"),
            ("capitalised_words", 0.5, "50 % of its words capitalized"),
            ("words_of_page", 0.001, "under 1 % of the page's words"),
            ("words_of_page", 0, "0 % of the page's words"),
            ("words_of_page", 0.999, "over 99 % of the page's words"),
            ("words_of_page", 1, "100 % of the page's words"),
            ("in_article", 1, "inside <article>"),
            ("in_article", 0, "not inside an <article>"),
            ("tag", 9, "its tag is <pre>"),
            ("tag", 999, "its tag is another tag"),
            ("visibility", 2, "hidden"),
            ("heading_level", 2, "a level 2 heading"),
            ("last_heading_level", 0, "under no heading"),
            ("after_h1", -12, "12 words before the main heading"),
            ("after_h1", 0, "at the main heading"),
            ("after_h1", 12, "12 words after the main heading"),
            ("holder50_depth", -2, "2 levels higher than the main text"),
            ("holder50_depth", 0, "as deep as the main text"),
            ("holder50_depth", 1, "1 level deeper than the main text"),
            ("x", -0.2, "20 % of the page's width from the left"),
            ("y", 1200.4, "1,200 px from the top"),
            ("font_size", 23.4, "23 px font"),
            ("font_size", math.nan, "not rendered"),
            ("relative_font", 1.52, "font size 1.5 times the most common one"),
            ("relative_font", 31.4, "font size 31 times the most common one"),
            ("class_stop_words", math.nan, "class stop words unknown"),
            ("both_rank", 0.25, "25 % of the page's text has tags, classes and words more typical of content"),
            ("path_alike", 1, "tags and classes of ul.menu (9 blocks) are evidence for content"),
            ("path_score", 1, "its tags and classes are evidence for content"),
            ("up2_link_share", 1, "link share 1.00 in ul.menu (9 blocks)"),
            ("up2_blocks", 9, "ul.menu (9 blocks) has 9 blocks"),
            ("up2_sentences", 0.05, "5 sentence ends per 100 words in ul.menu (9 blocks)"),
            ("up2_stop_words", math.nan, "stop words of ul.menu (9 blocks) unknown"),
            ("path_up2", -1, "tags and classes of ul.menu (9 blocks) are evidence against content"),
        ],
    )
    def test_phrases(self, name: str, value: float, text: str) -> None:
        """Name the container in phrases of subtrees, and the similar blocks in those of scores."""
        assert phrase(name, value, "" if name == "path_score" else "ul.menu (9 blocks)") == text

    @pytest.mark.parametrize(
        ("value", "contribution", "text"),
        [
            (-4, -1, "its words are strong evidence against content"),
            (-1, -1, "its words are evidence against content"),
            (-1, 1, "its words are evidence against content, but less than on average"),
            (-0.1, 1, "its words are little evidence against content"),
            (0.1, 1, "its words are little evidence against content"),
            (0.1, -1, "its words are little evidence for content"),
            (4, 1, "its words are strong evidence for content"),
        ],
    )
    def test_evidence_agrees_with_its_contribution(self, value: float, contribution: float, text: str) -> None:
        """Check that a negative score above the average, which contributes towards content, is described as such."""
        assert phrase("word_score", value, contribution=contribution) == text


class TestKindOf:
    @pytest.mark.parametrize(
        ("one", "other", "equal"),
        [
            ("path_up1", "word_up3", True),
            ("path_score", "word_score", True),
            ("holder50_side", "holder75_distance", True),
            ("font_size", "font_weight", True),
            ("up1_link_share", "up3_link_share", True),
            ("link_share-1", "link_share+1", True),
            ("path_blocks", "class_mean_words", True),
            ("words", "link_share", False),
            ("path_up1", "up1_headings", False),
            ("holder50_words", "holder50_inside", False),
            ("path_share", "path_blocks", False),
        ],
    )
    def test_equal_kinds(self, one: str, other: str, equal: bool) -> None:
        assert (kind_of(one) == kind_of(other)) == equal
