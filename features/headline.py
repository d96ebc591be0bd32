"""Split the title of a document into its parts, and find the headline of a page: the block that names what it is about.

Blocks compete by a linear score of their tag, names, font size, position before the text, and agreement with the title
of the document. The weights were fitted by logistic regression over the blocks of a page (McFadden 1974) on 1,100 pages
with known titles, and rounded.

Titles such as `Rain in May | Weather | The Daily` have the headline, sections and the name of the site, in either
order. The name of the site is the part that is written in the host name; else it is the last part.
"""

from __future__ import annotations

import re
from itertools import chain, combinations, islice, starmap
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import element_names
from vclean.labels import Visibility
from vclean.page import host_of, split_url
from vclean.render import tree

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

_SEPARATOR: Final = re.compile(
    r"\s+(?:[-–—|·•:/«»‹›~>]|::|--|&[lr]aquo;)\s+|\s*[|｜│¦]\s*|\s*(?:--|::|[»«])\s*|_(?=[^\W_]{2,})(?<=[⺀-鿿！-～]_)"
)
"""Characters between the parts of a title; hyphens and colons need spaces around them, underscores Chinese text."""
_WORD: Final = re.compile(r"[^\W_]+")
_MAX_PARTS: Final = 6
"""Most parts of a title; further separators belong to the last part."""
_MAX_SITE_WORDS: Final = 5
"""Most words of the last part of a title for it to be the name of the site without any other sign."""
_MIN_HOST_MATCH: Final = 3
"""Fewest letters that a part and the host name must share."""


def split_title(title: str) -> list[str]:
    """Return the parts of a title between separators, without empty parts.

    >>> split_title("Rain in May | Weather - The Daily")
    ['Rain in May', 'Weather', 'The Daily']
    """
    return [title[start:end] for start, end in _spans(title)]


def title_runs(title: str) -> list[str]:
    """Return the contiguous runs of parts of a title, longest first: everything that may be the headline.

    >>> title_runs("Rain | The Daily")
    ['Rain | The Daily', 'Rain', 'The Daily']
    """
    spans = _spans(title)
    return [
        title[spans[first][0] : spans[first + more][1]]
        for more in reversed(range(len(spans)))
        for first in range(len(spans) - more)
    ]


def _spans(title: str) -> list[tuple[int, int]]:
    """Return where each part of a title begins and ends, in characters."""
    separators = islice(_SEPARATOR.finditer(title), _MAX_PARTS - 1)
    edges = [0, *chain.from_iterable(match.span() for match in separators), len(title)]
    spans = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        part = title[start:end]
        if _WORD.search(part):
            first = start + len(part) - len(part.lstrip())
            spans.append((first, first + len(part.strip())))
    return spans


def normalize(text: str) -> str:
    """Return the words of a text in lower case, separated by spaces: for comparisons.

    >>> normalize("“Rain” – in May!")
    'rain in may'
    """
    return " ".join(_WORD.findall(text.casefold()))


def is_site_name(part: str, url: str) -> bool:
    """Return whether a part of a title is written in the host name of a URL.

    >>> is_site_name("The Daily", "https://www.thedaily.example.org/a"), is_site_name("Rain", "https://example.org/")
    (True, False)
    """
    host = re.sub(r"[^\w]|_", "", host_of(url))
    letters = normalize(part).replace(" ", "")
    initials = "".join(word[0] for word in normalize(part).split())
    is_written = len(letters) >= _MIN_HOST_MATCH and letters in host
    names = set(host_of(url).split("."))
    return is_written or letters in names or (len(initials) >= _MIN_HOST_MATCH and initials in names)


