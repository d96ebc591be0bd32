"""Measure and train the metadata models: `python benchmarks/metadata.py CORPUS... --metadata GOLD.parquet`.

Fields are scored five-fold, with all pages of a site in one fold. A title is right if it has the words of the gold
title, a date if it is the same day, authors if they are the same names, in any order and without degrees. Pages of a
corpus in GOLD whose gold has no value count as pages without one; corpora with their own columns `title`, `authors` and
`date` count where these have a value. trafilatura and htmldate are scored on the same pages, if they are installed.

With `--types FILE`, the type of a page is scored as well, on all pages of the corpora that have one, and on those of
FILE; with accuracy, macro-F1 and the confusion matrix. Types are those of the column `page_type` of the corpora, and
those of FILE, which overrule them. Recipes and the news of DAnIEL are articles; they count a fifth, because they are
as many as all other articles, and alike.

With `--train FILE`, the models for the package are fitted on all pages, and written to FILE; without `--types`, the
trees of the types are those of the shipped model.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow.parquet as pq
from documents import table
from sklearn.metrics import confusion_matrix, f1_score, precision_recall_fscore_support

from vclean.classify.corpora.corpora import assign_folds, read_corpus, site
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.metadata import choose, load_shipped
from vclean.classify.page_type import THRESHOLD, page_type
from vclean.classify.training.metadata import (
    PageTypeExample,
    add_unknown_addresses,
    fit,
    fit_fields,
    fit_page_types,
    is_same,
    make_example,
)
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.facts.candidates import FIELDS
from vclean.features.facts.mentions import Field
from vclean.features.facts.page_type import page_features, without_address
from vclean.features.page_context import PageContext
from vclean.files import write_atomic
from vclean.labels import PAGE_TYPES, PageType
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.training.metadata import MetadataExample

    Types = Mapping[tuple[str, str], tuple[str, str]]
    """Type of a page and its URL (`-`: that of the corpus), by corpus and id or URL."""

    Metadata = Mapping[tuple[str, str], Mapping[str, Any]]
    """Title, authors and date by corpus and id of a page."""

    Values = Mapping[Field, tuple[str, ...]]
    """Values of a system for a page by field; empty if it has none."""

FOLDS = 5
VCLEAN = "vclean"
OUTPUTS = frozenset(("titles", "markdown"))
"""Corpora whose titles are outputs of other tools, with the names of sites; no model learns from them."""
WCXB: Final = "wcxb"
_ARTICLES: Final = frozenset(("recipes", "daniel"))
"""Corpora of articles whose column `page_type` has something else."""
_OTHER_URLS: Final = frozenset(("daniel",))
"""Corpora whose URLs are often those of front pages or of other sites."""
_WEIGHTS: Final = {"recipes": 0.2, "daniel": 0.2}
_NAMES: Final = frozenset(page_type.value for page_type in PageType)


@dataclass(frozen=True, eq=False)
class TypedPage:
    """Page with its type.

    Attributes:
        corpus, url, site: where it comes from.
        example: its features and its type.
        own: its type in the corpus; None if the corpus has none.
    """

    corpus: str
    url: str
    site: str
    example: PageTypeExample
    own: PageType | None


def read_types(path: Path) -> Types:
    """Read a file of types: tab-separated corpus, id or URL, type, and URL or `-`, below a line with these names."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return {(corpus, page): (page_type, url) for corpus, page, page_type, url in rows}


def typed_pages(corpora: Sequence[Path], types: Types) -> Iterator[TypedPage]:
    """Yield the pages of known type that can be read."""
    for path in corpora:
        for page in read_corpus(path):
            own = PageType.ARTICLE.value if page.corpus in _ARTICLES else page.page_type
            page_type, url = types.get((page.corpus, page.id), types.get((page.corpus, page.url), (own, "-")))
            if page_type not in _NAMES:
                continue
            url = "" if page.corpus in _OTHER_URLS else page.url if url == "-" else url
            page_of_type = replace(page, url=url)
            try:
                x = page_features(PageContext(extract_blocks(parse(page_of_type.to_page()))))
            except VcleanError as error:
                sys.stderr.write(f"metadata.py: {page.id} of {page.corpus} is left out: {error}\n")
                continue
            example = PageTypeExample(x, PageType(page_type), _WEIGHTS.get(page.corpus, 1.0))
            yield TypedPage(page.corpus, url, site(page_of_type), example, PageType(own) if own in _NAMES else None)


