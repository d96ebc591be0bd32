"""`vclean train-segments`: the learned segmenter trained on hand-marked pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.classify.segment_learning import learn_rows
from vclean.classify.segment_model import fit
from vclean.files import check_writable
from vclean.outputs import write_told
from vclean.seen_pages import SeenPages

if TYPE_CHECKING:
    from vclean.train_segments_options import TrainSegmentsOptions


def train_segments(options: TrainSegmentsOptions) -> int:
    """Train on the marked pages and write the model; the exit code. The same pages give the same file.

    A page that cannot be rendered is named on standard error and left out; the code is then 1.

    Raises:
        InputError: the archive or the list of pages cannot be read, or there is too little to learn from.
        BrowserMissingError: there is no usable Chromium.
        OutputError: the model cannot be written, which is found before the work where it can be.
    """
    check_writable(options.out)
    pages = SeenPages(options.archive, options.pages, options.snapshots)
    model = fit(learn_rows(pages), {"archive": options.archive.name})
    write_told(options.out, "model", model.to_bytes())
    return pages.exit_code
