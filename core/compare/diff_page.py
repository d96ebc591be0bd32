"""A comparison as one HTML page: the list of what differs beside two overlays that scroll together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.compare.diff import FIRST_ONLY, OTHERWISE, SECOND_ONLY, told
from vclean.compare.document import asset, data, document, element
from vclean.compare.tables import counted
from vclean.overlays import overlay_page
from vclean.render.overlay import PENS, excerpt
from vclean.render.overlay_html import draw_html
from vclean.render.overlay_picture import data_address

if TYPE_CHECKING:
    from vclean.compare.diff import Comparison
    from vclean.compare.document import Element
    from vclean.result import Result

_TEXT: Final = 400
"""Characters of a block that the list shows at most."""
_REASONS: Final = 3
_CLASSES: Final = {FIRST_ONLY: "first", SECOND_ONLY: "second", OTHERWISE: "other"}


def to_html(comparison: Comparison) -> str:
    """The page; without a picture of the page compared, it is the list alone."""
    title = comparison.first.blocks.snapshot.title or comparison.id or "page"
    body = [_header(comparison, title), _list(comparison)]
    kind = "pictured" if comparison.picture else "listed"
    if comparison.picture:
        body += [element("main", *(_pane(comparison, side) for side in (0, 1)), id="panes"), _overlays(comparison)]
    return document(
        f"{' and '.join(comparison.names)}: {title}",
        body,
        kind=kind,
        styles=("page.css", "diff.css"),
        scripts=("diff.js",),
    )


def _overlays(comparison: Comparison) -> Element:
    """The documents that stand in the panes, as data; the picture is there once, and the page's script puts it in."""
    address, size = data_address(comparison.picture)
    return data("overlays", {"picture": address, "pages": [_overlay(comparison, side, *size) for side in (0, 1)]})


def _overlay(comparison: Comparison, side: int, width: int, height: int) -> str:
    """The overlay of one of the two results, over a picture of so many px that it does not have."""
    page = overlay_page((comparison.first, comparison.second)[side], b"")
    differing = set(comparison.differing)
    blocks = [
        replace(block, changed=_changed(comparison, at)) if at in differing else block
        for at, block in enumerate(page.blocks)
    ]
    scripts, styles = map(asset, ("marks.js", "pane.js")), map(asset, ("marks.css", "pane.css"))
    sized = replace(page, blocks=blocks, width=width, height=height)
    return draw_html(sized, scripts=[*scripts], styles=[*styles])


def _changed(comparison: Comparison, block: int) -> str:
    first, second = comparison.names
    return f"{first}: {told(comparison.first, block)}; {second}: {told(comparison.second, block)}"


def _header(comparison: Comparison, title: str) -> Element:
    url = comparison.first.blocks.snapshot.url
    figures = {
        "Compared": " → ".join(comparison.names),
        "Alike": f"{len(comparison.first.labels) - len(comparison.differing)} of {len(comparison.first.labels)} blocks",
        "Agreement": f"{100 * comparison.agreement:.1f} %",
        "Word F1": f"{comparison.word_f1:.3f}",
    }
    facts = [element("div", element("dt", name), element("dd", value)) for name, value in figures.items()]
    name = element("div", element("h1", title), element("p", url, class_="note") if url else None, class_="name")
    return element("header", name, element("dl", *facts, class_="facts"))


def _list(comparison: Comparison) -> Element:
    """What differs, and switches for each kind of it."""
    first, second = comparison.names
    meanings = {FIRST_ONLY: f"kept by {first} alone", SECOND_ONLY: f"kept by {second} alone", OTHERWISE: "other label"}
    switches = [
        _switch(kind, text, comparison.count(kind)) for kind, text in meanings.items() if comparison.count(kind)
    ]
    rows = [_row(comparison, block) for block in comparison.differing]
    return element(
        "aside",
        element("h2", f"{counted(len(rows), 'difference')}" if rows else "They agree on every block"),
        element("div", *switches, role="group", aria_label="Show", class_="switches") if switches else None,
        element("ol", *rows, id="differences"),
        _keys(zooms=bool(comparison.picture)) if rows else None,
        element("div", id="live", role="status", aria_live="polite"),
        aria_label="Differences",
    )


def _keys(*, zooms: bool) -> Element:
    """The keys, each of which is a button, too."""
    names = {"j": "next", "k": "previous"} | ({"+": "larger", "-": "smaller", "0": "fit"} if zooms else {})
    buttons = (
        element("button", element("kbd", key), f" {name}", type="button", data_key=key) for key, name in names.items()
    )
    return element("div", *buttons, class_="keys", role="group", aria_label="Keys")


def _switch(kind: str, text: str, count: int) -> Element:
    shown = (f"{text} ", element("b", str(count)))
    return element(
        "button", *shown, type="button", aria_pressed="true", data_kind=_CLASSES[kind], class_=_CLASSES[kind]
    )


def _row(comparison: Comparison, block: int) -> Element:
    blocks = comparison.first.blocks
    kind = comparison.kind(block)
    labels = element("span", _said(comparison.first, block), " → ", _said(comparison.second, block), class_="said")
    text = element("span", excerpt(" ".join(blocks.text[block].split()), _TEXT), class_="text", dir="auto")
    button = element("button", labels, text, type="button", data_block=block)
    more = element(
        "div",
        element("p", f"Block {block}, {blocks.snapshot.xpath(int(blocks.node[block]))}", class_="path"),
        *(_why(name, result, block) for name, result in _sides(comparison)),
        class_="more",
    )
    return element("li", button, more, data_kind=_CLASSES[kind], class_=_CLASSES[kind])


def _sides(comparison: Comparison) -> list[tuple[str, Result]]:
    return list(zip(comparison.names, (comparison.first, comparison.second), strict=True))


def _said(result: Result, block: int) -> Element:
    label = result.labels[block]
    return element("span", told(result, block), title=PENS[label].meaning, class_=f"label {label}")


def _why(name: str, result: Result, block: int) -> Element | None:
    """The strongest reasons, where the method gives any."""
    reasons = result.reasons[block][:_REASONS] if result.reasons else ()
    if not reasons:
        return None
    signs = {True: "+ ", False: "− "}
    items = [element("li", signs[each.contribution > 0] * (each.contribution != 0) + each.text) for each in reasons]
    return element("div", element("h3", name, title="+ speaks for content, − against it"), element("ul", *items))


def _pane(comparison: Comparison, side: int) -> Element:
    name = comparison.names[side]
    result = (comparison.first, comparison.second)[side]
    kept = sum(label.is_content for label in result.labels)
    caption = element("h2", element("b", "AB"[side]), f" {name} ", element("small", f"keeps {counted(kept, 'block')}"))
    return element("figure", caption, element("iframe", title=f"Overlay of {name}"), class_=("first", "second")[side])
