"""From an input to a page, and from a page to its columns and its picture, with one browser for many pages."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vclean.deadline import deadline
from vclean.errors import UsageError
from vclean.page import Page
from vclean.sources import at_url, find, is_url, read_file

if TYPE_CHECKING:
    from vclean.render.browser import Renderer
    from vclean.render.snapshot import Snapshot
    from vclean.settings import RenderSettings

Input = Page | Path | str | bytes
"""What stands for a page: a `Page`, a file's path, HTML as bytes, or a string (see `as_page`)."""


def as_page(page: Input, *, url: str = "", settings: RenderSettings, live: bool = False) -> Page:
    """The page that an input means.

    A string is HTML if it has a `<` in it or is blank, a live page if it is an http(s) URL, else the path of a file.

    Args:
        page: the input; bytes are HTML.
        url: the address the page came from; it overrides the page's own.
        settings: what bounds a page.
        live: leave the fetching of a URL to the browser.

    Raises:
        InputError: the file is missing or unreadable.
        NetworkError: the URL could not be fetched.
    """
    if isinstance(page, Page):
        return at_url(page, url) if url else page
    if isinstance(page, bytes) or (isinstance(page, str) and ("<" in page or not page.strip())):
        return Page(content=page, url=url)
    if isinstance(page, str) and is_url(page):
        return next(find(page, settings, live=live)).read()
    return read_file(Path(page), settings.max_bytes, url=url)


class PageReader:
    """Reads pages, rendered or parsed; a context manager, whose browser lives as long as its block.

    Attributes:
        settings: how pages are rendered, and what bounds them.
        renders: whether they are rendered.

    Args:
        settings: see there.
        render: see `renders`.
        network: what a rendered page's own resources do not hold is fetched, from public addresses.
    """

    def __init__(self, settings: RenderSettings, *, render: bool, network: bool = False) -> None:
        self.settings = settings
        self.renders = render
        self._network = network
        self._renderer: Renderer | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Start the browser if pages are to be rendered.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        if self.renders:
            from vclean.render.browser import Renderer

            self._renderer = self._stack.enter_context(Renderer(self.settings, network=self._network))
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self._renderer = None
        self._stack.close()

    def prepare(self, *, live: bool = False, picture: bool = False) -> None:
        """Where pages are rendered, let the browser start: for a first page that is live, whose picture is wanted."""
        if self._renderer is not None:
            self._renderer.prepare(live=live, picture=picture)

    def page(self, page: Input, url: str = "") -> Page:
        """The page that an input means, see `as_page`."""
        return as_page(page, url=url, settings=self.settings, live=self.renders)

    def read(self, page: Page, *, picture: bool = False) -> tuple[Snapshot, bytes]:
        """A page as columns, rendered, parsed or as stored, and its picture, or `b""` where none is asked for.

        Raises:
            UsageError: there is no browser to render with, or the picture of a stored snapshot is asked for.
            VcleanError: the page cannot be read.
        """
        if page.snapshot is not None:
            return _unpacked(page.snapshot, picture=picture), b""
        if not self.renders and not picture:
            document = self._fetched(page) if page.live else page
            with deadline(self.settings.deadline):
                return self._parsed(document), b""
        if self._renderer is None:
            raise UsageError("pages are rendered in a with block only, such as `with Cleaner(render=True) as cleaner:`")
        rendering = self._renderer.render(page, picture=picture)
        return rendering.snapshot, rendering.picture or b""

    def _fetched(self, page: Page) -> Page:
        from vclean.render.fetch import fetch

        return fetch(page.url, self.settings)

    def _parsed(self, page: Page) -> Snapshot:
        from vclean.render.static import parse

        return parse(page, self.settings)


def _unpacked(snapshot: bytes, *, picture: bool) -> Snapshot:
    from vclean.render.store import from_bytes

    if picture:
        raise UsageError("a stored snapshot has no picture: name the page itself, or ask for no picture of it")
    return from_bytes(snapshot)
