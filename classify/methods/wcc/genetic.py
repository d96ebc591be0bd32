"""The genetic algorithm of WCC (Amsterdam at CleanEval 2007).

As published: trees of positive and negative regular expressions, joined by OR, are bred; a tree is the fitter, the more
words of the gold it keeps (2 points each) and the fewer others (-1 each).

Left open and chosen: since OR joins, a tree is the set of its leaves, and a block is content if a positive leaf matches
it and no negative one does. Leaves are patterns of what a text is like (`SHAPES`), and the words that tell most in
training (`vclean.classify.methods.fiasco` chooses its key words alike). The population, its growth and its changes
are seeded: the same pages breed the same tree. Types are those of the markup; what is hidden is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import decide
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
"""Patterns of what a text is like."""
WORDS: Final = 150
"""Words that become leaves, at most, and of either kind of text."""
BLOCKS: Final = 100
"""Blocks of a page that trees are judged by, drawn at random."""
_PAGES: Final = 8
_POPULATION: Final = 60
_GENERATIONS: Final = 120
_FITTEST: Final = 12
_CHANGES: Final = 3
_KEPT: Final = 2.0
_OTHER: Final = -1.0
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True, eq=False)
class GeneticExample:
    """A page's B blocks.

    Attributes:
        shapes: bool (len(SHAPES), B), which of the patterns match.
        types: the different words of every block, in small letters.
        words, gold: float64 (B,), words, and how many of them are in the gold.
    """

    shapes: NDArray[np.bool_]
    types: list[frozenset[str]]
    words: NDArray[np.float64]
    gold: NDArray[np.float64]


def example(lesson: TrainingPage) -> GeneticExample:
    """Up to `BLOCKS` of a page's blocks."""
    count = len(lesson.blocks)
    rows = np.sort(np.random.default_rng(count).permutation(count)[:BLOCKS])
    texts = [lesson.blocks.text[row] for row in rows.tolist()]
    words = np.array([len(text.split()) for text in texts], dtype=np.float64)
    shapes = [[bool(found.search(text)) for text in texts] for found in map(re.compile, SHAPES)]
    types = [frozenset(_WORD.findall(text.lower())) for text in texts]
    return GeneticExample(np.array(shapes, dtype=bool), types, words, lesson.truth.content_share[rows] * words)


def train(examples: Sequence[GeneticExample]) -> bytes:
    """The fittest tree, its positive and its negative patterns, in JSON."""
    telling = indicative_words(examples)
    types = [words for page in examples for words in page.types]
    shapes = np.concatenate([page.shapes for page in examples], axis=1)
    matches = np.vstack([shapes, *([word in words for words in types] for word in telling)])
    words, gold = np.concatenate([page.words for page in examples]), np.concatenate([page.gold for page in examples])
    genes = breed(matches, _KEPT * gold + _OTHER * (words - gold)).tolist()
    patterns = [*SHAPES, *(rf"(?i)\b{word}\b" for word in telling)]
    leaves = {
        kind: [pattern for pattern, gene in zip(patterns, genes, strict=True) if gene == sign]
        for kind, sign in (("positive", 1), ("negative", -1))
    }
    return json.dumps(leaves).encode()


def load(data: bytes) -> Method:
    """Keeps the blocks that a positive pattern matches and no negative one, and that are not hidden."""
    found = json.loads(data)
    positive, negative = ([re.compile(pattern) for pattern in found[kind]] for kind in ("positive", "negative"))

    def keeps(text: str) -> bool:
        return any(leaf.search(text) for leaf in positive) and not any(leaf.search(text) for leaf in negative)

    def label(blocks: BlockColumns) -> Prediction:
        kept = np.array([keeps(text) for text in blocks.text], dtype=bool)
        return decide(blocks, kept & (blocks.visibility != Visibility.HIDDEN))

    return label


def indicative_words(examples: Sequence[GeneticExample]) -> list[str]:
    """The words of `_PAGES` pages at least whose blocks are most surely in the gold, and most surely not; by letter."""
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
    """int8 (L,): 1 for the positive leaves of the fittest tree, -1 for the negative ones, 0 for those it has not.

    Args:
        matches: (L, B), which of L leaves match which of B blocks.
        worth: (B,), the points for keeping a block.
        seed: of the changes.
    """
    random = np.random.default_rng(seed)
    population = np.zeros((_POPULATION, len(matches)), dtype=np.int8)
    population[np.arange(_POPULATION), random.integers(len(matches), size=_POPULATION)] = 1
    table = np.packbits(matches, axis=1)
    for _ in range(_GENERATIONS):
        fittest = population[np.argsort(-fitness(population, table, worth), kind="stable")[:_FITTEST]]
        population = np.vstack([fittest, _children(fittest, _POPULATION - len(fittest), random)])
    return np.asarray(population[int(np.argmax(fitness(population, table, worth)))])


def fitness(
    population: NDArray[np.int8], matches: NDArray[np.uint8], worth: NDArray[np.float64]
) -> NDArray[np.float64]:
    """float64 (T,): the points of T trees, by packed bits of what the leaves match, and the `worth` of blocks."""
    kept = [
        np.bitwise_or.reduce(matches[tree > 0], axis=0) & ~np.bitwise_or.reduce(matches[tree < 0], axis=0)
        for tree in population
    ]
    return np.asarray(np.unpackbits(np.stack(kept), axis=1, count=len(worth)).astype(np.float64) @ worth)


def _children(parents: NDArray[np.int8], count: int, random: np.random.Generator) -> NDArray[np.int8]:
    """int8 (count, L): trees that have every leaf from one parent or the other, and up to `_CHANGES` leaves changed."""
    mothers, fathers = random.integers(len(parents), size=(2, count))
    from_mother = random.random((count, parents.shape[1])) < 0.5
    children = np.where(from_mother, parents[mothers], parents[fathers])
    for _ in range(_CHANGES):
        leaf = random.integers(parents.shape[1], size=count)
        changed = random.random(count) < 0.5
        value = random.integers(-1, 2, size=count)
        children[changed, leaf[changed]] = value[changed]
    return np.asarray(children, dtype=np.int8)
