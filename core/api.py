"""Public functions and classes: `clean` for one page, `Cleaner` and `AsyncCleaner` for many; `segment` and `Segmenter`.

A string is always HTML and never a path or a URL: `clean_file` takes a path, `clean_url` a URL.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from vclean.errors import UsageError, VcleanError
from vclean.page import Page
from vclean.pipeline import KeepsBrowser, Pipeline
from vclean.runtime import deadline
from vclean.settings import DEFAULT_PDOC, CleanerSettings, Policy, RenderSettings

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Iterator
    from typing import Unpack

    from vclean.features.segments.segments import Segments
    from vclean.pipeline import Document
    from vclean.render.browser.renderer import AsyncRenderer
    from vclean.render.rendered_page import Rendering
    from vclean.result import Result
    from vclean.settings import CleanerOptions, HiddenPolicy


def clean(html: Document, *, url: str = "", screenshot: bool = False, **options: Unpack[CleanerOptions]) -> Result:
    r"""Clean one page; for several pages, a `Cleaner` is faster: it reuses the browser and the model.

    Args:
        html: HTML as a string or bytes, a file as a `Path`, or a `Page`; a string is never a path or a URL.
        url: the URL of the page, if known; relative links resolve against it.
        screenshot: whether to take a screenshot of the page, for `Result.screenshot`; needs `render`.
        options: fields of `CleanerSettings`, such as `render=True`.

    Returns:
        The labelled blocks of the page.

    Raises:
        UsageError: an option is wrong, or a screenshot is requested without rendering.
        VcleanError: the page could not be read or labelled; one of the subclasses in `vclean.errors`.

    >>> clean("<h1>Rain</h1><p>It rained.", method="text").to_text()
    'Rain\n\nIt rained.\n'
    """
    with Cleaner(**options) as cleaner:
        return cleaner.clean(html, url=url, screenshot=screenshot)


def clean_file(
    path: Path | str, *, url: str = "", screenshot: bool = False, **options: Unpack[CleanerOptions]
) -> Result:
    r"""Clean the page in an HTML or MHTML file; subresources are the files that a browser saved beside it.

    Args:
        path: the path of the file.
        url: the URL of the page, if known; relative links resolve against it.
        screenshot: whether to take a screenshot of the page, for `Result.screenshot`; needs `render`.
        options: fields of `CleanerSettings`, such as `render=True`.

    Returns:
        The labelled blocks of the page.

    Raises:
        InputError: the file is missing or unreadable.
        VcleanError: as for `clean`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "rain.html")
    ...     _ = path.write_text("<h1>Rain</h1><p>It rained.")
    ...     clean_file(path, method="text").to_text()
    'Rain\n\nIt rained.\n'
    """
    return clean(Path(path), url=url, screenshot=screenshot, **options)


def clean_url(url: str, *, screenshot: bool = False, **options: Unpack[CleanerOptions]) -> Result:
    """Fetch and clean the page at an http(s) URL.

    Args:
        url: the URL of the page.
        screenshot: whether to take a screenshot of the page, for `Result.screenshot`; needs `render`.
        options: fields of `CleanerSettings`, such as `render=True`.

    Returns:
        The labelled blocks of the page.

    Raises:
        UsageError: `url` is not an http(s) URL.
        NetworkError: the page cannot be fetched.
        VcleanError: as for `clean`.

    >>> result = clean_url("https://example.org/")  # doctest: +SKIP
    """
    with Cleaner(**options) as cleaner:
        return cleaner.clean_url(url, screenshot=screenshot)


class Cleaner(KeepsBrowser):
    r"""Cleaner of pages, with one browser and one model for all pages.

    A context manager for use from one thread: the browser is closed at the end of the `with` block.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.

    Raises:
        UsageError: the method does not exist, or it accepts no policy.
        ModelError: the model file is missing, damaged or of another version.
        InputError: a template is missing or wrong.
        ExtraMissingError: the method needs a library that is not installed.

    >>> with Cleaner(method="text") as cleaner:
    ...     [cleaner.clean(html).to_text() for html in ("<p>It rained.", "<p>All day.")]
    ['It rained.\n', 'All day.\n']
    """

    def __init__(self, settings: CleanerSettings | None = None, **options: Unpack[CleanerOptions]) -> None:
        self._pipeline = Pipeline((settings or CleanerSettings()).replace(**options))

    def clean(self, html: Document, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean one page; arguments, return value and errors as for `vclean.clean`."""
        return self._pipeline.run(self._pipeline.to_page(html, url), screenshot=screenshot)

    def clean_file(self, path: Path | str, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean the page in a file; arguments, return value and errors as for `vclean.clean_file`."""
        return self.clean(Path(path), url=url, screenshot=screenshot)

    def clean_url(self, url: str, *, screenshot: bool = False) -> Result:
        """Fetch and clean the page at a URL; arguments, return value and errors as for `vclean.clean_url`."""
        return self._pipeline.run(self._pipeline.page_from_url(url), screenshot=screenshot)

    def clean_many(
        self,
        pages: Iterable[Document],
        *,
        same_site: bool = False,
        on_error: Callable[[Document, VcleanError], None] | None = None,
    ) -> Iterator[Result]:
        """Clean pages one after the other, in their order.

        Args:
            pages: the pages, read one at a time: HTML as a string or bytes, a file as a `Path`, or a `Page`, such as
                `Page(url="https://example.org/", live=True)`.
            same_site: whether to compare the pages of each host: texts that repeat on many of them are left out. Pages
                without a URL are compared with each other. All pages are read before the first result and stored on
                disk in the meantime (see `vclean.classify.content.site_evidence`).
            on_error: called with each page that failed and its error; such a page has no result. Without this function
                the error is raised.

        Yields:
            The result of each page.

        Raises:
            UsageError: `same_site` is set, and the method does not support it.
            VcleanError: a page failed and `on_error` is None.

        >>> with Cleaner(method="text") as cleaner:
        ...     [len(result.blocks) for result in cleaner.clean_many(["<p>It rained.", "<h1>Rain</h1><p>All day."])]
        [1, 2]
        """
        if not same_site:
            for page in pages:
                with _reported(page, on_error):
                    yield self.clean(page)
            return
        with self._pipeline.sites() as sites:
            for page in pages:
                with _reported(page, on_error):
                    blocks = self._pipeline.read_blocks(self._pipeline.to_page(page))
                    sites.add(blocks.columns, blocks)
            for columns, blocks, evidence in sites:
                with _reported(Page(url=columns.snapshot.url, id=blocks.id), on_error):
                    yield self._pipeline.label(blocks, evidence=evidence)


@contextmanager
def _reported(page: Document, on_error: Callable[[Document, VcleanError], None] | None) -> Iterator[None]:
    """Call `on_error` with an error of a page in the block; without it the error is raised."""
    try:
        yield
    except VcleanError as error:
        if on_error is None:
            raise
        on_error(page, error)


class AsyncCleaner:
    r"""Cleaner of pages for an event loop, with several browsers and one model for all pages.

    An asynchronous context manager. Each browser renders one page at a time. Blocks are extracted and labelled in a
    thread, one page at a time, which does not block the event loop. The deadline of the settings limits rendering only.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        browsers: the number of pages that are rendered at once.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.

    Raises:
        UsageError: `browsers` is not positive.
        VcleanError: as for `Cleaner`.

    >>> import asyncio
    >>> async def clean(html: str) -> str:
    ...     async with AsyncCleaner(method="text") as cleaner:
    ...         return (await cleaner.clean(html)).to_text()
    >>> asyncio.run(clean("<p>It rained."))
    'It rained.\n'
    """

    def __init__(
        self, settings: CleanerSettings | None = None, *, browsers: int = 2, **options: Unpack[CleanerOptions]
    ) -> None:
        if browsers < 1:
            raise UsageError(f"browsers has to be at least 1, not {browsers}")
        self._pipeline = Pipeline((settings or CleanerSettings()).replace(**options))
        self._browsers = browsers
        self._stack = AsyncExitStack()
        self._idle_renderers: asyncio.Queue[AsyncRenderer] | None = None

    async def __aenter__(self) -> Self:
        """Prepare the browsers if pages are rendered; each starts with its first page.

        Raises:
            BrowserMissingError: no usable Chromium is installed.
        """
        if self._pipeline.settings.render:
            from asyncio import Queue  # slow to import

            from vclean.render.browser.renderer import AsyncRenderer

            settings, network = self._pipeline.settings.rendering, self._pipeline.settings.network == "public"
            self._idle_renderers = Queue()
            for _ in range(self._browsers):
                renderer = AsyncRenderer(settings, network=network)
                await self._stack.enter_async_context(renderer)
                self._idle_renderers.put_nowait(renderer)
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close the browsers."""
        self._idle_renderers = None
        await self._stack.aclose()

    async def clean(self, html: Document, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean one page; arguments, return value and errors as for `vclean.clean`."""
        return await self._run(lambda: self._pipeline.to_page(html, url), screenshot=screenshot)

    async def clean_file(self, path: Path | str, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean the page in a file; arguments, return value and errors as for `vclean.clean_file`."""
        return await self.clean(Path(path), url=url, screenshot=screenshot)

    async def clean_url(self, url: str, *, screenshot: bool = False) -> Result:
        """Fetch and clean the page at a URL; arguments, return value and errors as for `vclean.clean_url`."""
        return await self._run(lambda: self._pipeline.page_from_url(url), screenshot=screenshot)

    async def _run(self, find_page: Callable[[], Page], *, screenshot: bool) -> Result:
        from asyncio import to_thread

        page = await to_thread(find_page)
        parsed = await to_thread(self._pipeline.run_parsed, page, screenshot=screenshot)
        if parsed and not parsed.render_reason:
            return parsed
        rendering = await self._read(page, screenshot=screenshot)
        return await to_thread(self._pipeline.run_rendering, rendering, page, parsed=parsed)

    async def _read(self, page: Page, *, screenshot: bool) -> Rendering:
        from asyncio import to_thread

        renderers = self._idle_renderers
        if renderers is None or page.snapshot is not None:
            return await to_thread(self._pipeline.read, page, screenshot=screenshot)
        renderer = await renderers.get()
        try:
            return await renderer.render(page, screenshot=screenshot)
        finally:
            renderers.put_nowait(renderer)


def segment(
    html: Document,
    *,
    pdoc: int = DEFAULT_PDOC,
    url: str = "",
    method: str = "vips",
    settings: RenderSettings | None = None,
    hidden: HiddenPolicy = "revealable",
) -> Segments:
    """Render one page and split it into segments; for several pages, a `Segmenter` reuses the browser.

    Args:
        html: HTML as a string or bytes, a file as a `Path`, or a `Page`; a string is never a path or a URL.
        pdoc: the permitted degree of coherence (PDoC): from 1, the page as one segment, to 11, the smallest segments.
        url: the URL of the page, if known.
        method: the name of the segmenter: `vips`, `learned`, or the path of a trained model.
        settings: options of rendering, and limits of a page.
        hidden: which hidden texts are in segments, as in `Policy`: "drop", "revealable" or "keep".

    Returns:
        The segments as a tree, with their boxes in CSS px.

    Raises:
        UsageError: the method does not exist, or `pdoc` is out of range.
        VcleanError: the page could not be rendered; one of the subclasses in `vclean.errors`.

    >>> segments = segment("<h1>Rain</h1><p>It rained.", pdoc=7)  # doctest: +SKIP
    """
    with Segmenter(method=method, settings=settings, hidden=hidden) as segmenter:
        return segmenter.segment(html, url=url, pdoc=pdoc)


def segment_file(
    path: Path | str,
    *,
    pdoc: int = DEFAULT_PDOC,
    url: str = "",
    method: str = "vips",
    settings: RenderSettings | None = None,
    hidden: HiddenPolicy = "revealable",
) -> Segments:
    """Render the page in a file and split it into segments.

    Args:
        path: the path of an HTML or MHTML file.
        pdoc: the permitted degree of coherence, 1 to 11.
        url: the URL of the page, if known.
        method: the name of the segmenter.
        settings: options of rendering, and limits of a page.
        hidden: which hidden texts are in segments, as in `Policy`: "drop", "revealable" or "keep".

    Returns:
        The segments as a tree, with their boxes in CSS px.

    Raises:
        InputError: the file is missing or unreadable.
        VcleanError: as for `segment`.

    >>> segments = segment_file("page.html", pdoc=7)  # doctest: +SKIP
    """
    return segment(Path(path), pdoc=pdoc, url=url, method=method, settings=settings, hidden=hidden)


def segment_url(
    url: str,
    *,
    pdoc: int = DEFAULT_PDOC,
    method: str = "vips",
    settings: RenderSettings | None = None,
    hidden: HiddenPolicy = "revealable",
) -> Segments:
    """Render the page at an http(s) URL and split it into segments.

    Args:
        url: the URL of the page.
        pdoc: the permitted degree of coherence, 1 to 11.
        method: the name of the segmenter.
        settings: options of rendering, and limits of a page.
        hidden: which hidden texts are in segments, as in `Policy`: "drop", "revealable" or "keep".

    Returns:
        The segments as a tree, with their boxes in CSS px.

    Raises:
        UsageError: `url` is not an http(s) URL.
        NetworkError: the page cannot be fetched.
        VcleanError: as for `segment`.

    >>> segments = segment_url("https://example.org/")  # doctest: +SKIP
    """
    with Segmenter(method=method, settings=settings, hidden=hidden) as segmenter:
        return segmenter.segment_url(url, pdoc=pdoc)


class Segmenter(KeepsBrowser):
    """Segmenter of pages, with one browser for all pages.

    A context manager for use from one thread: the browser is closed at the end of the `with` block.

    Args:
        method: the name of the segmenter: `vips`, `learned`, or the path of a trained model.
        settings: options of rendering, and limits of a page.
        hidden: which hidden texts are in segments, as in `Policy`: "drop", "revealable" or "keep".

    Raises:
        UsageError: the method does not exist, or `hidden` is unknown.

    >>> with Segmenter() as segmenter:  # doctest: +SKIP
    ...     segments = segmenter.segment("<h1>Rain</h1><p>It rained.", pdoc=7)
    """

    def __init__(
        self, *, method: str = "vips", settings: RenderSettings | None = None, hidden: HiddenPolicy = "revealable"
    ) -> None:
        from vclean.classify.content.model import load
        from vclean.classify.segments.model import get

        self._segment, self._model = get(method), load()
        settings = settings or RenderSettings()
        self._pipeline = Pipeline(CleanerSettings(render=True, rendering=settings, policy=Policy(hidden=hidden)))

    def segment(self, html: Document, *, url: str = "", pdoc: int = DEFAULT_PDOC) -> Segments:
        """Split one page into segments; arguments, return value and errors as for `vclean.segment`."""
        return self.run(self._pipeline.to_page(html, url), pdoc=pdoc)[0]

    def segment_file(self, path: Path | str, *, url: str = "", pdoc: int = DEFAULT_PDOC) -> Segments:
        """Split the page in a file into segments; arguments, return value and errors as for `vclean.segment_file`."""
        return self.segment(Path(path), url=url, pdoc=pdoc)

    def segment_url(self, url: str, *, pdoc: int = DEFAULT_PDOC) -> Segments:
        """Split the page at a URL into segments; arguments, return value and errors as for `vclean.segment_url`."""
        return self.run(self._pipeline.page_from_url(url), pdoc=pdoc)[0]

    def run(self, page: Page, *, pdoc: int = DEFAULT_PDOC, screenshot: bool = False) -> tuple[Segments, bytes]:
        """Split one page into segments; return them, and the screenshot, which is empty if not requested.

        Hidden texts are those of the blocks: the page is split as if they painted nothing.

        Args:
            page: the page to split.
            pdoc: the permitted degree of coherence: from 1, the page as one segment, to 11.
            screenshot: whether to take a screenshot as well.

        Raises:
            UsageError: `pdoc` is out of range, or a screenshot of a stored snapshot is requested.
            VcleanError: the page could not be rendered or split; one of the subclasses in `vclean.errors`.
        """
        from vclean.classify.segments.model import describe
        from vclean.features.blocks import extract_blocks

        settings, rendering = self._pipeline.settings, self._pipeline.read(page, screenshot=screenshot)
        snapshot = rendering.snapshot
        with deadline(settings.rendering.deadline):
            blocks = extract_blocks(snapshot)
            is_hidden = np.append(blocks.visibility > settings.policy.most_hidden, np.False_)[blocks.line_block]
            lines = {name: getattr(snapshot, name)[~is_hidden] for name in ("line_text", "line_box")}
            segments = describe(self._segment(replace(snapshot, **lines)), blocks, self._model.label(blocks))
            return replace(segments.at(pdoc), id=page.id), rendering.screenshot or b""
