"""Command `vclean evaluate`: score methods on corpora."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from vclean.cli.command import command
from vclean.cli.options import (
    complete_methods,
    corpora_argument,
    flag,
    folds,
    option,
    path,
    predictions_option,
    snapshots_option,
    take_verbosity,
    verbosity,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """Options of `vclean evaluate`.

    Attributes:
        corpora: the paths of the corpora.
        render: whether to render the pages.
        methods: the names of the methods.
        folds: the number of folds of the cross-validation; 0 for none.
        json: the file for the scores; None for none.
        predictions: the file for the clean texts; None for none.
        snapshots: the folder of rendered pages; None for none.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    corpora: list[Path]
    render: bool
    methods: list[str]
    folds: int
    json: Path | None
    predictions: Path | None
    snapshots: Path | None
    verbosity: int


def _options(*, methods: Sequence[str], **values: Any) -> EvaluateOptions:
    return EvaluateOptions(methods=list(methods) or ["vclean"], verbosity=take_verbosity(values), **values)


@command("evaluate", _options, help="Score methods on corpora, over all pages and by page type.")
@corpora_argument(required=True)
@flag("--render", help="render pages in headless Chromium")
@option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_methods,
    help="score this method; repeatable (vclean)",
)
@option("--folds", type=folds, default="0", metavar="K", help="cross-validate by domain in K folds, 3 or more (none)")
@option("--json", type=path, metavar="FILE", help="write the scores as JSON")
@predictions_option()
@snapshots_option()
@verbosity()
def score_methods(options: EvaluateOptions) -> int:
    """Score every method on every corpus, print the tables, write the files, and return the exit code.

    With folds, the predictions of the model are cross-validated by site. With folds and `render`, parsed and rendered
    pages are both scored; without folds, only one of them.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: the method does not exist.
        OutputError: a file cannot be written; checked before the work if possible.
    """
    from vclean.classify.methods import get
    from vclean.cli.corpora import exit_code, run_methods, write_predictions
    from vclean.files import check_writable, write_stream
    from vclean.output.writers import write_and_log

    for file in filter(None, (options.json, options.predictions)):
        check_writable(file)
    report = run_methods(
        options.corpora,
        {name: partial(get, name) for name in options.methods},
        render=options.render,
        folds=options.folds,
        snapshots=options.snapshots,
    )
    write_stream(sys.stdout, report.table() + "\n")
    if options.json:
        write_and_log(options.json, "scores", json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n")
    write_predictions(report, options.predictions)
    return exit_code(report, "the table")
