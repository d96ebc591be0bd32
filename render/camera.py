"""Rendered pages with their pictures, kept on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.errors import InputError
from vclean.files import write_atomic
from vclean.render.browser import Rendering
from vclean.render.store import StoredReader, make_folder, read_key

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.page import Page
    from vclean.render.browser import Renderer
    from vclean.render.snapshot import Snapshot
    from vclean.settings import RenderSettings


class Camera:
    """Renders pages, through a folder of what was rendered before where there is one.

    The snapshots in the folder are those of `StoredReader`; a picture stands beside its snapshot as PNG.

    Args:
        renderer: renders pages that are not there.
        settings: the settings it works with.
        folder: what is kept; None to keep nothing.
        pictures: whether pictures are wanted.
    """

    def __init__(
        self, renderer: Renderer, settings: RenderSettings, folder: Path | None, *, pictures: bool = False
    ) -> None:
        self._renderer = renderer
        self._settings = settings
        self._folder = folder
        self._pictures = pictures

    def __call__(self, page: Page) -> Rendering:
        """The page, with its picture if it is wanted.

        Raises:
            InputError: what is kept of it is damaged.
            OutputError: it cannot be kept.
            VcleanError: it cannot be rendered.
        """
        if self._folder is None:
            return self._renderer.render(page, picture=self._pictures)
        folder = self._folder
        read = StoredReader(folder, lambda page: self._render(page, folder), self._settings, rendered=True)
        return Rendering(read(page), self._picture(page, folder) if self._pictures else None)

    def _picture(self, page: Page, folder: Path) -> bytes:
        path = self._path(page, folder)
        if not path.is_file():
            self._render(page, folder)
        try:
            return path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read the picture {path}: {error.strerror or error}") from error

    def _render(self, page: Page, folder: Path) -> Snapshot:
        """Render the page and keep its picture, if pictures are wanted."""
        rendering = self._renderer.render(page, picture=self._pictures)
        if rendering.picture:
            make_folder(folder)
            write_atomic(self._path(page, folder), rendering.picture)
        return rendering.snapshot

    def _path(self, page: Page, folder: Path) -> Path:
        return folder / f"{read_key(page, self._settings.to_dict(), rendered=True).hex()}.png"
