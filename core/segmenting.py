"""`segment` for one page, `Segmenter` for many: from a page to its segments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from vclean.deadline import deadline
from vclean.reader import PageReader
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from vclean.features.segments import Segments
    from vclean.page import Page
    from vclean.reader import Input


def segment(
    page: Input,
    *,
    pdoc: int = 5,
    url: str = "",
    method: str = "vips",
    settings: RenderSettings | None = None,
) -> Segments:
    """Render one page and cut it into segments; for several, a `Segmenter` keeps the browser.

    Args:
        page: see `vclean.reader.as_page`.
        pdoc: how far to cut, the permitted degree of coherence: from 1, the page as one segment, to 11.
        url: the address the page came from, if known.
        method: the name of what cuts.
        settings: how to render, and what bounds a page.

    Raises:
        VcleanError: one of its subclasses in `vclean.errors`, by what went wrong.
    """
    with Segmenter(method=method, settings=settings) as segmenter:
        return segmenter.segment(page, url=url, pdoc=pdoc)


class Segmenter:
    """Cuts pages into segments, with one browser for all of them.

    A context manager, to be used from one thread: the browser lives as long as its block.

    Args:
        method: the name of what cuts.
        settings: how to render, and what bounds a page.

    Raises:
        UsageError: there is no such method.
    """

    def __init__(self, *, method: str = "vips", settings: RenderSettings | None = None) -> None:
        from vclean.classify.segment_methods import get

        self._cut = get(method)
        self._reader = PageReader(settings or RenderSettings(), render=True)

    def __enter__(self) -> Self:
        """Start the browser.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        self._reader.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self._reader.__exit__(*exception)

    def segment(self, page: Input, *, url: str = "", pdoc: int = 5) -> Segments:
        """Cut one page, as `vclean.segment` does."""
        return self.segment_page(self._reader.page(page, url), pdoc=pdoc)[0]

    def segment_page(self, page: Page, *, pdoc: int = 5, picture: bool = False) -> tuple[Segments, bytes]:
        """The segments of a page, and its picture, or `b""` where none is asked for.

        Raises:
            UsageError: the degree is out of range, or the picture of a stored snapshot is asked for.
            VcleanError: as `segment` does.
        """
        snapshot, image = self._reader.read(page, picture=picture)
        with deadline(self._reader.settings.deadline):
            return replace(self._cut(snapshot).at(pdoc), id=page.id), image
