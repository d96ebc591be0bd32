"""Define `DocumentHead`: what a document declares about itself outside its text, within limits.

Snapshots have no `<head>` and no scripts. Metadata in `<meta>`, `<link>` and JSON-LD is therefore stored apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Pairs = tuple[tuple[str, str], ...]

MAX_ENTRIES: Final = 300
"""Most `<meta>` elements, and most `<link>` elements."""
MAX_VALUE: Final = 2000
"""Characters to which a value is truncated, as those of attributes."""
MAX_JSON_LD: Final = 512 * 1024
"""Most characters of JSON-LD in all; a script that exceeds the rest is left out whole, because half of it is no JSON.
Of 1,401 scripts on 1,368 pages, one is longer."""
MAX_SCRIPTS: Final = 50
"""Most scripts with JSON-LD."""

LINK_TYPES: Final = frozenset(("alternate", "author", "canonical", "image_src", "license", "shortlink"))
"""Values of `rel` of the links that are stored."""
_FEED: Final = re.compile(r"application/(?:rss|atom|rdf)\+xml|application/feed\+json", re.IGNORECASE)
"""Types of the alternates of a page that are feeds."""

_HTTP: Final = re.compile(r"https?://[^\s/?#]+\.[^\s/?#]+[^\s]*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """Declarations of a document: `<meta>`, `<link>` and JSON-LD, wherever they are in it.

    Attributes:
        meta: name, property or itemprop in lower case, and content of each `<meta>`, in document order.
        links: `rel` in lower case and `href` of each `<link>` of `LINK_TYPES`; absolute if the page has a URL. The
            `rel` of a feed is `feed`, that of a version in another language is `alternate:` and its language.
        json_ld: the text of each `<script type="application/ld+json">`.

    >>> DocumentHead(meta=(("og:title", "Rain"),)).meta
    (('og:title', 'Rain'),)
    """

    meta: Pairs = ()
    links: Pairs = ()
    json_ld: tuple[str, ...] = ()

    @classmethod
    def collect(
        cls, meta: Iterable[tuple[str, str]] = (), links: Iterable[tuple[str, str]] = (), json_ld: Iterable[str] = ()
    ) -> DocumentHead:
        """Return the declarations within the limits; arguments as the attributes, with values of any length."""
        return cls(_limited(meta), _limited(links), _whole_scripts(json_ld))

    @property
    def canonical_url(self) -> str:
        """Return the absolute URL that the document declares as its own: canonical link or `og:url`; empty if none."""
        declared = [
            *(href for rel, href in self.links if rel == "canonical"),
            *(content for name, content in self.meta if name == "og:url"),
        ]
        return next((url.strip() for url in declared if _HTTP.match(url.strip())), "")


def stored_links(links: Iterable[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of `DocumentHead.links` for `<link>` elements, given their `rel`, `href`, `type`, `hreflang`."""
    for rels, href, kind, language in links:
        for rel in filter(LINK_TYPES.__contains__, rels.lower().split()):
            if rel != "alternate":
                yield rel, href
            elif _FEED.match(kind.strip()):
                yield "feed", href
            elif language:
                yield f"alternate:{language.lower()}", href


def _limited(pairs: Iterable[tuple[str, str]]) -> Pairs:
    stripped = ((name.strip().lower()[:MAX_VALUE], value.strip()[:MAX_VALUE]) for name, value in pairs)
    return tuple(islice((pair for pair in stripped if pair[1]), MAX_ENTRIES))


def _whole_scripts(scripts: Iterable[str]) -> tuple[str, ...]:
    """Return the scripts that fit into `MAX_JSON_LD` characters together."""
    selected: list[str] = []
    rest = MAX_JSON_LD
    for script in scripts:
        if len(selected) == MAX_SCRIPTS:
            break
        if script.strip() and len(script) <= rest:
            selected.append(script.strip())
            rest -= len(script)
    return tuple(selected)
