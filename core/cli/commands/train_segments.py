"""`vclean train-segments`: the learned segmenter trained on hand-marked pages."""

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
        archive: web archive of hand-marked pages.
        pages: file of the addresses of those that count; None for the list beside the archive, or else all.
        out: file for the model.
        snapshots: folder of rendered pages; None for none.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    archive: Path
    pages: Path | None
    out: Path
    snapshots: Path | None
    verbosity: int


def _options(**values: Any) -> TrainSegmentsOptions:  # noqa: ANN401
    return TrainSegmentsOptions(verbosity=take_verbosity(values), **values)


@command("train-segments", _options, help="Train the learned segmenter on pages marked by hand.")
@argument("archive", "ARCHIVE", "web archive of pages marked by hand", type=path)
@option("-o", "--out", type=path, required=True, metavar="MODEL", help="file for the model, such as my.vclean")
@option("--pages", type=path, metavar="FILE", help="learn from these: a file with one address a line")
@snapshots_option()
@verbosity()
def train_segments(options: TrainSegmentsOptions) -> int:
    """Train on the marked pages and write the model; the exit code. The same pages give the same file.

    A page that cannot be rendered is named on standard error and left out; the code is then 1.

    Raises:
        InputError: the archive or the list of pages cannot be read, or there is too little to learn from.
        BrowserMissingError: there is no usable Chromium.
        OutputError: the model cannot be written, which is found before the work where it can be.
    """
    from vclean.classify.corpora.rendering import RenderedMarkedPages
    from vclean.classify.training.segments import fit, training_rows
    from vclean.files import check_writable
    from vclean.output.writers import write_told

    check_writable(options.out)
    pages = RenderedMarkedPages(options.archive, options.pages, options.snapshots)
    model = fit(training_rows(pages), {"archive": options.archive.name})
    write_told(options.out, "model", model.to_bytes())
    return pages.exit_code
