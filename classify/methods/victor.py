"""Victor (Marek, Pecina and Spousta 2007, "Web page cleaning with conditional random fields"), first at CleanEval 2007.

As published: the text is split into blocks. Each is described by its markup, its text and its position in the document.
A linear-chain conditional random field labels them heading, paragraph, list item, continuation or other.

Choices where the paper is silent: numbers are divided into ten ranges of equal frequency. The features `NEIGHBORS` of
the previous and the next block are used as well. CRFsuite trains the field, with L2 regularization, on up to `BLOCKS`
blocks per page, and NumPy evaluates it. A block is one of vclean's, which inline tags do not split. Content without a
label in the gold is trained with the label of its markup. Hidden blocks are left out.

The labels are not the best sequence. That sequence drops a block if its four content labels share the probability that
`other` leaves. A block is content if its four content labels together have the marginal probability `CONTENT`; it then
gets the most probable of the four. In the cross-validation over four corpora (docs/background/methods.md) the best
sequence has .711, .661, .759 and .822 word F1, and this method .777, .755, .790 and .878.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.methods.base import marginals, pack_arrays, stack_named, tag_labels, unpack_arrays
from vclean.classify.prediction import Prediction
from vclean.features.block import linguistic
from vclean.features.block.structural import count_opened_before
from vclean.features.columns import Groups, ratio
from vclean.features.page_context import PageContext
from vclean.features.text.characters import ALPHA, DIGIT, PUNCT, SPACE
from vclean.imports import import_optional
from vclean.labels import LABELS, UNKNOWN, Label, Visibility
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS
from vclean.render.static import styles

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Example, Method, TrainingPage
    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values
    from vclean.features.text.characters import EncodedTexts


_CONTAINERS: dict[str, Collection[str]] = {
    "p": ("p",), "a": ("a",), "u": ("u",), "img": ("img",), "class_header": HEADING_TAGS,
    "class_bold": ("b", "strong"), "class_italic": ("i", "em"), "class_list": ("ul", "ol", "dl", "li", "dt", "dd"),
    "class_form": ("form", "fieldset", "label", "select", "button"),
}  # fmt: skip
_SPLITS = {"p": ("p",), "br": ("br",), "hr": ("hr",)}
_CHARACTERS = {"alpha": ALPHA, "num": DIGIT, "punct": PUNCT, "white": SPACE}
_TOKENS = {"alpha": ALPHA, "num": DIGIT, "mix": ALPHA | DIGIT, "other": 0}
_GROUPS = ("div", "td")
_BULLETS = {
    character: code
    for code, characters in enumerate(("-–—", "•·●", "*", "▪■", "○◦", "‣»›→►▶➤➔", "✓✔+❖★☆◆◇※"), 1)
    for character in characters
}
"""Kind of each bullet character, from 1."""

COLUMNS: Final = (
    *(f"container_{name}" for name in _CONTAINERS),
    *(f"split_{name}" for name in (*_SPLITS, "class_inline", "class_block")),
    *(f"char_{name}_{how}" for name in _CHARACTERS for how in ("abs", "rel")),
    *(f"token_{name}_{how}" for name in _TOKENS for how in ("abs", "rel")),
    "sentence_count", "sentence_avg_length", "sentence_begin", "sentence_end", "first_duplicate", "duplicate_count",
    "regexp_url", "regexp_date", "regexp_time", "bullet", "div_group_word_ratio", "td_group_word_ratio", "position",
    "document_word_count", "document_sentence_count", "document_block_count", "document_max_div_group",
    "document_max_td_group",
)  # fmt: skip
"""Columns by their published names."""


def compute(context: PageContext) -> Values:
    """Return the features of a page, each (B,)."""
    return {
        **_markup(context),
        **_characters(context.texts),
        **_tokens(context.texts),
        **_sentences(context),
        **_groups(context),
    }


def _markup(context: PageContext) -> Values:
    snapshot = context.snapshot
    inside = tree.path_sum(np.stack([snapshot.is_tag(tags) for tags in _CONTAINERS.values()], axis=1), snapshot.end)
    is_inside = inside[context.blocks.main_element] > 0
    block = snapshot.is_tag(styles.BLOCK_TAGS)
    masks = [*(snapshot.is_tag(tags) for tags in _SPLITS.values()), ~block, block]
    return dict(zip(COLUMNS, [*is_inside.T, *count_opened_before(context, np.array(masks))], strict=False))


def _characters(texts: EncodedTexts) -> Values:
    count = {name: texts.count_class(bits) for name, bits in _CHARACTERS.items()}
    count["white"] = count["white"] - 1  # the line feed after each text
    return {
        **{f"char_{name}_abs": values for name, values in count.items()},
        **{f"char_{name}_rel": ratio(values, texts.length) for name, values in count.items()},
    }


def _tokens(texts: EncodedTexts) -> Values:
    """Count tokens between white space, by the kinds of their characters."""
    inside = (texts.kind & SPACE) == 0
    start = np.flatnonzero(inside & ~np.concatenate([[False], inside[:-1]]))
    bits = np.bitwise_or.reduceat(np.where(inside, texts.kind & np.uint32(ALPHA | DIGIT), 0), start)
    owner = np.searchsorted(texts.start, start, side="right") - 1
    total = np.bincount(owner, minlength=len(texts.start))
    count = {name: np.bincount(owner, bits == kind, len(texts.start)) for name, kind in _TOKENS.items()}
    return {
        **{f"token_{name}_abs": values for name, values in count.items()},
        **{f"token_{name}_rel": ratio(values, total) for name, values in count.items()},
    }


def _sentences(context: PageContext) -> Values:
    values, texts, count = linguistic.compute(context), context.texts, len(context)
    colons, digit = np.flatnonzero(texts.code == ord(":")), (texts.kind & DIGIT) > 0
    times = texts.count(colons[digit[colons - 1] & digit[colons + 1]])
    return {
        "sentence_count": values["sentences"],
        "sentence_avg_length": values["sentence_length"],
        "sentence_begin": values["starts_capital"],
        "sentence_end": values["ends_sentence"],
        "first_duplicate": (values["duplicates"] > 0) & (values["duplicate_number"] == 0),
        "duplicate_count": values["duplicates"],
        "regexp_url": values["urls"],
        "regexp_date": (values["dates"] - times).clip(0),
        "regexp_time": times,
        "bullet": np.array([_BULLETS.get(text[:1], 0) for text in context.blocks.text]),
        "position": np.arange(count) / count,
        "document_word_count": values["page_words"],
        "document_sentence_count": np.full(count, values["sentences"].sum()),
        "document_block_count": values["page_blocks"],
    }


def _groups(context: PageContext) -> Values:
    """Return the share of the page's words in blocks of the same `div` or cell, and its maximum; 0 outside."""
    columns: Values = {}
    words = Groups(context.blocks.node).total(context.tokens)
    for tag in _GROUPS:
        is_grouped = context.snapshot.is_tag((tag,))[context.blocks.node]
        share = ratio(np.where(is_grouped, words, 0), float(context.tokens.sum()))
        columns[f"{tag}_group_word_ratio"] = share
        columns[f"document_max_{tag}_group"] = np.full(len(context), share.max())
    return columns


