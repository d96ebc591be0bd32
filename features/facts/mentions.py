"""Define `Mention`, one place of a page that gives a value of metadata; read the tables of words and properties.

`data/words.tsv` has words in many languages, such as those before the name of an author.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.files import read_table
from vclean.render.static._tree import words_in

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_CHARS: Final = 500
"""Characters of a title, a description or another text; longer values are truncated."""
MAX_NAME_CHARS: Final = 120
"""Characters of a name of a person or an organization; longer values are no names."""
MAX_MENTIONS: Final = 400
"""Most mentions of a page by source."""


class Field(StrEnum):
    """Field of metadata.

    >>> Field.SITE_NAME.value
    'site_name'
    """

    TITLE = "title"
    AUTHORS = "authors"
    PUBLISHED = "published"
    MODIFIED = "modified"
    SITE_NAME = "site_name"
    DESCRIPTION = "description"
    CANONICAL_URL = "canonical_url"
    IMAGE = "image"
    SECTION = "section"
    TAGS = "tags"
    LICENSE = "license"
    FEEDS = "feeds"
    ALTERNATES = "alternates"
    PAGE_TYPE = "page_type"


class Source(StrEnum):
    """Kind of markup or text that a value was read from.

    >>> Source.JSON_LD.value
    'json-ld'
    """

    JSON_LD = "json-ld"
    OPEN_GRAPH = "open-graph"
    """Open Graph, and the extensions of it that other networks read: `og:`, `article:`, `twitter:`."""
    META = "meta"
    """Other `<meta>` elements, such as Dublin Core."""
    MICRODATA = "microdata"
    """Attributes `itemprop`, `property` and `rel` in the body."""
    LINK = "link"
    TIME = "time"
    TITLE = "title"
    """The title of the document, or parts of it."""
    URL = "url"
    PAGE = "page"
    """Text that readers see."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Value for a field of metadata, at one place of a page.

    Attributes:
        field: the field.
        values: the value; several for fields with lists.
        source: where it is.
        name: name of the property, such as `article:published_time` or `Article.headline`; for text of the page, what
            points to it, such as `class` or `by`.
        block: the block with the text; -1 outside blocks.
        element: the element with the markup; -1 outside the snapshot.
        slot: the column of the features that is 1 for its candidate.

    >>> Mention(Field.TITLE, ("Rain",), Source.OPEN_GRAPH, "og:title").values
    ('Rain',)
    """

    field: Field
    values: tuple[str, ...]
    source: Source
    name: str
    block: int = -1
    element: int = -1
    slot: str = ""


class Property(NamedTuple):
    """Row of `data/properties.tsv`.

    Attributes:
        field: the field that the property gives.
        slot: column of the features, shared by properties with the same meaning.
        precision: how often the value is that of the other properties of the page, on the training corpora; 1 for
            fields that trees choose.
    """

    field: Field
    slot: str
    precision: float


PROPERTIES: Final = {
    (kind, name): Property(Field(field), f"{kind}:{slot}", float(precision))
    for field, kind, slot, precision, names in read_table(__file__, "properties.tsv")
    for name in names.split()
}
"""Properties by kind of markup and name."""


def slots_of(field: Field) -> tuple[str, ...]:
    """Return the feature columns of the properties of a field, in the order of the table."""
    return tuple(dict.fromkeys(row.slot for row in PROPERTIES.values() if row.field is field))


def clean_text(value: object, limit: int = MAX_CHARS) -> str:
    r"""Return a string on one line, without soft hyphens, truncated to `limit` characters; empty for other types.

    >>> clean_text(" Rain\n in May "), clean_text(None)
    ('Rain in May', '')
    """
    if not isinstance(value, str):
        return ""
    return " ".join(value[: 4 * limit].replace("\u00ad", "").split())[:limit].strip()


_ROWS: Final = tuple(read_table(__file__, "words.tsv"))
_GROUP: Final = re.compile(r"\{([a-z_]+)\}")


@cache
def words_of(group: str) -> tuple[str, ...]:
    """Return the words of a group, the longest first."""
    words = [word for name, *words in _ROWS if name == group for word in words]
    return tuple(sorted(words, key=len, reverse=True))


def words_in_any(group: str, texts: Sequence[str]) -> list[str]:
    """Return the words of a group, of three or more bytes, that are in the texts; most pages have none of them."""
    return words_in("\n".join(texts).lower().encode("utf-8", "replace"), words_of(group))


def rows_with(group: str, texts: Sequence[str]) -> list[int]:
    """Return which of the texts have one of the words of a group."""
    words = words_in_any(group, texts)
    return [row for row, text in enumerate(texts) if any(word in text.lower() for word in words)] if words else []


@cache
def pattern_of(template: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    r"""Return a pattern with the words of a group for each `{group}` of a template; it is compiled on the first use.

    >>> bool(pattern_of(r"(?:{by})\s.*").fullmatch("written by Ann Lee"))
    True
    """
    return re.compile(_GROUP.sub(lambda match: "|".join(words_of(match[1])).replace(" ", r"\s"), template), flags)
