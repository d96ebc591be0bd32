"""Measure and train the metadata models: `python benchmarks/metadata.py CORPUS... --metadata GOLD.parquet`.

Each field is scored on pages whose gold has it, five-fold, with all pages of a site in one fold. A title is right if
it has the words of the gold title, a date if it is the same day, authors if they are the same names, in any order and
without degrees. trafilatura and htmldate are scored on the same pages, if they are installed.

The type of a page is scored on all pages of the corpora that have one, and on those of `--types FILE`; with accuracy,
macro-F1 and the confusion matrix. See `page_types.py`.

With `--render N`, N pages are also rendered; the table has the difference by rendering, with its 95 % interval.
With `--train FILE`, the models for the package are fitted on all pages, and written to FILE.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import page_types
from documents import table
from leaderboard import interval
from page_types import read_types, tables, typed_pages

from vclean.classify.corpora.corpora import assign_folds, read_corpus, read_metadata, site
from vclean.classify.metadata.model import FIELDS, choose
from vclean.classify.metadata.page_type import THRESHOLD as TYPE_THRESHOLD
from vclean.classify.training.metadata import fit, fit_fields, is_same, make_example
from vclean.classify.training.page_type import add_unknown_addresses
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.facts.mentions import Field
from vclean.features.page_context import PageContext
from vclean.files import write_atomic
from vclean.labels import PAGE_TYPES
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from page_types import TypedPage

    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.training.metadata import MetadataExample
    from vclean.classify.trees.forest import Forest
    from vclean.render.snapshot import Snapshot

    Values = Mapping[Field, tuple[str, ...]]
    """Values of a system for a page by field; empty if it has none."""

FOLDS = 5
VCLEAN, RENDERED = "vclean", "vclean, rendered"


@dataclass(frozen=True, eq=False)
class Case:
    """Page with gold, its candidates as parsed and as rendered, and the values of other systems."""

    page: GoldPage
    site: str
    parsed: MetadataExample
    rendered: MetadataExample | None
    others: dict[str, Values]


def gold_values(page: GoldPage) -> Values:
    """Return the gold of a page by field."""
    return {
        Field.TITLE: (page.title,) if page.title else (),
        Field.AUTHORS: page.authors,
        Field.PUBLISHED: (page.date,) if page.date else (),
    }


def trafilatura_values(page: GoldPage) -> Values:
    """Return the metadata of trafilatura."""
    import trafilatura

    document = trafilatura.bare_extraction(page.html, url=page.url, with_metadata=True, only_with_metadata=False)
    record = document.as_dict() if document else {}
    return {
        Field.TITLE: (record["title"],) if record.get("title") else (),
        Field.AUTHORS: tuple(name.strip() for name in (record.get("author") or "").split(";") if name.strip()),
        Field.PUBLISHED: (record["date"],) if record.get("date") else (),
    }


def htmldate_values(page: GoldPage) -> Values:
    """Return the date of htmldate, the original one."""
    import htmldate

    date = htmldate.find_date(page.html.decode("utf-8", "replace"), original_date=True, url=page.url)
    return {Field.PUBLISHED: (date,) if date else ()}


OTHERS: dict[str, Callable[[GoldPage], Values]] = {"trafilatura": trafilatura_values, "htmldate": htmldate_values}


def example(snapshot: Snapshot, page: GoldPage) -> MetadataExample:
    """Return the candidates of a page with their gold."""
    return make_example(snapshot, page, PageContext(extract_blocks(snapshot)).language)


def cases(pages: Sequence[GoldPage], rendered: Mapping[int, Snapshot], others: Sequence[str]) -> Iterator[Case]:
    """Yield the pages that can be read."""
    for number, page in enumerate(pages):
        try:
            parsed = example(parse(page.to_page()), page)
            by_sight = example(rendered[number], page) if number in rendered else None
        except VcleanError as error:
            sys.stderr.write(f"metadata.py: {page.id} of {page.corpus} is left out: {error}\n")
            continue
        yield Case(page, site(page), parsed, by_sight, {name: _values_of(name, page) for name in others})


def _values_of(name: str, page: GoldPage) -> Values:
    try:
        return OTHERS[name](page)
    except (ValueError, TypeError, AttributeError, LookupError):
        return {}


def chosen(forests: Mapping[Field, Forest], sample: MetadataExample, page_type: str) -> Values:
    """Return the values that models choose for a page of a type, empty if unknown."""
    choices = choose(sample.candidates, forests, page_type)
    return {field: choices[field].values if field in choices else () for field in FIELDS}


def predicted_types(typed: Sequence[TypedPage]) -> dict[tuple[str, str], str]:
    """Return the types of pages by corpus and URL, from models that saw no page of their sites; only probable ones."""
    probability = page_types.cross_validate(typed, [page.example for page in typed])
    best = zip(typed, probability.argmax(axis=1).tolist(), probability.max(axis=1).tolist(), strict=True)
    return {(page.corpus, page.url): PAGE_TYPES[row].value for page, row, highest in best if highest >= TYPE_THRESHOLD}


def cross_validate(rows: Sequence[Case], types: Mapping[tuple[str, str], str]) -> list[dict[str, Values]]:
    """Return the values of every system for each page; those of vclean from models that saw no page of its site.

    Args:
        rows: the pages.
        types: their types by corpus and URL, see `predicted_types`.
    """
    fold = assign_folds([case.site for case in rows], FOLDS)
    values = [dict(case.others) for case in rows]
    for number in range(FOLDS):
        rest = [case for case, case_fold in zip(rows, fold, strict=True) if case_fold != number]
        forests = fit_fields([sample for case in rest for sample in (case.parsed, case.rendered) if sample])
        for row in np.flatnonzero(fold == number).tolist():
            page_type = types.get((rows[row].page.corpus, rows[row].page.url), "")
            values[row][VCLEAN] = chosen(forests, rows[row].parsed, page_type)
            if sample := rows[row].rendered:
                values[row][RENDERED] = chosen(forests, sample, page_type)
    return values


def accuracy(rows: Sequence[Case], values: Sequence[dict[str, Values]], name: str, field: Field) -> tuple[float, float]:
    """Return two shares: right values on the pages with gold, and pages with a value among those without gold."""
    right, invented = [], []
    for case, systems in zip(rows, values, strict=True):
        gold, predicted = gold_values(case.page)[field], systems.get(name, {}).get(field, ())
        if gold:
            right.append(is_same(field, predicted, gold))
        else:
            invented.append(bool(predicted))
    return float(np.mean(right)) if right else float("nan"), float(np.mean(invented)) if invented else float("nan")


def score_table(rows: Sequence[Case], values: Sequence[dict[str, Values]], names: Sequence[str]) -> str:
    """Format the accuracy of each system by corpus and field, and how often it gives a value that the gold lacks."""
    lines = []
    for corpus in dict.fromkeys(case.page.corpus for case in rows):
        of_corpus = [index for index, case in enumerate(rows) if case.page.corpus == corpus]
        cases, corpus_values = [rows[index] for index in of_corpus], [values[index] for index in of_corpus]
        for field in FIELDS:
            count = sum(bool(gold_values(case.page)[field]) for case in cases)
            scores = [accuracy(cases, corpus_values, name, field) for name in names]
            cells = (f"{right:.3f} ({invented:.2f})" for right, invented in scores)
            lines.append((corpus, field.value, str(count), *cells))
    return table(("corpus", "field", "pages", *names), lines)


def sight_table(rows: Sequence[Case], values: Sequence[dict[str, Values]]) -> str:
    """Format the accuracy on rendered pages minus that on the same pages parsed, with its interval over sites."""
    lines = []
    for field in FIELDS:
        used = [index for index, case in enumerate(rows) if case.rendered and gold_values(case.page)[field]]
        right = {
            name: np.array(
                [is_same(field, values[row][name][field], gold_values(rows[row].page)[field]) for row in used],
                dtype=float,
            )
            for name in (VCLEAN, RENDERED)
        }
        sites = np.unique([rows[row].site for row in used], return_inverse=True)[1]
        mean, low, high = interval(right[RENDERED] - right[VCLEAN], sites)
        scores = (f"{right[name].mean():.3f}" for name in (VCLEAN, RENDERED))
        lines.append((field.value, str(len(used)), *scores, f"{mean:+.3f}", f"{low:+.3f} to {high:+.3f}"))
    return table(("field", "pages", "parsed", "rendered", "difference", "95 % interval"), lines)


def render_some(pages: Sequence[GoldPage], count: int) -> dict[int, Snapshot]:
    """Return the snapshots of `count` pages in a browser, spread evenly over the pages, by the number of the page."""
    from vclean.render.browser.renderer import Renderer
    from vclean.settings import RenderSettings

    snapshots = {}
    with Renderer(RenderSettings()) as renderer:
        for number in np.linspace(0, len(pages) - 1, count).round().astype(int).tolist() if count else ():
            try:
                snapshots[number] = renderer.render(pages[number].to_page()).snapshot
            except VcleanError as error:
                sys.stderr.write(f"metadata.py: {pages[number].id} cannot be rendered: {error}\n")
    return snapshots


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument("--metadata", type=Path, required=True, metavar="FILE", help="titles, authors and dates")
    parser.add_argument("--types", type=Path, metavar="FILE", help="types of pages: corpus, id, type, URL; with tabs")
    parser.add_argument("--render", type=int, default=0, metavar="N", help="render N pages, too")
    parser.add_argument("--others", nargs="*", default=list(OTHERS), choices=list(OTHERS), help="systems to compare")
    parser.add_argument("--train", type=Path, metavar="FILE", help="write the models of all pages to FILE")
    options = parser.parse_args(arguments)
    try:
        gold = read_metadata(options.metadata)
        pages = [page for path in options.corpora for page in read_corpus(path, gold) if gold_values(page)[Field.TITLE]]
        typed = list(typed_pages(options.corpora, read_types(options.types) if options.types else {}))
        rendered = render_some(pages, options.render) if options.render else {}
        rows = list(cases(pages, rendered, [] if options.train else options.others))
        if options.train:
            samples = [sample for case in rows for sample in (case.parsed, case.rendered) if sample]
            facts = {"pages": len(rows), "rendered": len(rendered), "typed_pages": len(typed)}
            write_atomic(
                options.train, fit(samples, add_unknown_addresses([page.example for page in typed]), facts).to_bytes()
            )
            return 0
    except VcleanError as error:
        sys.stderr.write(f"metadata.py: {error}\n")
        return error.exit_code
    print(tables(typed) if typed else "no page has a type")
    values = cross_validate(rows, predicted_types(typed) if typed else {})
    print(score_table(rows, values, (VCLEAN, *options.others)))
    if options.render:
        print(sight_table(rows, values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
