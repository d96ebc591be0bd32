"""The pages of corpora as commands read them: parsed or rendered, kept, and as training rows."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import TYPE_CHECKING

from vclean.classify.corpora import site
from vclean.errors import OutputError, VcleanError
from vclean.features.blocks import cut
from vclean.outputs import made
from vclean.progress import tracked
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from vclean.classify.corpora import Corpus, GoldPage
    from vclean.classify.dataset import PageRows
    from vclean.classify.evaluate import Reader
    from vclean.classify.marks import MarkedArchive
    from vclean.classify.region_model import RegionFits
    from vclean.classify.table import Table
    from vclean.labelling.corrections import Correction


def all_pages(corpora: Sequence[Corpus | MarkedArchive]) -> Iterator[GoldPage]:
    """All pages of all corpora; progress goes to standard error."""
    return tracked(chain.from_iterable(corpora), "reading", "pages", total=sum(map(len, corpora)))


@contextmanager
def opened_readers(*, render: bool, snapshots: Path | None, keep: bool) -> Iterator[dict[bool, Reader]]:
    """The ways to read a page, by whether they render.

    Args:
        render: whether there is one that does.
        snapshots: the folder of what was rendered before, or None.
        keep: whether pages are read more than once, so that rendering is kept for the time of the run at least.

    Raises:
        BrowserMissingError: there is no usable Chromium.
        OutputError: the folder cannot be made.
    """
    from vclean.render.static import parse

    if not render:
        yield {False: parse}
        return
    from vclean.render import scratch
    from vclean.render.browser import Renderer
    from vclean.render.store import StoredReader

    settings = RenderSettings()
    with ExitStack() as stack:
        renderer = stack.enter_context(Renderer(settings))
        read: Reader = lambda page: renderer.render(page).snapshot  # noqa: E731
        if snapshots or keep:
            folder = made(snapshots) if snapshots else stack.enter_context(scratch.folder())
            read = StoredReader(folder, read, settings, rendered=True)
        yield {False: parse, True: read}


def region_fits(
    corpora: Sequence[Corpus | MarkedArchive], archives: Sequence[Path], readers: Mapping[bool, Reader]
) -> RegionFits | None:
    """The region models of the marked pages among the corpora, with pages that their structure marked; or None."""
    from vclean.classify.marks import MarkedArchive
    from vclean.classify.region_model import RegionFits
    from vclean.classify.region_rows import archive_rows

    by_hand = [corpus for corpus in corpora if isinstance(corpus, MarkedArchive)]
    rows = [row for archive in by_hand for row in archive_rows(archive, readers.values())]
    if not rows:
        return None
    for path in archives:
        rows += archive_rows(MarkedArchive(path), readers.values(), by_hand=False)
    return RegionFits.of(rows)


def training_table(
    corpora: Sequence[Corpus | MarkedArchive],
    readers: Mapping[bool, Reader],
    folds: int,
    regions: RegionFits | None,
    corrections: Sequence[Correction] = (),
) -> Table:
    """Every page that can be read, each way, as training rows; pages that cannot be are left out; then corrections."""
    from vclean.classify.table import Table
    from vclean.labelling.corrections import correction_rows

    total = len(readers) * sum(map(len, corpora))
    found = tracked(_rows(corpora, readers, regions), "reading", "pages", total=total)
    read = [rows for rows in found if rows is not None]
    return Table.of([*read, *correction_rows(corrections, regions)], folds)


def _rows(
    corpora: Sequence[Corpus | MarkedArchive], readers: Mapping[bool, Reader], regions: RegionFits | None
) -> Iterator[PageRows | None]:
    for corpus in corpora:
        for page in corpus:
            for read in readers.values():
                yield _page_rows(page, read, regions)


def _page_rows(page: GoldPage, read: Reader, regions: RegionFits | None) -> PageRows | None:
    from vclean.classify.dataset import page_rows

    place = site(page)
    try:
        return page_rows(page, place, cut(read(page.page())), regions.for_site(place) if regions else None)
    except OutputError:
        raise
    except VcleanError:
        return None
