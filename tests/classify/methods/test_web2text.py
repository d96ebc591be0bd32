from __future__ import annotations

import sys
from unittest.mock import patch

import numpy as np
import pytest
from helpers.methods import blocks_for, letters, training_page
from helpers.pages import context_of, snapshot

from vclean.classify.methods import web2text
from vclean.classify.methods.base import pack_arrays, unpack_arrays
from vclean.classify.methods.web2text import FORK_TAGS, LEAF_TAGS, CollapsedTree, Network, compute, fit_network
from vclean.errors import ExtraMissingError
from vclean.features.blocks import extract_blocks

PAGE = "<body><div><div><h1>Rain</h1><p>It <b>rained</b>.</p></div></div><ul><li><a href=/>Home</a><li>News</ul>"


def collapsed(html):
    return CollapsedTree(extract_blocks(snapshot(html)))


class TestForks:
    @pytest.mark.parametrize(
        ("html", "forks", "tags"),
        [
            ("<body><p>one<br><br>two", "parent", ["p", "p"]),
            ("<body><div><main><p>one</p><p>two</p></main></div>", "root", ["main"]),
        ],
    )
    def test_two_blocks_below_one_element(self, html, forks, tags):
        tree = collapsed(html)
        page = tree.snapshot
        assert [page.tags[page.tag[element]] for element in np.ravel(getattr(tree, forks)).tolist()] == tags


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


def blocks(html):
    """Return the features of the blocks of a page by name."""
    return compute(context_of(html))[0]


class TestColumns:
    def test_number_of_features_is_as_published(self):
        assert [len(values) for values in compute(context_of(PAGE))] == [128, 25]
        assert (len(LEAF_TAGS), len(FORK_TAGS)) == (19, 20)

    def test_page_of_one_block(self):
        values, between = compute(context_of("<p>Rain, rain.</p>"))
        assert {value.shape for value in between.values()} == {(0,)}
        unknown = [name for name, (value,) in values.items() if np.isnan(value)]
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
        assert values["log_punctuation_ratio"] == pytest.approx(np.log(1 / 42), abs=1e-6)


class TestForkColumns:
    def test_lengths_of_forks_are_limited(self):
        assert blocks(f"<p>{'rain ' * 100}<p>rain")["parent_log_characters"] == pytest.approx(
            np.log([503, 503]), abs=1e-6
        )

    def test_tags_and_forms(self):
        values = blocks("<div><table><tr><td>one<td>two<input></table></div><p>three</p>")
        assert values["parent_tag_tr"].tolist() == values["parent_tag_table"].tolist() == [1, 1, 0]
        assert values["parent_tag_div"].tolist() == [1, 1, 0]
        assert values["parent_tag_td"].tolist() == [0, 0, 0]
        assert values["parent_has_form"].tolist() == [1, 1, 1]
        assert blocks("<p>one</p><p>two</p>")["parent_has_form"].tolist() == [0, 0]


class TestPairColumns:
    def test_block_breaks(self):
        pairs = compute(context_of("<p>one<br><br>two</p><p>three</p>"))[1]
        assert pairs["block_break"].tolist() == [0, 1]


STORY = "It rained all day in the valley, and nobody minded at all."
MENU = "<ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul>"
MENU_PAGE = f"{MENU}<h1>Rain</h1><p>{STORY}</p><p>{STORY} {STORY}</p><div>© 2026</div>"
GOLD = f"Rain\n{STORY}\n{STORY} {STORY}"


def layer(columns, outputs, weights):
    """Return a network of one layer without neighbors over this number of columns, with weights of the first one."""
    weight = np.zeros((outputs, columns, 1), dtype=np.float32)
    weight[:, 0, 0] = weights
    mean, scale = np.zeros(columns, dtype=np.float32), np.ones(columns, dtype=np.float32)
    return Network(mean, scale, [weight], [np.zeros(outputs, dtype=np.float32)])


@pytest.fixture(scope="module")
def trained():
    pytest.importorskip("torch", reason="comes with the extra web2text")
    with patch.multiple(web2text, _STEPS=60, _BATCH=16):
        yield web2text.train([web2text.make_example(training_page(MENU_PAGE, GOLD))] * 4)


class TestExample:
    def test_features_and_content(self):
        features, pairs, flags, pair_flags, content = web2text.make_example(training_page(MENU_PAGE, GOLD))
        assert content.tolist() == [False, False, True, True, True, False]
        assert (features.shape, pairs.shape) == ((6, 128), (5, 25))
        assert (flags[:5].tolist(), pair_flags[-4:].tolist()) == (
            [True, True, False, False, True],
            [False] * 3 + [True],
        )


class TestLoad:
    def test_transition_from_boilerplate_to_content(self):
        block, pair = layer(128, 2, 0), layer(25, 4, [0, 9, 0, 0])  # the first column of pairs is a distance of 2
        run = web2text.load(pack_arrays(block.to_arrays("block_") | pair.to_arrays("pair_")))
        assert letters(run(blocks_for("web2text", "<p>Rain</p><h2>Sun</h2>"))) == "oh"


class TestTrain:
    def test_fits_the_training_page(self, trained):
        prediction = web2text.load(trained)(blocks_for("web2text", MENU_PAGE))
        assert letters(prediction) == "oohppo"
        assert prediction.probability[3] > 0.5 > prediction.probability[0]
        assert prediction.probability.dtype == np.float32

    def test_layers_as_published(self, trained):
        arrays = unpack_arrays(trained)
        for name, columns, outputs in (("block", 128, 2), ("pair", 25, 4)):
            expected = [(50, columns, 1), (50, 50, 1), (50, 50, 3), (10, 50, 3), (outputs, 10, 3)]
            assert [arrays[f"{name}_layer_{number}_w"].shape for number in range(5)] == expected