RANGES: Final = 10
"""Number of ranges of a feature. The last of `VALUES` is for neighbors beyond the page."""
VALUES: Final = RANGES + 1
NEIGHBORS: Final = (
    "container_a", "container_class_header", "container_class_list", "char_alpha_abs", "token_alpha_abs",
    "sentence_count", "sentence_end", "split_class_block",
)  # fmt: skip
BLOCKS: Final = 300
CONTENT: Final = 0.4
"""Minimum probability of a content block: half of the F1 that can be reached, which is the optimal threshold for F1
(Lipton, Elkan and Narayanaswamy 2014)."""
_NEIGHBOR_INDEXES: Final = [COLUMNS.index(name) for name in NEIGHBORS]
_OTHER: Final = LABELS.index(Label.OTHER)
_TYPES: Final = [code for code in range(len(LABELS)) if code != _OTHER]


def make_example(training_page: TrainingPage) -> Example:
    """Make the example of a page: float32 (B, C) features, int8 (B,) labels as indexes into `LABELS`.

    The label of the markup is used if the gold has none.
    """
    by_markup = np.array([LABELS.index(label) for label in tag_labels(training_page.blocks)], dtype=np.int8)
    truth = training_page.truth.label
    labels = np.where(truth == UNKNOWN, by_markup, truth)
    return _columns(training_page.blocks)[:BLOCKS], labels[:BLOCKS]


