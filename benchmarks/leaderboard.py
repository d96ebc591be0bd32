"""Compare vclean with other extractors on the same pages: accuracy, speed, and leads in word F1.

`python benchmarks/leaderboard.py CORPUS.parquet... --predictions CV.jsonl [--write FILE]`, where FILE is
`docs/reference/tables/leaderboard.md`.

The shipped model was trained on the development corpora, so its scores on them are not valid. There vclean is scored by
cross-validated predictions, from `vclean evaluate CORPUS... --folds 5 --predictions CV.jsonl`: no model predicts a page
of a site that it was trained on. On corpora that the shipped model was not trained on, `--shipped` scores it directly.
Times are always those of the shipped model.

If a system fails on a page or takes more than a minute, its output counts as empty. Time is user and system time of
the process, not wall-clock time, from the bytes of a page to its text.
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
from rivals import RENDERED, RIVALS, VCLEAN, Extract, Texts, available, silence, versions
from speed import Spread, child_seconds, evenly
from tqdm import tqdm

from vclean.classify.corpora.corpora import Corpus, read_corpus, site
from vclean.classify.evaluation.evaluate import PageEvaluation, Report, score_page
from vclean.errors import InputError, UsageError, VcleanError
from vclean.files import check_writable, write_atomic
from vclean.runtime import deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.gold import GoldPage

LIMIT = 60.0
"""Time limit of a system for a page, in seconds of wall clock."""
DRAWS = 5000
BATCH = 64
HEADING = "## Results\n"
"""Last heading of the document; this program writes the text below it."""

_SYSTEMS = {system.name: system for system in (*RIVALS, VCLEAN, RENDERED)}


@dataclass(frozen=True, slots=True)
class Measurement:
    """Result of one system on one page.

    Attributes:
        evaluation: scores, without the text.
        seconds: CPU time.
        site: site of the page.
    """

    evaluation: PageEvaluation
    seconds: float
    site: str


def measure(page: GoldPage, names: Sequence[str]) -> list[Measurement]:
    """Run the systems on a page."""
    page_site, measurements = site(page), []
    for name in names:
        extract, clock = _loaded(name)
        start = clock()
        try:
            with silence(), deadline(LIMIT):
                texts, error = extract(page), ""
        except Exception as failure:
            texts, error = ("", ""), f"{type(failure).__name__}: {failure}".partition("\n")[0]
        measurements.append(Measurement(evaluate(page, name, texts, error), clock() - start, page_site))
    return measurements


@cache
def _loaded(name: str) -> tuple[Extract, Callable[[], float]]:
    """Load a system. Return it with its CPU clock; both are cached in each process."""
    system = _SYSTEMS[name]
    if not system.browser:
        return system.load(), time.process_time
    return system.load(), lambda: time.process_time() + child_seconds()


def evaluate(page: GoldPage, name: str, texts: Texts, error: str = "") -> PageEvaluation:
    """Score the texts that the system `name` extracted from a page. The result does not contain the texts."""
    score = score_page(page, *texts)
    if not texts[1]:
        score = replace(score, cleaneval_markup=None)
    return PageEvaluation(
        corpus=page.corpus, id=page.id, page_type=page.page_type, method=name, text="", cleaneval="",
        score=score, error=error,
    )  # fmt: skip


def measure_all(pages: Iterable[GoldPage], names: Sequence[str], processes: int) -> Iterator[Measurement]:
    """Run the systems on all pages in order. A single process means this process."""
    if processes == 1:
        for page in pages:
            yield from measure(page, names)
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        remaining = iter(pages)
        while batch := list(islice(remaining, BATCH)):
            for measurements in pool.map(measure, batch, [names] * len(batch)):
                yield from measurements


def read_predictions(path: Path) -> dict[tuple[str, str], dict[str, Texts]]:
    """Read the file of `vclean evaluate --predictions`. Return texts by corpus and page, then by method.

    Only methods of vclean are returned, such as `vclean, rendered`.

    Raises:
        InputError: the file cannot be read, or another program wrote it.
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


