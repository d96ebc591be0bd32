"""Build small snapshots and results from HTML, for tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vclean.classify.content.site_evidence import add_evidence
from vclean.classify.prediction import Prediction
from vclean.cli.main import parse_args
from vclean.errors import DeadlineError
from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.labels import Label
from vclean.page import Page
from vclean.render.snapshot import STYLES, Styles
from vclean.render.static.parse import parse
from vclean.render.visibility.painted_texts import decide
from vclean.result import Result

LINE_HEIGHT, CHARACTER, INDENT = 20, 8, 40


def snapshot(html, url="https://example.org/dir/page.html"):
    """Return the page as parsed by the static parser."""
    return parse(Page(content=html, url=url))


def laid_out(html, url="https://example.org/dir/page.html", styles=None):
    """Return the page with a simple layout: each text on a line, 20 px high and 8 px wide per character.

    `styles` has computed styles by tag: `{"h1": {"font-size": "32px"}}`. Defaults are 16 px and black, with a style of
    the author that no column measures.
    Every element has the box of the page.
    """
    page = snapshot(html, url)
    shown = [text for text in range(len(page.texts)) if page.texts[text].strip() and not _hidden(page, text)]
    lines = [[INDENT, LINE_HEIGHT * (row + 1), CHARACTER * len(page.texts[text].strip()), 16]
             for row, text in enumerate(shown)]  # fmt: skip
    height = LINE_HEIGHT * (len(shown) + 2)
    rows = [_style(page, element, styles or {}) for element in range(len(page))]
    return replace(
        page,
        rendered=True,
        width=800.0,
        height=float(height),
        settings={"width": 800, "height": 600, "scripts": "off"},
        build="HeadlessChrome/1.2",
        box=np.tile(np.array([0, 0, 800, height], dtype=np.float32), (len(page), 1)),
        styles=Styles(names=STYLES, rows=tuple(rows)),
        style=np.arange(len(page), dtype=np.int32),
        line_text=np.array(shown, dtype=np.int32),
        line_box=np.array(lines, dtype=np.float32).reshape(-1, 4),
    )


def decided(page):
    """Return a page as rendering leaves it: with what layout and styles decide on its texts and overlays."""
    decision = decide(page)
    return replace(page, text_hidden=decision.hidden, overlay=decision.overlays)


def context_of(html):
    """Return the page context of a statically parsed page."""
    return PageContext(extract_blocks(snapshot(html)))


def columns(page):
    """Return the feature columns of a snapshot that need no model, by name: arrays with one value per block."""
    features = matrix.extract(extract_blocks(page))
    values = matrix.block_values(features.context) if len(features.base) else {}
    base = {column.name: features.base[:, index] for index, column in enumerate(matrix.COLUMNS)}
    return {name: np.asarray(column, dtype=np.float32) for name, column in values.items()} | base


def result(page, labels, *, confidence=float("nan"), roles=(), language=None, **facts):
    """Return a result with the labels of a string such as `"hpplo"`. Content has probability .9, other blocks .1.

    Its language is detected, unless it is given.
    """
    columns = extract_blocks(page)
    block_labels = [Label(letter) for letter in labels]
    assert len(block_labels) == len(columns), columns.text
    probability = np.array([0.9 if label.is_content else 0.1 for label in block_labels], dtype=np.float32)
    made = Result(
        columns=columns, prediction=Prediction(block_labels, probability, confidence, roles=list(roles)), **facts
    )
    if language is not None:
        vars(made)["language"] = language
    return made


class Even:
    """Model with the same probability for every block; pages with the text "wrong" fail."""

    version = "even"

    def label(self, blocks, *, evidence=None, policy=None):
        if "wrong" in blocks.text:
            raise DeadlineError("too slow")
        probability = np.full(len(blocks), 0.6, dtype=np.float32)
        if evidence is not None:
            probability = add_evidence(probability, evidence.log_odds)
        return Prediction([Label.PARAGRAPH] * len(blocks), probability, confidence=0.6)


def _hidden(page, text):
    return page.hidden[page.text_parent[text]] > 0


def _style(page, element, styles):
    row = dict(zip(STYLES, page.styles.rows[page.style[element]], strict=True))
    row |= {"font-size": "16px", "color": "rgb(0, 0, 0)", "background-color": "rgba(0, 0, 0, 0)"}
    row |= {"text-transform": "lowercase"}
    row |= styles.get(page.tags[page.tag[element]], {})
    return tuple(row[name] for name in STYLES)


def parsed(*arguments):
    """Return the options dataclass of a parsed command line."""
    return parse_args(list(arguments))
