"""Build the JavaScript expressions that read a page (walker.js), and unpack their payloads into a `Snapshot`.

Documents without subresources and scripts are read in one reused tab (the fast path), other pages by `navigation`.
The payload is one JSON string: columns as base64 of little-endian typed arrays, and lists of strings.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import without_invisible
from vclean.errors import LimitError
from vclean.render import tree
from vclean.render.browser.cdp import device_metrics, evaluate, main_frame
from vclean.render.browser.interception import PageRequest, PageResponse, RequestInterceptor, html_response
from vclean.render.document_head import LINK_TYPES, MAX_ENTRIES, MAX_JSON_LD
from vclean.render.formulas import DISPLAY_WRAPPERS, DRAWINGS, MAX_SOURCE, PREVIEWS, WRAPPERS, formula_text
from vclean.render.snapshot import (
    ATTRIBUTES,
    CONTROL_TAGS,
    LITTLE_TEXT,
    MAX_ID,
    NAMING,
    STYLES,
    Hidden,
    Snapshot,
    Styles,
    subtree_ends,
)
from vclean.render.static import _tree, styles
from vclean.render.static.parse import VALUE_LIMIT, head_and_links, with_absolute_links

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from vclean.render.browser.cdp import BrowserTab
    from vclean.render.browser.process import BrowserProcess
    from vclean.render.rendered_page import Omissions
    from vclean.settings import RenderSettings

    Hint = bool | Sequence[str]
    Hints = dict[str, Hint]

NEEDS_NEW_DOCUMENT = '{"needsNewDocument":true}'
"""Payload of a page that needs a new document, because earlier pages would affect its styles."""

_NAME = "Symbol.for('vclean.walk')"
_EMBEDDED_FONT = re.compile(r"@(?i:font-face\s*\{[^{}]*url\([\s\"']*data:)")  # a literal @ first makes the search fast
_DECLARED = {
    name: name.encode()
    for name in ("opacity", "text-transform", "z-index", "clip", "clip-path", "text-indent", "transform", "filter",
                 "background-clip", "text-shadow", "isolation", "box-shadow", "border-image", "backdrop-filter")
} | {
    "mask-image": b"mask",
    "mix-blend-mode": b"blend",
    "-webkit-text-fill-color": b"text-fill",
    "-webkit-text-stroke": b"text-stroke",
    "backface-visibility": b"backface",
    "-webkit-text-security": b"text-security",
    "contain": b"contain:",
}  # fmt: skip
"""Properties that the walker reads only if the source contains a name or shorthand of theirs, in lower case."""
_HINTS = (b"content-visibility", b"until-found", b"scripting", b":before", b":after")
_DECLARATIONS = ", ".join(
    ("base[href]", "meta[property]", "meta[name]", "meta[itemprop]", 'script[type*="ld+json" i]',
     *(f'link[rel~="{rel}" i][href]' for rel in sorted(LINK_TYPES)))
)  # fmt: skip
"""Selector of the elements in which a document declares something about itself."""
_DTYPES = {"box": "<f4", "line_box": "<f4", "area_box": "<f4", "hidden": "u1", "text_hidden": "u1"}


def definition() -> str:
    """Return the JavaScript expression that defines the walker in a tab, until the next navigation.

    V8 compiles the walker once, and optimizes it over several pages. Use this only in tabs without scripts of pages.
    """
    return f"globalThis[{_NAME}] = (options) => {_walker()}({{...{_constants()}, ...options}}), ''"


def expression(
    settings: RenderSettings, hints: Hints | None = None, *, omissions: Omissions | None = None, defined: bool = False
) -> str:
    """Return the JavaScript expression that reads the page; its value is a payload, or a promise of one.

    Args:
        settings: the limits that the walker applies.
        hints: the result of `hints`; by default, all parts are checked except `fonts`. With `discard`, the page is not
            used afterwards, and not painted. With `onlyNumbers` it is only prepared for omissions; the value is empty.
        omissions: if given, leave these parts of the page that was read out, and return an empty string.
        defined: whether `definition` was evaluated in the tab. The value may then be `NEEDS_NEW_DOCUMENT`.
    """
    options = {
        "scripts": settings.scripts == "on",
        "skipping": True,
        "fonts": False,
        "scripting": True,
        "undeclared": [],
        "pseudos": True,
        "discard": False,
        "onlyNumbers": False,
        "omitted": omissions._asdict() if omissions else None,
        "maxNodes": settings.max_nodes,
        "maxCharacters": settings.max_bytes,
    } | (hints or {})
    if defined:
        return f"globalThis[{_NAME}]({json.dumps(options)})"
    return f"{_walker()}({{...{_constants()}, ...{json.dumps(options)}}})"


def hints(html: str) -> Hints:
    """Search the source of a page without external style sheets for features that the walker must check.

    The same checks in the browser take longer.

    Returns:
        skipping: `content-visibility` may exclude parts from layout; fonts: the page may embed fonts, which load
        asynchronously; scripting: style sheets may depend on scripts; undeclared: properties that have
        their initial value everywhere; pseudos: some rules may be for pseudo-elements.

    >>> "clip-path" in hints("<p style='Clip-Path: inset(50%)'>")["undeclared"]
    False
    """
    source = html.encode("utf-8", "replace").lower()
    words = _tree.words_in(source, (*_HINTS, *_DECLARED.values()))
    return {
        "skipping": b"content-visibility" in words or b"until-found" in words,
        "fonts": _EMBEDDED_FONT.search(html) is not None,
        "scripting": b"scripting" in words,
        "undeclared": [name for name, word in _DECLARED.items() if word not in words],
        "pseudos": b":before" in words or b":after" in words,
    }


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
    for name, unit, limit, option in (
        ("nodes", "elements", settings.max_nodes, "--max-nodes"),
        ("characters", "characters of text", settings.max_bytes, "--max-bytes"),
    ):
        if name in answer:
            raise LimitError(f"page has {answer[name]:,} {unit}, over the limit of {limit:,}: raise {option}")
    columns: dict[str, Any] = {name: _array(name, data) for name, data in answer["columns"].items()}
    end = subtree_ends(columns["parent"])
    head, links = head_and_links("".join(answer["head"]), url)
    texts = _with_formulas(without_invisible(answer["texts"]), columns.pop("formula"))
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
        dark=answer["dark"],
        tags=tuple(answer["tags"]),
        end=end,
        depth=(tree.path_sum(np.ones(len(end), dtype=np.int32), end) - 1).astype(np.int32),
        styles=Styles(names=STYLES, rows=tuple(tuple(row.split("\n")) for row in answer["rows"])),
        attr_value=with_absolute_links(columns["attr_name"], answer["attributes"], links),
        texts=texts,
        **columns,
    )


def _with_formulas(texts: list[str], formulas: NDArray[np.int32]) -> list[str]:
    """Return the texts of a page, with the sources of formulas written as text."""
    for index in formulas.tolist():
        if texts[index].startswith(("<img", "<mjx", "<span")):
            from vclean.render.static.rewriting import drawn_formula

            texts[index] = drawn_formula(texts[index])
        else:
            texts[index] = formula_text(texts[index])
    return texts


def _array(name: str, data: str) -> np.ndarray[Any, Any]:
    array = np.frombuffer(base64.b64decode(data), dtype=_DTYPES.get(name, "<i4"))
    return array.reshape(-1, 4) if name.endswith("box") else array


@cache
def _walker() -> str:
    return Path(__file__).with_name("walker.js").read_text(encoding="utf-8").rstrip()


@cache
def _constants() -> str:
    """Return the options that are the same for all pages, as JSON; the static parser shares them."""
    return json.dumps(
        {
            "attributes": ATTRIBUTES,
            "hidden": {code.name: code.value for code in Hidden},
            "naming": NAMING,
            "idLimit": MAX_ID,
            "styles": STYLES,
            "properties": list(_DECLARED),
            "skipped": sorted(styles.SKIPPED_TAGS | {"head"}),
            "replaced": sorted(styles.REPLACED_TAGS),
            "controls": CONTROL_TAGS,
            "drawings": ", ".join(DRAWINGS),
            "formulaWrappers": ", ".join(WRAPPERS),
            "displayWrappers": ", ".join(DISPLAY_WRAPPERS),
            "drawnFormulas": ", ".join((*WRAPPERS, *PREVIEWS)),
            "maxFormula": MAX_SOURCE,
            "littleText": LITTLE_TEXT,
            "valueLimit": VALUE_LIMIT,
            "dataLimit": 64,  # characters of `data:` URLs: enough for their media type
            "declarations": _DECLARATIONS,
            "maxEntries": 2 * MAX_ENTRIES,
            "maxHead": 2 * MAX_JSON_LD,
        }
    )


_BLANK_URL: Final = "http://blank.invalid/"

_POLICY: Final = (
    # Sandboxed without allow-scripts: no script, form, popup, automatic refresh or autofocus (HTML, 7.1.5).
    "sandbox allow-same-origin; "
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"
)


async def _answer(request: PageRequest) -> PageResponse | None:
    """Return the blank page with its policy, and refuse all other requests."""
    return html_response("", content_security_policy=_POLICY) if request.url == _BLANK_URL else None


class DocumentTab:
    """Tab on a blank page with a restrictive Content-Security-Policy; each document replaces the previous one.

    The tab loads no subresources and runs no scripts of a document.
    """

    scrolls: Final = True
    """The page may be scrolled to what is painted: it has no scripts that notice."""

    def __init__(self, tab: BrowserTab, frame: str, settings: RenderSettings) -> None:
        self.session = tab.session
        self.close = tab.close
        self._tab = tab
        self._frame = frame
        self._settings = settings
        self._stale = True

    @classmethod
    async def open(cls, process: BrowserProcess, settings: RenderSettings, *, paint: bool) -> DocumentTab:
        """Open the tab; `paint` for one that takes screenshots."""
        tab = await process.driver.open_tab(settings, on_crash=process.kill, paint=paint)
        await RequestInterceptor(tab.session, _answer).start("Document")
        opened = cls(tab, (await main_frame(tab.session))["id"], settings)
        if paint:
            await opened.reset()
        return opened

    async def read(self, text: str, hints: Callable[[], Hints]) -> str:
        """Replace the document by `text`, read it, and return the payload.

        Args:
            text: the source of the page.
            hints: returns the hints for `expression`; it runs while the browser parses the page.
        """
        payload = NEEDS_NEW_DOCUMENT if self._stale else await self._replace_document(text, hints)
        if payload == NEEDS_NEW_DOCUMENT:
            await self._tab.navigate(_BLANK_URL)
            await self._tab.wait_until_loaded()
            await evaluate(self.session, definition())
            payload = await self._replace_document(text, hints)
        self._stale = not payload.endswith('"sticky":false}')
        return payload

    async def _replace_document(self, text: str, hints: Callable[[], Hints]) -> str:
        self._stale = True
        # Sent at once, and not after the answer: no frame is painted in between.
        sending = self.session.send("Page.setDocumentContent", {"frameId": self._frame, "html": text})
        replacing = asyncio.ensure_future(sending)
        await asyncio.sleep(0)  # sends it
        reading = evaluate(self.session, expression(self._settings, hints(), defined=True))
        answers: tuple[object, str] = await asyncio.gather(replacing, reading)
        return answers[1]

    async def omit(self, omissions: Omissions) -> None:
        """Leave parts of the last document out of its painting."""
        await evaluate(self.session, expression(self._settings, omissions=omissions, defined=True))

    async def reset(self) -> None:
        """Remove the document, which may go on to paint, and give the tab its size again, which screenshots change."""
        await self.session.send("Page.setDocumentContent", {"frameId": self._frame, "html": ""})
        await self.session.send("Emulation.setDeviceMetricsOverride", device_metrics(self._settings))