def leads(evaluations: Sequence[PageEvaluation], sites: Mapping[tuple[str, str], str]) -> list[dict[str, Any]]:
    """Return the lead of every method of vclean over the best rival on every corpus, in word F1, with its interval.

    Pages are paired; the bootstrap draws sites.
    """
    f1: dict[str, dict[str, dict[str, float]]] = {}
    for each in evaluations:
        f1.setdefault(each.corpus, {}).setdefault(each.method, {})[each.id] = each.f1
    results = []
    for corpus, systems in f1.items():
        rivals = [name for name in systems if not name.startswith("vclean")]
        best = max(rivals, key=lambda name: float(np.mean(list(systems[name].values()))))
        for name in [name for name in systems if name not in rivals]:
            difference = np.array([score - systems[best][page] for page, score in systems[name].items()])
            group = np.unique([sites[corpus, page] for page in systems[name]], return_inverse=True)[1]
            mean, low, high = interval(difference, group)
            lead = {"corpus": corpus, "system": name, "rival": best, "difference": mean, "low": low, "high": high}
            results.append(lead)
    return results


def interval(difference: NDArray[np.float64], group: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return mean and 95 % interval of `difference` (P,), by a seeded bootstrap over groups (Efron 1979).

    `group` (P,) has the number of each page's group.
    """
    sums, sizes = np.bincount(group, difference), np.bincount(group).astype(float)
    draws = np.random.default_rng(20071).multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=DRAWS)
    low, high = np.percentile((draws @ sums) / (draws @ sizes), [2.5, 97.5])
    return float(difference.mean()), float(low), float(high)


def document(results: Mapping[str, Any]) -> str:
    """Return the results as Markdown tables."""
    parts = [_leads(results), *(_corpus(corpus, results) for corpus in results["corpora"])]
    parts += [
        _types(corpus, systems) for corpus, systems in results["corpora"].items() if len(_type_names(systems)) > 1
    ]
    return "\n".join([*parts, _systems(results)])


def _leads(results: Mapping[str, Any]) -> str:
    head = ("corpus", "", "best rival", "lead in word F1", "95 % interval")
    rows = [
        (each["corpus"], each["system"], each["rival"], f"{each['difference']:+.3f}",
         f"{each['low']:+.3f} to {each['high']:+.3f}")
        for each in results["leads"]
    ]  # fmt: skip
    return f"\n### Leads\n\n{table(head, rows)}"


def _corpus(corpus: str, results: Mapping[str, Any]) -> str:
    systems = results["corpora"][corpus]
    head = ("system", "word F1", "LCS F1 micro", "CleanEval text", "text+markup", "ms", "ms, p90", "failed")
    rows = []
    for name, figures in _ranked(systems):
        scores = figures["scores"]["all"]
        spread = results["ms"][corpus].get(name.removesuffix(", unrendered"))
        times = (f"{spread['median']:.1f}", f"{spread['p90']:.1f}") if spread else ("", "")
        markup = "" if scores["cleaneval_markup"] is None else f"{scores['cleaneval_markup']:.1f}"
        shares = (f"{scores['word_f1']:.3f}", f"{scores['lcs_f1_micro']:.3f}", f"{scores['cleaneval']:.1f}", markup)
        rows.append((name, *shares, *times, str(len(figures["failed"]))))
    pages = next(iter(systems.values()))["scores"]["all"]["pages"]
    return f"### {corpus}, {pages:,} pages\n\n{table(head, rows)}"


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


def _systems(results: Mapping[str, Any]) -> str:
    rows = [
        (name, f"{_SYSTEMS[name].package} {results['versions'][_SYSTEMS[name].package]}", _SYSTEMS[name].usage)
        for name in results["systems"]
    ]
    notes = "".join(f"\n{note}\n" for note in results["notes"])
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
    systems, messages = available((*RIVALS, VCLEAN, *([RENDERED] if options.render else [])))
    results = _run_systems(options, corpora, [system.name for system in systems], texts)
    results |= {
        "systems": [system.name for system in systems],
        "versions": versions(systems),
        "notes": [*messages, *_notes(options, time.monotonic() - start)],
    }
    print(document(results))
    if options.json:
        write_atomic(options.json, json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    if options.write:
        above = options.write.read_text(encoding="utf-8").partition(HEADING)[0]
        write_atomic(options.write, above + HEADING + document(results))


def _run_systems(
    options: argparse.Namespace,
    corpora: Sequence[Corpus],
    names: Sequence[str],
    texts: Mapping[tuple[str, str], Mapping[str, Texts]],
) -> dict[str, Any]:
    """Return all results, for JSON: scores by corpus, system and page type, times by corpus and system, and leads."""
    share = min(1.0, options.pages / sum(map(len, corpora))) if options.pages else 1.0
    predictions: list[PageEvaluation] = []
    scored: list[PageEvaluation] = []

    def pages() -> Iterator[GoldPage]:
        for corpus in corpora:
            for page in evenly(corpus, max(1, round(share * len(corpus)))):
                if texts and (page.corpus, page.id) not in texts:
                    message = "make them from the same corpora"
                    raise InputError(f"the predictions lack the page {page.id} of {page.corpus}: {message}")
                texts_by_method = texts.get((page.corpus, page.id), {})
                predictions.extend(evaluate(page, name, pair) for name, pair in texts_by_method.items())
                yield page

    times: dict[str, dict[str, list[float]]] = {}
    sites: dict[tuple[str, str], str] = {}
    for each in tqdm(measure_all(pages(), names, options.processes), unit="run", disable=None):
        evaluation = each.evaluation
        times.setdefault(evaluation.corpus, {}).setdefault(evaluation.method, []).append(each.seconds)
        sites[evaluation.key] = each.site
        if options.shipped or not evaluation.method.startswith("vclean"):
            scored.append(evaluation)
    evaluations = [*predictions, *scored]
    return {
        "corpora": Report(tuple(evaluations)).to_dict(),
        "ms": {
            corpus: {name: asdict(Spread.of(seconds)) for name, seconds in systems.items()}
            for corpus, systems in times.items()
        },
        "leads": leads(evaluations, sites),
    }


def _notes(options: argparse.Namespace, seconds: float) -> list[str]:
    scoring = "vclean is timed, but not scored: give --predictions, or --shipped on corpora it was not trained on."
    if options.predictions:
        scoring = "vclean is scored by cross-validation: each page by a model that was not trained on its site."
    elif options.shipped:
        scoring = "vclean is scored by the shipped model, which must not have been trained on these pages."
    processes = f"{options.processes} process{'es' * (options.processes > 1)}"
    return [scoring, f"The run took {seconds / 60:.1f} minutes of wall clock in {processes}."]


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the command-line options.

    Raises:
        UsageError: two options exclude each other, or the document to update does not exist.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument("--predictions", type=Path, metavar="FILE", help="cross-validated predictions of vclean")
    parser.add_argument(
        "--shipped", action="store_true", help="score the shipped model, on corpora it was not trained on"
    )
    parser.add_argument("--render", action="store_true", help="also time vclean with rendering")
    parser.add_argument(
        "--pages", type=int, metavar="N", help="number of pages of all corpora, evenly spaced (default: all)"
    )
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="number of processes (%(default)d)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results to this file")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="update the tables in this document")
    options = parser.parse_args(arguments)
    if options.predictions and options.shipped:
        raise UsageError("--predictions and --shipped are two ways to score vclean: give one")
    if options.write and not options.write.is_file():
        raise UsageError(f"{options.write} does not exist: give a document with the heading {HEADING.strip()!r}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the leaderboard. Return the exit code."""
    try:
        run(parse_args(arguments))
    except VcleanError as error:
        print(f"leaderboard.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
