"""Run the stages from a page to its result: read the page, extract its blocks, label them.

The API, the command line, the farm and the labelling server all use `Pipeline`. Each stage is a separate method: a
caller can time the stages, keep the snapshot, or explain selected pages only.

With `render="auto"`, a page is parsed first. Parsing takes a fraction of the time of rendering, and most pages have the
same content both ways. A page is rendered if it has no content without a browser, if scripts are run and make most of
it, if its style sheets may hide text, or if the model is not sure of the parsed page.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from vclean import __version__
from vclean.errors import UsageError
from vclean.input.sources import find_sources, is_url, read_file, with_url
from vclean.labels import Label
from vclean.page import Page
from vclean.render.rendered_page import Rendering
from vclean.runtime import deadline
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from vclean.classify.content.model import Model
    from vclean.classify.content.site_evidence import SiteEvidence, SitePages
    from vclean.classify.explain.reasons import Explanation
    from vclean.classify.methods import Method
    from vclean.classify.methods.template import Templates
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.output.source_positions import SourcePosition
    from vclean.render.browser.renderer import Renderer
    from vclean.result import Result
    from vclean.settings import CleanerSettings

    Timer = Callable[[str], AbstractContextManager[object]]
    """Function from the name of a stage (`render`, `extract` or `label`) to a context in which the stage runs."""

MIN_CONFIDENCE: Final = 0.75
"""Confidence of a parsed page below which it is rendered; see docs/guides/farm.md for what other values cost."""
FEW_WORDS: Final = 100
"""Words of content up to which the scripts of a page are expected to make the rest."""
_MAX_STYLES: Final = 1 << 20
"""Characters or bytes of a page that are searched for style sheets."""

_SHEET: Final = re.compile(r"<style\b[^>]*>(.*?)</style", re.DOTALL | re.IGNORECASE)
_HIDES: Final = re.compile(
    r"(?<![\w-])(?:display\s*:\s*none|(?:visibility|opacity|position|overflow|clip|transform|translate|scale|rotate|zoom"
    r"|text-indent|letter-spacing|filter|mask|mix-blend-mode|color)(?:-path|-image)?\s*:)",
    re.IGNORECASE,
)
"""Declarations by which text can be hidden; whether it is depends on their values, other rules and the layout."""


def reason_to_render(page: Page, parsed: Result, *, scripts: bool) -> str:
    """Return why a page has to be rendered: "empty", "scripts", "styles", "confidence"; empty if parsing it suffices.

    Args:
        page: the page.
        parsed: the result of the page, read without a browser.
        scripts: whether rendering would always run the scripts of the page.
    """
    head = page.content[:_MAX_STYLES]
    text = head if isinstance(head, str) else head.decode("latin-1")  # enough to find ASCII
    if not parsed.content_count:
        return "empty"
    if scripts and len(parsed.content.text.split()) <= FEW_WORDS and "<script" in text.lower():
        return "scripts"
    if any(_HIDES.search(sheet[1]) for sheet in _SHEET.finditer(text)):
        return "styles"
    return "confidence" if parsed.confidence < MIN_CONFIDENCE else ""


def changed_share(parsed: Result, rendered: Result) -> float:
    """Return the share of words that differ between the texts of two results, 0 to 1: one minus their word F1."""
    first, second = (Counter(result.to_text().split()) for result in (parsed, rendered))
    total = first.total() + second.total()
    return 1 - 2 * (first & second).total() / total if total else 0.0


Document = Page | Path | str | bytes
"""Page argument: HTML as a string or bytes, a file as a `Path`, or a `Page`. A string is always HTML."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnlabelledPage:
    """Blocks of a page, before they are labelled.

    Attributes:
        id: the name of the page.
        columns: the blocks, with the snapshot of the page.
        screenshot: the screenshot of the page as PNG or JPEG; empty if not requested.
        positions: for each block, the position of its text in the source of the page; empty if not requested.
    """

    id: str
    columns: BlockColumns
    screenshot: bytes = b""
    positions: Sequence[SourcePosition | None] = ()


