"""The arguments of `vclean train` and `vclean evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.arguments import Parser, add_loudness, positive, take_verbosity

if TYPE_CHECKING:
    import argparse

_FEWEST_FOLDS: Final = 3
"""Training itself cross-validates on what a fold leaves, and needs two folds there."""

_CORPUS: Final = "corpus as Parquet, or a web archive of pages marked by hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """`vclean train`: method, what to learn from, pages for the region model, files to write, where pages are kept.

    Without `corpora` the shipped model goes on learning, from `corrections` alone. `verbosity` is as for cleaning.
    """

    method: str
    corpora: list[Path]
    corrections: Path | None
    regions: list[Path]
    out: Path
    predictions: Path | None
    snapshots: Path | None
    verbosity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """`vclean evaluate`: corpora and methods, how to score, where the figures go and rendered pages are kept.

    `verbosity` is as for cleaning.
    """

    corpora: list[Path]
    regions: list[Path]
    render: bool
    methods: list[str]
    folds: int
    json: Path | None
    predictions: Path | None
    snapshots: Path | None
    verbosity: int


def parse_train(arguments: list[str]) -> TrainOptions:
    """The options of `vclean train`.

    Raises:
        UsageError: unknown options, missing or impossible values.
        SystemExit: after printing, for `--help`.
    """
    parser = Parser(prog="vclean train", description="Train a model; the same pages give the same model.")
    add = parser.add_argument
    add("corpora", nargs="*", type=Path, metavar="CORPUS", help=_CORPUS)
    text = "gold of vclean label, a file or a folder; without a CORPUS, the shipped model goes on learning from it"
    add("--corrections", type=Path, metavar="GOLD", help=text)
    text = "which method to train: one that `vclean methods --json` calls trained (%(default)s)"
    add("--method", default="vclean", metavar="NAME", help=text)
    _add_regions(parser)
    add("-o", "--out", type=Path, required=True, metavar="MODEL", help="the model file to write")
    _add_predictions(parser)
    _add_snapshots(parser)
    add_loudness(parser)
    values = vars(parser.parse_args(arguments))
    options = TrainOptions(verbosity=take_verbosity(values), **values)
    if not options.corpora and not options.corrections:
        parser.error("name a CORPUS, or --corrections GOLD")
    if options.method != "vclean" and (options.regions or options.corrections):
        parser.error("--regions and --corrections teach the method vclean alone")
    if not options.corpora and (options.regions or options.predictions or options.snapshots):
        parser.error("--regions, --predictions and --snapshots need a CORPUS")
    return options


def parse_evaluate(arguments: list[str]) -> EvaluateOptions:
    """The options of `vclean evaluate`; errors as for `parse_train`."""
    parser = Parser(prog="vclean evaluate", description="Score methods on corpora, over all pages and by page type.")
    add = parser.add_argument
    add("corpora", nargs="+", type=Path, metavar="CORPUS", help=_CORPUS)
    _add_regions(parser)
    add("--render", action="store_true", help="render the pages")
    add("--method", dest="methods", action="append", metavar="NAME", help="may be repeated (vclean)")
    add("--folds", type=positive(int), default=0, metavar="K", help="cross-validate by domain in K folds, 3 or more")
    add("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    _add_predictions(parser)
    _add_snapshots(parser)
    add_loudness(parser)
    values = vars(parser.parse_args(arguments))
    if 0 < values["folds"] < _FEWEST_FOLDS:
        parser.error("argument --folds: K has to be 3 or more")
    return EvaluateOptions(methods=values.pop("methods") or ["vclean"], verbosity=take_verbosity(values), **values)


def _add_regions(parser: argparse.ArgumentParser) -> None:
    text = "web archive of pages whose regions their structure marked; teaches the region model alone; may be repeated"
    parser.add_argument("--regions", action="append", default=[], type=Path, metavar="ARCHIVE", help=text)


def _add_predictions(parser: argparse.ArgumentParser) -> None:
    text = "write the clean text of every page as JSON lines"
    parser.add_argument("--predictions", type=Path, metavar="FILE", help=text)


def _add_snapshots(parser: argparse.ArgumentParser) -> None:
    text = "keep rendered pages here; what is there already is not rendered again"
    parser.add_argument("--snapshots", type=Path, metavar="FOLDER", help=text)
