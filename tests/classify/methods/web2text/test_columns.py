from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of

from vclean.classify.methods.web2text.columns import COLUMNS, FORK_TAGS, LEAF_TAGS, PAIR_COLUMNS, compute

NAMES = [column.name for column in COLUMNS]
PAIR_NAMES = [column.name for column in PAIR_COLUMNS]
PAGE = """
<body><h1>Rain and Sun</h1>
<div class=story><p>It rained in the valley. Nobody minded, did they?</p><p>In 2026 it <a href=/>rained</a>.</p></div>
<ul><li><a href=/>Home</a></li><li>© Rain</li></ul>
"""


def blocks(html):
    """Return the features of the blocks of a page by name."""
    return dict(zip(NAMES, compute(context_of(html))[0].T, strict=True))


def pairs(html):
    """Return the features of the pairs of a page by name."""
    return dict(zip(PAIR_NAMES, compute(context_of(html))[1].T, strict=True))


def logs(*values):
    return pytest.approx(np.log(values), abs=1e-6)


class TestColumns:
    def test_number_of_features_is_as_published(self):
        assert (len(set(NAMES)), len(set(PAIR_NAMES))) == (128, 25)
        assert (len(LEAF_TAGS), len(FORK_TAGS)) == (19, 20)

    def test_one_row_per_block_and_pair(self):
        block_rows, between = compute(context_of(PAGE))
        assert (block_rows.shape, between.shape) == ((5, 128), (4, 25))
        assert block_rows.dtype == between.dtype == np.float32

    def test_flags_are_0_or_1(self):
        for columns, values in zip((COLUMNS, PAIR_COLUMNS), compute(context_of(PAGE)), strict=True):
            flags = values[:, [column.unit == "flag" for column in columns]]
            assert set(flags[~np.isnan(flags)].tolist()) == {0, 1}

    def test_page_of_one_block(self):
        values, between = compute(context_of("<p>Rain, rain.</p>"))
        assert between.shape == (0, 25)
        unknown = [name for name, value in zip(NAMES, values[0], strict=True) if np.isnan(value)]
        assert {name.split("_")[0] for name in unknown} == {"parent", "grandparent", "root"}


class TestDuplicates:
    def test_equal_texts(self):
        values = blocks("<p>Rain</p>" * 11 + "<p>Sun</p>" * 2 + "<p>Snow</p>")
        assert values["has_duplicate"].tolist() == [1] * 13 + [0]
        assert values["has_10_duplicates"].tolist() == [1] * 11 + [0] * 3

    def test_equal_classes(self):
        values = blocks("<p class=a>one</p><p class=a>two</p><p>three</p><div class=a>four</div>")
        assert values["same_class_path"].tolist() == [0.5, 0.5, 0.25, 0.25]


class TestLeaf:
    def test_characters_and_words(self):
        values = blocks(PAGE)
        assert values["log_characters"] == logs(np.exp(2.5), 49, 18, np.exp(2.5), np.exp(2.5))
        assert values["log_words"] == logs(3, 9, 4, 1, 1)
        assert values["word_length"].tolist() == pytest.approx([10 / 3, 38 / 9, 14 / 4, 4, 4])

    def test_lengths_are_limited(self):
        values = blocks(f"<p>{'rain ' * 100}</p><p>{'rain' * 5}</p>")
        assert values["log_characters"][0] == 5.5
        assert values["log_words"][0] == 3.5
        assert values["log_sentence_length"][0] == 5
        assert values["word_length"].tolist() == [4, 15]

    def test_block_without_words(self):
        values = blocks("<p>...</p><p>Rain</p>")
        assert values["has_word"].tolist() == [0, 1]
        for name in ("log_words", "word_length", "stop_word_ratio", "capitals_1", "capitals_2", "capitals_3"):
            assert np.isnan(values[name]).tolist() == [True, False], name

    def test_punctuation(self):
        values = blocks(f"<p>A b, c: d.</p><p>Rain</p><p>{'a, ' * 20}</p>")
        assert values["has_punctuation"].tolist() == [1, 0, 1]
        assert values["punctuation"].tolist() == [3, 0, 10]
        assert values["log_punctuation_ratio"] == pytest.approx([-2.5, np.nan, -2.5], nan_ok=True)

    def test_little_punctuation(self):
        values = blocks(f"<p>{'rain ' * 8}a.</p>")
        assert values["log_punctuation_ratio"] == logs(1 / 42)

    def test_sentences(self):
        values = blocks("<p>It rained. Nobody minded! did they? Ok; no</p><p>It rained, Bob said</p>")
        assert values["has_sentences"].tolist() == [1, 0]
        assert values["log_sentence_length"] == logs(42 / 3, 19)

    def test_ends(self):
        values = blocks("<p>Rain?</p><p>Rain!</p><p>Rain</p><p>Rain:</p><p>雨？</p>")
        assert values["ends_punctuation"].tolist() == [1, 1, 0, 1, 1]
        assert values["ends_question"].tolist() == [1, 0, 0, 0, 1]

    def test_digits_and_patterns(self):
        values = blocks("<p>In 2026</p><p>© rain</p><p>a@b.org</p><p>see https://b.org</p>")
        assert values["has_numeric"].tolist() == [1, 0, 0, 0]
        assert values["numeric_ratio"][0] == pytest.approx(4 / 7)
        for number, name in enumerate(("year", "copyright", "email", "url")):
            assert np.flatnonzero(values[name]).tolist() == [number]

    def test_stop_words_and_capitals(self):
        values = blocks(PAGE)
        assert values["has_stop_word"].tolist() == [1, 1, 1, 1, 0]
        assert values["capitals_1"] == pytest.approx([2 / 3, 2 / 9, 1 / 4, 1, 1])
        assert values["capitals_3"] == pytest.approx([8 / 27, 8 / 729, 1 / 64, 1, 1])

    def test_position_on_the_page(self):
        values = blocks("<p>one</p><p>two</p><p>four</p>")
        assert values["position"].tolist() == pytest.approx([0.15, 0.45, 0.8])
        assert values["position_2"].tolist() == pytest.approx([0.0225, 0.2025, 0.64])

    def test_tags(self):
        values = blocks(PAGE)
        assert {name: np.flatnonzero(values[f"tag_{name}"]).tolist() for name in ("h1", "p", "li", "a", "div")} == {
            "h1": [0], "p": [1, 2], "li": [3, 4], "a": [3], "div": [],
        }  # fmt: skip


