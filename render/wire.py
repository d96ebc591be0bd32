"""The walker's packed columns, and how they become a `Snapshot`.

The page answers with one JSON string: columns as base64 of little-endian typed arrays, and lists of strings.
"""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.errors import LimitError
from vclean.render import ua
from vclean.render.noscript import LITTLE_TEXT
from vclean.render.snapshot import ATTRIBUTES, STYLES, Snapshot, Styles

if TYPE_CHECKING:
    from vclean.settings import RenderSettings

VALUE_LIMIT = 2000
"""Attribute values are cut here, in characters."""

DATA_LIMIT = 64
"""`data:` URLs are cut here: enough to tell their type."""

AGAIN = '{"again":true}'
"""The payload of a page that looks different in a document that held others before."""

_NAME = "Symbol.for('vclean.walk')"
_EMBEDDED_FONT = re.compile(r"@(?i:font-face\s*\{[^{}]*url\([\s\"']*data:)")  # the bare @ makes it fast
_DTYPES = {"box": "<f4", "line_box": "<f4", "hidden": "u1"}
_WIDE = ("box", "line_box")


def expression(url: str, settings: RenderSettings) -> str:
    """The JavaScript expression that reads the page and evaluates to a payload for `unpack`, or a promise of one.

    Args:
        url: what relative links resolve against; empty to leave them as they are.
        settings: whose caps the walker applies.
    """
    return f"{_walker()}({{...{_constants()}, ...{_options(url, settings)}}})"


def definition() -> str:
    """The JavaScript expression that leaves the walker in a tab for every `call` until the tab is navigated.

    What stays is compiled once and gets faster from page to page. Only for tabs that run no scripts of pages.
    """
    return f"globalThis[{_NAME}] = (options) => {_walker()}({{...{_constants()}, ...options}}), ''"


def call(url: str, settings: RenderSettings, *, discard: bool = False, **hints: bool) -> str:
    """What `expression` gives, for a tab that `definition` was evaluated in.

    On a page that needs a document of its own it evaluates to `AGAIN` instead.

    Args:
        url: what relative links resolve against; empty to leave them as they are.
        settings: whose caps the walker applies.
        discard: whether the page is done with afterwards, so that it need not be painted.
        hints: what the page may do, of `hints`; without one, that it may, but for fonts.
    """
    return f"globalThis[{_NAME}]({_options(url, settings, discard=discard, **hints)})"


def _options(url: str, settings: RenderSettings, *, discard: bool = False, **hints: bool) -> str:
    """What differs from page to page, as JSON."""
    options = {
        "url": url,
        "scripts": settings.scripts,
        "skipping": True,
        "clips": True,
        "indents": True,
        "fonts": False,
        "discard": discard,
        "maxNodes": settings.max_nodes,
        "maxCharacters": settings.max_bytes,
    }
    return json.dumps(options | hints)


def hints(html: str) -> dict[str, bool]:
    """What a page without style sheets of its own files may do, which takes time to find out in the browser.

    Returns:
        skipping: skip parts from layout by `content-visibility`; clips: clip parts away; indents: indent text out of
        sight; fonts: bring fonts along, which are to be waited for.

    >>> hints("<p style='Content-Visibility: auto'>")
    {'skipping': True, 'clips': False, 'indents': False, 'fonts': False}
    """
    lower = html.lower()
    return {
        "skipping": "content-visibility" in lower or "until-found" in lower,
        "clips": "clip" in lower,
        "indents": "text-indent" in lower,
        "fonts": may_embed_fonts(html),
    }


def may_embed_fonts(html: str) -> bool:
    """Whether a page may bring fonts along as `data:` URLs.

    >>> may_embed_fonts("<style>@Font-Face { src: url( 'DATA:font/woff2,')"), may_embed_fonts("<img src='data:,'>")
    (True, False)
    """
    return _EMBEDDED_FONT.search(html) is not None


def unpack(payload: str, settings: RenderSettings, *, build: str, url: str) -> Snapshot:
    """The snapshot in a payload of the walker.

    Args:
        payload: what `expression` evaluated to.
        settings: recorded in the snapshot.
        build: the browser's product and version, recorded in the snapshot.
        url: the page's address.

    Raises:
        LimitError: the page is over the cap on elements or on text.
    """
    answer = json.loads(payload)
    _check_caps(answer, settings)
    columns: dict[str, Any] = {name: _array(name, data) for name, data in answer["columns"].items()}
    return Snapshot(
        url=url,
        title=" ".join(answer["title"].split()),
        language=answer["language"],
        rendered=True,
        width=float(answer["width"]),
        height=float(answer["height"]),
        settings=settings.to_dict(),
        build=build,
        noscript=answer["noscript"],
        tags=tuple(answer["tags"]),
        styles=Styles(names=STYLES, rows=tuple(tuple(row.split("\n")) for row in answer["rows"])),
        attr_value=answer["attributes"],
        texts=answer["texts"],
        **columns,
    )


def _check_caps(answer: dict[str, Any], settings: RenderSettings) -> None:
    if "nodes" in answer:
        raise LimitError(
            f"page has {answer['nodes']:,} elements, over the cap of {settings.max_nodes:,}: raise --max-nodes"
        )
    if "characters" in answer:
        raise LimitError(
            f"page has {answer['characters']:,} characters of text, over the cap of {settings.max_bytes:,}:"
            " raise --max-bytes"
        )


def _array(name: str, data: str) -> np.ndarray[Any, Any]:
    array = np.frombuffer(base64.b64decode(data), dtype=_DTYPES.get(name, "<i4"))
    return array.reshape(-1, 4) if name in _WIDE else array


@cache
def _walker() -> str:
    return files("vclean.render").joinpath("walker.js").read_text(encoding="utf-8").rstrip()


@cache
def _constants() -> str:
    """What is the same for all pages, as JSON; shared with the static parser."""
    return json.dumps(
        {
            "attributes": ATTRIBUTES,
            "styles": STYLES,
            "skipped": sorted(ua.SKIPPED_TAGS | {"head"}),
            "replaced": sorted(ua.REPLACED_TAGS),
            "littleText": LITTLE_TEXT,
            "valueLimit": VALUE_LIMIT,
            "dataLimit": DATA_LIMIT,
        }
    )