ROWS = np.array([[1, 0], [2, 1], [0, 3]], dtype=np.float32)


def array(*values):
    return np.array(values, dtype=np.float32)


class TestNetwork:
    NETWORK = Network(
        array(0, 0),
        array(1, 1),
        [array([[1, 0, -1], [0, 0, 0]], [[0, 0, 0], [0, 1, 0]]), array([[1], [0]], [[1], [2]], [[0], [-1]])],
        [array(0, -1), array(0, 0, 5)],
    )

    def test_inner_layers_are_rectified(self):
        """Compute by hand: differences in the first column are -2, 1, 2; the second column minus 1 is -1, 0, 2."""
        assert self.NETWORK.logits(ROWS).tolist() == [[0, 0, 5], [1, 1, 5], [2, 6, 3]]

    def test_standardizes_and_normalizes(self):
        one = Network(array(1, 0), array(2, 1), [array([[1], [0]], [[0], [1]])], [array(0, 0)])
        assert one(array([3, np.nan], [1, 0])) == pytest.approx(
            np.log([[np.e / (np.e + 1), 1 / (np.e + 1)], [0.5, 0.5]])
        )

    def test_arrays_round_trip(self):
        arrays = self.NETWORK.to_arrays("some_")
        again = Network.from_arrays({"other_layer_0_w": array(1), **arrays}, "some_")
        assert np.array_equal(again(ROWS), self.NETWORK(ROWS))


SMALL = {
    "FILTERS": (8,), "WIDTHS": (3, 3), "DROPOUT": 0.0, "BATCH": 16, "EXCERPT": 5, "STEPS": 150, "LEARNING_RATE": 0.02,
}  # fmt: skip
RANDOM = np.random.default_rng(3)
FLAGS = np.zeros(3, dtype=bool)
SEQUENCES = [RANDOM.normal(size=(length, 3)).astype(np.float32) for length in (20, 3, 0, 9, 1)]
"""Of some pages, one of them empty and two of them shorter than an excerpt."""
BEFORE = [np.append(0, rows[:-1, 0] > 0).astype(np.int64)[: len(rows)] for rows in SEQUENCES]
"""Whether the row before has a positive number in its first column."""


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="comes with the extra web2text")


def same(one, other):
    parts = zip([*one.weights, *one.biases], [*other.weights, *other.biases], strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in parts)


def fit(columns=SEQUENCES, targets=BEFORE, is_flag=FLAGS, **constants):
    """Train a small network with these values of constants of the module."""
    with patch.multiple(web2text, **{f"_{name}": value for name, value in (SMALL | constants).items()}):
        return fit_network(columns, targets, 2, is_flag)


class TestFitNetwork:
    def test_standardization_of_numbers_and_flags(self, torch):
        rows = array([1, 0, np.nan], [5, 0, np.nan], [np.nan, 1, np.nan])
        network = fit([rows], [np.array([0, 1, 0])], np.array([False, True, False]), STEPS=1)
        assert (network.mean.tolist(), network.scale.tolist()) == ([3, 0.5, 0], [2, 0.5, 1])

    def test_learns_from_neighbors(self, torch):
        network = fit()
        right = [(network(rows).argmax(axis=1) == targets) for rows, targets in zip(SEQUENCES, BEFORE, strict=True)]
        assert np.concatenate(right).mean() > 0.95
        assert {part.dtype for part in (*network.weights, *network.biases)} == {np.dtype(np.float32)}

    def test_training_is_reproducible(self, torch):
        first = fit(STEPS=5, DROPOUT=0.3)
        torch.rand(3)
        assert same(fit(STEPS=5, DROPOUT=0.3), first)
        assert not same(fit(STEPS=5, DROPOUT=0.3, SEED=8), first)
        assert not same(fit(STEPS=5, DROPOUT=0.2), first)

    def test_decay_keeps_weights_small(self, torch):
        small, large = (sum(np.abs(weight).sum() for weight in fit(DECAY=decay).weights) for decay in (0.1, 0.0))
        assert small < large

    def test_settings_of_the_library_are_restored(self, torch):
        torch.manual_seed(1)
        expected = torch.rand(2)
        torch.manual_seed(1)
        threads = torch.get_num_threads()
        fit(STEPS=2)
        assert torch.equal(torch.rand(2), expected)
        assert torch.get_num_threads() == threads
        assert not torch.are_deterministic_algorithms_enabled()

    def test_missing_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(ExtraMissingError, match=r"needs PyTorch .*: pip install .*\[web2text\]'"):
            fit()


class TestForward:
    def test_agrees_with_numpy(self, torch):
        weights = [RANDOM.normal(size=shape).astype(np.float32) for shape in ((4, 3, 1), (5, 4, 3), (2, 5, 3))]
        biases = [RANDOM.normal(size=len(weight)).astype(np.float32) for weight in weights]
        rows = SEQUENCES[0]
        padded = np.pad(rows, ((0, 6), (0, 0)))[None]
        inside = torch.arange(len(rows) + 6)[None, None] < len(rows)
        output = web2text.forward(
            torch,
            torch.from_numpy(padded).transpose(1, 2),
            [torch.from_numpy(weight) for weight in weights],
            [torch.from_numpy(bias) for bias in biases],
            inside,
        )[0].T.numpy()[: len(rows)]
        assert output == pytest.approx(Network(array(0, 0, 0), array(1, 1, 1), weights, biases).logits(rows), abs=1e-4)
