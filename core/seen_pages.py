"""Hand-marked pages as they are rendered, for what scores segmenters or trains them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tqdm import tqdm

from vclean.classify.marks import MarkedArchive
from vclean.classify.segment_scores import SeenPage
from vclean.errors import InputError, VcleanError
from vclean.render.browser import Renderer
from vclean.render.camera import Camera
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_log = logging.getLogger(__name__)


def seen_pages(
    path: Path, listed: Path | None, snapshots: Path | None, *, pictures: bool = False
) -> Iterator[SeenPage]:
    """The marked pages of an archive that can be rendered; others are named on standard error, as is progress.

    Args:
        path: the archive.
        listed: file of the addresses of the pages wanted; None for the list beside the archive, or else all.
        snapshots: folder of what is rendered; None for none.
        pictures: whether pictures are wanted.

    Raises:
        InputError: the archive or the list of pages cannot be read.
        BrowserMissingError: there is no usable Chromium.
    """
    archive = MarkedArchive(path, _addresses(listed))
    settings = RenderSettings()
    with Renderer(settings) as renderer:
        see = Camera(renderer, settings, snapshots, pictures=pictures)
        for marked in tqdm(archive.marked(), total=len(archive), unit="page", disable=None):
            try:
                seen = see(marked.page)
            except VcleanError as error:
                _log.warning("%s is left out: %s", marked.page.url, error)
            else:
                yield SeenPage(marked.page.url, seen.snapshot, marked.marks, seen.picture)


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
