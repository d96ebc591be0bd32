"""vclean and its rivals on the same pages in one run: accuracy, speed, and by how much who leads.

`python benchmarks/leaderboard.py CORPUS.parquet... --predictions CV.jsonl [--write FILE]`, where FILE is
`docs/reference/tables/leaderboard.md`.

The model that ships has learned from the development corpora, so that its own score on them means nothing: vclean is
scored by what models said that never saw a page's site, `vclean evaluate CORPUS... --folds 5 --predictions CV.jsonl`.
On corpora that it never saw, `--shipped` scores the model itself. Its time is that of the model that ships, always.

A page on which a system fails, or takes more than a minute, counts as empty output. Time is user and system time of
the process, not the clock on the wall, from the page's bytes to its text.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from documents import table
from figures import renew
from rivals import RENDERED, RIVALS, VCLEAN, Extract, System, Texts, available, silence, versions
from speed import Processes, Spread
from tqdm import tqdm

from vclean.classify.corpora.corpora import Corpus, GoldPage, read_corpus, site
from vclean.classify.evaluation.evaluate import score_page
from vclean.classify.evaluation.report import PageEvaluation, Report
from vclean.errors import InputError, UsageError, VcleanError
from vclean.files import check_writable, write_atomic
from vclean.timeouts import deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

LIMIT = 60.0
"""Seconds of wall clock that a system has for a page."""
DRAWS = 5000
BATCH = 64
HEADING = "## Results\n"
"""What stands below it in the document is made by this program."""

_SYSTEMS = {system.name: system for system in (*RIVALS, VCLEAN, RENDERED)}


@dataclass(frozen=True, slots=True)
class Measured:
    """What one system made of one page: the outcome, without its text, the CPU time in seconds, the page's site."""

    outcome: PageEvaluation
    seconds: float
    site: str


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much vclean is ahead of the best rival of a corpus, in word F1, with a 95 % interval."""

    corpus: str
    system: str
    rival: str
    difference: float
    low: float
    high: float


def measure(page: GoldPage, names: Sequence[str]) -> list[Measured]:
    """Run the systems on a page."""
    where = site(page)
    return [_measure(page, _SYSTEMS[name], where) for name in names]


def _measure(page: GoldPage, system: System, where: str) -> Measured:
    extract, clock = _loaded(system.name)
    start = clock()
    try:
        with silence(), deadline(LIMIT):
            texts, error = extract(page), ""
    except Exception as failure:
        texts, error = ("", ""), f"{type(failure).__name__}: {failure}".partition("\n")[0]
    return Measured(outcome(page, system.name, texts, error), clock() - start, where)


@cache
def _loaded(name: str) -> tuple[Extract, Callable[[], float]]:
    """A system and its clock, once for each process."""
    system = _SYSTEMS[name]
    if not system.browser:
        return system.load(), time.process_time
    processes = Processes()
    return system.load(), lambda: time.process_time() + processes.seconds()


def outcome(page: GoldPage, name: str, texts: Texts, error: str = "") -> PageEvaluation:
    """The scores of the texts that the system `name` gave for a page; the texts themselves are let go."""
    scored = score_page(page, *texts)
    if not texts[1]:
        scored = replace(scored, cleaneval_markup=None)
    return PageEvaluation(
        corpus=page.corpus, id=page.id, page_type=page.page_type, method=name, text="", cleaneval="",
        score=scored, error=error,
    )  # fmt: skip


def measure_all(pages: Iterable[GoldPage], names: Sequence[str], processes: int) -> Iterator[Measured]:
    """Run the systems on all pages, in their order, in so many processes, or in this one where it is one."""
    if processes == 1:
        for page in pages:
            yield from measure(page, names)
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        remaining = iter(pages)
        while batch := list(islice(remaining, BATCH)):
            for found in pool.map(measure, batch, [names] * len(batch)):
                yield from found


def evenly(corpora: Sequence[Corpus], share: float) -> Iterator[GoldPage]:
    """That share of every corpus, taken evenly."""
    for corpus in corpora:
        count = max(1, round(share * len(corpus)))
        chosen = set(np.linspace(0, len(corpus) - 1, count, dtype=int).tolist())
        yield from (page for place, page in enumerate(corpus) if place in chosen)


def read_predictions(path: Path) -> dict[tuple[str, str], dict[str, Texts]]:
    """The texts of the model's readings by corpus and page, as `vclean evaluate --predictions` wrote them.

    Raises:
        InputError: the file is missing, or no such file.
    """
    texts: dict[tuple[str, str], dict[str, Texts]] = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                if line["method"].startswith("vclean"):
                    page = texts.setdefault((line["corpus"], line["id"]), {})
                    page[line["method"]] = line["text"], line["cleaneval"]
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): check the name") from error
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(f"{path} was not written by `vclean evaluate --predictions`: make it again") from error
    return texts


def predicted(page: GoldPage, texts: Mapping[tuple[str, str], Mapping[str, Texts]]) -> list[PageEvaluation]:
    """The outcomes of the model's predictions for a page.

    Raises:
        InputError: there are none.
    """
    if (page.corpus, page.id) not in texts:
        raise InputError(f"the predictions lack the page {page.id} of {page.corpus}: make them from the same corpora")
    return [outcome(page, name, found) for name, found in texts[page.corpus, page.id].items()]


def leads(measured: Sequence[PageEvaluation], sites: Mapping[tuple[str, str], str]) -> list[Lead]:
    """The lead of every reading of vclean on every corpus; pages are paired, and drawn site by site."""
    f1: dict[str, dict[str, dict[str, float]]] = {}
    for each in measured:
        f1.setdefault(each.corpus, {}).setdefault(each.method, {})[each.id] = each.score.word.f1
    found = []
    for corpus, systems in f1.items():
        rivals = [name for name in systems if not name.startswith("vclean")]
        best = max(rivals, key=lambda name: float(np.mean(list(systems[name].values()))))
        for name in systems:
            if name not in rivals:
                pages = list(systems[name])
                difference = np.array([systems[name][page] - systems[best][page] for page in pages])
                where = np.unique([sites[corpus, page] for page in pages], return_inverse=True)[1]
                found.append(Lead(corpus, name, best, *interval(difference, where)))
    return found


def interval(difference: NDArray[np.float64], group: NDArray[np.int64]) -> tuple[float, float, float]:
    """The mean of `difference` (P,) and its 95 % interval, by the bootstrap over groups (Efron 1979), seeded."""
    sums, sizes = np.bincount(group, difference), np.bincount(group).astype(float)
    draws = np.random.default_rng(20071).multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=DRAWS)
    low, high = np.percentile((draws @ sums) / (draws @ sizes), [2.5, 97.5])
    return float(difference.mean()), float(low), float(high)


def summary(
    measured: Sequence[PageEvaluation], times: Sequence[Measured], sites: Mapping[tuple[str, str], str]
) -> dict[str, Any]:
    """All figures, for JSON: scores by corpus, system and page type, milliseconds by corpus and system, and leads."""
    spent: dict[str, dict[str, list[float]]] = {}
    for each in times:
        spent.setdefault(each.outcome.corpus, {}).setdefault(each.outcome.method, []).append(each.seconds)
    return {
        "corpora": Report(tuple(measured)).to_dict(),
        "ms": {
            corpus: {name: asdict(Spread.of(seconds)) for name, seconds in systems.items()}
            for corpus, systems in spent.items()
        },
        "leads": [asdict(lead) for lead in leads(measured, sites)],
    }


def document(found: Mapping[str, Any]) -> str:
    """The figures as Markdown tables."""
    parts = [_leads(found), *(_corpus(corpus, found) for corpus in found["corpora"])]
    parts += [_types(corpus, systems) for corpus, systems in found["corpora"].items() if _type_names(systems)]
    return "\n".join([*parts, _systems(found)])


def _leads(found: Mapping[str, Any]) -> str:
    head = ("corpus", "", "best rival", "lead in word F1", "95 % interval")
    rows = [
        (each["corpus"], each["system"], each["rival"], f"{each['difference']:+.3f}",
         f"{each['low']:+.3f} to {each['high']:+.3f}")
        for each in found["leads"]
    ]  # fmt: skip
    return f"\n### Who leads\n\n{table(head, rows)}"


def _corpus(corpus: str, found: Mapping[str, Any]) -> str:
    systems = found["corpora"][corpus]
    head = ("system", "word F1", "LCS F1 micro", "CleanEval text", "text+markup", "ms", "ms, p90", "failed")
    rows = [_row(name, figures, found["ms"][corpus]) for name, figures in _ranked(systems)]
    pages = next(iter(systems.values()))["scores"]["all"]["pages"]
    return f"### {corpus}, {pages:,} pages\n\n{table(head, rows)}"


def _row(name: str, figures: Mapping[str, Any], ms: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
    scores = figures["scores"]["all"]
    spent = ms.get(name) or ms.get(name.removesuffix(", unrendered"))
    times = (f"{spent['median']:.1f}", f"{spent['p90']:.1f}") if spent else ("", "")
    marked = "" if scores["cleaneval_markup"] is None else f"{scores['cleaneval_markup']:.1f}"
    return (
        name, f"{scores['word_f1']:.3f}", f"{scores['lcs_f1_micro']:.3f}", f"{scores['cleaneval']:.1f}", marked,
        *times, str(len(figures["failed"])),
    )  # fmt: skip


def _types(corpus: str, systems: Mapping[str, Any]) -> str:
    names = _type_names(systems)
    rows = [
        (name, *(f"{figures['scores'][each]['word_f1']:.3f}" for each in names)) for name, figures in _ranked(systems)
    ]
    return f"### {corpus}, word F1 by page type\n\n{table(('system', *names), rows)}"


def _type_names(systems: Mapping[str, Any]) -> list[str]:
    return [name for name in next(iter(systems.values()))["scores"] if name != "all"]


def _ranked(systems: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(systems.items(), key=lambda item: -item[1]["scores"]["all"]["word_f1"])


def _systems(found: Mapping[str, Any]) -> str:
    rows = [
        (name, f"{_SYSTEMS[name].package} {found['versions'][_SYSTEMS[name].package]}", _SYSTEMS[name].how)
        for name in found["systems"]
    ]
    notes = "".join(f"\n{note}\n" for note in found["notes"])
    return f"### Systems\n\n{table(('system', 'version', 'run as'), rows)}{notes}"


def run(options: argparse.Namespace) -> None:
    """Measure, print the tables, write the files.

    Raises:
        VcleanError: a corpus or the predictions cannot be read, or a file cannot be written.
    """
    for path in filter(None, (options.json, options.write)):
        check_writable(path)
    start = time.monotonic()
    corpora = [read_corpus(path) for path in options.corpora]
    texts = read_predictions(options.predictions) if options.predictions else {}
    systems, missing = available((*RIVALS, VCLEAN, *([RENDERED] if options.render else [])))
    found = _measured(options, corpora, [system.name for system in systems], texts)
    found |= {
        "systems": [system.name for system in systems],
        "versions": versions(systems),
        "notes": [*missing, _origin(options), _cost(options, time.monotonic() - start)],
    }
    print(document(found))
    if options.json:
        write_atomic(options.json, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    if options.write:
        renew(options.write, HEADING, document(found))


def _measured(
    options: argparse.Namespace,
    corpora: Sequence[Corpus],
    names: Sequence[str],
    texts: Mapping[tuple[str, str], Mapping[str, Texts]],
) -> dict[str, Any]:
    share = min(1.0, options.pages / sum(map(len, corpora))) if options.pages else 1.0
    predictions: list[PageEvaluation] = []

    def pages() -> Iterator[GoldPage]:
        for page in evenly(corpora, share):
            if texts:
                predictions.extend(predicted(page, texts))
            yield page

    times = list(tqdm(measure_all(pages(), names, options.processes), unit="run", disable=None))
    sites = {(each.outcome.corpus, each.outcome.id): each.site for each in times}
    own = [each.outcome for each in times if options.shipped or not _SYSTEMS[each.outcome.method].is_ours]
    return summary([*predictions, *own], times, sites)


def _origin(options: argparse.Namespace) -> str:
    if options.predictions:
        return "vclean is scored by cross-validation: every page by a model that saw no page of its site."
    if options.shipped:
        return "vclean is scored by the model that ships, which must not have learned from these pages."
    return "vclean is not scored, only timed: give it --predictions, or --shipped on corpora that it never saw."


def _cost(options: argparse.Namespace, seconds: float) -> str:
    processes = f"{options.processes} process{'es' * (options.processes > 1)}"
    return f"The run took {seconds / 60:.1f} minutes of wall clock in {processes}."


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options.

    Raises:
        UsageError: two of them exclude each other, or a document to write into is not there.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument("--predictions", type=Path, metavar="FILE", help="of vclean, cross-validated: see above")
    parser.add_argument("--shipped", action="store_true", help="score the shipped model: on corpora it never saw")
    parser.add_argument("--render", action="store_true", help="time vclean rendered too")
    parser.add_argument("--pages", type=int, metavar="N", help="so many pages of all corpora, evenly (all)")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="(%(default)d)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to this file")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="renew the tables in this document")
    options = parser.parse_args(arguments)
    if options.predictions and options.shipped:
        raise UsageError("--predictions and --shipped are two ways to score vclean: give one")
    if options.write and not options.write.is_file():
        raise UsageError(f"{options.write} does not exist: give a document with the heading {HEADING.strip()!r}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the leaderboard; the exit code."""
    try:
        run(parse_args(arguments))
    except VcleanError as error:
        print(f"leaderboard.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