def strip_site_name(title: str, url: str) -> str:
    """Return a title without the name of the site; empty if nothing else is left.

    Parts that are written in the host name are removed from both ends. If there is none, a short last part is removed,
    unless the other parts are shorter still.

    >>> strip_site_name("The Daily | Rain in May", "https://thedaily.example.org/a")
    'Rain in May'
    >>> strip_site_name("Rain in May - The Daily", "")
    'Rain in May'
    >>> strip_site_name("The Daily", "https://thedaily.example.org/")
    ''
    """
    parts, spans = split_title(title), _spans(title)
    first, last = 0, len(parts)
    while first < last and is_site_name(parts[last - 1], url):
        last -= 1
    while first < last and is_site_name(parts[first], url):
        first += 1
    if last - first == len(parts) > 1 and len(parts[-1].split()) <= _MAX_SITE_WORDS:
        last -= max(map(len, parts[:-1])) >= len(parts[-1])
    return title[spans[first][0] : spans[last - 1][1]] if first < last else ""


MIN_SCORE: Final = 2.5
"""Lowest score of a headline; the only `h1` of a page, before the text and with no word of the title, has 3.5."""

_WEIGHTS: Final = {
    "h1": 3.5,
    "h2": 1.0,
    "in_header": 1.0,
    "named_title": 0.5,
    "largest_font": 0.5,
    "agreement": 4.0,
    "agreement_4": 2.0,
    "covered_title": 2.0,
    "text_before": -2.0,
    "revealable": -2.0,
    "link": -1.0,
    "home_link": -3.0,
    "alike": -1.2,
    "named_logo": -0.7,
    "named_aside": -0.7,
    "breadcrumb": -2.0,
}
"""Weight of each column in the score.

The first columns are true in an element of a kind: `in_header` in a header, `named_title`, `named_logo`,
`named_aside` and `breadcrumb` in one with such a class or id. `agreement` is the similarity with the title,
`agreement_4` its fourth power, `covered_title` how much of the title the block repeats. `text_before` is the share
of the running text before the block, `alike` the logarithm of the number of blocks with the same tags and classes.
"""

_HOME_PATHS: Final = frozenset(("", "index.html", "index.php", "index.htm"))
_LINK: Final = 0.5
"""Share of link text above which a block is a link."""
_LONG: Final = 10
"""Fewest words of a block of running text."""
_NEAR: Final = 0.99
"""Share of the largest font size from which a block is as large."""
_MAX_BLOCKS_NAMED: Final = 2
"""Most blocks of an element named as title; a larger one is a whole header or card."""


def find_headline(context: PageContext) -> int:
    """Return the index of the headline of a page, -1 if no block is one."""
    scores = context.headline_scores
    return int(scores.argmax()) if scores.max(initial=-np.inf) >= MIN_SCORE else -1


def headline_scores(context: PageContext) -> NDArray[np.float64]:
    """Return how much each block looks like the headline: float64 (B,), -inf for those that cannot be it."""
    if not len(context):
        return np.zeros(0)
    end, blocks = context.snapshot.end, context.blocks
    inside = {name: tree.inside(mask, end)[blocks.main_element] for name, mask in _masks(context).items()}
    # Blocks of overlays belong to no page. Others may be seen at once, or after a click.
    is_candidate = (blocks.visibility < Visibility.HIDDEN) & ~blocks.in_overlay & (context.tokens > 0) & ~inside["none"]
    agreement, covered = title_agreement(context)
    size = blocks.font_size
    largest = size[is_candidate & np.isfinite(size)].max(initial=0)
    columns: Values = {
        **inside,
        "largest_font": (size >= _NEAR * largest) & context.snapshot.rendered,
        "agreement": agreement,
        "agreement_4": agreement**4,
        "covered_title": covered,
        "text_before": text_before(context),
        "revealable": blocks.visibility > Visibility.SHOWN,
        "link": context.link_share > _LINK,
        "home_link": _home_links(context, is_candidate & inside["h1"]),
        "alike": np.log(context.blocks_by_class_path.size),
    }
    rows = np.concatenate([columns[name] for name in _WEIGHTS], dtype=np.float64).reshape(len(_WEIGHTS), -1)
    score = np.cumsum(rows * np.array([[weight] for weight in _WEIGHTS.values()]), axis=0)[-1]  # in a fixed order
    return np.where(is_candidate, score, -np.inf)