def train(examples: Sequence[Example]) -> bytes:
    """Choose the ranges and train the weights of the conditional random field."""
    borders = _range_borders(np.concatenate([columns for columns, _ in examples]))
    options = {"c1": 0.0, "c2": 1.0, "max_iterations": 60}
    trainer = import_optional("pycrfsuite", "python-crfsuite", "methods").Trainer(verbose=False, params=options)
    for columns, labels in examples:
        features = [
            [f"{column} {value}" for column, value in enumerate(row)] for row in _ranges(columns, borders).tolist()
        ]
        trainer.append(features, [LABELS[code].value for code in labels])
    state, transition = _weights(trainer)
    return pack_arrays({"cuts": borders, "place": state, "pair": transition})


def load(data: bytes) -> Method:
    """Return the method that labels blocks by the marginal probabilities of their labels."""
    arrays = unpack_arrays(data)
    borders, state, transition = arrays["cuts"], arrays["place"], arrays["pair"]

    def label(blocks: BlockColumns) -> Prediction:
        ranges = _ranges(_columns(blocks), borders)
        scores = state[np.arange(ranges.shape[1]), ranges].sum(axis=1)
        likely = marginals(scores, transition)
        probability = 1 - likely[:, _OTHER]
        is_content = (probability >= CONTENT) & (blocks.visibility != Visibility.HIDDEN)
        types = np.array(_TYPES)[likely[:, _TYPES].argmax(axis=1)]
        codes = np.where(is_content, types, _OTHER)
        return Prediction([LABELS[code] for code in codes.tolist()], probability.astype(np.float32))

    return label


def _columns(blocks: BlockColumns) -> NDArray[np.float32]:
    values = compute(PageContext(blocks))
    return stack_named({name: values[name] for name in COLUMNS})


def _range_borders(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the upper borders of the ranges of each feature, float32 (C, RANGES - 1); infinite for unused ranges.

    The first range has the least value only. The other ranges have about equal numbers of the greater values.
    """
    borders = np.full((columns.shape[1], RANGES - 1), np.inf, dtype=np.float32)
    for number, column in enumerate(columns.T):
        values = column[~np.isnan(column)]
        least = values.min(initial=np.inf)
        above = values[values > least]
        if len(above):
            ends = np.quantile(above, np.linspace(0, 1, RANGES - 1, endpoint=False)[1:], method="lower")
            distinct = np.unique([least, *ends])
            borders[number, : len(distinct)] = distinct
    return borders


def _ranges(columns: NDArray[np.float32], borders: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the range of each feature of a block and of its neighbors, int64 (B, C + 2 * len(NEIGHBORS)).

    Missing values are in the first range.
    """
    filled = np.nan_to_num(columns.T, nan=-1.0)
    ranges = np.stack([np.searchsorted(ends, values) for ends, values in zip(borders, filled, strict=True)], axis=1)
    edge = np.full((1, len(_NEIGHBOR_INDEXES)), RANGES)
    before = np.vstack([edge, ranges[:-1, _NEIGHBOR_INDEXES]])
    after = np.vstack([ranges[1:, _NEIGHBOR_INDEXES], edge])
    return np.hstack([ranges, before, after])


def _weights(trainer: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:  # noqa: ANN401 - a library without types
    """Return the state weights (columns, VALUES, labels) and the transition weights (labels, labels)."""
    with TemporaryDirectory(prefix="vclean-") as folder:
        file = str(Path(folder) / "field")
        trainer.train(file)
        tagger = import_optional("pycrfsuite", "python-crfsuite", "methods").Tagger()
        tagger.open(file)
        info = tagger.info()
    state = np.zeros((len(COLUMNS) + 2 * len(_NEIGHBOR_INDEXES), VALUES, len(LABELS)), dtype=np.float32)
    transition = np.zeros((len(LABELS), len(LABELS)), dtype=np.float32)
    for (name, label), weight in info.state_features.items():
        column, value = name.split(" ")
        state[int(column), int(value), LABELS.index(Label(label))] = weight
    for (before, after), weight in info.transitions.items():
        transition[LABELS.index(Label(before)), LABELS.index(Label(after))] = weight
    return state, transition
