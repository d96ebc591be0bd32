"""Genetic algorithm of WCC (Amsterdam at CleanEval 2007).

As published: trees of positive and negative regular expressions, joined by OR, are bred. The fitness of a tree is 2
points for each word of the gold that it keeps, and -1 for each other word.

Choices where the paper is silent: because of OR, a tree is the set of its leaves. A block is content if a positive leaf
and no negative leaf matches it. Leaves are patterns of text form (`SHAPES`), and the most indicative words in training
(`vclean.classify.methods.fiasco` chooses its key words in a similar way). All random choices are seeded, so the same
pages breed the same tree. Labels are those of the markup. Hidden blocks are left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import prediction_from_mask
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

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
_GOLD_POINTS: Final = 2.0
_OTHER_POINTS: Final = -1.0
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True, eq=False)
class GeneticExample:
    """Training example of a page with B blocks.

    Attributes:
        shapes: bool (len(SHAPES), B), whether a pattern matches a block.
        types: distinct words of each block, in lower case.
        words, gold: float64 (B,), number of words of each block, and of those in the gold.
    """

    shapes: NDArray[np.bool_]
    types: list[frozenset[str]]
    words: NDArray[np.float64]
    gold: NDArray[np.float64]


def make_example(training_page: TrainingPage) -> GeneticExample:
    """Make the training example of a page from up to `BLOCKS` of its blocks."""
    count = len(training_page.blocks)
    rows = np.sort(np.random.default_rng(count).permutation(count)[:BLOCKS])
    texts = [training_page.blocks.text[row] for row in rows.tolist()]
    words = np.array([len(text.split()) for text in texts], dtype=np.float64)
    shapes = [[bool(pattern.search(text)) for text in texts] for pattern in map(re.compile, SHAPES)]
    types = [frozenset(_WORD.findall(text.lower())) for text in texts]
    return GeneticExample(np.array(shapes, dtype=bool), types, words, training_page.truth.content_share[rows] * words)


def train(examples: Sequence[GeneticExample]) -> bytes:
    """Breed a tree, and return its positive and negative patterns in JSON."""
    indicative = indicative_words(examples)
    types = [words for page in examples for words in page.types]
    shapes = np.concatenate([page.shapes for page in examples], axis=1)
    matches = np.vstack([shapes, *([word in words for words in types] for word in indicative)])
    words, gold = np.concatenate([page.words for page in examples]), np.concatenate([page.gold for page in examples])
    genes = breed(matches, _GOLD_POINTS * gold + _OTHER_POINTS * (words - gold)).tolist()
    patterns = [*SHAPES, *(rf"(?i)\b{word}\b" for word in indicative)]
    leaves = {
        kind: [pattern for pattern, gene in zip(patterns, genes, strict=True) if gene == sign]
        for kind, sign in (("positive", 1), ("negative", -1))
    }
    return json.dumps(leaves).encode()


def load(data: bytes) -> Method:
    """Return the method that keeps the visible blocks that a positive and no negative pattern matches."""
    patterns = json.loads(data)
    positive, negative = ([re.compile(pattern) for pattern in patterns[kind]] for kind in ("positive", "negative"))

    def keeps(text: str) -> bool:
        return any(leaf.search(text) for leaf in positive) and not any(leaf.search(text) for leaf in negative)

    def label(blocks: BlockColumns) -> Prediction:
        is_content = np.array([keeps(text) for text in blocks.text], dtype=bool)
        return prediction_from_mask(blocks, is_content & (blocks.visibility != Visibility.HIDDEN))

    return label


def indicative_words(examples: Sequence[GeneticExample]) -> list[str]:
    """Return the words on at least `_PAGES` pages with the highest and lowest odds of gold in their blocks, sorted."""
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    for page in examples:
        pages.update(frozenset[str]().union(*page.types))
        for types, is_gold in zip(page.types, 2 * page.gold >= page.words, strict=True):
            (inside if is_gold else outside).update(types)
    odds = {word: log((inside[word] + 1) / (outside[word] + 1)) for word, count in pages.items() if count >= _PAGES}
    ranked = sorted(odds, key=lambda word: (odds[word], word))
    return sorted({*ranked[:WORDS], *ranked[-WORDS:]})


def breed(matches: NDArray[np.bool_], worth: NDArray[np.float64], seed: int = 0) -> NDArray[np.int8]:
    """Return the leaves of the fittest tree, int8 (L,): 1 for positive, -1 for negative, 0 for unused leaves.

    Args:
        matches: (L, B), whether leaf L matches block B.
        worth: (B,), points for keeping a block.
        seed: seed of the random changes.
    """
    random = np.random.default_rng(seed)
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
