"""WCC, the system of Amsterdam at CleanEval 2007: five methods.

As published: the baseline labels each block of text as a paragraph. The heuristic processes lines. A line of over 3
characters with more than 10 words, which have over 3 characters on average, is a paragraph. The last short line before
it is its heading if it is fewer than 3 lines before. The decision tree has four features of a block: number of words,
tag around it, share of capitalized words, and words per punctuation mark. In the language model the words of a page's
headings are a query, and the blocks whose language model diverges from that of the query by less than a constant are
content. In the genetic algorithm, trees of positive and negative regular expressions, joined by OR, are bred. The
fitness of a tree is 2 points for each word of the gold that it keeps, and -1 for each other word.

Choices where the papers are silent. Lines are blocks, which two `<br>` split as well. Hidden blocks are left out.
Labels are those of the markup, except for the heuristic. LightGBM fits a single decision tree of up to 31 leaves, with
blocks that weigh by the root of their words, as for the main model. The title counts as a heading for the language
model. The model of a block is smoothed with that of the page; the smoothing share and the constant maximize the F1 of
the words of the training pages. A page without headings is content as a whole. Because of OR, a bred tree is the set of
its leaves: a block is content if a positive leaf and no negative leaf matches it. Leaves are patterns of text form
(`SHAPES`), and the most indicative words in training (`vclean.classify.methods.fiasco` chooses its key words in a
similar way). All random choices are seeded, so the same pages breed the same tree.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import expit

from vclean.classify.forest import Forest
from vclean.classify.methods.base import HALF, concatenated, prediction_from_mask, prediction_of_visible
from vclean.classify.training.dataset import WEIGHT_CAP
from vclean.features.block import linguistic, structural
from vclean.features.columns import find_keys, ratio
from vclean.features.page_context import PageContext
from vclean.features.text.characters import PUNCT, EncodedTexts
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Example, Method, TrainingPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

_LINES: Final = 3
"""Number of lines from a heading within which its paragraph begins."""


def baseline(blocks: BlockColumns) -> Prediction:
    """Label each visible block as a paragraph."""
    return prediction_of_visible(blocks, np.ones(len(blocks), dtype=bool), [Label.PARAGRAPH] * len(blocks))


def heuristic(blocks: BlockColumns) -> Prediction:
    """Label long lines of long words as paragraphs, and short lines directly before them as headings."""
    lines = np.flatnonzero(blocks.visibility != Visibility.HIDDEN)
    words = [blocks.text[line].split() for line in lines.tolist()]
    count = np.array([len(line) for line in words], dtype=np.int64)
    letters = np.array([sum(map(len, line)) for line in words], dtype=np.int64)
    is_line = letters + count - 1 > 3
    paragraph = is_line & (count > 10) & (letters > 3 * count)
    heading = _headings(paragraph, is_line & ~paragraph)
    is_content = np.zeros(len(blocks), dtype=bool)
    is_content[lines] = paragraph | heading
    headings = set(lines[heading].tolist())
    labels = [Label.HEADING if block in headings else Label.PARAGRAPH for block in range(len(blocks))]
    return prediction_from_mask(blocks, is_content, labels)


def _headings(paragraph: NDArray[np.bool_], short: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which lines are the last short line before a paragraph and near it, bool (L,)."""
    index = np.arange(len(short))
    last = np.maximum.accumulate(np.where(short, index, -_LINES))
    near = paragraph & (index - last < _LINES)
    headings = np.zeros(len(short), dtype=bool)
    headings[last[near]] = True
    return headings


