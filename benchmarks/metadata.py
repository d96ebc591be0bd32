"""Measure and train the metadata models: `python benchmarks/metadata.py CORPUS... --metadata GOLD.parquet`.

Fields are scored five-fold, with all pages of a site in one fold. A title is right if it has the words of the gold
title, a date if it is the same day, authors if they are the same names, in any order and without degrees. Pages of a
corpus in GOLD whose gold has no value count as pages without one; corpora with their own columns `title`, `authors` and
`date` count where these have a value. trafilatura and htmldate are scored on the same pages, if they are installed.

With `--types FILE`, the type of a page is scored as well, on all pages of the corpora that have one, and on those of
FILE; with accuracy, macro-F1 and the confusion matrix. See `page_types.py`.

With `--train FILE`, the models for the package are fitted on all pages, and written to FILE; without `--types`, the
trees of the types are those of the shipped model.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import page_types
import pyarrow.parquet as pq
from documents import table

from vclean.classify.corpora.corpora import assign_folds, site
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.metadata import THRESHOLD, MetadataModel, card_columns, choose, load_shipped
from vclean.classify.page_type import FORMAT, page_type
from vclean.classify.training.fits import SEED
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.facts.candidates import FIELDS, MetadataPage
from vclean.features.facts.mentions import Field
from vclean.features.facts.names import names_key, without_credentials
from vclean.features.headline import normalize
from vclean.features.page_context import PageContext
from vclean.files import write_atomic
from vclean.imports import versions
from vclean.labelling.retraining import fit_candidates
from vclean.labels import PAGE_TYPES
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from page_types import TypedPage

    from vclean.classify.forest import Forest
    from vclean.features.facts.candidates import Candidates
    from vclean.render.snapshot import Snapshot

    Metadata = Mapping[tuple[str, str], Mapping[str, Any]]
    """Title, authors and date by corpus and id of a page."""

    Values = Mapping[Field, tuple[str, ...]]
    """Values of a system for a page by field; empty if it has none."""

FOLDS = 5
VCLEAN = "vclean"
OUTPUTS = frozenset(("titles", "markdown"))
"""Corpora whose titles are outputs of other tools, with the names of sites; no model learns from them."""


@dataclass(frozen=True, slots=True, eq=False)
class MetadataExample:
    """Candidates of one page, and which are right.

    Attributes:
        candidates: the candidates of each of `FIELDS`.
        is_right: bool (C,) for each of `FIELDS`.
        has_gold: for each field that the gold knows of, whether the page has it.
    """

    candidates: dict[Field, Candidates]
    is_right: dict[Field, NDArray[np.bool_]]
    has_gold: dict[Field, bool]


@dataclass(frozen=True, eq=False)
class Case:
    """Page with gold, its candidates, its type by the shipped model, and the values of other systems."""

    page: GoldPage
    example: MetadataExample
    page_type: str
    others: dict[str, Values]


def gold_values(page: GoldPage) -> Values:
    """Return the gold of a page by field."""
    return {
        Field.TITLE: (page.title,) if page.title else (),
        Field.AUTHORS: page.authors,
        Field.PUBLISHED: (page.date,) if page.date else (),
    }


def is_same(field: Field, values: Sequence[str], gold: Sequence[str]) -> bool:
    """Return whether a value of a field is that of the gold.

    Titles have the same words, dates the same day, authors the same names but for their order and their degrees.
    """
    if not values or not gold:
        return False
    if field is Field.PUBLISHED:
        return values[0][:10] == gold[0][:10]
    if field is Field.TITLE:
        return normalize(values[0]) == normalize(gold[0])
    return names_key(without_credentials(tuple(values))) == names_key(without_credentials(tuple(gold)))


def make_example(
    snapshot: Snapshot, page: GoldPage, language: str, fields: Collection[Field] = FIELDS
) -> MetadataExample:
    """Return the candidates of a page, and which of them its gold has.

    Args:
        snapshot: the page.
        page: its gold.
        language: its detected language, ISO 639-1.
        fields: the fields that its annotators looked for; without a value, the page has none.
    """
    extractor, gold = MetadataPage(PageContext(extract_blocks(snapshot)), language), gold_values(page)
    candidates = {field: extractor.candidates(field) for field in FIELDS}
    is_right = {
        field: np.array([is_same(field, row.values, gold[field]) for row in candidates[field].rows], dtype=bool)
        for field in FIELDS
    }
    return MetadataExample(candidates, is_right, {field: bool(gold[field]) for field in fields})


def fit(examples: Sequence[MetadataExample], types: Forest, card_fields: Mapping[str, Any]) -> MetadataModel:
    """Fit a model for each of `FIELDS`; the same examples give the same model.

    Args:
        examples: candidates of pages with gold.
        types: trees that predict the type of a page.
        card_fields: additional fields of the model card.
    """
    contents = {"columns": card_columns(), "page_types": [*PAGE_TYPES]}
    card = {"format": FORMAT, **card_fields, "versions": versions("lightgbm"), "seed": SEED, **contents}
    return MetadataModel({**fit_fields(examples), Field.PAGE_TYPE: types}, card)


def fit_fields(examples: Sequence[MetadataExample]) -> dict[Field, Forest]:
    """Fit the trees of each of `FIELDS`, also on pages without the field: none of their candidates is right."""
    used = {field: [each for each in examples if field in each.has_gold] for field in FIELDS}
    return {
        field: fit_candidates([(each.candidates[field], each.is_right[field]) for each in several])
        for field, several in used.items()
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


def read_pages(path: Path, gold: Metadata) -> Iterator[GoldPage]:
    """Yield the pages of a corpus with the metadata of `gold`, or else of its own columns."""
    for row in pq.read_table(path).to_pylist():
        values = gold.get((path.stem, row["id"]), row)
        yield GoldPage(
            corpus=path.stem,
            id=row["id"],
            url=row.get("url") or "",
            html=row["html"],
            title=values.get("title") or "",
            authors=tuple(values.get("authors") or ()),
            date=(values.get("date") or "")[:10],
        )


def cases(pages: Sequence[GoldPage], gold: Metadata, others: Sequence[str]) -> Iterator[Case]:
    """Yield the pages with gold that can be read."""
    for page in pages:
        is_complete = (page.corpus, page.id) in gold
        fields = [field for field, values in gold_values(page).items() if values or is_complete]
        try:
            snapshot = parse(page.to_page())
        except VcleanError as error:
            sys.stderr.write(f"metadata.py: {page.id} of {page.corpus} is left out: {error}\n")
            continue
        if fields:
            context = PageContext(extract_blocks(snapshot))
            example = make_example(snapshot, page, context.language, fields)
            yield Case(page, example, page_type(context), {name: _values_of(name, page) for name in others})


def _values_of(name: str, page: GoldPage) -> Values:
    try:
        return OTHERS[name](page)
    except (ValueError, TypeError, AttributeError, LookupError):
        return {}


def lessons(rows: Sequence[Case]) -> list[MetadataExample]:
    """Return the examples that models learn from: without titles of `OUTPUTS`."""
    examples = []
    for case in rows:
        has_gold = {
            field: present for field, present in case.example.has_gold.items()
            if field is not Field.TITLE or case.page.corpus not in OUTPUTS
        }  # fmt: skip
        examples.append(replace(case.example, has_gold=has_gold))
    return examples


def predicted_types(typed: Sequence[TypedPage]) -> dict[tuple[str, str], str]:
    """Return the types of pages by corpus and URL, from models that saw no page of their sites; empty if unsure."""
    probability = page_types.cross_validate(typed)
    best = [PAGE_TYPES[row.argmax()].value if row.max() >= THRESHOLD else "" for row in probability]
    return {(page.corpus, page.url): page_type for page, page_type in zip(typed, best, strict=True)}


def cross_validate(rows: Sequence[Case], types: Mapping[tuple[str, str], str]) -> list[dict[str, Values]]:
    """Return the values of every system for each page; those of vclean from models that saw no page of its site.

    Pages that are not among `types` have the type that the shipped model gives them.
    """
    fold = assign_folds([site(case.page) for case in rows], FOLDS)
    values = [dict(case.others) for case in rows]
    for number in range(FOLDS):
        forests = fit_fields(lessons([case for case, each in zip(rows, fold, strict=True) if each != number]))
        for row in np.flatnonzero(fold == number).tolist():
            case = rows[row]
            page_type = types.get((case.page.corpus, case.page.url), case.page_type)
            choices = {
                field: choose(field, case.example.candidates[field], forests[field], page_type=page_type)
                for field in FIELDS
            }
            values[row][VCLEAN] = {field: choice.values if choice else () for field, choice in choices.items()}
    return values


def score_table(rows: Sequence[Case], values: Sequence[dict[str, Values]], names: Sequence[str]) -> str:
    """Format the shares of right, wrong and no values by corpus and field, and how often a system invents a value."""
    lines = []
    for corpus in dict.fromkeys(case.page.corpus for case in rows):
        for field in FIELDS:
            of_field = [
                row for row, case in enumerate(rows) if case.page.corpus == corpus and field in case.example.has_gold
            ]
            gold = {row: gold_values(rows[row].page)[field] for row in of_field}
            present, absent = [row for row in of_field if gold[row]], [row for row in of_field if not gold[row]]
            cells = []
            for name in names if present else ():
                values_of = {row: values[row].get(name, {}).get(field, ()) for row in of_field}
                right = float(np.mean([is_same(field, values_of[row], gold[row]) for row in present]))
                silent = float(np.mean([not values_of[row] for row in present]))
                invented = f"{np.mean([bool(values_of[row]) for row in absent]):.3f}" if absent else "-"
                cells.append(f"{right:.3f} {1 - right - silent:.3f} {silent:.3f} ({invented})")
            if cells:
                lines.append((corpus, field.value, str(len(present)), *cells))
    return table(("corpus", "field", "pages", *(f"{name}: right, wrong, silent (invented)" for name in names)), lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument("--metadata", type=Path, required=True, metavar="FILE", help="titles, authors and dates")
    parser.add_argument("--types", type=Path, metavar="FILE", help="types of pages: corpus, id, type, URL; with tabs")
    parser.add_argument("--others", nargs="*", default=list(OTHERS), choices=list(OTHERS), help="systems to compare")
    parser.add_argument("--train", type=Path, metavar="FILE", help="write the models of all pages to FILE")
    options = parser.parse_args(arguments)
    try:
        gold = {(row["corpus"], row["id"]): row for row in pq.read_table(options.metadata).to_pylist()}
        pages = [page for path in options.corpora for page in read_pages(path, gold)]
        rows = list(cases(pages, gold, [] if options.train else options.others))
        typed = list(
            page_types.typed_pages(options.corpora, page_types.read_types(options.types)) if options.types else ()
        )
        if options.train:
            types = page_types.fit_types(typed) if typed else load_shipped().forests[Field.PAGE_TYPE]
            facts = {"pages": len(rows), "typed_pages": len(typed)}
            write_atomic(options.train, fit(lessons(rows), types, facts).to_bytes())
            return 0
    except VcleanError as error:
        sys.stderr.write(f"metadata.py: {error}\n")
        return error.exit_code
    if typed:
        print(page_types.tables(typed))
    values = cross_validate(rows, predicted_types(typed) if typed else {})
    print(score_table(rows, values, (VCLEAN, *options.others)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