def _masks(context: PageContext) -> dict[str, NDArray[np.bool_]]:
    """Return which elements are of each kind: bool (N,) by name; `none` are those without headlines, navigation."""
    snapshot = context.snapshot
    few, minor = context.block_count <= _MAX_BLOCKS_NAMED, context.block_count < len(context) / 2
    return {
        "none": snapshot.is_tag(("nav",)) & minor,
        "h1": snapshot.is_tag(("h1",)),
        "h2": snapshot.is_tag(("h2",)),
        "in_header": snapshot.is_tag(("header", "hgroup")),
        "named_title": _is_named(context, "title") & few,
        "named_logo": _is_named(context, "logo"),
        "named_aside": _is_named(context, "related", "comments", "side", "nav", "ad", "overlay") & minor,
        "breadcrumb": _is_named(context, "crumbs") & minor,
    }


def _is_named(context: PageContext, *groups: str) -> NDArray[np.bool_]:
    """Return which elements have a name in one of the groups of `vclean.features.element_names`: bool (N,)."""
    bits = sum(1 << element_names.NAME_GROUPS.index(group) for group in groups)
    return (context.name_bits & np.uint64(bits)) > 0


def title_agreement(context: PageContext) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compare the words of the blocks with those of the title.

    Returns:
        The Dice coefficient (1945) of each block and the most similar run of parts of the title that is not only the
        name of the site, and the product of precision and recall with the whole title: float64 (B,) each.
    """
    parts, url, count = _spans(context.snapshot.title), context.snapshot.url, len(context)
    if not parts:
        return np.zeros(count), np.zeros(count)
    of_title, distinct, rows, word = context.title_words
    part = np.maximum(np.searchsorted([start for start, _ in parts], of_title.start, side="right") - 1, 0)
    in_parts = np.zeros((len(parts), len(distinct)), dtype=bool)
    in_parts[part, np.searchsorted(distinct, of_title.hash)] = True
    owner = context.words.owner[rows]
    shared = np.stack([np.bincount(owner[in_part[word]], minlength=count) for in_part in in_parts])
    length = np.bincount(part, minlength=len(parts))
    is_site = np.array([is_site_name(part, url) for part in split_title(context.snapshot.title)])
    similarities = [np.zeros(count)]
    for run in starmap(slice, combinations(range(len(parts) + 1), 2)):
        if not is_site[run].all():
            words_of_run = length[run].sum()
            both = np.minimum(shared[run].sum(axis=0), np.minimum(context.tokens, words_of_run))
            similarities.append(np.asarray(2 * both / (context.tokens + words_of_run), dtype=np.float64))
    title = np.bincount(owner, minlength=count)
    covered = np.minimum(title / max(len(of_title), 1), 1) * title / np.maximum(context.tokens, 1)
    return np.max(similarities, axis=0), covered


def text_before(context: PageContext) -> NDArray[np.float64]:
    """Return the share of the running text of the page before each block: float64 (B,)."""
    text = np.where(context.tokens >= _LONG, context.tokens * (1 - context.link_share), 0).astype(np.float64)
    return np.asarray((np.cumsum(text) - text) / max(text.sum(), 1))


def _home_links(context: PageContext, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of the blocks `rows` are in a link to the home page, unless the page is the home page: bool (B,)."""
    snapshot, is_home = context.snapshot, np.zeros(len(context), dtype=bool)
    if has_home_url(snapshot):
        return is_home
    page, links = split_url(snapshot.url), snapshot.attributes("href")
    link = tree.nearest_ancestor(snapshot.is_tag(("a",)), snapshot.parent)[context.blocks.main_element]
    for block in np.flatnonzero(rows & (link > 0)).tolist():
        target = links.get(int(link[block]), "#")
        is_home[block] = not target.startswith("#") and _is_home(split_url(target), page.netloc)
    return is_home


def has_home_url(snapshot: Snapshot) -> bool:
    """Return whether the URL of a page is that of a home page."""
    url = split_url(snapshot.url)
    return bool(url.netloc) and _is_home(url)


def _is_home(url: SplitResult, host: str = "") -> bool:
    """Return whether a URL has the path of a home page, of `host` if both are known."""
    same_host = not host or url.netloc in ("", host)
    return same_host and url.path.strip("/") in _HOME_PATHS and not url.query
