"""Hand-marked pages as they are rendered, for what scores segmenters or trains them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from vclean.classify.marks import MarkedArchive
from vclean.classify.segment_scores import SeenPage
from vclean.errors import InputError, OutputError, VcleanError
from vclean.outputs import made
from vclean.progress import tracked
from vclean.render.browser import Renderer
from vclean.render.camera import Camera
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_log = logging.getLogger("vclean")


class SeenPages:
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
    """

    def __init__(self, path: Path, listed: Path | None, snapshots: Path | None, *, pictures: bool = False) -> None:
        self.failed = 0
        self._archive = MarkedArchive(path, _addresses(listed))
        self._snapshots = made(snapshots) if snapshots else None
        self._pictures = pictures

    def __iter__(self) -> Iterator[SeenPage]:
        """The pages, with progress on standard error.

        Raises:
            BrowserMissingError: there is no usable Chromium.
            VcleanError: none of them can be rendered.
        """
        count = 0
        settings = RenderSettings()
        with Renderer(settings) as renderer:
            see = Camera(renderer, settings, self._snapshots, pictures=self._pictures)
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
                    yield SeenPage(marked.page.url, seen.snapshot, marked.marks, seen.picture)
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
