from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import context_of, snapshot

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.methods import web2text
from vclean.classify.methods.base import TrainingPage, pack_arrays, standardized, unpack_arrays
from vclean.classify.methods.convolution import Network
from vclean.classify.methods.web2text import (
    COLUMNS,
    FORK_TAGS,
    LEAF_TAGS,
    NONE,
    PAIR_COLUMNS,
    CollapsedTree,
    Potential,
    compute,
)
from vclean.errors import ExtraMissingError
from vclean.features.blocks import extract_blocks

PAGE = "<body><div><div><h1>Rain</h1><p>It <b>rained</b>.</p></div></div><ul><li><a href=/>Home</a><li>News</ul>"


def collapsed(html):
    return CollapsedTree(extract_blocks(snapshot(html)))


def tags(tree, elements):
    """Return the tags of elements, `None` for `NONE`."""
    page = tree.snapshot
    return [None if element == NONE else page.tags[page.tag[element]] for element in np.ravel(elements).tolist()]


class TestForks:
    def test_two_blocks_in_one_element(self):
        tree = collapsed("<body><p>one<br><br>two")
        assert tags(tree, tree.parent) == ["p", "p"]

    def test_root_is_the_outermost_fork(self):
        tree = collapsed("<body><div><main><p>one</p><p>two</p></main></div>")
        assert tags(tree, tree.root) == ["main"]


class TestRuns:
    @pytest.mark.parametrize("html", [PAGE, "<div>one<p>two<p>three<br><br>four</div><td>five", "<p>one"])
    def test_agrees_with_a_simple_implementation(self, html):
        tree = collapsed(html)
        end = tree.snapshot.end
        elements = np.arange(len(end), dtype=np.int32)
        runs = np.stack(tree.runs(elements), axis=1).tolist()
        for element, (first, last) in zip(elements.tolist(), runs, strict=True):
            inside = np.flatnonzero((tree.container >= element) & (tree.container < end[element]))
            assert list(range(first, last)) == inside.tolist()


RAIN_PAGE = """
<body><h1>Rain and Sun</h1>
<div class=story><p>It rained in the valley. Nobody minded, did they?</p><p>In 2026 it <a href=/>rained</a>.</p></div>
<ul><li><a href=/>Home</a></li><li>© Rain</li></ul>
"""


def blocks(html):
    """Return the features of the blocks of a page by name."""
    return dict(zip(COLUMNS, compute(context_of(html))[0].T, strict=True))


def pairs(html):
    """Return the features of the pairs of a page by name."""
    return dict(zip(PAIR_COLUMNS, compute(context_of(html))[1].T, strict=True))


def logs(*values):
    return pytest.approx(np.log(values), abs=1e-6)


class TestColumns:
    def test_number_of_features_is_as_published(self):
        assert (len(set(COLUMNS)), len(set(PAIR_COLUMNS))) == (128, 25)
        assert (len(LEAF_TAGS), len(FORK_TAGS)) == (19, 20)

    def test_page_of_one_block(self):
        values, between = compute(context_of("<p>Rain, rain.</p>"))
        assert between.shape == (0, 25)
        unknown = [name for name, value in zip(COLUMNS, values[0], strict=True) if np.isnan(value)]
        assert {name.split("_")[0] for name in unknown} == {"parent", "grandparent", "root"}


class TestDuplicates:
    def test_equal_classes(self):
        values = blocks("<p class=a>one</p><p class=a>two</p><p>three</p><div class=a>four</div>")
        assert values["same_class_path"].tolist() == [0.5, 0.5, 0.25, 0.25]


class TestLeaf:
    def test_lengths_are_limited(self):
        values = blocks(f"<p>{'rain ' * 100}</p><p>{'rain' * 5}</p>")
        assert values["log_characters"][0] == 5.5
        assert values["log_words"][0] == 3.5
        assert values["log_sentence_length"][0] == 5
        assert values["word_length"].tolist() == [4, 15]

    def test_little_punctuation(self):
        values = blocks(f"<p>{'rain ' * 8}a.</p>")
        assert values["log_punctuation_ratio"] == logs(1 / 42)


class TestForkColumns:
    def test_lengths_of_forks_are_limited(self):
        assert blocks(f"<p>{'rain ' * 100}<p>rain")["parent_log_characters"] == logs(503, 503)

    def test_tags_and_forms(self):
        values = blocks("<div><table><tr><td>one<td>two<input></table></div><p>three</p>")
        assert values["parent_tag_tr"].tolist() == values["parent_tag_table"].tolist() == [1, 1, 0]
        assert values["parent_tag_div"].tolist() == [1, 1, 0]
        assert values["parent_tag_td"].tolist() == [0, 0, 0]
        assert values["parent_has_form"].tolist() == [1, 1, 1]
        assert blocks(RAIN_PAGE)["parent_has_form"].tolist() == [0] * 5


