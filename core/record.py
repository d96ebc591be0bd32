"""The JSON form of a result: facts about the page, then one object per block."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.features import tree
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.reasons import Explanation
    from vclean.features.blocks import Blocks
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result

Record = dict[str, Any]
"""What `json` can write: nested dictionaries, lists, strings, numbers, truth values, None."""

_VISIBILITY = [visibility.name.lower() for visibility in Visibility]


def to_record(result: Result) -> Record:
    """The whole result; every number finite, what is unknown None; `docs/output.md` describes the fields."""
    if result.explanation is None:
        return {**facts(result), "blocks": _blocks(result)}
    explained = _explained(result, result.explanation)
    blocks = [{**block, **why} for block, why in zip(_blocks(result), explained, strict=True)]
    return {**facts(result), "explanation": _cut(result.explanation), "blocks": blocks}


def to_json(result: Result) -> str:
    """The record as one line of JSON, characters beyond ASCII as they are."""
    return json.dumps(to_record(result), ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def facts(result: Result) -> Record:
    """What the record says of the page as a whole."""
    snapshot = result.blocks.snapshot
    return {
        "id": result.id,
        "url": snapshot.url,
        "title": snapshot.title,
        "language": result.language or snapshot.language,
        "rendered": snapshot.rendered,
        "size": _numbers([snapshot.width, snapshot.height], 2),
        "noscript": snapshot.noscript,
        "method": result.method,
        "versions": result.version,
        "build": snapshot.build,
        "settings": snapshot.settings,
        "confidence": _number(result.confidence, 4),
    }


def _blocks(result: Result) -> list[Record]:
    blocks, snapshot = result.blocks, result.blocks.snapshot
    size, colour, background = _looks(blocks)
    columns = {
        "label": map(str, result.labels),
        "probability": _column(result.probability, 4),
        "role": result.roles or [None] * len(blocks),
        "box": _rows(blocks.box, 2),
        "xpath": map(snapshot.xpath, blocks.node.tolist()),
        "tag": [snapshot.tags[tag] for tag in snapshot.tag[blocks.node].tolist()],
        "font_size": _column(size, 2),
        "colour": colour,
        "background": background,
        "visibility": [_VISIBILITY[code] for code in blocks.visibility.tolist()],
        "text": blocks.text,
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _cut(explanation: Explanation) -> Record:
    """Where the log odds begin, and the lowest probability that the page's cut kept."""
    return {"base": _number(explanation.base, 4), "threshold": _number(explanation.threshold, 4)}


def _explained(result: Result, explanation: Explanation) -> list[Record]:
    """Per block, its reasons, what all groups contributed, what the trees say of it, and its place in the source."""
    places = result.places or [None] * len(result.blocks)
    figures = explanation.contributions.tolist() or [[]] * len(places)
    return [
        {
            "source": place and asdict(place),
            "log_odds": _number(explanation.base + sum(values), 4),
            "reasons": [{**asdict(reason), "contribution": round(reason.contribution, 4)} for reason in reasons],
            "contributions": {
                group: round(value, 4) for group, value in zip(explanation.groups, values, strict=True) if value
            },
        }
        for place, reasons, values in zip(places, explanation.reasons, figures, strict=True)
    ]


def _looks(blocks: Blocks) -> tuple[NDArray[np.float32], list[str | None], list[str | None]]:
    """Font size in px, colour and effective background of every block, by its main text."""
    snapshot = blocks.snapshot
    owner = main_element(blocks)
    style = snapshot.style[owner]
    colours = [_hex(row) for row in snapshot.styles.colour("color").tolist()]
    size = snapshot.styles.number("font-size")[style]
    return size, [colours[row] for row in style.tolist()], _backgrounds(snapshot, owner)


def main_element(blocks: Blocks) -> NDArray[np.int32]:
    """int32 (B,): the parent element of each block's longest text node, the first of equals."""
    snapshot, members = blocks.snapshot, blocks.members
    length = np.array([len(snapshot.texts[text].strip()) for text in members.tolist()], dtype=np.int64)
    owner = blocks.text_block[members]
    order = np.lexsort((members, -length, owner))
    first = np.searchsorted(owner, np.arange(len(blocks)))
    return snapshot.text_parent[members[order[first]]]


def _backgrounds(snapshot: Snapshot, elements: NDArray[np.int32]) -> list[str | None]:
    """The colour behind each element: its own or that of its nearest ancestor that has one that shows."""
    colours = snapshot.styles.colour("background-color")
    paints = colours[:, 3] > 0
    names = [_hex(row) if shows else None for row, shows in zip(colours.tolist(), paints.tolist(), strict=True)]
    behind = tree.nearest(paints[snapshot.style], snapshot.parent)[elements]
    return [names[row] for row in snapshot.style[behind].tolist()]


def _hex(colour: list[float]) -> str | None:
    """`#rrggbb`, with two digits more for the alpha of a colour that is not opaque."""
    if not all(map(math.isfinite, colour)):
        return None
    red, green, blue = (min(max(round(part), 0), 255) for part in colour[:3])
    alpha = f"{round(colour[3] * 255):02x}" if colour[3] < 1 else ""
    return f"#{red:02x}{green:02x}{blue:02x}{alpha}"


def _number(value: float, digits: int) -> float | None:
    return round(value, digits) if math.isfinite(value) else None


def _column(values: NDArray[np.float32], digits: int) -> list[float | None]:
    return [_number(value, digits) for value in values.tolist()]


def _numbers(values: list[float], digits: int) -> list[float] | None:
    return [round(value, digits) for value in values] if all(map(math.isfinite, values)) else None


def _rows(values: NDArray[np.float32], digits: int) -> list[list[float] | None]:
    """Row by row as `_numbers`."""
    known = np.asarray(np.isfinite(values).all(axis=1))
    return [
        [round(value, digits) for value in row] if whole else None
        for row, whole in zip(values.tolist(), known.tolist(), strict=True)
    ]
