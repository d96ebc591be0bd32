"""The public functions and classes: `clean` for one page, `Cleaner` for many, `segment` and `Segmenter` likewise.

A string is always HTML: `clean_file` takes a path, `clean_url` an address.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from vclean.errors import VcleanError
from vclean.page import Page
from vclean.pipeline import Pipeline, SegmentPipeline
from vclean.settings import PDOC, CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Unpack

    from vclean.features.segments.segments import Segments
    from vclean.pipeline import Document
    from vclean.result import Result
    from vclean.settings import CleanerOptions, RenderSettings


def clean(html: Document, *, url: str = "", screenshot: bool = False, **options: Unpack[CleanerOptions]) -> Result:
    r"""Clean one page; for several, a `Cleaner` keeps the browser and the model.

    Args:
        html: HTML as a string or as bytes, a file as a `Path`, or a `Page`; a string is never a path or an address.
        url: the address the page came from, if known; relative links resolve against it.
        screenshot: take a screenshot of the page, for `Result.screenshot`; needs `render`.
        options: the fields of `CleanerSettings`, such as `render=True`.

    Raises:
        UsageError: an option is wrong, or a screenshot is asked for without rendering.
        VcleanError: another of its subclasses in `vclean.errors`, by what went wrong.

    >>> clean("<h1>Rain</h1><p>It rained.", method="text").to_text()
    'Rain\n\nIt rained.\n'
    """
    with Cleaner(**options) as cleaner:
        return cleaner.clean(html, url=url, screenshot=screenshot)


def clean_file(
    path: Path | str, *, url: str = "", screenshot: bool = False, **options: Unpack[CleanerOptions]
) -> Result:
    """Clean the page in an HTML or MHTML file, with what a browser saved beside it; otherwise as `clean`.

    Raises:
        InputError: the file is missing or unreadable.
        VcleanError: as `clean`.
    """
    with Cleaner(**options) as cleaner:
        return cleaner.clean_file(path, url=url, screenshot=screenshot)


def clean_url(url: str, *, screenshot: bool = False, **options: Unpack[CleanerOptions]) -> Result:
    """Clean the page at an http(s) address; otherwise as `clean`.

    Raises:
        UsageError: it is no such address.
        NetworkError: the page cannot be fetched.
        VcleanError: as `clean`.
    """
    with Cleaner(**options) as cleaner:
        return cleaner.clean_url(url, screenshot=screenshot)


class Cleaner:
    """Clean pages, with one browser and one model for all of them.

    A context manager, to be used from one thread: the browser lives as long as its block.

    Args:
        settings: what decides the result of a page.
        options: fields of the settings that differ from `settings`, such as `render=True`.

    Raises:
        UsageError: there is no such method, or it takes no policy.
        ModelError: the model file is missing, damaged or of another version.
        InputError: a template is missing or wrong.
        ExtraMissingError: the method needs a library that is not installed.
    """

    def __init__(self, settings: CleanerSettings | None = None, **options: Unpack[CleanerOptions]) -> None:
        self._pipeline = Pipeline((settings or CleanerSettings()).replace(**options))

    def __enter__(self) -> Self:
        """Make the browser ready if pages are to be rendered.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        self._pipeline.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self._pipeline.__exit__(*exception)

    def clean(self, html: Document, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean one page; see `vclean.clean`."""
        return self._pipeline.run(self._pipeline.reader.page(html, url), screenshot=screenshot)

    def clean_file(self, path: Path | str, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean the page in a file; see `vclean.clean_file`."""
        return self.clean(Path(path), url=url, screenshot=screenshot)

    def clean_url(self, url: str, *, screenshot: bool = False) -> Result:
        """Clean the page at an address; see `vclean.clean_url`."""
        return self._pipeline.run(self._pipeline.reader.page_at(url), screenshot=screenshot)

    def clean_many(
        self,
        pages: Iterable[Document],
        *,
        same_site: bool = False,
        on_error: Callable[[Document, VcleanError], None] | None = None,
    ) -> Iterator[Result]:
        """Clean pages one after the other, in their order.

        Args:
            pages: read as they are needed: HTML as a string or as bytes, a file as a `Path`, or a `Page`, for instance
                `Page(url="https://example.org/", live=True)`.
            same_site: compare the pages of each host, those without a URL with each other: what they repeat is
                rarely content. All pages are read before the first result; they wait on disk (see
                `vclean.classify.content.site_evidence`).
            on_error: called with a page that failed, which then has no result; without it the error is raised.

        Raises:
            UsageError: pages are to be compared, and the method cannot take that into account.
        """
        if same_site:
            yield from self._clean_sites(pages, on_error or _fail)
            return
        for page in pages:
            try:
                result = self.clean(page)
            except VcleanError as error:
                (on_error or _fail)(page, error)
            else:
                yield result

    def _clean_sites(
        self, pages: Iterable[Document], on_error: Callable[[Document, VcleanError], None]
    ) -> Iterator[Result]:
        with self._pipeline.sites() as sites:
            for page in pages:
                try:
                    blocks = self._pipeline.read_blocks(self._pipeline.reader.page(page))
                    sites.add(blocks.columns, blocks)
                except VcleanError as error:
                    on_error(page, error)
            for columns, blocks, evidence in sites:
                try:
                    result = self._pipeline.label(blocks, evidence=evidence)
                except VcleanError as error:
                    on_error(Page(url=columns.snapshot.url, id=blocks.id), error)
                else:
                    yield result


def _fail(_page: Document, error: VcleanError) -> None:
    raise error


def segment(
    html: Document,
    *,
    pdoc: int = PDOC,
    url: str = "",
    method: str = "vips",
    settings: RenderSettings | None = None,
) -> Segments:
    """Render one page and split it into segments; for several, a `Segmenter` keeps the browser.

    Args:
        html: HTML as a string or as bytes, a file as a `Path`, or a `Page`; a string is never a path or an address.
        pdoc: the permitted degree of coherence: from 1, the page as one segment, to 11.
        url: the address the page came from, if known.
        method: the name of what splits the page.
        settings: how to render, and the limits of a page.

    Raises:
        VcleanError: one of its subclasses in `vclean.errors`, by what went wrong.
    """
    with Segmenter(method=method, settings=settings) as segmenter:
        return segmenter.segment(html, url=url, pdoc=pdoc)


def segment_file(
    path: Path | str,
    *,
    pdoc: int = PDOC,
    url: str = "",
    method: str = "vips",
    settings: RenderSettings | None = None,
) -> Segments:
    """Render the page in a file and split it into segments; arguments and errors as for `segment`."""
    with Segmenter(method=method, settings=settings) as segmenter:
        return segmenter.segment_file(path, url=url, pdoc=pdoc)


def segment_url(
    url: str, *, pdoc: int = PDOC, method: str = "vips", settings: RenderSettings | None = None
) -> Segments:
    """Render the page at an http(s) address and split it into segments; arguments and errors as for `segment`."""
    with Segmenter(method=method, settings=settings) as segmenter:
        return segmenter.segment_url(url, pdoc=pdoc)


class Segmenter:
    """Split pages into segments, with one browser for all of them.

    A context manager, to be used from one thread: the browser lives as long as its block.

    Args:
        method: the name of what splits the pages.
        settings: how to render, and the limits of a page.

    Raises:
        UsageError: there is no such method.
    """

    def __init__(self, *, method: str = "vips", settings: RenderSettings | None = None) -> None:
        self._pipeline = SegmentPipeline(method, settings)

    def __enter__(self) -> Self:
        """Make the browser ready.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        self._pipeline.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self._pipeline.__exit__(*exception)

    def segment(self, html: Document, *, url: str = "", pdoc: int = PDOC) -> Segments:
        """Split one page; see `vclean.segment`."""
        return self._pipeline.run(self._pipeline.reader.page(html, url), pdoc=pdoc).segments

    def segment_file(self, path: Path | str, *, url: str = "", pdoc: int = PDOC) -> Segments:
        """Split the page in a file; see `vclean.segment_file`."""
        return self.segment(Path(path), url=url, pdoc=pdoc)

    def segment_url(self, url: str, *, pdoc: int = PDOC) -> Segments:
        """Split the page at an address; see `vclean.segment_url`."""
        return self._pipeline.run(self._pipeline.reader.page_at(url), pdoc=pdoc).segments
