from __future__ import annotations

import math
import re

import pytest

from vclean.classify.content import stacking
from vclean.classify.explain import phrases
from vclean.classify.explain.phrases import group_of, is_linear_score, is_unrendered, kind_of, phrase
from vclean.labels import Role

VALUES = (0.0, 1.0, 0.5, 0.02, 12.0, -1.0, -4.0, math.nan)


def values(name):
    """Return values to test for a column; codes are integers from 0."""
    return (0.0, 1.0, 2.0, math.nan) if name.startswith(("tag", "parent_tag", "inner_tag", "visibility")) else VALUES


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

    def test_groups_are_unique_and_few(self) -> None:
        assert len(phrases.GROUPS) == len(set(phrases.GROUPS)) <= 18

    def test_subtree_levels(self) -> None:
        levels = dict(zip((column.name for column in stacking.COLUMNS), phrases.SUBTREE_LEVELS, strict=True))
        assert (levels["up1_words"], levels["path_up5"], levels["words"], levels["region_x"]) == (1, 5, 0, 0)


class TestGroupOf:
    @pytest.mark.parametrize(
        ("name", "group"),
        [
            ("link_share", "links"),
            ("words", "length and punctuation"),
            ("boilerplate", "words"),
            ("word_score", "words"),
            ("path_score", "tags and classes"),
            ("path_rank", "tags and classes"),
            ("word_rank", "words"),
            ("word_length", "length and punctuation"),
            ("path_blocks", "similar blocks"),
            ("path_alike", "similar blocks"),
            ("word_alike", "similar blocks"),
            ("holder50_inside", "main text"),
            ("words-1", "neighbors"),
            ("both_+3", "neighbors"),
            ("both_window15", "neighbors"),
            ("up3_link_share", "containers"),
            ("path_up3", "containers"),
            ("region_none", "region"),
            ("within_boilerplate", "region"),
            ("font_size", "font and color"),
            ("path_page", "page"),
            ("page_words", "page"),
        ],
    )
    def test_group_of_column(self, name: str, group: str) -> None:
        assert group_of(name) == group


class TestPhrase:
    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("link_share", 0.923, "link share 0.92"),
            ("links", 0, "no links"),
            ("links", 1, "1 link"),
            ("urls", 2, "2 web addresses"),
            ("words", 3, "3 words (short)"),
            ("words", 12, "12 words"),
            ("words", 1200, "1,200 words (long)"),
            ("words", 0, "no words"),
            ("commas", 0.05, "5 commas per 100 words"),
            ("capitalised_words", 0.5, "50 % of its words capitalized"),
            ("words_of_page", 0.001, "under 1 % of the page's words"),
            ("all_caps", 1, "all uppercase"),
            ("all_caps", 0, "not all uppercase"),
            ("tag", 9, "its tag is <pre>"),
            ("tag", 999, "its tag is another tag"),
            ("visibility", 2, "hidden"),
            ("heading_level", 2, "a level 2 heading"),
            ("last_heading_level", 0, "under no heading"),
            ("after_h1", -12, "12 words before the main heading"),
            ("after_h1", 0, "at the main heading"),
            ("after_h1", 12, "12 words after the main heading"),
            ("holder75_depth", -2, "2 levels higher than the main text"),
            ("font_size", 23.4, "23 px font"),
            ("font_size", math.nan, "not rendered"),
            ("main_column_width", 1.5, "its column is 1.5 times as wide as the main one"),
            ("sibling_place", 0, "at the beginning of its siblings"),
            ("sibling_place", 0.4, "40 % of the way through its siblings"),
            ("word_length", math.nan, "word length unknown"),
            ("in_nav", 1, "inside <nav>"),
        ],
    )
    def test_block_phrases(self, name: str, value: float, text: str) -> None:
        assert phrase(name, value) == text

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("link_share-1", 0.5, "previous block: link share 0.50"),
            ("words+2", 3, "2 blocks after: 3 words (short)"),
            ("words-1", math.nan, "no block before it"),
            ("words+3", math.nan, "fewer than 3 blocks after it"),
            ("path_+1", -4, "tags and classes of the next block are strong evidence against content"),
            ("word_window5", 2, "words of the 5 blocks on each side are evidence for content"),
            ("word_window5", math.nan, "few blocks around it"),
        ],
    )
    def test_neighbor_phrases(self, name: str, value: float, text: str) -> None:
        assert phrase(name, value) == text

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("up2_link_share", 1, "link share 1.00 in ul.menu (9 blocks)"),
            ("up2_place", 1, "at the end of ul.menu (9 blocks)"),
            ("up2_x", math.nan, "not rendered"),
            ("up2_stop_words", math.nan, "stop words of ul.menu (9 blocks) unknown"),
            ("path_up2", -1, "tags and classes of ul.menu (9 blocks) are evidence against content"),
        ],
    )
    def test_subtree_phrases(self, name: str, value: float, text: str) -> None:
        assert phrase(name, value, "ul.menu (9 blocks)") == text

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("nearest_navigation", 0.934, "its region is navigation with probability 0.93"),
            ("within_sidebar", 0.2, "inside a sidebar with probability 0.20"),
            ("within_ad", 0.01, "not inside an advertisement"),
            ("nearest_form", 0.0, "its region is not a form"),
            ("region_comments", 0.05, "its element is not readers' comments"),
            ("nearest_none", 0.5, "in no region with probability 0.50"),
            ("region_width", 0.25, "its region takes 25 % of the page's width"),
            ("nearest_links", math.nan, "regions unknown"),
        ],
    )
    def test_region_phrases(self, name: str, value: float, text: str) -> None:
        assert phrase(name, value) == text

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

    def test_rank_phrase(self) -> None:
        assert phrase("path_rank", 0.25) == "25 % of the page's text has tags and classes more typical of content"

    def test_similar_blocks_or_a_single_block(self) -> None:
        assert phrase("path_alike", 1, "these blocks") == "tags and classes of these blocks are evidence for content"
        assert phrase("path_alike", 1, "") == "its tags and classes are evidence for content"


class TestKindOf:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("path_up1", "word_up4"),
            ("path_score", "word_score"),
            ("holder50_side", "holder75_distance"),
            ("words", "chars"),
            ("up1_link_share", "up4_link_share"),
            ("words-1", "words+2"),
            ("nearest_ad", "within_ad"),
            ("path_mean_words", "class_blocks"),
        ],
    )
    def test_equal_kinds(self, one: str, other: str) -> None:
        assert kind_of(one) == kind_of(other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [("words", "link_share"), ("path_up1", "up1_words"), ("nearest_ad", "nearest_form"), ("path_share", "links")],
    )
    def test_different_kinds(self, one: str, other: str) -> None:
        assert kind_of(one) != kind_of(other)


class TestIsLinearScore:
    def test_scores_of_linear_models(self) -> None:
        scores = {column.name for column in stacking.COLUMNS if is_linear_score(column.name)}
        assert {"path_score", "word_up2", "both_+1", "both_window5"} <= scores
        assert not scores & {"path_rank", "path_blocks", "word_length", "words"}


class TestIsUnrendered:
    def test_visual_features_of_unrendered_pages(self) -> None:
        assert is_unrendered("width", math.nan)
        assert is_unrendered("up3_height", math.nan)
        assert not is_unrendered("width", 3.0)
        assert not is_unrendered("word_length", math.nan)


class TestRegionName:
    @pytest.mark.parametrize("role", Role)
    def test_each_role_has_a_name(self, role: Role) -> None:
        assert phrases.region_name(role).replace("'", "").replace(" ", "").isalpha()
