"""An overlay as one HTML file to explore: the screenshot, the blocks, segments, and scripts, with nothing to fetch.

`templates/overlay.html` is its frame; `overlay.css` and the `overlay*.js` are in it as they are. Text of pages is in
one JSON document, and the scripts write it as text only. The page's policy allows these scripts and styles by their
hashes, screenshots from `data:`, and nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from vclean.html_pages import asset, hash_policy, render_page, to_script_json
from vclean.render.overlay.layers import PENS, ROLE_PENS, excerpt
from vclean.render.overlay.png import data_url
from vclean.render.overlay.segments import LEVEL_PENS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from vclean.render.overlay.layers import Pen

VERSION: Final = 2
"""Of the JSON document."""

_PACKAGE: Final = "vclean.render.overlay"
SCRIPTS: Final = ("overlay.js", "overlay_screenshot.js", "overlay_list.js", "overlay_controls.js")
_STYLES: Final = ("overlay.css",)

_TEXT_BUDGET: Final = 600_000
_LONGEST_TEXT, _SHORTEST_TEXT = 1_500, 80
"""Characters of text: of all blocks, about, and of one, at most and at least."""

Record = dict[str, Any]
"""A JSON object."""


class ReasonLike(Protocol):
    """Why a block was kept or left out, such as `vclean.classify.explain.reasons.Reason`."""

    @property
    def group(self) -> str:
        """What kind of evidence it is."""

    @property
    def text(self) -> str:
        """One phrase for people."""

    @property
    def contribution(self) -> float:
        """Log-odds towards content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayBlock:
    """One block to show.

    Attributes:
        box: x, y, width, height in CSS px of the document; None where nothing is painted.
        label: of `vclean.labels.Label`.
        role: of `vclean.labels.Role`, or None.
        probability: that it is content; None or NaN where that is not known.
        font: what it is set in, for people.
        xpath, text: of the block; long texts are cut.
        source: where it stands in the source, for people; empty where that is not known.
        visibility: "shown", "revealable" or "hidden"; only shown blocks are drawn.
        reasons: the strongest first.
        changed: what is different from another result, for people; empty where nothing is.
    """

    box: Sequence[float] | None
    label: str
    text: str
    xpath: str = ""
    source: str = ""
    role: str | None = None
    probability: float | None = None
    font: str = ""
    visibility: str = "shown"
    reasons: Sequence[ReasonLike] = ()
    changed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlaySegment:
    """One segment: its box, depth from 0 for the page, degree of coherence, and the row of the one round it or -1."""

    box: Sequence[float]
    level: int
    coherence: int
    parent: int
    xpath: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlaySeparator:
    """One separator: its box, the row of the segment whose parts it separates, and how much it does."""

    box: Sequence[float]
    segment: int
    weight: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayLayer:
    """Segments and the separators between them.

    Attributes:
        name: of what cut the page.
        segments: in preorder, all levels.
        separators: between parts of segments.
        pdoc: the permitted degree of coherence at first, 1 to 11; the reader may change it.
        drawn, separators_drawn: whether segments and separators are drawn at first.
    """

    name: str
    segments: Sequence[OverlaySegment]
    separators: Sequence[OverlaySeparator] = ()
    pdoc: int = 11
    drawn: bool = False
    separators_drawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayPage:
    """All that the file shows.

    Attributes:
        id, url, title: of the page.
        width, height: of the document in CSS px; what of it the screenshot shows is drawn.
        screenshot: PNG or JPEG, one px per CSS px; empty for a white ground in its place.
        blocks: in document order.
        layers: of segments.
        facts: what is told of the page as a whole, by name.
        drawn: whether the blocks are drawn at first.
        color: what the colors of blocks say at first, their label or their role.
        labels: those of the blocks that are shown at first; None for all.
        extra: for scripts that are added; as JSON can write it, `vclean.data.extra` in the page.
    """

    id: str
    url: str
    title: str
    width: float
    height: float
    screenshot: bytes = b""
    blocks: Sequence[OverlayBlock] = ()
    layers: Sequence[OverlayLayer] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    drawn: bool = True
    color: Literal["label", "role"] = "label"
    labels: Collection[str] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def draw_html(
    content: OverlayPage, *, scripts: Sequence[str] = (), styles: Sequence[str] = (), same_origin: bool = False
) -> str:
    """The overlay as one HTML document.

    Args:
        content: what it shows.
        scripts: sources of scripts that run after its own; `docs/guides/overlay.md` says what they find.
        styles: style sheets after its own.
        same_origin: whether scripts may talk to the server that the document came from; else to nobody.

    Raises:
        OutputError: the screenshot cannot be read.
    """
    run = [*(asset(_PACKAGE, name) for name in SCRIPTS), *scripts]
    look = [*(asset(_PACKAGE, name) for name in _STYLES), *styles]
    return render_page(
        _PACKAGE,
        "overlay.html",
        title=f"{content.title or content.id or content.url or 'page'} – vclean",
        policy=hash_policy(run, look, same_origin=same_origin),
        styles=look,
        scripts=run,
        data=to_json(content),
    )


