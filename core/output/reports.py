"""Write what people read about a page and a run: metadata, explanation, hidden texts, doubts, why a text is empty.

- Front matter: the metadata as YAML before Markdown. Values are JSON strings and lists, which YAML 1.2
  (https://yaml.org/spec/1.2.2/, chapter 7) contains.
- Explanation, for `--explain`: one line per block, followed by one line per reason.
- Hidden texts, for `--show-hidden`: the texts that readers do not see, and whether sentences are among them.
- Review, for `--review`: the entry of a page of low confidence.
- Notebook: a table of the blocks, below the overlay if there is a screenshot.
"""

from __future__ import annotations

import base64
import json
import re
from itertools import islice
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import format_count, is_sentence, one_line
from vclean.errors import UsageError
from vclean.labels import EmptyReason, Visibility
from vclean.records import PAGE_FIELDS
from vclean.render import tree
from vclean.render.snapshot import LITTLE_TEXT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.block import Block
    from vclean.classify.explain.reasons import Explanation
    from vclean.features.blocks import BlockColumns
    from vclean.records import Metadata
    from vclean.result import Result

_NOT_PRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that YAML does not allow as they are, and JSON does (YAML 1.2, 5.1)."""


def write_front_matter(result: Result) -> str:
    """Return the cleaned page in Markdown, after its metadata as YAML between lines of three hyphens."""
    text = result.to_markdown()
    return f"{front_matter(result.metadata)}\n{text}" if text else front_matter(result.metadata)


def front_matter(metadata: Metadata) -> str:
    """Return the URL and the fields with a value, one line for each.

    >>> from vclean.records import Metadata
    >>> print(front_matter(Metadata(url="", title="Rain: a report", authors=("Ann Lee",))))
    ---
    title: "Rain: a report"
    authors: ["Ann Lee"]
    ---
    <BLANKLINE>
    """
    values = {name: getattr(metadata, name) for name in ("url", *PAGE_FIELDS)}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items() if value]
    text = "".join(("---\n", *lines, "---\n"))
    return _NOT_PRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_MAX_TEXT: Final = 60
"""Most characters of the text of a block in its line."""


def write_explanation(result: Result) -> str:
    """Return the labels of the blocks of a page and the reasons for them; `docs/guides/explain.md` has the format.

    Raises:
        UsageError: the result has no explanation.
    """
    from vclean.classify.explain.reasons import RULE  # loads scipy.sparse

    if (explanation := result.explanation) is None:
        raise UsageError("the result has no explanation: clean the page with explain=True")
    facts = [f"{result.content_count} of {format_count(len(result.columns), 'block')} kept"]
    if isfinite(explanation.threshold):
        facts.append(f"threshold {explanation.threshold:.2f}")
    if isfinite(explanation.base):
        facts.append(f"log odds of the average block {explanation.base:+.2f}")
    lines, has_roles = [f"{one_line(result.id) or 'page'}: {', '.join(facts)}"], any(result.roles)
    for block in result.blocks:
        lines.append(_block(block, has_roles=has_roles))
        for reason in block.reasons:
            contribution = "     " if reason.group == RULE else f"{reason.contribution:+.2f}"
            lines.append(f"    {contribution} {reason.group}: {reason.text}")
        if len(explanation.margins):
            lines.append(_sum(explanation, block.index))
    return "".join(line + "\n" for line in lines)


def _block(block: Block, *, has_roles: bool) -> str:
    text = one_line(block.text[: 4 * _MAX_TEXT])
    parts = [
        "+" if block.is_content else "-",
        str(block.label),
        f"{block.probability:.2f}",
        str(block.role or "none") if has_roles else "",
        f"line {block.source.line}:{block.source.column}" if block.source else "no line",
        block.xpath,
        f'"{text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1].rstrip() + "…"}"',
    ]
    return " ".join(part for part in parts if part)


def _sum(explanation: Explanation, block: int) -> str:
    """Return the line with the sum of base value, contributions and threshold."""
    margin, base, least = float(explanation.margins[block]), explanation.base, explanation.least_log_odds
    rule = f"; overruled by the rule {name}" if (name := explanation.overruled_by[block]) else ""
    parts = f"base {base:+.2f}, all groups {margin + least - base:+.2f}, threshold {-least:+.2f}"
    return f"    {margin:+.2f} sum: {parts}{rule}"


def write_hidden(result: Result) -> str:
    """Return a line for each block that is not shown: visibility, technique, box, XPath and text, separated by tabs.

    The box is x, y, width and height in CSS px, or `-` where nothing is laid out.
    """
    lines = []
    for block in result.blocks.where(visibility=(Visibility.REVEALABLE, Visibility.HIDDEN)):
        box = ",".join(f"{side:g}" for side in block.box) if block.box else "-"
        fields = block.visibility.name.lower(), block.technique, box, block.xpath, one_line(block.text)
        lines.append("\t".join(fields) + "\n")
    return "".join(lines)


MIN_PROBABILITY: Final = 0.4
"""Probability of content from which hidden text is like content; that of messages, menus and labels is lower."""


def has_hidden_sentence(columns: BlockColumns, probability: NDArray[np.float32]) -> bool:
    """Return whether a hidden block that is like content has the length of a sentence, or several in a row together.

    Args:
        columns: the B blocks.
        probability: float32 (B,), the probability of content of each block.
    """
    snapshot, rows = columns.snapshot, np.flatnonzero(columns.visibility == Visibility.HIDDEN)
    rows = rows[probability[rows] >= MIN_PROBABILITY]
    if any(is_sentence(columns.text[row]) for row in rows.tolist()):
        return True
    is_linked = tree.inside(snapshot.is_tag(("a", "button")), snapshot.end)[snapshot.text_parent]
    rows = rows[~is_linked[columns.members[columns.first[rows]]]]  # menus
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    return any(is_sentence(" ".join(columns.text[row] for row in run.tolist())) for run in runs)


def review_entry(result: Result) -> dict[str, Any]:
    """Return the entry of a page: its name, its confidence, and counts that may explain the confidence.

    `docs/reference/output.md` describes the fields.

    Raises:
        UsageError: the method of the result gives no confidence.
    """
    if isnan(result.confidence):
        raise UsageError(f"--review needs a confidence, and the method {result.method} gives none: use vclean")
    words = [len(text.split()) for text in result.columns.text]
    is_content = [label.is_content for label in result.prediction.labels]
    probability = result.prediction.probability
    return {
        "id": result.id,
        "url": result.columns.snapshot.url,
        "confidence": round(result.confidence, 4),
        "blocks": len(is_content),
        "blocks_kept": sum(is_content),
        "blocks_in_doubt": int(((probability > 0.25) & (probability < 0.75)).sum()),
        "words": sum(words),
        "words_kept": sum(count for count, content in zip(words, is_content, strict=True) if content),
    }


def result_html(result: Result) -> str:
    """Return a part of an HTML document with the first `MAX_ROWS` blocks; texts of the page are escaped."""
    from vclean.html_pages import MAX_ROWS, render_page  # loads jinja2

    has_picture = bool(result.screenshot) and result.columns.snapshot.rendered
    picture = result.overlay(result.screenshot, "png") if has_picture else b""
    count, language, confidence = len(result.blocks), result.metadata.language, result.confidence
    facts = [
        f"{result.content_count} of {format_count(count, 'block')} are content",
        "" if isnan(confidence) else f"confidence {confidence:.2f}",
        language and f"language {language}",
        "rendered" if result.metadata.rendered else "parsed without a browser",
    ]
    rest = count - MAX_ROWS
    return render_page(
        "vclean",
        "notebook.html",
        title=result.metadata.title,
        summary=", ".join(filter(None, facts)),
        picture=base64.b64encode(picture).decode(),
        rows=[_row(block) for block in islice(result.blocks, MAX_ROWS)],
        more=f"{format_count(rest, 'more block')}: see result.blocks" if rest > 0 else "",
    )


def _row(block: Block) -> dict[str, Any]:
    from vclean.html_pages import MAX_CHARACTERS
    from vclean.render.overlay.layers import excerpt

    return {
        "#": block.index,
        "label": str(block.label),
        "probability": "" if isnan(block.probability) else f"{block.probability:.2f}",
        "role": str(block.role or ""),
        "text": excerpt(block.text, MAX_CHARACTERS),
    }


def empty_reason(columns: BlockColumns) -> EmptyReason:
    """Return why the clean text of a page without content is empty."""
    if columns.snapshot.is_tag({"frameset"}).any():
        return EmptyReason.FRAMESET
    waits_for_scripts = columns.snapshot.scripted and not columns.snapshot.ran_scripts
    if waits_for_scripts and sum(map(len, columns.text)) < LITTLE_TEXT:
        return EmptyReason.NEEDS_SCRIPTS
    if not len(columns):
        return EmptyReason.NO_TEXT
    if (columns.visibility == Visibility.HIDDEN).all():
        return EmptyReason.HIDDEN
    return EmptyReason.BOILERPLATE


def describe_empty(result: Result, reason: EmptyReason) -> str:
    """Return a line that states why the clean text is empty."""
    count, snapshot = len(result.columns), result.columns.snapshot
    sources, frames = snapshot.attributes("src"), snapshot.is_tag({"frame"}).nonzero()[0].tolist()
    frame_urls = ", ".join(sources[frame] for frame in frames if frame in sources) or "it names none"
    blocks = "the only block" if count == 1 else f"all {count} blocks"
    ran = ", even after its scripts ran" if snapshot.ran_scripts else ""
    only = "has only scripts" if not count else f"has {format_count(count, 'block')} of boilerplate, and scripts"
    reasons = {
        EmptyReason.NO_TEXT: f"the page has none{ran}",
        EmptyReason.NEEDS_SCRIPTS: f"the page {only}",
        EmptyReason.FRAMESET: f"the page is a frameset; clean its frames: {frame_urls}",
        EmptyReason.HIDDEN: f"{blocks} of the page cannot be seen by readers",
        EmptyReason.BOILERPLATE: f"{blocks} {'was' if count == 1 else 'were'} labelled boilerplate",
    }
    return f"no text: {reasons[reason]}"
