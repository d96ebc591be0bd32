"""Command `vclean cleaneval-score`: score files of clean text against files of gold text."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

from vclean.cli.command import command
from vclean.cli.options import argument, flag, path
from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_FRAME: Final = re.compile(r"\A\s*(?:<text\b[^>]*>|URL: \S+\s)|</text>\s*\Z", re.IGNORECASE)
"""Text before and after the content in files of CleanEval 2007, such as the URL of the page; it is not scored."""
_CLEANED: Final = "-cleaned"
"""End of the names of gold files in CleanEval: `1-cleaned.txt` for the page `1.html`."""


@dataclass(frozen=True, slots=True)
class Score:
    """Scores of a page, 0 to 100.

    Attributes:
        name: the name of the gold file.
        text: the score of the text only.
        markup: the score of the text with its tags; None if the gold text has no tags.
        missing: whether the predicted file is missing; it is scored as an empty file.
    """

    name: str
    text: float
    markup: float | None
    missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanevalScoreOptions:
    """Options of `vclean cleaneval-score`.

    Attributes:
        gold: a file of gold text, or a folder of such files.
        predicted: a file of clean text, or a folder of files with the same names.
        json: whether to print JSON.
    """

    gold: Path
    predicted: Path
    json: bool


@command(
    "cleaneval-score",
    CleanevalScoreOptions,
    help="Score clean text against gold text as in CleanEval 2007: text only, and text with markup.",
)
@argument("gold", "GOLD", "a file of gold text with <h>, <p>, <l>; or a folder of such files", type=path)
@argument("predicted", "PREDICTED", "a file of clean text; or a folder of files with the same names", type=path)
@flag("--json", help="print a JSON object")
def score_files(options: CleanevalScoreOptions) -> int:
    """Score every gold file and print the scores and their means; return the exit code.

    Returns:
        1 if a predicted file is missing, else 0.

    Raises:
        InputError: a path is missing or cannot be read, or the folder has no gold files.
    """
    from vclean.files import write_stream

    scores = [_score(name, gold, predicted) for name, gold, predicted in _pairs(options.gold, options.predicted)]
    write_stream(sys.stdout, to_json(scores) if options.json else to_lines(scores))
    return int(any(score.missing for score in scores))


def to_lines(scores: Sequence[Score]) -> str:
    """Return a table with a row for each page, and a row for the means over the pages."""
    from tabulate import tabulate

    rows = [("page", "text", "text+markup", "")]
    for score in [*scores, _mean(scores)]:
        markup = "-" if score.markup is None else f"{score.markup:.2f}"
        rows.append((score.name, f"{score.text:.2f}", markup, "no file" if score.missing else ""))
    aligned = ("left", "right", "right", "left")
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)
    return "".join(line.rstrip() + "\n" for line in table.splitlines())


def to_json(scores: Sequence[Score]) -> str:
    """Return a JSON object with the means and the scores of each page."""
    mean = _mean(scores)
    pages = [
        {"name": score.name, "text": score.text, "markup": score.markup, "missing": score.missing} for score in scores
    ]
    return json.dumps({"text": mean.text, "markup": mean.markup, "pages": pages}, ensure_ascii=False, indent=1) + "\n"


def _mean(scores: Sequence[Score]) -> Score:
    marked = [score.markup for score in scores if score.markup is not None]
    return Score(f"mean of {len(scores)}", fmean(score.text for score in scores), fmean(marked) if marked else None)


def _pairs(gold: Path, predicted: Path) -> list[tuple[str, Path, Path]]:
    """Return the name of each gold file with its path and the path of its predicted file.

    A predicted file may be missing if both arguments are folders.

    Raises:
        InputError: only one argument is a folder, a file does not exist, or the folder has no gold files.
    """
    if not gold.is_dir():
        return [(gold.name, gold, _check_exists(_find_predicted(gold, predicted) if predicted.is_dir() else predicted))]
    if not predicted.is_dir():
        raise InputError(f"{gold} is a folder and {predicted} is not: give two files, or two folders")
    files = sorted(path for path in gold.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise InputError(f"no file in {gold}: give a folder of gold texts")
    return [(path.name, path, _find_predicted(path, predicted)) for path in files]


def _check_exists(path: Path) -> Path:
    if not path.exists():
        raise InputError(f"{path} does not exist: give the file of the clean text")
    return path


def _find_predicted(gold: Path, predicted: Path) -> Path:
    """Return the file in the folder `predicted` for a gold file: the same name, with any suffix.

    Without such a file, the path that was expected is returned.
    """
    stem = gold.stem.removesuffix(_CLEANED)
    expected = [predicted / gold.name, predicted / f"{stem}{gold.suffix}"]
    others = sorted(path for path in predicted.iterdir() if path.stem == stem)
    return next((path for path in [*expected, *others] if path.is_file()), expected[-1])


def _score(name: str, gold: Path, predicted: Path) -> Score:
    from vclean.classify.evaluation.scores import cleaneval_markup_score, cleaneval_score, has_marks

    reference = _read(gold)
    missing = not predicted.exists()
    output = "" if missing else _read(predicted)
    markup = cleaneval_markup_score(output, reference) if has_marks(reference) else None
    return Score(name, cleaneval_score(output, reference), markup, missing)


def _read(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    return _FRAME.sub("", text)
