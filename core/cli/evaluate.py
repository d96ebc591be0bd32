"""Commands that score, compare and train methods: `vclean evaluate`, `report`, `train`, `cleaneval-score`, `diff`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import click

from vclean import __version__
from vclean.cli.batch import OutputRun
from vclean.cli.command import AnyValue, Options, argument, flag, option
from vclean.cli.options import COUNT, SNAPSHOTS, MessageOptions, PageOptions, complete_methods
from vclean.errors import InputError
from vclean.files import check_writable, write_stream
from vclean.output.writers import write_and_log
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.pipeline import Pipeline
    from vclean.settings import RenderMode

MODEL_METHOD: Final = "vclean"
"""Method that `vclean train` trains by default."""
PREDICTIONS: Final = ("--predictions FILE", "write the clean text of every page as JSON lines")
CORPUS: Final = "a Parquet file with gold text, or a web archive of pages marked by hand"

DIFFERENT: Final = 13
"""Exit code of `vclean diff --exit-code` for different results."""
DIFF_FORMATS: Final = ("text", "json", "html")
"""Formats of a comparison; the first is the default."""
_BY_SUFFIX: Final = {".html": "html", ".htm": "html", ".json": "json", ".jsonl": "json"}
_SIDES: Final = 2

_FRAME: Final = re.compile(r"\A\s*(?:<text\b[^>]*>|URL: \S+\s)|</text>\s*\Z", re.IGNORECASE)
"""Text before and after the content in files of CleanEval 2007, such as the URL of the page; it is not scored."""
_CLEANED: Final = "-cleaned"
"""End of the names of gold files in CleanEval: `1-cleaned.txt` for the page `1.html`."""


def compared_methods(repetition: str, *, default: Sequence[str] = ()) -> AnyValue:
    """Declare the option for the methods and models of a comparison; `repetition` completes its help."""
    return option(
        "--method, --model NAME",
        f"use this method (NAME, or NAME=FILE with a file for it) or this model file; {repetition}",
        multiple=True,
        default=default,
        shell_complete=complete_methods,
    )


def method_and_model(name: str) -> tuple[str, Path | None]:
    """Return the method, and the file of its model or selectors, of a value of `compared_methods`."""
    from vclean.classify.methods import names

    method, equals, file = name.partition("=")
    if equals and method in names():
        return method, Path(file)
    path = Path(name)
    is_file = name not in names() and (path.is_file() or path.suffix != "" or len(path.parts) > 1)
    return (MODEL_METHOD, path) if is_file else (name, None)


class ScoringOptions(MessageOptions):
    """Options of commands that score methods on corpora."""

    corpora: list[Path] = argument("CORPUS...", CORPUS)
    methods: list[str] = compared_methods("repeatable (vclean)", default=("vclean",))
    render: bool = flag("--render", "render pages in headless Chromium")
    folds: int | None = option(
        "--folds K",
        "cross-validate trained methods by domain in K folds (none)",
        type=click.IntRange(3),  # training cross-validates again on the other folds, and needs two of them
    )
    snapshots: Path | None = option(*SNAPSHOTS)


class EvaluateCommand(ScoringOptions):
    """Score methods on corpora, over all pages and by page type."""

    json: Path | None = option("--json FILE", "write the scores as JSON")
    predictions: Path | None = option(*PREDICTIONS)

    def execute(self) -> int:
        """Score every method on every corpus, print the tables, write the files, and return the exit code.

        With folds, the predictions of the model are cross-validated by site. With folds and `render`, parsed and
        rendered pages are both scored; without folds, only one of them.

        Raises:
            InputError: a corpus is missing or damaged.
            UsageError: the method does not exist.
            ModelError: a model file is missing, damaged or of another version.
            OutputError: a file cannot be written; checked before the work if possible.
        """
        from vclean.cli.corpora import print_scores, run_methods

        for file in filter(None, (self.json, self.predictions)):
            check_writable(file)
        report = run_methods(self)
        code = print_scores(report, self.predictions)
        if self.json:
            write_and_log(self.json, "scores", json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n")
        return code


class ReportCommand(ScoringOptions):
    """Score methods on corpora, and write the scores as one HTML page."""

    out: Path = option("-o, --out FILE", "write to this file ({default})", default=Path("report.html"))
    worst: int = option(
        "--worst N",
        "show the N worst pages of the first method, with screenshots if pages are rendered ({default})",
        type=COUNT,
        default=12,
    )

    def execute(self) -> int:
        """Score the methods on the corpora, read the worst pages again, write the report, and return the exit code.

        Raises:
            InputError: a corpus is missing or damaged.
            UsageError: the method does not exist.
            ModelError: a model file is missing, damaged or of another version.
            OutputError: the report cannot be written; checked before the work if possible.
        """
        from vclean.classify.corpora.corpora import read_corpus
        from vclean.cli.corpora import exit_code, open_reader, run_methods
        from vclean.compare.records import analyze_errors, by_method, worst_pages
        from vclean.compare.report import to_html

        check_writable(self.out)
        report = run_methods(self)
        by_name = by_method(report.evaluations)
        # The first method, on rendered pages if it was scored on parsed ones as well.
        first = by_name.get(f"{self.methods[0]}, rendered") or next(iter(by_name.values()))
        shown = worst_pages(first, self.worst)
        with open_reader(render=self.render, snapshots=self.snapshots, screenshots=True) as read:
            analyses = analyze_errors([read_corpus(path) for path in self.corpora], shown, read)
        html = to_html(report.evaluations, facts=_report_facts(self), worst=shown, analyses=analyses)
        write_and_log(self.out, "report", html)
        return exit_code(report, str(self.out))


def _report_facts(options: ReportCommand) -> dict[str, str]:
    readings = {(False, False): "parsed", (True, False): "rendered", (True, True): "parsed, and rendered"}
    return {
        "vclean": __version__,
        "corpora": ", ".join(path.name for path in options.corpora),
        "pages were": readings.get((options.render, options.folds is not None), "parsed"),
        "cross-validation": f"{options.folds} folds by site" if options.folds else "none",
    }


class TrainCommand(MessageOptions):
    """Train a model; the same pages give the same model."""

    corpora: list[Path] = argument("[CORPUS]...", CORPUS)
    corrections: Path | None = option(
        "--corrections GOLD",
        "add pages labelled with vclean label, a file or folder; without a CORPUS, train the shipped model further",
    )
    method: str = option(
        "--method NAME",
        "train this method; `vclean methods --json` marks those that can be trained ({default})",
        default=MODEL_METHOD,
        shell_complete=complete_methods,
    )
    regions: list[Path] = option(
        "--regions ARCHIVE",
        "add a web archive of pages with regions marked by their structure, for the region model only; repeatable",
        multiple=True,
        needs="corpora",
    )
    out: Path = option("-o, --out MODEL", "write the model to this file", required=True)
    predictions: Path | None = option(*PREDICTIONS, needs="corpora")
    snapshots: Path | None = option(*SNAPSHOTS, needs="corpora")
    force: bool = flag(
        "--force", "write the model even if the corrections make it worse on held-out pages", needs="corrections"
    )

    def check(self) -> None:
        """Check that there are pages, and that the method takes them."""
        if not self.corpora and not self.corrections:
            raise click.UsageError("name a CORPUS, or --corrections GOLD")
        if self.method != MODEL_METHOD and (self.regions or self.corrections):
            raise click.UsageError("--regions and --corrections train the method vclean only")

    def execute(self) -> int:
        """Train a method on every page of the corpora, write its model, and return the exit code.

        The main model is trained on every page twice, rendered and parsed; other methods on rendered pages if they need
        them, else on parsed ones. A page that fails is listed in the table of scores and left out; the exit code is
        then 1.

        Cross-validated scores are printed before the model is trained, and stored in its model card. The clean texts
        from the cross-validation are written to the file for predictions, if there is one. Pages labelled by hand are
        used for training as well, and their gain is printed; without corpora, the shipped model is trained further on
        them. A model that they make worse on held-out pages is not written without `force`.

        Raises:
            ModelError: corrections make the model worse on held-out pages.
            InputError: a corpus or the pages labelled by hand are missing or damaged, or have too few sites.
            UsageError: the method does not exist, or it is not trained.
            OutputError: the model cannot be written; checked before the work if possible.
        """
        from vclean.cli.corpora import train

        for file in filter(None, (self.out, self.predictions)):
            check_writable(file)
        return train(self)


class CleanevalScoreCommand(Options):
    """Score clean text against gold text as in CleanEval 2007: text only, and text with markup."""

    gold: Path = argument("GOLD", "a file of gold text with <h>, <p>, <l>; or a folder of such files")
    predicted: Path = argument("PREDICTED", "a file of clean text; or a folder of files with the same names")
    json: bool = flag("--json", "print a JSON object")

    def execute(self) -> int:
        """Score every gold file and print the scores and their means; return the exit code.

        The scores are 0 to 100. That of the text with its tags is None if the gold text has no tags. A missing file is
        scored as an empty one.

        Returns:
            1 if a predicted file is missing, else 0.

        Raises:
            InputError: a path is missing or cannot be read, or the folder has no gold files.
        """
        pages = [_score_page(name, *files) for name, *files in _pairs(self.gold, self.predicted)]
        texts, marked = ([page[kind] for page in pages if page[kind] is not None] for kind in ("text", "markup"))
        means = {"text": fmean(texts), "markup": fmean(marked) if marked else None}
        if self.json:
            text = json.dumps({**means, "pages": pages}, ensure_ascii=False, indent=1) + "\n"
        else:
            text = _score_table([*pages, {"name": f"mean of {len(pages)}", **means, "missing": False}])
        write_stream(sys.stdout, text)
        return int(any(page["missing"] for page in pages))


def _score_table(scores: Sequence[dict[str, Any]]) -> str:
    """Return a table with a row for each score."""
    from tabulate import tabulate

    rows = [("page", "text", "text+markup", "")]
    for score in scores:
        markup = "-" if score["markup"] is None else f"{score['markup']:.2f}"
        rows.append((score["name"], f"{score['text']:.2f}", markup, "no file" if score["missing"] else ""))
    aligned = ("left", "right", "right", "left")
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)
    return "".join(line.rstrip() + "\n" for line in table.splitlines())


def _pairs(gold: Path, predicted: Path) -> list[tuple[str, Path, Path]]:
    """Return the name of each gold file with its path and the path of its predicted file.

    A predicted file may be missing if both arguments are folders.

    Raises:
        InputError: only one argument is a folder, a file does not exist, or the folder has no gold files.
    """
    if not gold.is_dir():
        path = _find_predicted(gold, predicted) if predicted.is_dir() else predicted
        if not path.exists():
            raise InputError(f"{path} does not exist: give the file of the clean text")
        return [(gold.name, gold, path)]
    if not predicted.is_dir():
        raise InputError(f"{gold} is a folder and {predicted} is not: give two files, or two folders")
    files = sorted(path for path in gold.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise InputError(f"no file in {gold}: give a folder of gold texts")
    return [(path.name, path, _find_predicted(path, predicted)) for path in files]


def _find_predicted(gold: Path, predicted: Path) -> Path:
    """Return the file in the folder `predicted` for a gold file: the same name, with any suffix.

    Without such a file, the path that was expected is returned.
    """
    stem = gold.stem.removesuffix(_CLEANED)
    expected = [predicted / gold.name, predicted / f"{stem}{gold.suffix}"]
    others = sorted(path for path in predicted.iterdir() if path.stem == stem)
    return next((path for path in [*expected, *others] if path.is_file()), expected[-1])


def _score_page(name: str, gold: Path, predicted: Path) -> dict[str, Any]:
    from vclean.classify.evaluation.scores import cleaneval_markup_score, cleaneval_score, has_marks

    reference = _read_text(gold)
    missing = not predicted.exists()
    output = "" if missing else _read_text(predicted)
    markup = cleaneval_markup_score(output, reference) if has_marks(reference) else None
    return {"name": name, "text": cleaneval_score(output, reference), "markup": markup, "missing": missing}


def _read_text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    return _FRAME.sub("", text)


class DiffCommand(PageOptions):
    """Compare two methods or models on pages, and show where they disagree."""

    pages: list[str] = argument("PAGE...", "pages to compare them on, as for vclean itself: see vclean --help")
    methods: list[str] = compared_methods("give two to compare them, or one to compare it with vclean")
    render: bool = flag("--render", "render pages in headless Chromium; the HTML output then shows the screenshot")
    format_name: str | None = option(
        f"-f, --format {'|'.join(DIFF_FORMATS)}", f"set the output format ({DIFF_FORMATS[0]}, or by the suffix of OUT)"
    )
    exit_code: bool = flag("--exit-code", "exit with 13 if they differ")

    @property
    def render_mode(self) -> RenderMode:
        """Return whether pages are rendered."""
        return self.render or self.runs_scripts

    @property
    def format(self) -> str:
        """Return one of `DIFF_FORMATS`: the chosen one, or by the suffix of the output file."""
        by_suffix = _BY_SUFFIX.get(self.out.suffix.lower(), DIFF_FORMATS[0]) if self.out else DIFF_FORMATS[0]
        return self.format_name or by_suffix

    @property
    def sides(self) -> tuple[str, str]:
        """Return the names of two different methods, or paths of model files.

        Raises:
            click.UsageError: there are not two.
        """
        sides = self.methods if len(self.methods) == _SIDES else ["vclean", *self.methods]
        if len(sides) != _SIDES or sides[0] == sides[1]:
            raise click.UsageError("give two different methods or models to compare: --method A --method B")
        return sides[0], sides[1]

    def check(self) -> None:
        """Check that there are two sides."""
        _ = self.sides
        super().check()

    def execute(self) -> int:
        """Compare two methods on every page, write the differences, and return the exit code.

        Failures are reported, and errors raised, as in `vclean.cli.clean.CleanCommand.execute`. If the comparisons are
        written to files, a summary line for each page is printed.
        """
        from vclean.compare.diff import Comparison, summarize_pages

        run = OutputRun(self, self.format)
        scores: list[tuple[int, float, float]] = []
        html = self.format == "html"
        first, second = map(self._pipeline, self.sides)
        with run.writer, first:
            for source in run.sources():
                with run.report_errors(source.id):
                    blocks = first.read_blocks(run.read(source), screenshot=html and bool(self.render_mode))
                    results = first.label(blocks, explain=html), second.label(blocks, explain=html)
                    comparison = Comparison(self.sides, *results, blocks.screenshot)
                    run.writer.write(comparison)
                    run.done += 1
                    scores.append((len(comparison.differences), comparison.agreement, comparison.word_f1))
                    if self.out:
                        write_stream(sys.stdout, f"{comparison.id}: {comparison.summary()}\n")
        if len(scores) > 1 and (self.out or self.format == "text"):
            write_stream(sys.stdout, summarize_pages(scores) + "\n")
        differs = any(differing for differing, _, _ in scores)
        return run.exit_code or (DIFFERENT if differs and self.exit_code else 0)

    def _pipeline(self, name: str) -> Pipeline:
        from vclean.pipeline import Pipeline

        method, model = method_and_model(name)
        return Pipeline(CleanerSettings(render=self.render_mode, rendering=self.settings, method=method, model=model))
