"""The arguments of `vclean train-segments`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vclean.arguments import Parser, add_loudness, take_verbosity


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainSegmentsOptions:
    """`vclean train-segments`: what the learned segmenter learns from, and where its model goes.

    Attributes:
        archive: web archive of hand-marked pages.
        pages: file of the addresses of those that count; None for the list beside the archive, or else all.
        out: file for the model.
        snapshots: folder of rendered pages; None for none.
        verbosity: -1 quiet, 0 normal, 1 talkative.
    """

    archive: Path
    pages: Path | None
    out: Path
    snapshots: Path | None
    verbosity: int


def parse_train_segments(arguments: list[str]) -> TrainSegmentsOptions:
    """The options of the command.

    Raises:
        UsageError: unknown options, missing or impossible values.
        SystemExit: after printing, for `--help`.
    """
    parser = Parser(prog="vclean train-segments", description="Train the learned segmenter on pages marked by hand.")
    add = parser.add_argument
    add("archive", type=Path, metavar="ARCHIVE", help="web archive of pages marked by hand")
    add("-o", "--out", type=Path, metavar="MODEL", required=True, help="file for the model, such as my.vclean")
    add("--pages", type=Path, metavar="FILE", help="learn from these: a file with one address a line")
    add("--snapshots", type=Path, metavar="FOLDER", help="keep rendered pages here; none of them is rendered again")
    add_loudness(parser)
    values = vars(parser.parse_args(arguments))
    return TrainSegmentsOptions(verbosity=take_verbosity(values), **values)
