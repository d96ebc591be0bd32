"""Hand-marked pages as they are rendered, for what scores segmenters or trains them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vclean.classify.corpora.marked import MarkedArchive
from vclean.errors import InputError, OutputError, VcleanError
from vclean.files import make_folder
from vclean.imports import check_installed
from vclean.progress import tracked
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
    """A marked page as it was rendered; `picture` is None where no edges are asked for."""

    id: str
    snapshot: Snapshot
    marks: Sequence[RegionMark]
    picture: bytes | None = None


class RenderedMarkedPages:
    """The marked pages of an archive, rendered as one iterates; those that cannot be are named on standard error.

    Attributes:
        failed: how many were named so far.

    Args:
        path: the archive.
        listed: file of the addresses of the pages wanted; None for the list beside the archive, or else all.
        snapshots: folder of what is rendered; None for none.
        pictures: whether pictures are wanted.

    Raises:
        InputError: the archive or the list of pages cannot be read.
        OutputError: the folder cannot be made.
        ExtraMissingError: what groups pages by site is not installed.
    """

    def __init__(self, path: Path, listed: Path | None, snapshots: Path | None, *, pictures: bool = False) -> None:
        check_installed("tldextract", "tldextract", "corpora")
        self.failed = 0
        self._archive = MarkedArchive(path, _addresses(listed))
        self._snapshots = make_folder(snapshots) if snapshots else None
        self._pictures = pictures

    def __iter__(self) -> Iterator[RenderedMarkedPage]:
        """The pages, with progress on standard error.

        Raises:
            BrowserMissingError: there is no usable Chromium.
            VcleanError: none of them can be rendered.
        """
        count = 0
        settings = RenderSettings()
        with Renderer(settings) as renderer:
            see = RenderingCache(renderer, settings, self._snapshots, screenshots=self._pictures)
            for marked in tracked(self._archive.marked(), "rendering", "pages", total=len(self._archive)):
                try:
                    seen = see(marked.page)
                except OutputError:
                    raise
                except VcleanError as error:
                    self.failed += 1
                    _log.error("%s is left out: %s", marked.page.url, error)
                else:
                    count += 1
                    yield RenderedMarkedPage(marked.page.url, seen.snapshot, marked.marks, seen.screenshot)
        if not count:
            raise VcleanError("no marked page could be rendered: see above")

    @property
    def exit_code(self) -> int:
        """0, or 1 if a page was left out."""
        return int(self.failed > 0)


def _addresses(path: Path | None) -> frozenset[str] | None:
    """The addresses in a file, one a line.

    Raises:
        InputError: it cannot be read, or has none.
    """
    if path is None:
        return None
    try:
        found = frozenset(path.read_text(encoding="utf-8-sig").split())
    except OSError as error:
        raise InputError(f"cannot read the list of pages {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the list of pages {path} is no text in UTF-8: give one address a line") from error
    if not found:
        raise InputError(f"the list of pages {path} is empty: give one address a line")
    return found