def to_json(content: OverlayPage) -> str:
    """The JSON document, safe inside a script element."""
    return to_script_json(to_record(content))


def to_record(content: OverlayPage) -> Record:
    """The JSON document as dictionaries and lists; `docs/guides/overlay.md` describes it."""
    longest = min(max(_TEXT_BUDGET // max(len(content.blocks), 1), _SHORTEST_TEXT), _LONGEST_TEXT)
    return {
        "version": VERSION,
        "page": _page(content),
        "pens": _pens(),
        "blocks": [_block(block, longest) for block in content.blocks],
        "layers": [_layer(layer) for layer in content.layers],
        "drawn": content.drawn,
        "color": content.color,
        "labels": None if content.labels is None else sorted(map(str, content.labels)),
        "extra": dict(content.extra),
    }


def _page(content: OverlayPage) -> Record:
    address, (width, height) = data_url(content.screenshot) if content.screenshot else ("", (0, 0))
    return {
        "id": content.id,
        "url": content.url,
        "title": content.title,
        "width": width or _size(content.width),
        "height": height or _size(content.height),
        "screenshot": address,
        "facts": {**content.facts, **_cut(content.height, height)},
    }


def _cut(page_height: float, height: int) -> dict[str, str]:
    """What is told where the screenshot ends before the page."""
    return {"Screenshot": f"cut at {height} of {page_height:.0f} px"} if height and page_height > height + 1 else {}


def _size(length: float) -> int:
    return math.ceil(length) if math.isfinite(length) and length > 0 else 1


def _pens() -> Record:
    return {
        "label": {label: _pen(pen) for label, pen in PENS.items()},
        "role": {role: _pen(pen) for role, pen in ROLE_PENS.items()},
        "level": [_pen(pen) for pen in LEVEL_PENS],
    }


def _pen(pen: Pen) -> Record:
    return {
        "color": list(pen.color),
        "width": pen.width,
        "dash": list(pen.dash),
        "fill": round(pen.fill / 255, 3),
        "meaning": pen.meaning,
    }


def _block(block: OverlayBlock, longest: int) -> Record:
    record = {
        "box": _box(block.box),
        "label": str(block.label),
        "role": block.role,
        "probability": _probability(block.probability),
        "font": block.font,
        "xpath": block.xpath,
        "source": block.source,
        "text": excerpt(block.text, longest),
        "reasons": [
            {"group": each.group, "text": each.text, "value": round(each.contribution, 3)} for each in block.reasons
        ],
        "visibility": block.visibility,
    }
    return {**record, "changed": block.changed} if block.changed else record


def _probability(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(float(value), 4)


def _layer(layer: OverlayLayer) -> Record:
    return {
        "name": layer.name,
        "segments": [
            {
                "box": _box(each.box),
                "level": each.level,
                "coherence": each.coherence,
                "parent": each.parent,
                "xpath": each.xpath,
                "text": each.text,
            }
            for each in layer.segments
        ],
        "separators": [
            {"box": _box(each.box), "segment": each.segment, "weight": each.weight} for each in layer.separators
        ],
        "pdoc": layer.pdoc,
        "drawn": layer.drawn,
        "separators_drawn": layer.separators_drawn,
    }


def _box(box: Sequence[float] | None) -> list[float] | None:
    """Finite and with an area, or a line of no width, else None."""
    if box is None or not all(map(math.isfinite, box)):
        return None
    return [round(float(side), 1) for side in box]