class Pipeline:
    """Stages that clean a page: reading by rendering or parsing, extraction of blocks, labelling.

    A context manager for use from one thread: the browser is closed at the end of the `with` block. The deadline of the
    settings applies to each stage.

    Attributes:
        settings: the settings that determine the result of a page.
        versions: the versions of vclean and of the model, by name.

    Args:
        settings: as above.
        loads: whether to load the method now; else `load` has to be called before a page is labelled.

    Raises:
        UsageError: the method does not exist, or it accepts no policy.
        ModelError: the model file is missing, damaged or of another version.
        InputError: a template is missing or wrong.
        ExtraMissingError: the method needs a library that is not installed.
    """

    def __init__(self, settings: CleanerSettings, *, loads: bool = True) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._renderer: Renderer | None = None
        if loads:
            self.load()

    def load(self) -> None:
        """Load the method, its model and the templates; the errors are those of the class."""
        settings, self.versions = self.settings, {"vclean": __version__}
        self._model: Model | None = None
        self._templates: Templates | None = None
        if settings.method == "vclean":
            from vclean.classify.content.model import load

            self._model = load(settings.model)
            self.versions["model"] = self._model.version
        else:
            from vclean.classify.methods import get

            self._method = get(settings.method, settings.model)
            if settings.policy != Policy(hidden=settings.policy.hidden):
                raise UsageError(f"the method {settings.method} accepts no policy of content: use the method vclean")
        if settings.templates:
            from vclean.classify.methods.template import Templates

            self._templates = Templates(settings.templates)

    def __enter__(self) -> Self:
        """Prepare the browser if pages are rendered.

        Raises:
            BrowserMissingError: no usable Chromium is installed.
        """
        if self.settings.render:
            from vclean.render.browser.renderer import Renderer

            renderer = Renderer(self.settings.rendering, network=self.settings.network == "public")
            self._renderer = renderer.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the browser."""
        if self._renderer is not None:
            self._renderer.__exit__(*exception)
        self._renderer = None

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
            return read_file(document, self.settings.rendering.max_bytes, url=url)
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
        return next(find_sources(url, self.settings.rendering, live=bool(self.settings.render))).read()

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
        if page.snapshot is not None:
            from vclean.render.cache import from_bytes

            if screenshot:
                raise UsageError("a stored snapshot has no screenshot: name the page itself, or request no screenshot")
            return Rendering(from_bytes(page.snapshot))
        if not self.settings.render and not screenshot:
            return self._parse(page)[1]
        if self._renderer is None:
            raise UsageError("pages are rendered in a with block only, such as `with Cleaner(render=True) as cleaner:`")
        return self._renderer.render(page, screenshot=screenshot)

    def _parse(self, page: Page) -> tuple[Page, Rendering]:
        """Parse a page without a browser, and return its document too: a live page is fetched."""
        from vclean.render.static.parse import parse

        if page.live:
            from vclean.render.fetch import fetch

            page = fetch(page.url, self.settings.rendering)
        with deadline(self.settings.rendering.deadline):
            return page, Rendering(parse(page, self.settings.rendering))

    def run(self, page: Page, *, screenshot: bool = False, timer: Timer = nullcontext) -> Result:
        """Clean one page.

        Args:
            page: the page to clean.
            screenshot: whether to take a screenshot of the whole page, up to a maximum height, for `Result.screenshot`.
            timer: called with the name of each stage; the stage runs in the context that it returns.

        Raises:
            VcleanError: the page could not be read or labelled; one of the subclasses in `vclean.errors`.
        """
        parsed = self.run_parsed(page, screenshot=screenshot, timer=timer)
        if parsed and not parsed.render_reason:
            return parsed
        with timer("render"):
            rendering = self.read(page, screenshot=screenshot)
        return self.run_rendering(rendering, page, parsed=parsed, timer=timer)

    def run_parsed(self, page: Page, *, screenshot: bool = False, timer: Timer = nullcontext) -> Result | None:
        """Clean a page without a browser, if it may suffice: with `render="auto"`; arguments and errors as for `run`.

        The `render_reason` of the result is the reason to render the page nevertheless.
        """
        if self.settings.render != "auto" or page.snapshot is not None or screenshot:
            return None
        with timer("render"):
            document, rendering = self._parse(page)
        parsed = self.run_rendering(rendering, page, timer=timer)
        scripts = self.settings.rendering.scripts == "on"
        return replace(parsed, render_reason=reason_to_render(document, parsed, scripts=scripts))

    def run_rendering(
        self, rendering: Rendering, page: Page, *, parsed: Result | None = None, timer: Timer = nullcontext
    ) -> Result:
        """Clean a page that was read: `run` without its first stage. Of several threads, one works at a time.

        Args:
            rendering: what was read.
            page: the page.
            parsed: the result of `run_parsed`, if it gave the reason for this rendering.
            timer: as for `run`.

        Raises:
            VcleanError: the page could not be labelled.
        """
        with self._lock:
            with timer("extract"):
                blocks = self.extract_blocks(rendering, page)
            with timer("label"):
                result = self.label(blocks)
        if parsed is None:
            return result
        return replace(result, render_reason=parsed.render_reason, render_change=changed_share(parsed, result))

    def read_blocks(self, page: Page, *, screenshot: bool = False) -> UnlabelledPage:
        """Read a page and extract its blocks: `run` without its last stage, with the same arguments and errors."""
        return self.extract_blocks(self.read(page, screenshot=screenshot), page)

    def extract_blocks(self, rendering: Rendering, page: Page) -> UnlabelledPage:
        """Extract the blocks of a page from its snapshot; find their positions in the source if `explain` is set.

        Raises:
            DeadlineError: a step took longer than the deadline of the settings.
        """
        from vclean.features.blocks import extract_blocks

        settings, screenshot = self.settings.rendering, rendering.screenshot or b""
        with deadline(settings.deadline):
            columns = extract_blocks(rendering.snapshot, ruby=self.settings.policy.ruby)
            blocks = UnlabelledPage(id=page.id, columns=columns, screenshot=screenshot)
        if not self.settings.explain:
            return blocks
        from vclean.output.source_positions import find_positions

        with deadline(settings.deadline):
            return replace(blocks, positions=find_positions(page, blocks.columns, settings.max_bytes))

    def label(
        self,
        blocks: UnlabelledPage,
        *,
        evidence: SiteEvidence | None = None,
        explain: bool | None = None,
    ) -> Result:
        """Label the blocks of a page.

        Args:
            blocks: a result of `read_blocks` or `extract_blocks`.
            evidence: the evidence of `sites` on the blocks, for methods with a model.
            explain: whether to give the reasons; None for the value in the settings.

        Raises:
            DeadlineError: a step took longer than the deadline of the settings.
        """
        from vclean.result import Result

        columns = blocks.columns
        with deadline(self.settings.rendering.deadline):
            template = self._templates.for_url(columns.snapshot.url) if self._templates else None
            prediction = self._predict(columns, template, evidence)
            method = "template" if template else self.settings.method
        explains = self.settings.explain if explain is None else explain
        return Result(
            columns=columns,
            prediction=prediction,
            method=method,
            versions=self.versions,
            id=blocks.id,
            screenshot=blocks.screenshot,
            explanation=self._explain(columns, prediction, method) if explains else None,
            positions=blocks.positions,
        )

    def sites(self) -> SitePages[Any]:
        """Return a store for blocks of pages; it compares the pages of each site before they are labelled.

        Raises:
            UsageError: the method does not support comparing the pages of a site.
        """
        from vclean.classify.content.site_evidence import SitePages

        if self._model is None:
            method = self.settings.method
            raise UsageError(f"the method {method} cannot compare the pages of a site: use the method vclean")
        return SitePages()

    def _predict(self, columns: BlockColumns, template: Method | None, evidence: SiteEvidence | None) -> Prediction:
        """Label the blocks of a page by its template, else by the method of the settings.

        The model itself labels blocks as other that are too hidden to be content, and those of overlays.
        """
        if self._model is not None and template is None:
            return self._model.label(columns, evidence=evidence, policy=self.settings.policy)
        prediction = (template or self._method)(columns)
        excluded = columns.is_excluded(self.settings.policy).tolist()
        pairs = zip(prediction.labels, excluded, strict=True)
        return replace(prediction, labels=[Label.OTHER if out else label for label, out in pairs])

    def _explain(self, columns: BlockColumns, prediction: Prediction, method: str) -> Explanation:
        from vclean.classify.explain.reasons import explain, placeholder_explanation

        if self._model is None or prediction.decision is None:
            return placeholder_explanation(method, len(columns))
        with deadline(self.settings.rendering.deadline):
            return explain(self._model, columns, prediction)


class KeepsBrowser:
    """Context manager that keeps the browser of a pipeline open between pages."""

    _pipeline: Pipeline

    def __enter__(self) -> Self:
        """Prepare the browser if pages are rendered.

        Raises:
            BrowserMissingError: no usable Chromium is installed.
        """
        self._pipeline.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the browser."""
        self._pipeline.__exit__(*exception)
