from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import view

from vclean.classify.methods.web2text.columns import COLUMNS, FORK_TAGS, LEAF_TAGS, PAIR_COLUMNS, compute

NAMES = [column.name for column in COLUMNS]
PAIR_NAMES = [column.name for column in PAIR_COLUMNS]
PAGE = """
<body><h1>Rain and Sun</h1>
<div class=story><p>It rained in the valley. Nobody minded, did they?</p><p>In 2026 it <a href=/>rained</a>.</p></div>
<ul><li><a href=/>Home</a></li><li>© Rain</li></ul>
"""


def blocks(html):
    """The columns of the blocks of a page by name."""
    return dict(zip(NAMES, compute(view(html))[0].T, strict=True))


def pairs(html):
    """The columns of the pairs of a page by name."""
    return dict(zip(PAIR_NAMES, compute(view(html))[1].T, strict=True))


def logs(*values):
    return pytest.approx(np.log(values), abs=1e-6)


class TestColumns:
    def test_as_many_as_published(self):
        assert (len(set(NAMES)), len(set(PAIR_NAMES))) == (128, 25)
        assert (len(LEAF_TAGS), len(FORK_TAGS)) == (19, 20)

    def test_one_row_for_each_block_and_each_pair(self):
        found, between = compute(view(PAGE))
        assert (found.shape, between.shape) == ((5, 128), (4, 25))
        assert found.dtype == between.dtype == np.float32

    def test_flags_are_0_or_1(self):
        for columns, found in zip((COLUMNS, PAIR_COLUMNS), compute(view(PAGE)), strict=True):
            flags = found[:, [column.unit == "flag" for column in columns]]
            assert set(flags[~np.isnan(flags)].tolist()) == {0, 1}

    def test_a_page_of_one_block(self):
        found, between = compute(view("<p>Rain, rain.</p>"))
        assert between.shape == (0, 25)
        unknown = [name for name, value in zip(NAMES, found[0], strict=True) if np.isnan(value)]
        assert {name.split("_")[0] for name in unknown} == {"parent", "grandparent", "root"}


class TestDuplicates:
    def test_equal_texts(self):
        found = blocks("<p>Rain</p>" * 11 + "<p>Sun</p>" * 2 + "<p>Snow</p>")
        assert found["has_duplicate"].tolist() == [1] * 13 + [0]
        assert found["has_10_duplicates"].tolist() == [1] * 11 + [0] * 3

    def test_equal_classes(self):
        found = blocks("<p class=a>one</p><p class=a>two</p><p>three</p><div class=a>four</div>")
        assert found["same_class_path"].tolist() == [0.5, 0.5, 0.25, 0.25]


class TestLeaf:
    def test_characters_and_words(self):
        found = blocks(PAGE)
        assert found["log_characters"] == logs(np.exp(2.5), 49, 18, np.exp(2.5), np.exp(2.5))
        assert found["log_words"] == logs(3, 9, 4, 1, 1)
        assert found["word_length"].tolist() == pytest.approx([10 / 3, 38 / 9, 14 / 4, 4, 4])

    def test_long_texts_are_cut_off(self):
        found = blocks(f"<p>{'rain ' * 100}</p><p>{'rain' * 5}</p>")
        assert found["log_characters"][0] == 5.5
        assert found["log_words"][0] == 3.5
        assert found["log_sentence_length"][0] == 5
        assert found["word_length"].tolist() == [4, 15]

    def test_a_block_without_words(self):
        found = blocks("<p>...</p><p>Rain</p>")
        assert found["has_word"].tolist() == [0, 1]
        for name in ("log_words", "word_length", "stop_word_ratio", "capitals_1", "capitals_2", "capitals_3"):
            assert np.isnan(found[name]).tolist() == [True, False], name

    def test_punctuation(self):
        found = blocks(f"<p>A b, c: d.</p><p>Rain</p><p>{'a, ' * 20}</p>")
        assert found["has_punctuation"].tolist() == [1, 0, 1]
        assert found["punctuation"].tolist() == [3, 0, 10]
        assert found["log_punctuation_ratio"] == pytest.approx([-2.5, np.nan, -2.5], nan_ok=True)

    def test_little_punctuation(self):
        found = blocks(f"<p>{'rain ' * 8}a.</p>")
        assert found["log_punctuation_ratio"] == logs(1 / 42)

    def test_sentences(self):
        found = blocks("<p>It rained. Nobody minded! did they? Ok; no</p><p>It rained, Bob said</p>")
        assert found["has_sentences"].tolist() == [1, 0]
        assert found["log_sentence_length"] == logs(42 / 3, 19)

    def test_ends(self):
        found = blocks("<p>Rain?</p><p>Rain!</p><p>Rain</p><p>Rain:</p><p>雨？</p>")
        assert found["ends_punctuation"].tolist() == [1, 1, 0, 1, 1]
        assert found["ends_question"].tolist() == [1, 0, 0, 0, 1]

    def test_digits_and_patterns(self):
        found = blocks("<p>In 2026</p><p>© rain</p><p>a@b.org</p><p>see https://b.org</p>")
        assert found["has_numeric"].tolist() == [1, 0, 0, 0]
        assert found["numeric_ratio"][0] == pytest.approx(4 / 7)
        for number, name in enumerate(("year", "copyright", "email", "url")):
            assert np.flatnonzero(found[name]).tolist() == [number]

    def test_stop_words_and_capitals(self):
        found = blocks(PAGE)
        assert found["has_stop_word"].tolist() == [1, 1, 1, 1, 0]
        assert found["capitals_1"] == pytest.approx([2 / 3, 2 / 9, 1 / 4, 1, 1])
        assert found["capitals_3"] == pytest.approx([8 / 27, 8 / 729, 1 / 64, 1, 1])

    def test_place_on_the_page(self):
        found = blocks("<p>one</p><p>two</p><p>four</p>")
        assert found["position"].tolist() == pytest.approx([0.15, 0.45, 0.8])
        assert found["position_2"].tolist() == pytest.approx([0.0225, 0.2025, 0.64])

    def test_tags(self):
        found = blocks(PAGE)
        assert {name: np.flatnonzero(found[f"tag_{name}"]).tolist() for name in ("h1", "p", "li", "a", "div")} == {
            "h1": [0], "p": [1, 2], "li": [3, 4], "a": [3], "div": [],
        }  # fmt: skip


