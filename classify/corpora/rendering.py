"""Render hand-marked pages, to train and to score segmenters."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vclean.classify.corpora.marked import MarkedArchive
from vclean.errors import InputError, OutputError, VcleanError
from vclean.files import make_folder
from vclean.imports import check_installed
from vclean.progress import track
from vclean.render.browser.renderer import Renderer
from vclean.render.storage.cache import RenderingCache
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from vclean.classify.corpora.marked import RegionMark
    from vclean.render.snapshot import Snapshot

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, eq=False)
class RenderedMarkedPage:
    """Rendered marked page; `screenshot` is None unless screenshots were requested."""

    id: str
    snapshot: Snapshot
    marks: Sequence[RegionMark]
    screenshot: bytes | None = None


class RenderedMarkedPages:
    """Marked pages of an archive, rendered during iteration. Pages that cannot be rendered are logged as errors.

    Attributes:
        failed: number of pages that could not be rendered so far.

    Args:
        path: the archive.
        list_path: file of the addresses of the requested pages; None for the list beside the archive, or else all.
        snapshots: folder in which renderings are cached; None for no cache.
        screenshots: whether to take screenshots.

    Raises:
        InputError: the archive or the list of pages cannot be read.
        OutputError: the folder cannot be created.
        ExtraMissingError: the library that groups pages by site is not installed.
    """

    def __init__(
        self, path: Path, list_path: Path | None, snapshots: Path | None, *, screenshots: bool = False
    ) -> None:
        check_installed("tldextract", "tldextract", "corpora")
        self.failed = 0
        self._archive = MarkedArchive(path, _addresses(list_path))
        self._snapshots = make_folder(snapshots) if snapshots else None
        self._screenshots = screenshots

    def __iter__(self) -> Iterator[RenderedMarkedPage]:
        """Yield the rendered pages; report progress on standard error.

        Raises:
            BrowserMissingError: there is no usable Chromium.
            VcleanError: no page can be rendered.
        """
        count = 0
        settings = RenderSettings()
        with Renderer(settings) as renderer:
            render = RenderingCache(renderer, settings, self._snapshots, screenshots=self._screenshots)
            for marked in track(self._archive.marked_pages(), "rendering", "pages", total=len(self._archive)):
                try:
                    rendering = render(marked.page)
                except OutputError:
                    raise
                except VcleanError as error:
                    self.failed += 1
                    _log.error("%s is left out: %s", marked.page.url, error)
                else:
                    count += 1
                    yield RenderedMarkedPage(marked.page.url, rendering.snapshot, marked.marks, rendering.screenshot)
        if not count:
            raise VcleanError("no marked page could be rendered: see above")

    @property
    def exit_code(self) -> int:
        """Return 0, or 1 if a page could not be rendered."""
        return int(self.failed > 0)


def _addresses(path: Path | None) -> frozenset[str] | None:
    """Return the addresses in a file, one per line.

    Raises:
        InputError: the file cannot be read, or has no address.
    """
    if path is None:
        return None
    try:
        addresses = frozenset(path.read_text(encoding="utf-8-sig").split())
    except OSError as error:
        raise InputError(f"cannot read the list of pages {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the list of pages {path} is no text in UTF-8: give one address a line") from error
    if not addresses:
        raise InputError(f"the list of pages {path} is empty: give one address a line")
    return addresses
