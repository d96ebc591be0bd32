"""Read pages: render them, parse them, or decode their stored snapshots."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vclean.errors import UsageError
from vclean.input.sources import find_sources, is_url, read_file, with_url
from vclean.page import Page
from vclean.runtime import deadline

if TYPE_CHECKING:
    from vclean.render.browser.renderer import Renderer
    from vclean.render.rendered_page import Rendering
    from vclean.settings import RenderSettings

Document = Page | Path | str | bytes
"""Page argument: HTML as a string or bytes, a file as a `Path`, or a `Page`. A string is always HTML."""


class PageReader:
    """Reader of pages, by rendering or parsing.

    A context manager: the browser is closed at the end of the `with` block.

    Attributes:
        settings: options of rendering, and limits of a page.
        renders: whether pages are rendered.

    Args:
        settings: options of rendering, and limits of a page.
        render: whether pages are rendered.
        network: whether a rendered page may load missing subresources from public addresses.
    """

    def __init__(self, settings: RenderSettings, *, render: bool, network: bool = False) -> None:
        self.settings = settings
        self.renders = render
        self._network = network
        self._renderer: Renderer | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Prepare the browser if pages are rendered.

        Raises:
            BrowserMissingError: no usable Chromium is installed.
        """
        if self.renders:
            from vclean.render.browser.renderer import Renderer

            self._renderer = self._stack.enter_context(Renderer(self.settings, network=self._network))
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the browser."""
        self._renderer = None
        self._stack.close()

    def prepare(self, *, live: bool = False, screenshot: bool = False) -> None:
        """Start the browser if pages are rendered.

        Args:
            live: whether the first page is fetched from the network.
            screenshot: whether a screenshot of the first page is requested.
        """
        if self._renderer is not None:
            self._renderer.prepare(live=live, screenshot=screenshot)

    def to_page(self, document: Document, url: str = "") -> Page:
        """Convert a document to a page.

        Args:
            document: HTML as a string or bytes, the path of a file, or a page.
            url: the URL of the page; replaces the URL of a `Page`, unless empty.

        Raises:
            InputError: the file is missing or unreadable.
            LimitError: it is larger than the limit of the settings.
            UsageError: `document` is of another type.
        """
        if isinstance(document, Page):
            return with_url(document, url) if url else document
        if isinstance(document, Path):
            return read_file(document, self.settings.max_bytes, url=url)
        if not isinstance(document, str | bytes):
            kind = type(document).__name__
            raise UsageError(f"{kind} is not a page: give HTML as str or bytes, a file as Path, or a Page")
        return Page(content=document, url=url)

    def page_from_url(self, url: str) -> Page:
        """Fetch the page at a URL; if pages are rendered, the browser loads it later.

        Raises:
            UsageError: `url` is not an http(s) URL.
            NetworkError: the page cannot be fetched.
        """
        if not is_url(url):
            raise UsageError(f"{url!r} is not the URL of a page: it has to begin with http:// or https://")
        return next(find_sources(url, self.settings, live=self.renders)).read()

    def read(self, page: Page, *, screenshot: bool = False) -> Rendering:
        """Read a page: render it, parse it, or decode its stored snapshot.

        Args:
            page: the page to read.
            screenshot: whether to take a screenshot of the whole page, up to a maximum height.

        Returns:
            The snapshot of the page, and the screenshot.

        Raises:
            UsageError: the method is called outside the `with` block, or a screenshot of a stored snapshot is
                requested.
            VcleanError: the page cannot be read.
        """
        from vclean.render.rendered_page import Rendering

        if page.snapshot is not None:
            from vclean.render.cache import from_bytes

            if screenshot:
                raise UsageError("a stored snapshot has no screenshot: name the page itself, or request no screenshot")
            return Rendering(from_bytes(page.snapshot))
        if not self.renders and not screenshot:
            return self.parse(self.fetch(page))
        if self._renderer is None:
            raise UsageError("pages are rendered in a with block only, such as `with Cleaner(render=True) as cleaner:`")
        return self._renderer.render(page, screenshot=screenshot)

    def fetch(self, page: Page) -> Page:
        """Return a page with its document: a live page is fetched. Raises NetworkError if that fails."""
        if not page.live:
            return page
        from vclean.render.fetch import fetch

        return fetch(page.url, self.settings)

    def parse(self, page: Page) -> Rendering:
        """Parse a page that is not live, without a browser. Raises VcleanError if it cannot be parsed."""
        from vclean.render.rendered_page import Rendering
        from vclean.render.static.parse import parse

        with deadline(self.settings.deadline):
            return Rendering(parse(page, self.settings))


class KeepsBrowser:
    """Context manager that keeps the browser of a reader open between pages."""

    _reader: PageReader

    def __enter__(self) -> Self:
        """Prepare the browser if pages are rendered.

        Raises:
            BrowserMissingError: no usable Chromium is installed.
        """
        self._reader.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the browser."""
        self._reader.__exit__(*exception)
