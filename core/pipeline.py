"""The one path from a page to its result: read, segment into blocks, label; with one browser and one model for many.

`Pipeline` is what the API, the command line, the farm and the labelling server run. Its stages are separate methods, so
that a caller can time them, keep the snapshot between two of them, or explain some pages only.
"""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from vclean.errors import UsageError
from vclean.input.sources import at_url, find, is_url, read_file
from vclean.page import Page
from vclean.settings import PDOC, Policy, RenderSettings
from vclean.timeouts import deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.content.site_evidence import SitePages
    from vclean.classify.explain.reasons import Explanation
    from vclean.classify.methods import Method
    from vclean.classify.methods.template import Templates
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments
    from vclean.labels import Label
    from vclean.output.source_positions import SourcePosition
    from vclean.render.browser.renderer import Renderer
    from vclean.render.rendered_page import Rendering
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result
    from vclean.settings import CleanerSettings

    Timer = Callable[[str], AbstractContextManager[object]]
    """Gives a context for a stage: `render`, `extract` (of blocks) or `label`."""

Document = Page | Path | str | bytes
"""A page in code: HTML as a string or as bytes, a file as a `Path`, or a `Page`. A string is always HTML."""

MODEL_METHOD: Final = "vclean"
"""The one method that has a model, whose version belongs in its results."""

_LANGUAGE_SAMPLE: Final = 200
"""Characters from which on the content alone is enough to detect the language."""


def as_page(document: Document, *, url: str = "", max_bytes: int) -> Page:
    """Return the page that a document stands for.

    Args:
        document: HTML as a string or as bytes, the path of a file, or a page.
        url: the address the page came from; it overrides the page's own.
        max_bytes: cap on the size of a file.

    Raises:
        InputError: the file is missing or unreadable.
        LimitError: it is over `max_bytes`.
    """
    if isinstance(document, Page):
        return at_url(document, url) if url else document
    if isinstance(document, Path):
        return read_file(document, max_bytes, url=url)
    return Page(content=document, url=url)


class PageReader:
    """Read pages, rendered or parsed; a context manager, whose browser lives as long as its block.

    Attributes:
        settings: how pages are rendered, and the limits of a page.
        renders: whether they are rendered.

    Args:
        settings: see there.
        render: see `renders`.
        network: load subresources that a rendered page's own resources do not hold from public addresses.
    """

    def __init__(self, settings: RenderSettings, *, render: bool, network: bool = False) -> None:
        self.settings = settings
        self.renders = render
        self._network = network
        self._renderer: Renderer | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Make the browser ready if pages are to be rendered.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        if self.renders:
            from vclean.render.browser.renderer import Renderer

            self._renderer = self._stack.enter_context(Renderer(self.settings, network=self._network))
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self._renderer = None
        self._stack.close()

    def prepare(self, *, live: bool = False, screenshot: bool = False) -> None:
        """Start the browser if pages are rendered: for a first page that is live, or whose screenshot is wanted."""
        if self._renderer is not None:
            self._renderer.prepare(live=live, screenshot=screenshot)

    def page(self, document: Document, url: str = "") -> Page:
        """Return the page that a document stands for; errors as for `as_page`."""
        return as_page(document, url=url, max_bytes=self.settings.max_bytes)

    def page_at(self, url: str) -> Page:
        """Return the page at an address; if pages are rendered, the browser loads it later.

        Raises:
            UsageError: it is no http(s) address.
            NetworkError: it cannot be fetched.
        """
        if not is_url(url):
            raise UsageError(f"{url!r} is no address of a page: it has to begin with http:// or https://")
        return next(find(url, self.settings, live=self.renders)).read()

    def read(self, page: Page, *, screenshot: bool = False) -> Rendering:
        """Read a page: render it, parse it, or unpack its stored snapshot.

        Raises:
            UsageError: there is no browser to render with, or the screenshot of a stored snapshot is asked for.
            VcleanError: the page cannot be read.
        """
        from vclean.render.rendered_page import Rendering

        if page.snapshot is not None:
            return Rendering(_unpacked(page.snapshot, screenshot=screenshot))
        if not self.renders and not screenshot:
            document = self._fetched(page) if page.live else page
            with deadline(self.settings.deadline):
                return Rendering(self._parsed(document))
        if self._renderer is None:
            raise UsageError("pages are rendered in a with block only, such as `with Cleaner(render=True) as cleaner:`")
        return self._renderer.render(page, screenshot=screenshot)

    def _fetched(self, page: Page) -> Page:
        from vclean.render.network.fetch import fetch

        return fetch(page.url, self.settings)

    def _parsed(self, page: Page) -> Snapshot:
        from vclean.render.static.parse import parse

        return parse(page, self.settings)


