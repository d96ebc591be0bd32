"""The columns of Victor (Marek, Pecina and Spousta 2007, "Web page cleaning with conditional random fields").

Names are the published ones, with `_` for every `.` and `-`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features import linguistic, tree
from vclean.features.columns import Column, ratio, table
from vclean.features.groups import Groups
from vclean.features.structural import begun_before
from vclean.features.text import ALPHA, DIGIT, PUNCT, SPACE
from vclean.render import ua

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.text import Texts
    from vclean.features.view import View

_CONTAINERS: dict[str, Collection[str]] = {
    "p": ("p",), "a": ("a",), "u": ("u",), "img": ("img",), "class_header": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "class_bold": ("b", "strong"), "class_italic": ("i", "em"), "class_list": ("ul", "ol", "dl", "li", "dt", "dd"),
    "class_form": ("form", "fieldset", "label", "select", "button"),
}  # fmt: skip
_SPLITS = {"p": ("p",), "br": ("br",), "hr": ("hr",)}
_CHARACTERS = {"alpha": ALPHA, "num": DIGIT, "punct": PUNCT, "white": SPACE}
_TOKENS = {"alpha": ALPHA, "num": DIGIT, "mix": ALPHA | DIGIT, "other": 0}
_GROUPS = ("div", "td")
_BULLETS = ("-–—", "•·●", "*", "▪■", "○◦", "‣»›→►▶➤➔", "✓✔+❖★☆◆◇※")

COLUMNS: tuple[Column, ...] = (
    *(Column(f"container_{name}", "flag", f"It stands in {', '.join(tags)}.") for name, tags in _CONTAINERS.items()),
    *(Column(f"split_{name}", "elements", f"{doc} that begin between the block before and this one.")
      for name, doc in (("p", "p"), ("br", "br"), ("hr", "hr"), ("class_inline", "Inline elements"),
                        ("class_block", "Elements of block level"))),
    *(Column(f"char_{name}_{how}", unit, f"{doc}.")
      for name, doc in zip(_CHARACTERS, ("Letters", "Digits", "Punctuation marks", "White space"), strict=True)
      for how, unit in (("abs", "characters"), ("rel", "share"))),
    *(Column(f"token_{name}_{how}", unit, f"Tokens {doc}.")
      for name, doc in (("alpha", "with letters and no digits"), ("num", "with digits and no letters"),
                        ("mix", "with both"), ("other", "with neither"))
      for how, unit in (("abs", "tokens"), ("rel", "share"))),
    *table(
        """
sentence_count | sentences | Number of sentences.
sentence_avg_length | words | Mean length of a sentence.
sentence_begin | flag | It begins as a sentence does.
sentence_end | flag | It ends as a sentence does.
first_duplicate | flag | It is the first of several blocks with the same text.
duplicate_count | blocks | Other blocks with the same text.
regexp_url | matches | Web addresses.
regexp_date | matches | Dates.
regexp_time | matches | Clock times.
bullet | code | The kind of bullet it begins with; 0 for none.
div_group_word_ratio | share | Of the page's words, those in blocks directly in the same div; 0 outside.
td_group_word_ratio | share | The same of a cell.
position | share | Place on the page, counted in blocks.
document_word_count | words | Words of the page.
document_sentence_count | sentences | Sentences of the page.
document_block_count | blocks | Blocks of the page.
document_max_div_group | share | The largest `div_group_word_ratio` of the page.
document_max_td_group | share | The largest `td_group_word_ratio` of the page.
"""
    ),
)  # fmt: skip


def compute(view: View) -> Values:
    """The columns of a page, each (B,)."""
    return {**_markup(view), **_characters(view.texts), **_tokens(view.texts), **_sentences(view), **_groups(view)}


def _markup(view: View) -> Values:
    snapshot = view.snapshot
    inside = tree.path_sum(np.stack([snapshot.is_tag(tags) for tags in _CONTAINERS.values()], axis=1), snapshot.end)
    found = inside[view.anchor] > 0
    block = snapshot.is_tag(ua.BLOCK_TAGS)
    masks = [*(snapshot.is_tag(tags) for tags in _SPLITS.values()), ~block, block]
    names = (*_SPLITS, "class_inline", "class_block")
    return {
        **{f"container_{name}": found[:, index] for index, name in enumerate(_CONTAINERS)},
        **{f"split_{name}": count for name, count in zip(names, begun_before(view, np.array(masks)), strict=True)},
    }


def _characters(texts: Texts) -> Values:
    length = np.diff(texts.start, append=len(texts.code)) - 1
    count = {name: texts.has(bits) for name, bits in _CHARACTERS.items()}
    count["white"] = count["white"] - 1  # the line feed behind every text
    return {
        **{f"char_{name}_abs": values for name, values in count.items()},
        **{f"char_{name}_rel": ratio(values, length) for name, values in count.items()},
    }


def _tokens(texts: Texts) -> Values:
    """Tokens between white space, by what they consist of."""
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


def _sentences(view: View) -> Values:
    values, texts, count = linguistic.compute(view), view.texts, len(view)
    digit = (texts.kind & DIGIT) > 0
    clock = np.concatenate([[False], (texts.code[1:-1] == ord(":")) & digit[:-2] & digit[2:], [False]])
    times = texts.count(clock)
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
        "bullet": np.array([_bullet(text[:1]) for text in view.blocks.text]),
        "position": np.arange(count) / count,
        "document_word_count": values["page_words"],
        "document_sentence_count": np.full(count, values["sentences"].sum()),
        "document_block_count": values["page_blocks"],
    }


def _bullet(character: str) -> int:
    return next((code for code, kind in enumerate(_BULLETS, 1) if character and character in kind), 0)


def _groups(view: View) -> Values:
    found: Values = {}
    for tag in _GROUPS:
        share = _group_share(view, view.snapshot.is_tag((tag,))[view.blocks.node])
        found[f"{tag}_group_word_ratio"] = share
        found[f"document_max_{tag}_group"] = np.full(len(view), share.max())
    return found


def _group_share(view: View, grouped: NDArray[np.bool_]) -> NDArray[np.float32]:
    """float32 (B,): the share of the page's words in blocks of the same container, 0 for those not `grouped` (B,)."""
    words = Groups.by(view.blocks.node).total(view.tokens)
    return ratio(np.where(grouped, words, 0), float(view.tokens.sum()))