def cross_validate_types(
    pages: Sequence[TypedPage], examples: Sequence[PageTypeExample], *, hide_address: bool = False
) -> NDArray[np.float64]:
    """Return the probabilities of types of each page, by models that saw no page of its site: float64 (P, types).

    With `hide_address`, the pages are scored as if they had no URL.
    """
    fold = assign_folds([page.site for page in pages], FOLDS)
    probability = np.zeros((len(pages), len(PAGE_TYPES)))
    for number in range(FOLDS):
        rest = [example for example, own in zip(examples, fold, strict=True) if own != number]
        model, rows = fit_page_types(add_unknown_addresses(rest)), np.flatnonzero(fold == number)
        samples = (examples[row].x for row in rows.tolist())
        probability[rows] = model.predict(np.stack([without_address(x) if hide_address else x for x in samples]))
    return probability


def type_tables(pages: Sequence[TypedPage]) -> str:
    """Return the accuracy on all pages and on the types of WCXB, the scores of each type, and the confusion matrix."""
    probability = cross_validate_types(pages, [page.example for page in pages])
    gold = np.array([PAGE_TYPES.index(page.example.page_type) for page in pages])
    wcxb = [page for page in pages if page.corpus == WCXB and page.own]
    lines = [_line("all", gold, probability)]
    for corpus in dict.fromkeys(page.corpus for page in pages):
        mask = np.array([page.corpus == corpus for page in pages])
        lines.append(_line(corpus, gold[mask], probability[mask]))
    hidden = cross_validate_types(pages, [page.example for page in pages], hide_address=True)
    lines.append(_line("all, without URL", gold, hidden))
    if wcxb:
        examples = [replace(page.example, page_type=page.own) for page in wcxb if page.own]
        own = np.array([PAGE_TYPES.index(example.page_type) for example in examples])
        lines.append(_line("wcxb, its seven types", own, cross_validate_types(wcxb, examples)))
    scores = table(("corpus", "pages", "accuracy", "macro-F1", "answered", "accuracy of answers"), lines)
    best = probability.argmax(axis=1)
    return "\n\n".join((scores, _type_table(gold, best), _confusion(gold, best)))


def _line(name: str, gold: NDArray[np.int64], probability: NDArray[np.float64]) -> tuple[str, ...]:
    best, answered = probability.argmax(axis=1), probability.max(axis=1) >= THRESHOLD
    macro_f1 = f1_score(gold, best, labels=np.unique(gold), average="macro")
    values = (np.mean(best == gold), macro_f1, answered.mean(), np.mean((best == gold)[answered]))
    return name, str(len(gold)), *(f"{value:.3f}" for value in values)


def _type_table(gold: NDArray[np.int64], best: NDArray[np.int64]) -> str:
    """Return the precision, recall and F1 of each type."""
    codes = range(len(PAGE_TYPES))
    *scores, counts = precision_recall_fscore_support(gold, best, labels=codes, zero_division=0)
    values = zip(PAGE_TYPES, counts, *scores, strict=True)
    lines = [(name.value, str(count), *(f"{value:.3f}" for value in row)) for name, count, *row in values]
    return table(("type", "pages", "precision", "recall", "F1"), lines)


def _confusion(gold: NDArray[np.int64], best: NDArray[np.int64]) -> str:
    """Return how many pages of each type have each predicted type."""
    counts = confusion_matrix(gold, best, labels=range(len(PAGE_TYPES)))
    rows = [(name.value, *map(str, row)) for name, row in zip(PAGE_TYPES, counts, strict=True)]
    return table(("gold, predicted", *(name.value for name in PAGE_TYPES)), rows)


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
    probability = cross_validate_types(typed, [page.example for page in typed])
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
        typed = list(typed_pages(options.corpora, read_types(options.types)) if options.types else ())
        if options.train:
            typed_examples = add_unknown_addresses([page.example for page in typed])
            types = typed_examples or load_shipped().page_types
            facts = {"pages": len(rows), "typed_pages": len(typed)}
            write_atomic(options.train, fit(lessons(rows), types, facts).to_bytes())
            return 0
    except VcleanError as error:
        sys.stderr.write(f"metadata.py: {error}\n")
        return error.exit_code
    if typed:
        print(type_tables(typed))
    values = cross_validate(rows, predicted_types(typed) if typed else {})
    print(score_table(rows, values, (VCLEAN, *options.others)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
