"""The columns of a feature matrix in plain English: the group each is of, and a phrase for its value.

The phrases of the columns about the block itself and about larger subtrees are in `data/`; those of neighbours, linear
verdicts and regions are put together here.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from vclean.classify.content import stacking
from vclean.features.block import neighbourhood
from vclean.features.block.structural import TAG_CODES
from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Callable


_PLACE: Final = re.compile(r"\{(\w+)(?::([^}|]+)(?:\|([^}]+))?)?\}")
_AT_END: Final = 0.03
"""Share of the way from which on a place counts as one at the end, or the beginning."""
_FEW_WORDS, _MANY_WORDS = 5, 40
_FEW_CHARACTERS, _MANY_CHARACTERS = 30, 240


def fill(template: str, value: float) -> str:
    """The `template` with its place taken by the `value`.

    >>> fill("{percent} capitals", 0.25), fill("{count:link}", 2), fill("inside <nav>", 1)
    ('25 % capitals', '2 links', 'inside <nav>')
    """
    return _PLACE.sub(lambda place: _FORMS[place[1]](value, place[2] or "", place[3] or ""), template)


def counted(number: float, noun: str, plural: str = "") -> str:
    """A number with its noun.

    Args:
        number: how many.
        noun: in the singular.
        plural: the ending of the plural, or nothing for the usual one.

    >>> counted(1, "word"), counted(0, "link"), counted(1200, "address", "es"), counted(2, "comma")
    ('1 word', 'no links', '1,200 addresses', '2 commas')
    """
    many = noun + (plural or "s")
    if number == 0:
        return f"no {many}"
    return f"{number:,.0f} {noun if round(number) == 1 else many}"


def _length(value: float, noun: str, plural: str) -> str:
    few, many = (_FEW_WORDS, _MANY_WORDS) if noun == "word" else (_FEW_CHARACTERS, _MANY_CHARACTERS)
    size = "" if value == 0 else "short: " if value <= few else "long: " if value >= many else ""
    return size + counted(value, noun, plural)


def _number(value: float, *_: str) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}".removesuffix(".0")


def percent(value: float) -> str:
    """A share in per cent.

    >>> percent(0.123), percent(0.004), percent(0.996)
    ('12 %', 'under 1 %', 'over 99 %')
    """
    if 0 < value < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= value < 1 else f"{100 * value:.0f} %"


def _way(value: float, *_: str) -> str:
    if value < _AT_END:
        return "at the beginning of"
    return "at the end of" if value > 1 - _AT_END else f"{percent(value)} of the way through"


def _tag(value: float, *_: str) -> str:
    code = int(value)
    return f"<{TAG_CODES[code]}>" if code < len(TAG_CODES) else "another"


def _levels(value: float, *_: str) -> str:
    if value == 0:
        return "as deep as"
    return f"{counted(abs(value), 'level')} {'deeper' if value > 0 else 'higher'} than"


def _after(value: float, what: str, _: str) -> str:
    if value == 0:
        return f"at {what}"
    return f"{counted(abs(value), 'word')} {'after' if value >= 0 else 'before'} {what}"


_FORMS: Final[dict[str, Callable[[float, str, str], str]]] = {
    "share": lambda value, *_: f"{value:.2f}",
    "percent": lambda value, *_: percent(abs(value)),
    "way": _way,
    "number": _number,
    "whole": lambda value, *_: f"{value:.0f}",
    "px": lambda value, *_: f"{value:,.0f} px",
    "count": counted,
    "length": _length,
    "hundred": lambda value, noun, plural: counted(100 * value, noun, plural),
    "tag": _tag,
    "heading": lambda value, *_: f"a heading of level {value:.0f}" if value else "no heading",
    "own_heading": lambda value, *_: f"a heading of level {value:.0f}" if value else "no heading itself",
    "visibility": lambda value, *_: ("shown at once", "hidden until it is opened", "hidden")[int(value)],
    "levels": _levels,
    "after": _after,
}
"""How a value is written: form by name, given the value, the noun and the ending of its plural."""


ALIKE: Final = "blocks made alike"
NEIGHBOURS: Final = "neighbours"
PART: Final = "the part round it"
REGION: Final = "the region it is in"
MAIN_TEXT: Final = "the main text"
WHERE: Final = "where"
"""The kind of columns that tell where a block is to the main text; `BlockSurroundings` words them together."""
_ALIKE_FACTS: Final = ("blocks", "mean_words", "link_share")
"""What `BlockSurroundings` says of the blocks made alike in any case."""
OF_MANY: Final = ("share", "stop_words", "place", "spread")
"""The kinds of other columns on the blocks made alike."""
NAMES: Final = "tags and classes"
WORDS: Final = "words"
PAGE: Final = "the page"
FONT: Final = "font and look"
_GEOMETRY: Final = frozenset(("place on the page", "size and shape", FONT))
_SIDES: Final = ("x", "y", "width", "height")

VERDICTS: Final = {"path": "tags and classes", "word": "words", "both": "tags, classes and words"}
"""The linear models by what they read."""
_STEP: Final = re.compile(r"(.+)([+-]\d)$")
_UP: Final = re.compile(r"up(\d)_(.+)$")
_HARDLY: Final = 0.1
"""Probability under which a region is not of a role."""
WEAK, _STRONG = 0.7, 3.0
"""Log odds up to which a linear verdict says next to nothing, and from which on it is strong."""


_COLUMN_PHRASES: Final = tuple(read_table(__file__, "column_phrases.tsv"))
_PHRASE: Final = {name: phrase for _, name, phrase in _COLUMN_PHRASES}
_GROUP: Final = {name: group for group, name, _ in _COLUMN_PHRASES}
_SUBTREE_PHRASE: Final = {row[0]: row[1] for row in read_table(__file__, "subtree_phrases.tsv")}

GROUPS: Final = (*dict.fromkeys(_GROUP.values()), NEIGHBOURS, PART, REGION)
"""The groups of columns, as people would name them."""


def group_of(name: str) -> str:
    """The group of the column `name`.

    >>> group_of("link_share"), group_of("link_share-1"), group_of("path_up2"), group_of("both_window5")
    ('links', 'neighbours', 'the part round it', 'neighbours')
    """
    if name in _GROUP:
        return _GROUP[name]
    score, _, part = name.partition("_")
    if score in VERDICTS and part in _VERDICT_GROUPS:
        return WORDS if score == "word" and part in _OWN else _VERDICT_GROUPS[part]
    if _STEP.match(name) or part.startswith("window"):
        return NEIGHBOURS
    return PART if _UP.match(name) or score in VERDICTS else REGION


_OWN: Final = ("score", "rank")
"""Verdicts on the block itself."""
_VERDICT_GROUPS: Final = {"score": NAMES, "rank": NAMES, "alike": ALIKE, "page": PAGE}


def kind_of(name: str) -> str:
    """What a column is about, so that two columns that say nearly the same are told apart from others.

    >>> kind_of("path_up1") == kind_of("word_up3"), kind_of("holder50_inside") == kind_of("holder75_inside")
    (True, True)
    """
    score, _, part = name.partition("_")
    if score in VERDICTS and name not in _PHRASE:
        return f"verdict {part[:2]}" if part[0] == "u" else "verdict"
    if score in ("holder50", "holder75"):
        return part if part == "words" else WHERE
    if score in ("path", "class"):
        return ALIKE if part in _ALIKE_FACTS else part
    if score in ("nearest", "within", "region"):
        return f"region {part}"
    return _KINDS.get(name) or re.sub(r"^up\d_|[+-]\d$", "", name)


_KINDS: Final = {
    "chars": "words",
    "chars_of_page": "words_of_page",
    "font_size": FONT,
    "font_weight": FONT,
    "relative_weight": FONT,
}


def is_verdict(name: str) -> bool:
    """Whether a column is a verdict of a linear model, in log odds."""
    score, _, part = name.partition("_")
    return score in VERDICTS and name not in _PHRASE and part != "rank"


def is_unseen(name: str, value: float) -> bool:
    """Whether a column tells nothing but that the page was not rendered."""
    return math.isnan(value) and (_GROUP.get(name) in _GEOMETRY or name[4:] in _SIDES)


def phrase(name: str, value: float, of: str = "the part of the page round it", contribution: float = 0.0) -> str:
    """What the `value` of the column `name` says, in a few words.

    Args:
        name: of `stacking.COLUMNS`.
        value: NaN where nothing is known.
        of: what to call the subtree, or the blocks, that the column is about, if it is about any.
        contribution: what the value contributed, in log odds; a verdict against content may well speak for it, where
            it is usually worse.

    >>> phrase("link_share", 0.92), phrase("words", 3), phrase("in_nav", 0), phrase("link_share-1", 0.5)
    ('link share 0.92', 'short: 3 words', 'not inside a <nav>', 'block before: link share 0.50')
    >>> phrase("path_up1", -4.0, "div.menu (12 blocks)")
    'tags and classes of div.menu (12 blocks) speak strongly against content'
    """
    if name in _PHRASE:
        return _fixed(name, value)
    score, _, part = name.partition("_")
    if score in VERDICTS:
        return _verdict(score, part, value, of, contribution)
    if up := _UP.match(name):
        return _subtree(up[2], value, of)
    if step := _STEP.match(name):
        return _neighbour(step[1], int(step[2]), value)
    return _region(name, value)


def _fixed(name: str, value: float) -> str:
    if math.isnan(value):
        return "not rendered" if _GROUP[name] in _GEOMETRY else f"{name.replace('_', ' ')} not known"
    yes, slash, no = _PHRASE[name].partition(" / ")
    if slash and value == 0:
        return no
    return fill(yes, value)


def _neighbour(name: str, step: int, value: float) -> str:
    if math.isnan(value):
        return f"{'nothing' if abs(step) == 1 else 'little'} {'after' if step > 0 else 'before'} it"
    return f"{block_at(step)}: {_fixed(name, value)}"


def block_at(step: int) -> str:
    """What the block `step` blocks on is called; negative for those before."""
    side = "after" if step > 0 else "before"
    return f"block {side}" if abs(step) == 1 else f"block {abs(step)} {side}"


def _subtree(name: str, value: float, of: str) -> str:
    if math.isnan(value):
        return "not rendered" if name in _SIDES else f"{name.replace('_', ' ')} of {of} not known"
    return fill(_SUBTREE_PHRASE[name].replace("{container}", of), value)


def _verdict(score: str, part: str, value: float, of: str, contribution: float) -> str:
    what = VERDICTS[score]
    if math.isnan(value):
        return "few blocks round it"
    if part == "rank":
        return f"{what} of {percent(value)} of the page's text look more like content"
    said = _speak(value, contribution)
    if part == "score" or (part == "alike" and not of):
        return f"its {what} {said}"
    if part.startswith("window"):
        of = f"the {part.removeprefix('window')} blocks on each side"
    elif part[0] in "+-":
        of = f"the {block_at(int(part))}"
    return f"{what} of {'the page' if part == 'page' else of} {said}"


def _speak(value: float, contribution: float) -> str:
    side = "for" if value > 0 else "against"
    if value * contribution < 0 and abs(value) >= WEAK:
        return f"speak {side} content, but less than usual"
    if abs(value) < WEAK:
        return f"hardly speak {'against' if contribution > 0 else 'for'} content"
    return f"speak {'strongly ' if abs(value) > _STRONG else ''}{side} content"


def _region(name: str, value: float) -> str:
    """A column of the region model: what the nearest region, or any, is taken for."""
    where, _, role = name.partition("_")
    if math.isnan(value):
        return "regions not known"
    if name in _REGION_PHRASE:
        return fill(_REGION_PHRASE[name], value)
    if value < _HARDLY:
        return f"{_NOT[where]} {region_name(role)}"
    return f"{_WHICH[where]} is {region_name(role)} with probability {value:.2f}"


_NOT: Final = {"region": "its own element is not", "nearest": "not in", "within": "not within"}
_WHICH: Final = {"region": "its own element", "nearest": "the region round it", "within": "some region round it"}
_REGION_PHRASE: Final = {
    "nearest_is_content": "its region is one of content with probability {share}",
    "within_boilerplate": "in boilerplate with probability {share}",
    "nearest_none": "in no region with probability {share}",
    "region_none": "its own element is no region with probability {share}",
    "region_x": "the region round it begins {percent} of the page's width from the left",
    "region_y": "the region round it begins {percent} down the page",
    "region_width": "the region round it takes {percent} of the page's width",
    "region_height": "the region round it takes {percent} of the page's height",
}


def region_name(role: str) -> str:
    """What a region of that role is called in a sentence."""
    return _REGION_NAMES.get(role, role)


_REGION_NAMES: Final = {
    "title": "a title", "article": "an article", "content": "content", "header": "a header", "footer": "a footer",
    "sidebar": "a sidebar", "ad": "an advertisement", "form": "a form", "links": "a list of links", "table": "a table",
    "logo": "a logo", "none": "no region", "author": "a note on the author", "comments": "readers' comments",
}  # fmt: skip


COLUMN_GROUPS: Final = tuple(group_of(column.name) for column in stacking.COLUMNS)
"""The group of every column of `stacking.COLUMNS`."""

SUBTREE_LEVELS: Final = tuple(
    next((level for level in range(1, neighbourhood.LEVELS + 1) if f"up{level}" in column.name), 0)
    for column in stacking.COLUMNS
)
"""Which of a block's larger subtrees, from 1, every column is about; 0 where it is about none."""