def _unpacked(snapshot: bytes, *, screenshot: bool) -> Snapshot:
    from vclean.render.storage.cache import from_bytes

    if screenshot:
        raise UsageError("a stored snapshot has no picture: name the page itself, or ask for no picture of it")
    return from_bytes(snapshot)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnlabelledPage:
    """The blocks of a page, before they are labelled.

    Attributes:
        id: the page's name.
        columns: its blocks, with its snapshot.
        screenshot: of the page, or empty.
        positions: per block, where its text begins in the page's source; empty where that was not asked for.
    """

    id: str
    columns: BlockColumns
    screenshot: bytes = b""
    positions: Sequence[SourcePosition | None] = ()


def _untimed(_stage: str) -> AbstractContextManager[None]:
    return nullcontext()


class Pipeline:
    """Read pages, segment them into blocks and label these.

    A context manager, to be used from one thread: the browser lives as long as its block. Every stage has the deadline
    of the settings.

    Attributes:
        settings: what decides the result of a page.
        reader: reads the pages, the first stage.
        versions: of vclean and of the model, by name.

    Args:
        settings: see there.
        reader: in place of one made from the settings; its maker opens and closes it.

    Raises:
        UsageError: there is no such method, or it takes no policy.
        ModelError: the model file is missing, damaged or of another version.
        InputError: a template is missing or wrong.
        ExtraMissingError: the method needs a library that is not installed.
    """

    def __init__(self, settings: CleanerSettings, *, reader: PageReader | None = None) -> None:
        self.settings = settings
        network = settings.network == "public"
        self.reader = reader or PageReader(settings.rendering, render=settings.render, network=network)
        self._method, self._model, self.versions = _load(settings.method, settings.model)
        self._templates = _load_templates(settings.templates) if settings.templates else None
        if self._model is None and settings.policy != Policy():
            method = settings.method
            raise UsageError(f"the method {method} cannot be told what counts as content: use the method vclean")

    def __enter__(self) -> Self:
        """Make the browser ready if pages are to be rendered.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        self.reader.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self.reader.__exit__(*exception)

    def run(self, page: Page, *, screenshot: bool = False, timed: Timer = _untimed) -> Result:
        """Clean one page.

        Args:
            page: what to clean.
            screenshot: take a screenshot of the whole page, to a cap, for `Result.screenshot`.
            timed: called with the name of each stage; the stage runs in the context it returns.

        Raises:
            VcleanError: by what went wrong.
        """
        blocks = self.read_blocks(page, screenshot=screenshot, timed=timed)
        with timed("label"):
            return self.label(blocks)

    def read_blocks(self, page: Page, *, screenshot: bool = False, timed: Timer = _untimed) -> UnlabelledPage:
        """Read a page and segment it into blocks: `run` without its last stage; arguments and errors as there."""
        with timed("render"):
            rendering = self.reader.read(page, screenshot=screenshot)
        with timed("extract"):
            return self.extract_blocks(rendering, page)

    def extract_blocks(self, rendering: Rendering, page: Page) -> UnlabelledPage:
        """Segment a page that was read into blocks, and find these in its source if the settings ask for reasons.

        Raises:
            DeadlineError: it took too long.
        """
        from vclean.features.blocks import extract_blocks

        settings, screenshot = self.reader.settings, rendering.screenshot or b""
        with deadline(settings.deadline):
            blocks = UnlabelledPage(id=page.id, columns=extract_blocks(rendering.snapshot), screenshot=screenshot)
        if not self.settings.explain:
            return blocks
        from vclean.output.source_positions import find_positions

        with deadline(settings.deadline):
            return replace(blocks, positions=find_positions(page, blocks.columns, settings.max_bytes))

    def label(
        self,
        blocks: UnlabelledPage,
        *,
        evidence: NDArray[np.float32] | None = None,
        explain: bool | None = None,
    ) -> Result:
        """Label the blocks of a page.

        Args:
            blocks: of `read_blocks` or `extract_blocks`.
            evidence: float32 (B,), what `sites` gives on them, for methods with a model.
            explain: give the reasons; None for what the settings say.

        Raises:
            DeadlineError: it took too long.
        """
        from vclean.features.text.language import detect
        from vclean.result import Result

        columns = blocks.columns
        with deadline(self.reader.settings.deadline):
            template = self._templates.for_url(columns.snapshot.url) if self._templates else None
            prediction = template(columns) if template else self._predict(columns, evidence)
            language = detect(_language_sample(columns.text, prediction.labels), columns.snapshot.language)
            method = "template" if template else self.settings.method
        wanted = self.settings.explain if explain is None else explain
        return Result(
            columns=columns,
            prediction=prediction,
            method=method,
            versions=self.versions,
            language=language,
            id=blocks.id,
            screenshot=blocks.screenshot,
            explanation=self._explain(columns, prediction, method) if wanted else None,
            positions=blocks.positions,
        )

    def sites(self) -> SitePages[Any]:
        """Return a store for the blocks of pages that are to be compared by site before they are labelled.

        Raises:
            UsageError: the method cannot take into account what the pages of a site repeat.
        """
        from vclean.classify.content.site_evidence import SitePages

        if self._model is None:
            method = self.settings.method
            raise UsageError(f"the method {method} cannot compare the pages of a site: use the method vclean")
        return SitePages()

    def _predict(self, columns: BlockColumns, evidence: NDArray[np.float32] | None) -> Prediction:
        if self._model is None:
            return self._method(columns)
        return self._model.label(columns, evidence=evidence, policy=self.settings.policy)

    def _explain(self, columns: BlockColumns, prediction: Prediction, method: str) -> Explanation:
        from vclean.classify.explain.reasons import explain, placeholder_explanation

        if self._model is None or prediction.decision is None:
            return placeholder_explanation(method, len(columns))
        with deadline(self.reader.settings.deadline):
            return explain(self._model, columns, prediction)


def _language_sample(texts: Sequence[str], labels: Sequence[Label]) -> str:
    """Return the text to detect the language from: the content, for menus mislead; all text if there is little."""
    from vclean.output.text import to_text

    content = to_text(texts, labels)
    return content if len(content) >= _LANGUAGE_SAMPLE else " ".join(texts)


def _load_templates(folder: Path) -> Templates:
    from vclean.classify.methods.template import Templates

    return Templates.from_folder(folder)


def _load(name: str, model: Path | None) -> tuple[Method, Model | None, dict[str, str]]:
    """Return the method called `name`, its model if it has one, and the versions of what makes its decisions."""
    from importlib import metadata

    versions = {"vclean": metadata.version("vclean")}
    if name != MODEL_METHOD:
        from vclean.classify.methods import get

        return get(name, model), None, versions
    from vclean.classify.content.model import load

    loaded = load(model)
    return loaded.label, loaded, {**versions, "model": loaded.version}


class SegmentedPage(NamedTuple):
    """The segments of a page, and its screenshot, or `b""` where none was asked for."""

    segments: Segments
    screenshot: bytes


class SegmentPipeline:
    """Render pages and split them into segments.

    A context manager, to be used from one thread: the browser lives as long as its block.

    Attributes:
        reader: reads the pages, the first stage.

    Args:
        method: the name of what splits them.
        settings: how to render, and the limits of a page.

    Raises:
        UsageError: there is no such method.
    """

    def __init__(self, method: str = "vips", settings: RenderSettings | None = None) -> None:
        from vclean.classify.segments.registry import get

        self._segment = get(method)
        self.reader = PageReader(settings or RenderSettings(), render=True)

    def __enter__(self) -> Self:
        """Make the browser ready.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        self.reader.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self.reader.__exit__(*exception)

    def run(self, page: Page, *, pdoc: int = PDOC, screenshot: bool = False) -> SegmentedPage:
        """Split one page into segments.

        Args:
            page: what to split.
            pdoc: the permitted degree of coherence, from 1, the page as one segment, to 11.
            screenshot: take a screenshot, too.

        Raises:
            UsageError: the degree is out of range, or the screenshot of a stored snapshot is asked for.
            VcleanError: by what went wrong.
        """
        rendering = self.reader.read(page, screenshot=screenshot)
        with deadline(self.reader.settings.deadline):
            segments = replace(self._segment(rendering.snapshot).at(pdoc), id=page.id)
        return SegmentedPage(segments, rendering.screenshot or b"")
