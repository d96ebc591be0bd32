"""Write a result as JSON: fields of the page, then one object per block."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.characters import count_words
from vclean.labels import Visibility
from vclean.metadata import PAGE_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vclean.block import Block
    from vclean.classify.explain.reasons import Explanation, Reason
    from vclean.metadata import Evidence, Metadata
    from vclean.records import Item, Post, Product, Recipe
    from vclean.result import Result

Record = dict[str, Any]
"""JSON object: nested dictionaries, lists, strings, numbers, booleans, None."""


def to_record(result: Result) -> Record:
    """Return all fields of the result, see `docs/reference/output.md`; numbers are finite, unknown values None."""
    page = {**page_fields(result), **_records(result)}
    blocks = [block_fields(block) for block in result.blocks]
    if result.explanation is not None:
        names = ("base", "threshold", "least_log_odds")
        page["explanation"] = {name: _number(getattr(result.explanation, name), 4) for name in names}
        for block, fields in zip(blocks, _explanations(result, result.explanation), strict=True):
            block.update(fields)
    return page | {"blocks": blocks}


def write_json(result: Result) -> str:
    """Return the record as one line of JSON, without escapes of non-ASCII characters."""
    return json.dumps(to_record(result), ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def page_fields(result: Result) -> Record:
    """Return the fields of the record that describe the page."""
    snapshot, headline = result.columns.snapshot, result.prediction.headline
    return {
        "id": result.id,
        "url": snapshot.url,
        "title": snapshot.title,
        "language": result.language or snapshot.language,
        "metadata": metadata_fields(result.metadata),
        "rendered": snapshot.rendered,
        "render_reason": result.render_reason or None,
        "size": _numbers([snapshot.width, snapshot.height], 2),
        "noscript": snapshot.noscript,
        "method": result.method,
        "versions": result.versions,
        "build": snapshot.build,
        "settings": snapshot.settings,
        "confidence": _number(result.confidence, 4),
        "headline": headline and asdict(headline),
        "hidden": hidden_facts(result),
        "empty": result.empty_reason,
        "notes": list(result.notes),
    }


def metadata_fields(metadata: Metadata) -> Record:
    """Return the metadata of the page: the fields with a value, and the evidence of each."""
    values = {name: getattr(metadata, name) for name in PAGE_FIELDS}
    fields = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value}
    return fields | {"evidence": {name: _evidence(metadata.evidence[name]) for name in fields}}


def _evidence(evidence: Evidence) -> Record:
    return {
        "source": evidence.source,
        "property": evidence.property,
        "probability": _number(evidence.probability, 4),
        "sources": list(evidence.sources),
        "xpath": evidence.xpath,
        "box": None if evidence.box is None else _numbers(evidence.box, 2),
    }


def _records(result: Result) -> Record:
    """Return the posts and items of the page, and its product or recipe."""
    subjects = {"product": result.product, "recipe": result.recipe}
    return {
        **{name: [record_fields(each) for each in getattr(result, name)] for name in ("posts", "items")},
        **{name: record_fields(subject) if subject else None for name, subject in subjects.items()},
    }


def record_fields(record: Post | Item | Product | Recipe) -> Record:
    """Return the fields of a post, an item, a product or a recipe; unknown values are None."""
    fields: Record = {name: getattr(record, name) for name in type(record).__slots__}
    values = {name: None if value == "" else value for name, value in fields.items()}
    box = None if record.box is None else _numbers(record.box, 2)
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    return values | lists | {"box": box}


def hidden_facts(result: Result) -> Record:
    """Return how much text readers do not see: blocks and words, whether it was observed, and whether it is suspect."""
    columns = result.columns
    record: Record = {"observed": columns.snapshot.rendered}
    for name, code in (("revealable", Visibility.REVEALABLE), ("hidden", Visibility.HIDDEN)):
        texts = [columns.text[row] for row in np.flatnonzero(columns.visibility == code).tolist()]
        record |= {f"{name}_blocks": len(texts), f"{name}_words": sum(map(count_words, texts))}
    return {**record, "injection_suspect": result.injection_suspect}


def block_fields(block: Block) -> Record:
    """Return the fields of the record of a block."""
    return {
        "label": str(block.label),
        "probability": _number(block.probability, 4),
        "role": block.role,
        "kind": block.kind,
        "box": None if block.box is None else _numbers(block.box, 2),
        "xpath": block.xpath,
        "tag": block.tag,
        "font_size": None if block.font_size is None else _number(block.font_size, 2),
        "color": block.color,
        "background": block.background,
        "visibility": block.visibility.name.lower(),
        "technique": block.technique or None,
        "text": block.text,
    }


def _explanations(result: Result, explanation: Explanation) -> list[Record]:
    """Return for each block its reasons, contributions by group, log odds, and position in the source."""
    positions = result.positions or [None] * len(result.columns)
    contributions = explanation.contributions.tolist() or [[]] * len(positions)
    margins = explanation.margins.tolist() or [math.nan] * len(positions)
    overruled_by = explanation.overruled_by or [""] * len(positions)
    return [
        {
            "source": position and asdict(position),
            "log_odds": _number(explanation.base + sum(values), 4),
            "margin": _number(margin, 4),
            "overruled_by": rule or None,
            "reasons": [_reason(reason) for reason in reasons],
            "contributions": {
                group: round(value, 4) for group, value in zip(explanation.groups, values, strict=True) if value
            },
        }
        for position, reasons, values, margin, rule in zip(
            positions, explanation.reasons, contributions, margins, overruled_by, strict=True
        )
    ]


def _reason(reason: Reason) -> Record:
    """Return the fields of a reason; only rules have the field `rule`."""
    record = asdict(reason) | {"contribution": round(reason.contribution, 4)}
    return record if reason.rule else {name: value for name, value in record.items() if name != "rule"}


def _number(value: float, digits: int) -> float | None:
    return round(value, digits) if math.isfinite(value) else None


def _numbers(values: Iterable[float], digits: int) -> list[float] | None:
    rounded = [_number(value, digits) for value in values]
    return [value for value in rounded if value is not None] if None not in rounded else None