class TestForks:
    def test_who_has_a_parent(self):
        found = blocks(PAGE)
        assert found["has_parent"].tolist() == [1] * 5
        assert found["has_grandparent"].tolist() == [0, 1, 1, 1, 1]
        assert np.isnan(found["grandparent_log_characters"]).tolist() == [True] + [False] * 4

    def test_counts_are_sums(self):
        found = blocks(PAGE)
        assert found["parent_log_characters"] == logs(89, 67, 67, np.exp(2.5), np.exp(2.5))
        assert found["parent_body_share"] == pytest.approx(np.array([89, 67, 67, 10, 10]) / 89)
        assert found["parent_capitals_1"] == pytest.approx([7 / 18, 3 / 13, 3 / 13, 1, 1])
        assert found["parent_link_density"] == pytest.approx([10 / 89, 6 / 67, 6 / 67, 4 / 10, 4 / 10])

    def test_flags_are_those_of_any_block_and_ends_those_of_the_last(self):
        found = blocks(PAGE)
        assert found["parent_year"].tolist() == [1, 1, 1, 0, 0]
        assert found["parent_copyright"].tolist() == [1, 0, 0, 1, 1]
        assert found["parent_ends_punctuation"].tolist() == [0, 1, 1, 0, 0]

    def test_all_blocks_have_the_same_root(self):
        found = blocks(PAGE)
        roots = {name: column for name, column in found.items() if name.startswith("root_")}
        assert len(roots) == 20
        for name, column in roots.items():
            assert column.tolist() == [found[name.replace("root_", "parent_")][0]] * 5, name

    def test_long_forks(self):
        assert blocks(f"<p>{'rain ' * 100}<p>rain")["parent_log_characters"] == logs(503, 503)

    def test_tags_and_forms(self):
        found = blocks("<div><table><tr><td>one<td>two<input></table></div><p>three</p>")
        assert found["parent_tag_tr"].tolist() == found["parent_tag_table"].tolist() == [1, 1, 0]
        assert found["parent_tag_div"].tolist() == [1, 1, 0]
        assert found["parent_tag_td"].tolist() == [0, 0, 0]
        assert found["parent_has_form"].tolist() == [1, 1, 1]
        assert blocks(PAGE)["parent_has_form"].tolist() == [0] * 5


class TestPairs:
    def test_distances(self):
        found = pairs(PAGE)
        steps = np.stack([found[f"distance_{name}"] for name in (2, 3, 4, "more")], axis=1)
        assert steps.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]

    def test_far_apart(self):
        html = "<section><div><p>a<p>b</div><p>c</section><section><div><p>d<p>e</div><p>f</section>"
        assert pairs(html)["distance_more"].tolist() == [0, 0, 1, 0, 0]

    def test_block_breaks(self):
        assert pairs("<p>one<br><br>two</p><p>three</p>")["block_break"].tolist() == [0, 1]

    def test_the_fork_round_both(self):
        found, own = pairs(PAGE), blocks(PAGE)
        for name in ("log_characters", "body_share", "link_density"):
            parents = own[f"parent_{name}"][[0, 1, 0, 3]]
            assert found[f"common_{name}"].tolist() == parents.tolist()