_TAG: Final = 1
_PARAMETERS: Final[dict[str, Any]] = {
    "objective": "binary",
    "learning_rate": 1.0,
    "num_leaves": 31,
    "min_data_in_leaf": 50,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


def tree_columns(context: PageContext) -> NDArray[np.float32]:
    """Return the features of the decision tree, float32 (B, 4).

    They are the number of words, the tag around the text by its index in `structural.TAG_CODES`, the share of words
    that begin with a capital among those that could, and the words per punctuation mark.
    """
    values = linguistic.compute(context)
    marks = context.texts.count_class(PUNCT)
    tag = structural.tag_codes(context.snapshot)[context.blocks.main_element]
    columns = (values["words"], tag, values["capitalised_words"], ratio(context.tokens, marks.clip(1)))
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


class DecisionTree:
    """Trainable decision tree."""

    def make_example(self, training_page: TrainingPage) -> Example:
        """Make the example of a page: float32 (B, 4) features, bool (B,) content, float32 (B,) weights."""
        columns = tree_columns(PageContext(training_page.blocks))
        return columns, training_page.truth.is_content, np.sqrt(columns[:, 0].clip(1, WEIGHT_CAP))

    def train(self, examples: Sequence[Example]) -> bytes:
        """Fit a tree on the blocks of all pages, and return it in LightGBM's text format."""
        import lightgbm  # takes a quarter of a second; the other systems do without

        columns, target, weight = concatenated(examples)
        data = lightgbm.Dataset(columns, target, weight=weight, categorical_feature=[_TAG], params=_PARAMETERS)
        return lightgbm.train(_PARAMETERS, data, num_boost_round=1).model_to_string().encode()

    def load(self, data: bytes) -> Method:
        """Return the method that keeps the visible blocks that the tree classifies as content."""
        tree = Forest(data.decode(), is_rare=True).booster  # with splits by category, which `Forest.predict` lacks

        def label(blocks: BlockColumns) -> Prediction:
            columns = tree_columns(PageContext(blocks))
            probability = np.asarray(tree.predict(columns, num_threads=1), dtype=np.float32)
            return prediction_of_visible(blocks, probability >= HALF, probability=probability)

        return label


def heading_divergence(context: PageContext, smoothing: Sequence[float]) -> NDArray[np.float32]:
    """Return the Kullback-Leibler divergence of each block's words from the query, in nats, float32 (S, B).

    The query has the words of the title and headings that occur in the blocks, with shares that sum to 1.
    The model of a block is the distribution of its words, mixed with that of the page at the share `smoothing` (S
    values). So no word of the query has probability 0. Without a query the divergence is 0.
    """
    words = context.words
    of_headings = words.hash[(structural.heading_level(context) > 0)[words.owner]]
    of_title = EncodedTexts([context.snapshot.title]).words.hash
    hashes = np.concatenate([of_headings, of_title[np.isin(of_title, words.hash)]])
    types, type_count = np.unique(hashes, return_counts=True)
    share = type_count / max(len(hashes), 1)
    rows, index = find_keys(context.words.hash, types)
    cell = context.words.owner[rows] * len(types) + index
    count = np.bincount(cell, minlength=len(context) * len(types)).reshape(len(context), len(types))
    of_block, of_page = ratio(count, context.tokens[:, None]), ratio(count.sum(axis=0), float(len(context.words)))
    mixed = [(1 - part) * of_block + part * of_page for part in smoothing]
    return np.array([(share * np.log(share / model)).sum(axis=1) for model in mixed], dtype=np.float32)


SMOOTHING: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
"""Candidates for the share of the page's model."""
_CONSTANTS: Final = 200


class LanguageModel:
    """Trainable language model."""

    def make_example(self, training_page: TrainingPage) -> Example:
        """Make the example of a page: float32 (B, S) divergences by smoothing share, bool (B,) content, (B,) words."""
        context = PageContext(training_page.blocks)
        divergence = heading_divergence(context, SMOOTHING)
        return divergence.T, training_page.truth.is_content, context.tokens

    def train(self, examples: Sequence[Example]) -> bytes:
        """Choose the best smoothing share and constant, and return them in JSON."""
        columns, target, weight = concatenated(examples)
        candidates = [best_constant(divergence, target, weight) for divergence in columns.T]
        best = int(np.argmax([score for _, score in candidates]))
        return json.dumps({"smoothing": SMOOTHING[best], "constant": candidates[best][0]}).encode()

    def load(self, data: bytes) -> Method:
        """Return the method that keeps the visible blocks that diverge by at most the constant."""
        parameters = json.loads(data)
        smoothing, constant = float(parameters["smoothing"]), float(parameters["constant"])

        def label(blocks: BlockColumns) -> Prediction:
            (divergence,) = heading_divergence(PageContext(blocks), [smoothing])
            probability = expit(constant - divergence)
            return prediction_of_visible(blocks, divergence <= constant, probability=probability)

        return label


def best_constant(
    divergence: NDArray[np.float32], content: NDArray[np.bool_], weight: NDArray[np.float32]
) -> tuple[float, float]:
    """Return the threshold on `divergence` (R,) with the best F1 for `content` (R,), and its F1, by `weight` (R,).

    The candidates are the percentiles and half percentiles of the divergences. The threshold is midway to the next
    divergence.
    """
    candidates = np.unique(np.quantile(divergence, np.linspace(0, 1, _CONSTANTS + 1), method="higher"))
    order = np.argsort(divergence, kind="stable")
    count = np.searchsorted(divergence[order], candidates, side="right")
    selected_weight, correct_weight = (
        np.concatenate([[0], np.cumsum(part[order], dtype=np.float64)]) for part in (weight, weight * content)
    )
    f1 = 2 * correct_weight[count] / np.maximum(selected_weight[count] + float((weight * content).sum()), 1e-9)
    best = int(np.argmax(f1))
    following = divergence[order][count[best] : count[best] + 1]
    return float(np.mean([candidates[best], *following])), float(f1[best])


SHAPES: Final = (
    *(rf"^(?:\S+\s+){{{count}}}" for count in (3, 5, 8, 10, 12, 15, 20, 30, 50)),
    *(rf"^.{{{count}}}" for count in (40, 80, 120, 160, 240)),
    *(rf"(?:,.*){{{count}}}" for count in (1, 2, 3, 4)),
    *(rf"(?:[.!?](?:\s|$).*){{{count}}}" for count in (1, 2, 3, 4)),
    r"[.!?][\"'”’)]?$", r":$", r"^[A-Z]", r"^[a-z]", r"^\d", r"^[•·*–-]", r"^\W+$", r"^[^a-z]+$", r"^\S+$",
    r"^\S+\s\S+$",
    r"\|", r"»", r"›", r"©", r"@", r"\d{4}", r"\d:\d\d", r"\$\d", r"https?:", r"\?$", r"\.\.\.|…", r"[\"“”]", r"\(.*\)",
)  # fmt: skip
"""Patterns of the form of a text."""
WORDS: Final = 150
"""Maximum number of words that become leaves, for each of clean and dirty text."""
BLOCKS: Final = 100
"""Maximum number of blocks of a page that determine fitness, drawn at random."""
_PAGES: Final = 8
_POPULATION: Final = 60
_GENERATIONS: Final = 120
_FITTEST: Final = 12
_CHANGES: Final = 3
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


class Genetic:
    """Trainable genetic algorithm."""

    def make_example(self, training_page: TrainingPage) -> Example:
        """Make the example of a page from up to `BLOCKS` of its blocks: texts, words, and words of each in the gold."""
        count = len(training_page.blocks)
        rows = np.sort(np.random.default_rng(count).permutation(count)[:BLOCKS])
        texts = np.array([training_page.blocks.text[row] for row in rows.tolist()], dtype=object)
        words = np.array([len(text.split()) for text in texts], dtype=np.float64)
        return texts, words, training_page.truth.content_share[rows] * words

    def train(self, examples: Sequence[Example]) -> bytes:
        """Breed a tree, and return its positive and negative patterns in JSON."""
        indicative = indicative_words(examples)
        texts, words, gold = concatenated(examples)
        shapes = [[bool(pattern.search(text)) for text in texts] for pattern in map(re.compile, SHAPES)]
        types = list(map(_types, texts))
        matches = np.array([*shapes, *([word in words_of_text for words_of_text in types] for word in indicative)])
        genes = breed(matches, 2.0 * gold - (words - gold)).tolist()
        patterns = [*SHAPES, *(rf"(?i)\b{word}\b" for word in indicative)]
        leaves = {
            kind: [pattern for pattern, gene in zip(patterns, genes, strict=True) if gene == sign]
            for kind, sign in (("positive", 1), ("negative", -1))
        }
        return json.dumps(leaves).encode()

    def load(self, data: bytes) -> Method:
        """Return the method that keeps the visible blocks that a positive and no negative pattern matches."""
        patterns = json.loads(data)
        positive, negative = ([re.compile(pattern) for pattern in patterns[kind]] for kind in ("positive", "negative"))

        def keeps(text: str) -> bool:
            return any(leaf.search(text) for leaf in positive) and not any(leaf.search(text) for leaf in negative)

        def label(blocks: BlockColumns) -> Prediction:
            is_content = np.array([keeps(text) for text in blocks.text], dtype=bool)
            return prediction_of_visible(blocks, is_content)

        return label


def _types(text: str) -> frozenset[str]:
    """Return the distinct words of a text in lower case."""
    return frozenset(_WORD.findall(text.lower()))


def indicative_words(examples: Sequence[Example]) -> list[str]:
    """Return the words on at least `_PAGES` pages with the highest and lowest odds of gold in their blocks, sorted."""
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    for texts, words, gold in examples:
        types = list(map(_types, texts))
        pages.update(frozenset[str]().union(*types))
        for types_of_text, is_gold in zip(types, 2 * gold >= words, strict=True):
            (inside if is_gold else outside).update(types_of_text)
    odds = {word: log((inside[word] + 1) / (outside[word] + 1)) for word, count in pages.items() if count >= _PAGES}
    ranked = sorted(odds, key=lambda word: (odds[word], word))
    return sorted({*ranked[:WORDS], *ranked[-WORDS:]})


def breed(matches: NDArray[np.bool_], worth: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return the leaves of the fittest tree, int8 (L,): 1 for positive, -1 for negative, 0 for unused leaves.

    Args:
        matches: (L, B), whether leaf L matches block B.
        worth: (B,), points for keeping a block.
    """
    random = np.random.default_rng(0)
    population = np.zeros((_POPULATION, len(matches)), dtype=np.int8)
    population[np.arange(_POPULATION), random.integers(len(matches), size=_POPULATION)] = 1
    packed = np.packbits(matches, axis=1)
    for _ in range(_GENERATIONS):
        fittest = population[np.argsort(-fitness(population, packed, worth), kind="stable")[:_FITTEST]]
        population = np.vstack([fittest, _children(fittest, _POPULATION - len(fittest), random)])
    return np.asarray(population[int(np.argmax(fitness(population, packed, worth)))])


def fitness(
    population: NDArray[np.int8], matches: NDArray[np.uint8], worth: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the points of T trees, float64 (T,), from the packed matches of the leaves and the `worth` of blocks."""
    selected = [
        np.bitwise_or.reduce(matches[tree > 0], axis=0) & ~np.bitwise_or.reduce(matches[tree < 0], axis=0)
        for tree in population
    ]
    return np.asarray(np.unpackbits(np.stack(selected), axis=1, count=len(worth)).astype(np.float64) @ worth)


def _children(parents: NDArray[np.int8], count: int, random: np.random.Generator) -> NDArray[np.int8]:
    """Return trees with each leaf from one of two parents and up to `_CHANGES` random changes, int8 (count, L)."""
    mothers, fathers = random.integers(len(parents), size=(2, count))
    from_mother = random.random((count, parents.shape[1])) < 0.5
    children = np.where(from_mother, parents[mothers], parents[fathers])
    for _ in range(_CHANGES):
        leaf = random.integers(parents.shape[1], size=count)
        changed = random.random(count) < 0.5
        value = random.integers(-1, 2, size=count)
        children[changed, leaf[changed]] = value[changed]
    return np.asarray(children, dtype=np.int8)


DECISION_TREE: Final = DecisionTree()
LANGUAGE_MODEL: Final = LanguageModel()
GENETIC: Final = Genetic()
