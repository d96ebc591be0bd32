"""Build the JavaScript expressions that read a page (walker.js), and unpack their payloads into a `Snapshot`.

The payload is one JSON string: columns as base64 of little-endian typed arrays, and lists of strings.
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
from vclean.render.browser.omissions import Omissions
from vclean.render.document_head import LINK_TYPES, MAX_ENTRIES, MAX_JSON_LD, MAX_SCRIPTS, DocumentHead
from vclean.render.snapshot import ATTRIBUTES, LITTLE_TEXT, STYLES, Snapshot, Styles
from vclean.render.static import styles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vclean.settings import RenderSettings


VALUE_LIMIT = 2000
"""Maximum length of attribute values in characters."""

DATA_LIMIT = 64
"""Maximum length of `data:` URLs: enough for their media type."""

NEEDS_NEW_DOCUMENT = '{"needsNewDocument":true}'
"""Payload of a page that needs a new document, because earlier pages would affect its styles."""

_NAME = "Symbol.for('vclean.walk')"
_EMBEDDED_FONT = re.compile(r"@(?i:font-face\s*\{[^{}]*url\([\s\"']*data:)")  # a literal @ first makes the search fast
_EFFECTS = re.compile(r"filter|mask|blend|background-clip|text-fill|text-shadow|text-stroke|backface|isolation")
_DTYPES = {"box": "<f4", "line_box": "<f4", "hidden": "u1", "text_hidden": "u1"}
_WIDE = ("box", "line_box")


_NOTHING = Omissions()


def expression(url: str, settings: RenderSettings, omissions: Omissions = _NOTHING) -> str:
    """Return the JavaScript expression that reads the page; its value is a payload, or a promise of one.

    Args:
        url: the base of relative links; if it is empty, the canonical URL of the page.
        settings: the limits that the walker applies.
        omissions: unless empty, leave these parts out instead of reading the page, and return an empty string.
    """
    return f"{_walker()}({{...{_constants()}, ...{_options(url, settings, omissions)}}})"


def definition() -> str:
    """Return the JavaScript expression that defines the walker in a tab, for every `call` until the next navigation.

    V8 compiles the walker once, and optimizes it over several pages. Use this only in tabs without scripts of pages.
    """
    return f"globalThis[{_NAME}] = (options) => {_walker()}({{...{_constants()}, ...options}}), ''"


def call(
    url: str,
    settings: RenderSettings,
    hints: Mapping[str, bool] | None = None,
    *,
    omissions: Omissions = _NOTHING,
) -> str:
    """Return the JavaScript expression that reads the page in a tab in which `definition` was evaluated.

    Its value is that of `expression`, or `NEEDS_NEW_DOCUMENT`.

    Args:
        url: the base of relative links; if it is empty, the canonical URL of the page.
        settings: the limits that the walker applies.
        hints: the result of `hints`; by default, all hints but `fonts` are true. With `discard`, the page is not used
            afterwards, and not painted.
        omissions: see `expression`.
    """
    return f"globalThis[{_NAME}]({_options(url, settings, omissions, **(hints or {}))})"


def _options(url: str, settings: RenderSettings, omissions: Omissions, **hints: bool) -> str:
    """Return the options that differ from page to page, as JSON."""
    options = {
        "url": url,
        "scripts": settings.scripts,
        "skipping": True,
        "clips": True,
        "indents": True,
        "effects": True,
        "transforms": True,
        "fonts": False,
        "discard": False,
        "omittedTexts": list(omissions.texts),
        "omittedElements": list(omissions.elements),
        "maxNodes": settings.max_nodes,
        "maxCharacters": settings.max_bytes,
    }
    return json.dumps(options | hints)


def hints(html: str) -> dict[str, bool]:
    """Search the source of a page without external style sheets for features that the walker must check.

    The same checks in the browser take longer.

    Returns:
        skipping: `content-visibility` may exclude parts from layout; clips: parts may be clipped; indents: text may be
        indented out of sight; effects: text may have filters, masks and the like; transforms: elements may be
        transformed; fonts: the page may embed fonts, which load asynchronously.

    >>> [name for name, used in hints("<p style='Content-Visibility: auto'>").items() if used]
    ['skipping']
    """
    lower = html.lower()
    return {
        "skipping": "content-visibility" in lower or "until-found" in lower,
        "clips": "clip" in lower,
        "indents": "text-indent" in lower,
        "effects": _EFFECTS.search(lower) is not None,
        "transforms": "transform" in lower or "rotate:" in lower or "scale:" in lower or "translate:" in lower,
        "fonts": may_embed_fonts(html),
    }


def may_embed_fonts(html: str) -> bool:
    """Return whether a page may embed fonts as `data:` URLs.

    >>> may_embed_fonts("<style>@Font-Face { src: url( 'DATA:font/woff2,')"), may_embed_fonts("<img src='data:,'>")
    (True, False)
    """
    return _EMBEDDED_FONT.search(html) is not None


def unpack(payload: str, settings: RenderSettings, *, build: str, url: str) -> Snapshot:
    """Unpack a payload of the walker into a snapshot.

    Args:
        payload: the result of `expression`.
        settings: recorded in the snapshot.
        build: product and version of the browser, recorded in the snapshot.
        url: the URL of the page.

    Raises:
        LimitError: the page exceeds the limit of elements or of text.
    """
    answer = json.loads(payload)
    _check_caps(answer, settings)
    columns: dict[str, Any] = {name: _array(name, data) for name, data in answer["columns"].items()}
    head = DocumentHead.from_record(answer["head"])
    return Snapshot(
        url=url or head.canonical_url,
        title=" ".join(answer["title"].split()),
        language=answer["language"],
        head=head,
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
            f"page has {answer['nodes']:,} elements, over the limit of {settings.max_nodes:,}: raise --max-nodes"
        )
    if "characters" in answer:
        raise LimitError(
            f"page has {answer['characters']:,} characters of text, over the limit of {settings.max_bytes:,}:"
            " raise --max-bytes"
        )


def _array(name: str, data: str) -> np.ndarray[Any, Any]:
    array = np.frombuffer(base64.b64decode(data), dtype=_DTYPES.get(name, "<i4"))
    return array.reshape(-1, 4) if name in _WIDE else array


@cache
def _walker() -> str:
    return files("vclean.render.browser").joinpath("walker.js").read_text(encoding="utf-8").rstrip()


@cache
def _constants() -> str:
    """Return the options that are the same for all pages, as JSON; the static parser shares them."""
    return json.dumps(
        {
            "attributes": ATTRIBUTES,
            "styles": STYLES,
            "skipped": sorted(styles.SKIPPED_TAGS | {"head"}),
            "replaced": sorted(styles.REPLACED_TAGS),
            "littleText": LITTLE_TEXT,
            "valueLimit": VALUE_LIMIT,
            "dataLimit": DATA_LIMIT,
            "linkTypes": sorted(LINK_TYPES),
            "maxEntries": MAX_ENTRIES,
            "maxScripts": MAX_SCRIPTS,
            "maxJsonLd": MAX_JSON_LD,
        }
    )
