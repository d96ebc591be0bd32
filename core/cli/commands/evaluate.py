"""`vclean evaluate`: methods scored on corpora."""

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
    regions_option,
    snapshots_option,
    take_verbosity,
    verbosity,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """Options of `vclean evaluate`: corpora and methods, how to score, where figures and rendered pages go.

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


def _options(*, methods: Sequence[str], **values: Any) -> EvaluateOptions:  # noqa: ANN401
    return EvaluateOptions(methods=list(methods) or ["vclean"], verbosity=take_verbosity(values), **values)


@command("evaluate", _options, help="Score methods on corpora, over all pages and by page type.")
@corpora_argument(required=True)
@regions_option()
@flag("--render", help="render the pages")
@option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_methods,
    help="a method; may be repeated (vclean)",
)
@option("--folds", type=folds, default="0", metavar="K", help="cross-validate by domain in K folds, 3 or more")
@option("--json", type=path, metavar="FILE", help="write the figures as JSON")
@predictions_option()
@snapshots_option()
@verbosity()
def score_methods(options: EvaluateOptions) -> int:
    """Score every method on every corpus, print the tables, write the files; the exit code.

    With folds, the model's verdicts are cross-validated by site; with `render` too, on both readings of the pages,
    and both are scored. Without folds, one reading is scored.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: there is no such method.
        OutputError: a file cannot be written, which is found before the work where it can be.
    """
    from vclean.classify.methods import get
    from vclean.cli.corpora import exit_code, run_methods, write_predictions
    from vclean.files import check_writable, write_stream
    from vclean.output.writers import write_told

    for file in filter(None, (options.json, options.predictions)):
        check_writable(file)
    report = run_methods(
        options.corpora,
        {name: partial(get, name) for name in options.methods},
        render=options.render,
        folds=options.folds,
        regions=options.regions,
        snapshots=options.snapshots,
    )
    write_stream(sys.stdout, report.table() + "\n")
    if options.json:
        write_told(options.json, "figures", json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n")
    write_predictions(report, options.predictions)
    return exit_code(report, "the table")
