"""The sections of a report: tables and plots of what methods made of corpora."""

from __future__ import annotations

from math import isnan
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from vclean.classify.calibration import examine
from vclean.compare import plots
from vclean.compare.document import element
from vclean.compare.tables import Column, table
from vclean.compare.trials import DIMENSIONS, confusion, groups, interval, methods, of_method, scored
from vclean.labels import Label
from vclean.render.overlay import PENS, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vclean.compare.document import Element
    from vclean.compare.trials import Trial

MAX_ROWS: Final = 2_000
"""Pages that the list of all pages has at most, the worst of them."""

_UNTOLD: Final = "content, type untold"
"""What the gold says of a block that is content, where it tells no types."""

_PLOTTED: Final = 12
"""Groups that a plot shows at most, those with most pages."""

_SCORES: Final = {
    "word_f1": Column("word F1", 3, "harmonic mean of precision and recall of the bag of words, mean over the pages"),
    "word_precision": Column("precision", 3, "share of the words of the output that the gold has"),
    "word_recall": Column("recall", 3, "share of the words of the gold that the output has"),
    "lcs_f1": Column("LCS F1", 3, "of the longest common subsequence of words, mean over the pages"),
    "lcs_f1_micro": Column("micro", 3, "the same, of the summed lengths"),
    "cleaneval": Column("CleanEval", 1, "text-only score of CleanEval, 0 to 100"),
    "cleaneval_markup": Column("+ markup", 1, "the same with marks, over the pages whose gold has them"),
}
_FEW: Final = ("word_f1", "word_precision", "word_recall")

_KINDS: Final = ("blocks", "words", "pages")
_ERRORS: Final = {"ece": "equal width", "ece_equal_mass": "equal mass"}
_RELIABILITY: Final = {
    "blocks": ("Blocks: is it content?", "probability", "share that is content"),
    "words": ("Blocks, by their words", "probability", "share of words in content"),
    "pages": ("Pages: how good is the text?", "confidence", "mean word F1"),
}


def overview(trials: Sequence[Trial]) -> Iterator[Element]:
    """The figure that counts for every method, how the pages spread, all scores by corpus."""
    parts = {name: of_method(trials, name) for name in methods(trials)}
    tiles = element("ul", *(_tile(*part) for part in parts.items()), class_="tiles")
    spread = plots.distribution(
        "Pages by word F1", {name: [trial.f1 for trial in part] for name, part in parts.items()}
    )
    yield element("div", tiles, spread, class_="pair")
    yield _score_table(trials, "corpus", tuple(_SCORES))


def by_groups(trials: Sequence[Trial]) -> Iterator[Element]:
    """The scores by page type, language and length of the gold, where the pages differ in them."""
    wanted = [name for name in DIMENSIONS if name != "corpus" and len(groups(trials, name)) > 1]
    if wanted and (key := plots.legend(methods(trials))) is not None:
        yield key
    for dimension in wanted:
        yield element("div", _group_plot(trials, dimension), _score_table(trials, dimension, _FEW), class_="pair")


def calibration(trials: Sequence[Trial]) -> Iterator[Element]:
    """Whether probabilities and confidences mean what they say, for the methods that give some."""
    verdicts = {
        name: [trial.outcome.verdict for trial in of_method(trials, name) if trial.outcome.verdict]
        for name in methods(trials)
    }
    found = {name: examine(pages) for name, pages in verdicts.items() if pages}
    if not found:
        return
    yield _note("On the diagonal, what was said came true as often as it was said; the larger a mark, the more it is.")
    if (key := plots.legend(list(found))) is not None:
        yield key
    diagrams = (
        plots.reliability(title, {name: facts[kind]["bins"] for name, facts in found.items()}, said, observed)
        for kind, (title, said, observed) in _RELIABILITY.items()
    )
    yield element("div", *diagrams, class_="plots")
    columns = [Column("method"), Column("of"), *(Column(f"bins of {text}", 4) for text in _ERRORS.values())]
    rows = [
        [name, kind, *(facts[kind][error] for error in _ERRORS)] for name, facts in found.items() for kind in _KINDS
    ]
    yield table(columns, rows, caption="Expected calibration error")


def confusions(trials: Sequence[Trial]) -> Iterator[Element]:
    """For every method: the labels it gave, by those of the gold."""
    tables = [_confusion(name, of_method(trials, name)) for name in methods(trials)]
    yield _note(
        "Blocks by what the gold says of them (rows) and the label they were given (columns), in per cent of a row."
    )
    yield element("div", *tables, class_="plots")


