"""Write a result as JSON: fields of the page, then one object per block."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.characters import count_words
from vclean.labels import Visibility
from vclean.records import PAGE_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vclean.block import Block
    from vclean.classify.explain.reasons import Explanation, Reason
    from vclean.records import Evidence, Item, Metadata, Post, Product, Recipe
    from vclean.result import Result

Record = dict[str, Any]
"""JSON object: nested dictionaries, lists, strings, numbers, booleans, None."""


def to_record(result: Result) -> Record:
    """Return all fields of the result, see `docs/reference/output.md`; numbers are finite, unknown values None."""
    page, blocks = page_fields(result), [block_fields(block) for block in result.blocks]
    page |= {name: [record_fields(each) for each in getattr(result, name)] for name in ("posts", "items")}
    subjects = {"product": result.product, "recipe": result.recipe}
    page |= {name: record_fields(subject) if subject else None for name, subject in subjects.items()}
    if (explanation := result.explanation) is not None:
        names = ("base", "threshold", "least_log_odds")
        page["explanation"] = {name: _number(getattr(explanation, name), 4) for name in names}
        for block, fields in zip(result.blocks, blocks, strict=True):
            fields.update(_explanation_fields(block, explanation))
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
        "size": _lengths((snapshot.width, snapshot.height)),
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
        "box": _lengths(evidence.box),
    }


def record_fields(record: Post | Item | Product | Recipe) -> Record:
    """Return the fields of a post, an item, a product or a recipe; unknown values are None."""
    fields: Record = {}
    for name in type(record).__slots__:
        value = getattr(record, name)
        fields[name] = list(value) if isinstance(value, tuple) else None if value == "" else value
    return fields | {"box": _lengths(record.box)}


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
        "box": _lengths(block.box),
        "xpath": block.xpath,
        "tag": block.tag,
        "font_size": None if block.font_size is None else _number(block.font_size, 2),
        "color": block.color,
        "background": block.background,
        "visibility": block.visibility.name.lower(),
        "technique": block.technique or None,
        "text": block.text,
    }


def _explanation_fields(block: Block, explanation: Explanation) -> Record:
    """Return the reasons of a block, its contributions by group, log odds, and position in the source."""
    row, has_margins = block.index, len(explanation.margins) > 0
    contributions: list[float] = explanation.contributions[row].tolist() if has_margins else []
    groups = zip(explanation.groups, contributions, strict=has_margins)
    return {
        "source": block.source and asdict(block.source),
        "log_odds": _number(explanation.base + sum(contributions), 4),
        "margin": _number(float(explanation.margins[row]), 4) if has_margins else None,
        "overruled_by": (has_margins and explanation.overruled_by[row]) or None,
        "reasons": [_reason(reason) for reason in block.reasons],
        "contributions": {group: round(value, 4) for group, value in groups if value},
    }


def _reason(reason: Reason) -> Record:
    """Return the fields of a reason; only rules have the field `rule`."""
    record = asdict(reason) | {"contribution": round(reason.contribution, 4)}
    return record if reason.rule else {name: value for name, value in record.items() if name != "rule"}


def _number(value: float, digits: int) -> float | None:
    return round(value, digits) if math.isfinite(value) else None


def _lengths(values: Iterable[float] | None) -> list[float] | None:
    """Return lengths in CSS px; None if they are unknown."""
    lengths = [] if values is None else [round(value, 2) for value in values]
    return lengths if lengths and all(map(math.isfinite, lengths)) else None