class TestPairColumns:
    def test_block_breaks(self):
        assert pairs("<p>one<br><br>two</p><p>three</p>")["block_break"].tolist() == [0, 1]


STORY = "It rained all day in the valley, and nobody minded at all."
MENU = "<ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul>"
MENU_PAGE = f"{MENU}<h1>Rain</h1><p>{STORY}</p><p>{STORY} {STORY}</p><div>© 2026</div>"


def training_page():
    return TrainingPage(GoldPage(text=f"Rain\n{STORY}\n{STORY} {STORY}"), extract_blocks(snapshot(MENU_PAGE)))


def layer(columns, outputs, **weights):
    """Return a potential of one layer without neighbors, with `weights` by column name."""
    weight = np.zeros((outputs, len(columns), 1), dtype=np.float32)
    for index, column in enumerate(columns):
        weight[:, index, 0] = weights.get(column, 0)
    count = len(columns)
    network = Network([weight], [np.zeros(outputs, dtype=np.float32)])
    return Potential(np.zeros(count, dtype=np.float32), np.ones(count, dtype=np.float32), network)


def model(block, pair):
    """Return a method with weights set by hand."""
    return web2text.load(pack_arrays(block.to_arrays("block_") | pair.to_arrays("pair_")))


@pytest.fixture(scope="module")
def trained():
    pytest.importorskip("torch", reason="comes with the extra web2text")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_BLOCK_PLAN", "_PAIR_PLAN"):
            patch.setattr(web2text, name, replace(getattr(web2text, name), steps=60, batch=16))
        yield web2text.train([web2text.make_example(training_page())] * 4)


class TestExample:
    def test_features_and_content(self):
        example = web2text.make_example(training_page())
        assert example.content.tolist() == [False, False, True, True, True, False]
        assert (example.blocks.shape, example.pairs.shape) == ((6, 128), (5, 25))


class TestStandard:
    def test_standardization_of_numbers_and_flags(self):
        of = ["log_words", "parent_has_form", "punctuation"]
        rows = np.array([[1, 0, np.nan], [5, 0, np.nan], [np.nan, 1, np.nan]], dtype=np.float32)
        mean, scale = web2text._standard(rows, of)
        assert (mean.tolist(), scale.tolist()) == ([3, 0.5, 0], [2, 0.5, 1])
        assert standardized(rows, mean, scale).tolist() == [[-1, -1, 0], [1, -1, 0], [0, 1, 0]]


class TestPotential:
    def test_arrays_round_trip(self):
        potential = layer(COLUMNS, 2, log_words=[0, 1])
        rows = np.ones((2, len(COLUMNS)), dtype=np.float32)
        again = Potential.from_arrays(unpack_arrays(pack_arrays(potential.to_arrays("a_"))), "a_")
        assert np.array_equal(again(rows), potential(rows))


class TestLoad:
    def test_transition_from_boilerplate_to_content(self):
        run = model(layer(COLUMNS, 2), layer(PAIR_COLUMNS, 4, distance_2=[0, 9, 0, 0]))
        assert "".join(run(extract_blocks(snapshot("<p>Rain</p><h2>Sun</h2>"))).labels) == "oh"


class TestTrain:
    def test_fits_the_training_page(self, trained):
        page = f"{MENU}<h1>Sun</h1><p>{STORY}</p><p>{STORY} {STORY}</p><div>© 2025</div>"
        prediction = web2text.load(trained)(extract_blocks(snapshot(page)))
        assert "".join(prediction.labels) == "oohppo"
        assert prediction.probability[3] > 0.5 > prediction.probability[0]
        assert prediction.probability.dtype == np.float32

    def test_training_is_reproducible(self, trained, monkeypatch):
        for name in ("_BLOCK_PLAN", "_PAIR_PLAN"):
            monkeypatch.setattr(web2text, name, replace(getattr(web2text, name), steps=60, batch=16))
        assert web2text.train([web2text.make_example(training_page())] * 4) == trained

    def test_layers_as_published(self, trained):
        arrays = unpack_arrays(trained)
        shapes = {name: values.shape for name, values in arrays.items() if name.endswith("w")}
        both = [((50, 50, 1), (50, 50, 3), (10, 50, 3))] * 2
        for name, columns, outputs, (second, third, fourth) in zip(
            ("block", "pair"), (128, 25), (2, 4), both, strict=True
        ):
            expected = [(50, columns, 1), second, third, fourth, (outputs, 10, 3)]
            assert [shapes[f"{name}_layer_{number}_w"] for number in range(5)] == expected

    def test_missing_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(ExtraMissingError, match=r"pip install .*\[web2text\]'"):
            web2text.train([web2text.make_example(training_page())])