def all_pages(trials: Sequence[Trial]) -> Iterator[Element]:
    """Every page with its score by every method, the worst by the first method first."""
    names = methods(trials)
    f1 = {(trial.key, trial.outcome.method): trial.f1 for trial in trials}
    pages = sorted(of_method(trials, names[0]), key=lambda trial: (trial.f1, trial.key))
    if len(pages) > MAX_ROWS:
        yield _note(f"The {MAX_ROWS:,} worst of {len(pages):,} pages.")
    label = element("label", "Show pages with ", element("input", type="search", id="filter", autocomplete="off"))
    yield element("p", label, element("output", id="found"), class_="filter")
    scores = [Column(name, 3, f"word F1 of {name}") for name in names]
    told = Column("confidence", 3, f"the word F1 that {names[0]} expects")
    columns = [Column("page"), Column("corpus"), Column("type"), Column("language"), Column("words", 0), *scores, told]
    rows = [[*_page(trial), *(f1.get((trial.key, name)) for name in names), _confidence(trial)] for trial in pages]
    yield table(columns, rows[:MAX_ROWS], name="all-pages-table")


def failures(trials: Sequence[Trial]) -> Iterator[Element]:
    """The pages that failed, and why; nothing where none did."""
    failed = [trial.outcome for trial in trials if trial.outcome.error]
    if failed:
        yield _note("They count as empty output.")
        rows = [[outcome.id, outcome.corpus, outcome.method, outcome.error] for outcome in failed]
        yield table([Column("page"), Column("corpus"), Column("method"), Column("why")], rows)


def _note(text: str) -> Element:
    return element("p", text, class_="note")


def _tile(name: str, trials: Sequence[Trial]) -> Element:
    scores = [trial.f1 for trial in trials]
    mean, low, high = interval(scores)
    failed = sum(bool(trial.outcome.error) for trial in trials)
    told = f"word F1; 95 %: {low:.3f} to {high:.3f}"
    pages = f"median {median(scores):.3f}, {len(scores):,} pages, {failed} failed"
    return element("li", element("h3", name), element("p", f"{mean:.3f}", class_="figure"), _note(told), _note(pages))


def _score_table(trials: Sequence[Trial], dimension: str, names: Sequence[str]) -> Element:
    """The scores of these names by a dimension; columns that nothing in it defines are left out."""
    found = scored(trials, dimension)
    names = [name for name in names if not all(isnan(getattr(score, name)) for score in found.values())]
    rows = [
        [group, found[group, method].pages, method, *(getattr(found[group, method], name) for name in names)]
        for group in groups(trials, dimension)
        for method in methods(trials)
        if (group, method) in found
    ]
    head = [Column(dimension), Column("pages", 0), Column("method"), *(_SCORES[name] for name in names)]
    return table(head, rows, caption=f"By {dimension}")


def _group_plot(trials: Sequence[Trial], dimension: str) -> Element:
    place, names = DIMENSIONS[dimension], methods(trials)
    parts: dict[str, dict[str, list[float]]] = {}
    for trial in trials:
        parts.setdefault(place(trial), {}).setdefault(trial.outcome.method, []).append(trial.f1)
    pages = {group: max(map(len, part.values())) for group, part in parts.items()}
    common = sorted(pages, key=lambda group: -pages[group])[:_PLOTTED]
    order = [group for group in groups(trials, dimension) if group in common]
    found = {
        group: {method: interval(parts[group][method]) for method in names if method in parts[group]} for group in order
    }
    return plots.by_group(f"Word F1 by {dimension}, with 95 % intervals", names, found, pages)


def _confusion(method: str, trials: Sequence[Trial]) -> Element:
    counts = confusion(trials)
    names = [*(f"{label} {PENS[label].meaning.partition(',')[0]}" for label in Label), _UNTOLD]
    heads = [element("th", str(label), scope="col", title=name) for label, name in zip(Label, names, strict=False)]
    head = element("tr", element("th", "gold", scope="col"), *heads, element("th", "blocks", scope="col"))
    rights = [*({at} for at in range(len(Label))), {at for at, label in enumerate(Label) if label.is_content}]
    rows = [_confusion_row(*row) for row in zip(names, rights, counts.tolist(), strict=True)]
    parts = element("caption", method), element("thead", head), element("tbody", *rows)
    return element("div", element("table", *parts, class_="confusion"), class_="scroll")


def _confusion_row(name: str, right: set[int], row: Sequence[int]) -> Element | None:
    """A row; `right` are the columns of the labels that agree with the gold."""
    if not sum(row):
        return None
    cells = [_share(value, sum(row), right=column in right) for column, value in enumerate(row)]
    return element("tr", element("th", name, scope="row"), *cells, element("td", f"{sum(row):,}", class_="n"))


def _share(value: int, of: int, *, right: bool) -> Element:
    share = value / of
    text = f"{100 * share:.1f}" if value else "·"
    kind = "n right" if right else "n"
    return element("td", text, class_=kind, style=f"--share: {share:.3f}", title=f"{value:,} of {of:,} blocks")


def _page(trial: Trial) -> list[Any]:
    outcome = trial.outcome
    return [excerpt(outcome.id, 80), outcome.corpus, outcome.page_type, trial.language, trial.words]


def _confidence(trial: Trial) -> float | None:
    return trial.outcome.verdict.confidence if trial.outcome.verdict else None