class TestForks:
    def test_has_parent_and_grandparent(self):
        values = blocks(PAGE)
        assert values["has_parent"].tolist() == [1] * 5
        assert values["has_grandparent"].tolist() == [0, 1, 1, 1, 1]
        assert np.isnan(values["grandparent_log_characters"]).tolist() == [True] + [False] * 4

    def test_counts_are_sums(self):
        values = blocks(PAGE)
        assert values["parent_log_characters"] == logs(89, 67, 67, np.exp(2.5), np.exp(2.5))
        assert values["parent_body_share"] == pytest.approx(np.array([89, 67, 67, 10, 10]) / 89)
        assert values["parent_capitals_1"] == pytest.approx([7 / 18, 3 / 13, 3 / 13, 1, 1])
        assert values["parent_link_density"] == pytest.approx([10 / 89, 6 / 67, 6 / 67, 4 / 10, 4 / 10])

    def test_flags_are_of_any_block_and_ends_of_the_last(self):
        values = blocks(PAGE)
        assert values["parent_year"].tolist() == [1, 1, 1, 0, 0]
        assert values["parent_copyright"].tolist() == [1, 0, 0, 1, 1]
        assert values["parent_ends_punctuation"].tolist() == [0, 1, 1, 0, 0]

    def test_all_blocks_share_the_root(self):
        values = blocks(PAGE)
        roots = {name: column for name, column in values.items() if name.startswith("root_")}
        assert len(roots) == 20
        for name, column in roots.items():
            assert column.tolist() == [values[name.replace("root_", "parent_")][0]] * 5, name

    def test_lengths_of_forks_are_limited(self):
        assert blocks(f"<p>{'rain ' * 100}<p>rain")["parent_log_characters"] == logs(503, 503)

    def test_tags_and_forms(self):
        values = blocks("<div><table><tr><td>one<td>two<input></table></div><p>three</p>")
        assert values["parent_tag_tr"].tolist() == values["parent_tag_table"].tolist() == [1, 1, 0]
        assert values["parent_tag_div"].tolist() == [1, 1, 0]
        assert values["parent_tag_td"].tolist() == [0, 0, 0]
        assert values["parent_has_form"].tolist() == [1, 1, 1]
        assert blocks(PAGE)["parent_has_form"].tolist() == [0] * 5


class TestPairs:
    def test_distances(self):
        values = pairs(PAGE)
        steps = np.stack([values[f"distance_{name}"] for name in (2, 3, 4, "more")], axis=1)
        assert steps.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]

    def test_large_distance(self):
        html = "<section><div><p>a<p>b</div><p>c</section><section><div><p>d<p>e</div><p>f</section>"
        assert pairs(html)["distance_more"].tolist() == [0, 0, 1, 0, 0]

    def test_block_breaks(self):
        assert pairs("<p>one<br><br>two</p><p>three</p>")["block_break"].tolist() == [0, 1]

    def test_common_fork(self):
        values, of_blocks = pairs(PAGE), blocks(PAGE)
        for name in ("log_characters", "body_share", "link_density"):
            parents = of_blocks[f"parent_{name}"][[0, 1, 0, 3]]
            assert values[f"common_{name}"].tolist() == parents.tolist()
