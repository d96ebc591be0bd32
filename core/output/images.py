"""Select the images of the content among spacers, tracking pixels and icons, and find their addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.page import join_url
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_MIN_LONG_SIDE: Final = 64
_MIN_SHORT_SIDE: Final = 24
"""Least sides of an image of the content, CSS px: icons are smaller, and rules and spacers are thinner."""
_LENGTH: Final = re.compile(r"\s*(\d{1,5}(?:\.\d+)?)\s*(?:px)?\s*$")
_LATER: Final = ("data-src", "data-lazy-src", "data-original")
"""Attributes with the address of an image that a script loads later."""
_COMMA: Final = re.compile(r",\s+|(?<=\d[wx]),")
"""Comma between the images of a `srcset`; addresses may have commas as well (HTML, 4.8.4.2.1)."""
_SIZE: Final = re.compile(r"(\d{1,6}(?:\.\d{1,4})?)[wx]$")
_MAX_SOURCES: Final = 10
"""Most elements before the image of a `<picture>`."""
_DECORATION: Final = re.compile(
    r"(?:^|[^a-z])(?:1x1|avatar|gravatar|profile[-_](?:image|pic)|arrow|badge|beacon|blank|bullet|button|clear|counter|divider|dot|emoji|favicon|icon|"
    r"loader|loading|logo|pixel|placeholder|separator|shim|smil(?:ey|ie)|spacer|space(?=\.gif)|spinner|sprite|tracking|"
    r"transparent)s?(?:[^a-z]|$)|(?-i:Icon[A-Z])|/icon[a-z]",
    re.IGNORECASE,
)
"""Words in the address of an image that is no content."""


def image_sources(snapshot: Snapshot) -> dict[int, str]:
    """Return the addresses of the images that have one, by element: see `image_source`."""
    images = np.flatnonzero(snapshot.is_tag(("img",))).tolist()
    return {element: source for element in images if (source := image_source(snapshot, element))}


def image_source(snapshot: Snapshot, element: int) -> str:
    """Return the address of an image: `src`, or that of an image that is loaded later; empty if it has none.

    Scripts that load images when a reader comes near put the address in `data-src` or the like, and nothing or a small
    image in `src`. Without any of them, it is the largest image of `srcset`, or of the first `<source>` of a
    `<picture>`. (An empty `src` becomes the address of the page.)
    """
    source = snapshot.attributes("src").get(element, "").strip()
    is_missing = source in ("", snapshot.url) or source.lower().startswith(("data:", "about:"))
    if not is_missing and not _DECORATION.search(source):
        return source
    declared = next(filter(None, (snapshot.attributes(name).get(element, "").strip() for name in _LATER)), "")
    places = [element, *_picture_sources(snapshot, element)] if is_missing and not declared else ()
    sets = [snapshot.attributes(name) for name in ("srcset", "data-srcset")]
    several = next((each[place] for place in places for each in sets if each.get(place)), "")
    return declared or _largest(several, snapshot.url) or source


def _picture_sources(snapshot: Snapshot, image: int) -> list[int]:
    """Return the `<source>` elements of the `<picture>` around an image; parsers may nest what is in it."""
    tags = [snapshot.tags[snapshot.tag[each]] for each in range(max(image - _MAX_SOURCES, 0), image)]
    if "picture" not in tags:
        return []
    picture = image - tags[::-1].index("picture") - 1
    if image >= snapshot.end[picture]:
        return []
    return [each for each in range(picture + 1, image) if snapshot.tags[snapshot.tag[each]] == "source"]


def _largest(source_set: str, base: str) -> str:
    """Return the absolute address of the image with the greatest width or density of a `srcset`; empty without any.

    >>> _largest("a.png 300w, b.png?x=1,2 600w", "https://example.org/c/"), _largest("", "")
    ('https://example.org/c/b.png?x=1,2', '')
    """
    candidates = [fields for part in _COMMA.split(source_set) if (fields := part.strip(" ,").split())]
    sizes = [float(size[1]) if (size := _SIZE.match(fields[-1])) else 1.0 for fields in candidates]
    address = candidates[int(np.argmax(sizes))][0] if sizes else ""
    if not address or address.lower().startswith("data:"):
        return ""
    return join_url(base, address) or address


def content_images(snapshot: Snapshot) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the images that are shown, and have an alternative text or the size and the address of content.

    An empty alternative text marks decoration (HTML, 4.8.4.4.4), but many pages give it to all images, so size and
    address decide. The size is that of the attributes, or that on the page if the image was loaded there.

    An image that another image links to is its larger copy, and left out, as are repetitions of an image.

    Returns:
        The elements, and whether each has an alternative text or a known size.
    """
    sources, alternatives, targets = image_sources(snapshot), snapshot.attributes("alt"), snapshot.attributes("href")
    parents = snapshot.text_parent[snapshot.text_length > 0]
    formulas = set(snapshot.parent[parents[snapshot.is_tag(("math",))[parents]]].tolist())
    elements = [element for element in sorted(sources) if not snapshot.hidden[element] and element not in formulas]
    links = tree.nearest_ancestor(snapshot.is_tag(("a",)), snapshot.parent)[elements].tolist()
    copies = {targets.get(link, "") for link in links if link} - {""}
    first = {sources[element]: element for element in reversed(elements)}
    rows, is_certain = list[int](), list[bool]()
    for element, link in zip(elements, links, strict=True):
        source = sources[element]
        is_repeated = first[source] != element or (source in copies and not link)
        is_named = bool(alternatives.get(element, "").strip())
        size = () if is_named else _sides(snapshot, element)
        if not is_repeated and _is_large(size) and not _DECORATION.search(source):
            rows.append(element)
            is_certain.append(is_named or bool(size))
    return np.array(rows, dtype=np.intp), np.array(is_certain, dtype=bool)


def _sides(snapshot: Snapshot, element: int) -> tuple[float, ...]:
    """Return the known sides of an image, CSS px: width and height, one of them, or none."""
    if element in snapshot.image and snapshot.box[element, 2:].min() > 0:
        return tuple(snapshot.box[element, 2:].tolist())
    lengths = (_LENGTH.match(snapshot.attributes(name).get(element, "")) for name in ("width", "height"))
    return tuple(float(length[1]) for length in lengths if length)


def _is_large(sides: tuple[float, ...]) -> bool:
    """Return whether an image is as large as content; true if its size is unknown."""
    return not sides or (min(sides) >= _MIN_SHORT_SIDE and (len(sides) < 2 or max(sides) >= _MIN_LONG_SIDE))
