"""Command `vclean train-segments`: train the learned segmenter on pages marked by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vclean.cli.command import command
from vclean.cli.options import argument, option, path, snapshots_option, take_verbosity, verbosity

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainSegmentsOptions:
    """Options of `vclean train-segments`.

    Attributes:
        archive: the web archive of pages marked by hand.
        pages: a file with the URLs of the pages to use; None for the list beside the archive, or all without a list.
        out: the file for the model.
        snapshots: the folder of rendered pages; None for none.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    archive: Path
    pages: Path | None
    out: Path
    snapshots: Path | None
    verbosity: int


def _options(**values: Any) -> TrainSegmentsOptions:
    return TrainSegmentsOptions(verbosity=take_verbosity(values), **values)


@command("train-segments", _options, help="Train the learned segmenter on pages marked by hand.")
@argument("archive", "ARCHIVE", "web archive of pages marked by hand", type=path)
@option(
    "-o", "--out", type=path, required=True, metavar="MODEL", help="write the model to this file, such as my.vclean"
)
@option(
    "--pages",
    type=path,
    metavar="FILE",
    help="train on these pages: a file with one URL per line (the list beside ARCHIVE, or all)",
)
@snapshots_option()
@verbosity()
def train_segments(options: TrainSegmentsOptions) -> int:
    """Train on the marked pages, write the model, and return the exit code. The same pages give the same file.

    A page that cannot be rendered is logged and left out; the exit code is then 1.

    Raises:
        InputError: the archive or the list of pages cannot be read, or there are too few examples.
        BrowserMissingError: no usable Chromium is installed.
        OutputError: the model cannot be written; checked before the work if possible.
    """
    from vclean.classify.corpora.marked import RenderedMarkedPages
    from vclean.classify.training.segments import fit, training_rows
    from vclean.files import check_writable
    from vclean.output.writers import write_and_log

    check_writable(options.out)
    pages = RenderedMarkedPages(options.archive, options.pages, options.snapshots)
    model = fit(training_rows(pages), {"archive": options.archive.name})
    write_and_log(options.out, "model", model.to_bytes())
    return pages.exit_code
