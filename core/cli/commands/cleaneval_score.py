"""`vclean cleaneval-score`: files of clean text against files of gold text."""

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
"""What the files of CleanEval 2007 have round their text, such as the page's address; it is no part of it."""
_CLEANED: Final = "-cleaned"
"""How the names of CleanEval's gold files end, `1-cleaned.txt` for the page `1.html`."""


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of a page, 0..100; `markup` is None where the gold has no marks. An absent file scores as empty."""

    name: str
    text: float
    markup: float | None
    missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanevalScoreOptions:
    """Options of `vclean cleaneval-score`: two files, or two folders of files of the same names; `json` prints JSON."""

    gold: Path
    predicted: Path
    json: bool


@command(
    "cleaneval-score",
    CleanevalScoreOptions,
    help="Score clean text against gold text as CleanEval 2007 did: text only, and text with marks.",
)
@argument("gold", "GOLD", "a file of gold text with <h>, <p>, <l>; or a folder of such files", type=path)
@argument("predicted", "PREDICTED", "the clean text; or a folder of files of the same names", type=path)
@flag("--json", help="print a JSON object")
def score_files(options: CleanevalScoreOptions) -> int:
    """Score every gold file and print the scores and their means; 1 if a predicted file is missing, else 0.

    Raises:
        InputError: a path is missing or cannot be read, or there is no gold.
    """
    from vclean.files import write_stream

    scores = [_score(name, gold, predicted) for name, gold, predicted in _pairs(options.gold, options.predicted)]
    write_stream(sys.stdout, to_json(scores) if options.json else to_lines(scores))
    return int(any(score.missing for score in scores))


def to_lines(scores: Sequence[Score]) -> str:
    """A line for each page and one for the means over the pages."""
    from tabulate import tabulate

    rows = [("page", "text", "text+markup", "")]
    for score in [*scores, _mean(scores)]:
        markup = "-" if score.markup is None else f"{score.markup:.2f}"
        rows.append((score.name, f"{score.text:.2f}", markup, "no file" if score.missing else ""))
    aligned = ("left", "right", "right", "left")
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)
    return "".join(line.rstrip() + "\n" for line in table.splitlines())


def to_json(scores: Sequence[Score]) -> str:
    """An object with the means and the pages' scores."""
    mean = _mean(scores)
    pages = [
        {"name": score.name, "text": score.text, "markup": score.markup, "missing": score.missing} for score in scores
    ]
    return json.dumps({"text": mean.text, "markup": mean.markup, "pages": pages}, ensure_ascii=False, indent=1) + "\n"


def _mean(scores: Sequence[Score]) -> Score:
    marked = [score.markup for score in scores if score.markup is not None]
    return Score(f"mean of {len(scores)}", fmean(score.text for score in scores), fmean(marked) if marked else None)


def _pairs(gold: Path, predicted: Path) -> list[tuple[str, Path, Path]]:
    """The gold files, by name, each with its predicted one, which may be missing where both are folders."""
    if not gold.is_dir():
        return [(gold.name, gold, _existing(_partner(gold, predicted) if predicted.is_dir() else predicted))]
    if not predicted.is_dir():
        raise InputError(f"{gold} is a folder and {predicted} is none: give two files, or two folders")
    files = sorted(path for path in gold.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise InputError(f"no file in {gold}: give a folder of gold texts")
    return [(path.name, path, _partner(path, predicted)) for path in files]


def _existing(path: Path) -> Path:
    if not path.exists():
        raise InputError(f"{path} does not exist: give the file of the clean text")
    return path


def _partner(gold: Path, predicted: Path) -> Path:
    """The file of the gold's name in the folder `predicted`, whatever its ending; the one that is missed if none is."""
    stem = gold.stem.removesuffix(_CLEANED)
    same = [predicted / gold.name, predicted / f"{stem}{gold.suffix}"]
    others = sorted(path for path in predicted.iterdir() if path.stem == stem)
    return next((path for path in [*same, *others] if path.is_file()), same[-1])


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
