"""Prepare pages for labelling: render and label them. Renderings and predictions are cached."""

from __future__ import annotations

import json
import math
from contextlib import ExitStack
from dataclasses import dataclass, fields
from functools import cache, cached_property, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError, UsageError
from vclean.features.blocks import block_names
from vclean.files import make_folder, write_atomic
from vclean.html_pages import asset, hash_policy, render_page
from vclean.input.sources import PREPARED_SUFFIX
from vclean.labelling.session import Annotation
from vclean.labels import PartKind
from vclean.output.overlay import to_overlay_page, to_overlay_parts
from vclean.page import Page
from vclean.pipeline import Pipeline
from vclean.render.browser.renderer import Renderer
from vclean.render.cache import RenderingCache, from_bytes, read_key, to_bytes
from vclean.render.overlay.html import OverlayPage, draw_html
from vclean.render.overlay.layers import PENS, ROLE_PENS
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from vclean.labelling.session import Answer
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result
    from vclean.settings import RenderSettings


_PACKAGE: Final = "vclean.labelling"


@cache
def frame_digest() -> str:
    """Return 16 hexadecimal digits that identify the HTML template: when it changes, pages are prepared again."""
    return sha256(page_document(OverlayPage(id="", url="", title="", width=1, height=1)).encode()).hexdigest()[:16]


def list_document(listing: Answer) -> str:
    """Return the list of pages, which its script keeps up to date, from `AnnotationSession.listing`."""
    scripts, styles = [asset(_PACKAGE, "list.js")], [asset("vclean", "page.css"), asset(_PACKAGE, "list.css")]
    policy = hash_policy(scripts, styles, same_origin=True)
    return render_page(
        _PACKAGE, "list.html", title="Pages to label – vclean", policy=policy, styles=styles, scripts=scripts, **listing
    )


def page_document(content: OverlayPage) -> str:
    """Return the HTML document for labelling a page. Its script requests earlier annotations from the server.

    Raises:
        OutputError: the screenshot cannot be read.
    """
    scripts, styles = [asset(_PACKAGE, "label.js")], [asset(_PACKAGE, "label.css")]
    parts = [kind for kind in PartKind if kind.is_annotated]
    labels = {label: pen.meaning.partition(",")[0] for label, pen in PENS.items()}
    choices = {"roles": _letters([role for role in ROLE_PENS if role != "none"]), "parts": _letters(parts)}
    tools = render_page(_PACKAGE, "tools.html", labels=labels, **choices)
    return draw_html(content, scripts=scripts, styles=styles, tools=tools, same_origin=True)


def _letters(values: Sequence[str]) -> dict[str, str]:
    """Return the key that chooses each value: its first letter that no earlier value uses, and 0 for no value."""
    keys: dict[str, str] = {}
    for value in values:
        keys[value] = next(letter for letter in value if letter not in keys.values())
    return keys | {"": "0"}


VERSION: Final = 1
"""Version of the file format."""


@dataclass(frozen=True, slots=True)
class GoldBlock:
    """Block with its annotation.

    Attributes:
        xpath, text: XPath and text of the block.
        annotation: its label, role and part.
        by_hand: whether the annotator set them; otherwise they are the prediction of the model.
        version: revision of the page in which its annotation last changed; 0 if it never did.
    """

    xpath: str
    text: str
    annotation: Annotation
    by_hand: bool = False
    version: int = 0


@dataclass(frozen=True, kw_only=True)
class AnnotatedPage:
    """Page with the annotations of its blocks, in document order.

    Attributes:
        id, url, title: of the page.
        content: SHA-256 of the document, hexadecimal.
        settings: digest of the render settings, hexadecimal.
        model: version of the model that made the first predictions.
        snapshots: keys of its stored snapshots, hexadecimal: `rendered`, and `parsed` if there is one.
        blocks: its blocks.
    """

    id: str
    url: str
    title: str
    content: str
    settings: str
    model: str
    snapshots: dict[str, str]
    blocks: list[GoldBlock]

    @property
    def texts(self) -> list[str]:
        """Return the texts of the blocks."""
        return [block.text for block in self.blocks]

    @cached_property
    def blocks_by_name(self) -> dict[str, GoldBlock]:
        """Return the blocks by their names: see `vclean.features.blocks.block_names`."""
        names = block_names([block.xpath for block in self.blocks], self.texts)
        return dict(zip(names, self.blocks, strict=True))


@dataclass(frozen=True, kw_only=True)
class PreparedPage(AnnotatedPage):
    """Page with the predictions of the model as annotations.

    Attributes:
        maker: identifies the model and the HTML template; the page is prepared again when they change.
        confidence: of the page, 0..1, or None.
    """

    maker: str
    confidence: float | None

    def to_json(self) -> str:
        """Return the page as one JSON object."""
        facts = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "blocks"}
        facts |= {"version": VERSION, "xpaths": [block.xpath for block in self.blocks], "texts": self.texts}
        facts["predicted"] = [block.annotation for block in self.blocks]
        return json.dumps(facts, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> PreparedPage | None:
        """Read a page that `to_json` wrote; None for another version.

        Raises:
            ValueError: it is damaged; or KeyError, TypeError, AttributeError.
        """
        facts: dict[str, Any] = json.loads(text)
        if facts.pop("version") != VERSION:
            return None
        predicted = map(Annotation.from_list, facts.pop("predicted"))
        blocks = list(map(GoldBlock, facts.pop("xpaths"), facts.pop("texts"), predicted))
        return cls(**facts, blocks=blocks)


def to_prepared_page(result: Result, *, maker: str, content: str, snapshots: dict[str, str]) -> PreparedPage:
    """Return the prepared page of a result."""
    snapshot = result.columns.snapshot
    parts = {part["block"]: part["kind"] for part in reversed(to_overlay_parts(result)) if part["kind"].is_annotated}
    predicted = [Annotation(block.label, block.role, parts.get(block.index)) for block in result.blocks]
    return PreparedPage(
        id=result.id,
        url=snapshot.url,
        title=snapshot.title,
        content=content,
        settings=settings_digest(snapshot.settings),
        model=result.versions.get("model", ""),
        maker=maker,
        snapshots=snapshots,
        confidence=float(result.confidence) if math.isfinite(result.confidence) else None,
        blocks=list(map(GoldBlock, result.columns.xpath, result.columns.text, predicted)),
    )


def settings_digest(settings: dict[str, float | bool]) -> str:
    """Return 16 hexadecimal digits that identify render settings."""
    return sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


SNAPSHOTS: Final = "snapshots"
PAGES: Final = "pages"

_HTML = ".html"
_EXPLAINED: Final = 500
"""Maximum number of blocks of a page whose reasons are computed: they take ten milliseconds for each block."""


class Preparer(ExitStack):
    """Prepare pages and store them in a folder; a context manager that starts a browser on first use, and ends it.

    Attributes:
        pages: folder of the prepared pages and their HTML.
        snapshots: folder of their snapshots and screenshots.

    Args:
        folder: the existing folder of the project.
        model: a model file in place of the shipped one.
        settings: render settings, including the limits of a page.

    Raises:
        ModelError: the model file is missing, damaged or of another version.
        OutputError: the folders cannot be made.
    """

    def __init__(self, folder: Path, *, model: Path | None, settings: RenderSettings) -> None:
        super().__init__()
        self.pages = make_folder(folder / PAGES)
        self.snapshots = make_folder(folder / SNAPSHOTS)
        self._settings = settings
        self._pipeline = Pipeline(CleanerSettings(rendering=settings, model=model))
        self._maker = f"{self._pipeline.versions['model']} {frame_digest()}"

    def prepare(self, page: Page) -> PreparedPage:
        """Prepare a page, unless the same content is already prepared with the same model and HTML template.

        Raises:
            UsageError: it is a stored snapshot, which has no screenshot.
            BrowserMissingError: it has to be rendered, and there is no usable Chromium.
            VcleanError: it cannot be rendered or labelled.
        """
        if page.snapshot is not None:
            raise UsageError(f"{page.id} is a stored snapshot, which has no screenshot: name the page itself")
        key = read_key(page, self._settings.to_dict(), rendered=True).hex()
        path = self._path(page.id, PREPARED_SUFFIX)
        stored = _read_page(path) if path.is_file() else None
        if stored and stored.snapshots["rendered"] == key and stored.maker == self._maker:
            return stored
        rendering = self._renderings(page)
        # Only the browser read a live page: its snapshot stands for the document.
        content = to_bytes(rendering.snapshot) if page.live else page.content
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        snapshots = {"rendered": key, **self._parse(page)}
        return self._label(page.id, rendering, sha256(data).hexdigest(), snapshots)

    def stored_pages(self) -> Iterator[PreparedPage]:
        """Yield the stored pages sorted by id; they are labelled again if the model or the HTML template has changed.

        Raises:
            InputError: one of them is damaged.
        """
        pages = [page for path in self.pages.glob(f"*{PREPARED_SUFFIX}") if (page := _read_page(path))]
        for page in sorted(pages, key=lambda page: page.id):
            if page.maker == self._maker:
                yield page
            else:
                key = page.snapshots["rendered"]
                rendering = Rendering(read_snapshot(self.snapshots, key), _read_bytes(self.snapshots / f"{key}.png"))
                yield self._label(page.id, rendering, page.content, page.snapshots)

    def document(self, page: PreparedPage) -> str:
        """Return the HTML of a page.

        Raises:
            InputError: its file is missing.
        """
        return _read_bytes(self._path(page.id, _HTML)).decode()

    def _label(self, name: str, rendering: Rendering, content: str, snapshots: dict[str, str]) -> PreparedPage:
        """Label a page and store the result: first its HTML, then its JSON."""
        blocks = self._pipeline.extract_blocks(rendering, Page(id=name))
        result = self._pipeline.label(blocks, explain=len(blocks.columns) <= _EXPLAINED)
        page = to_prepared_page(result, maker=self._maker, content=content, snapshots=snapshots)
        write_atomic(self._path(name, _HTML), page_document(to_overlay_page(result, result.screenshot)))
        write_atomic(self._path(name, PREPARED_SUFFIX), page.to_json())
        return page

    @cached_property
    def _renderings(self) -> RenderingCache:
        renderer = self.enter_context(Renderer(self._settings))
        read = partial(renderer.render, screenshot=True)
        return RenderingCache(read, self._settings, self.snapshots, screenshots=True)

    def _parse(self, page: Page) -> dict[str, str]:
        """Parse and store the page statically, and return its key: models are trained on both readings."""
        if page.live:
            return {}
        RenderingCache(
            lambda page: Rendering(parse(page, self._settings)), self._settings, self.snapshots, rendered=False
        )(page)
        return {"parsed": read_key(page, self._settings.to_dict(), rendered=False).hex()}

    def _path(self, name: str, suffix: str) -> Path:
        return self.pages / (sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32] + suffix)


def read_snapshot(folder: Path, key: str) -> Snapshot:
    """Read a stored snapshot.

    Raises:
        InputError: it is missing or damaged.
    """
    return from_bytes(_read_bytes(folder / f"{key}.npz"))


def _read_page(path: Path) -> PreparedPage | None:
    try:
        return PreparedPage.from_json(_read_bytes(path).decode())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is damaged: delete it, and start again") from error


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path} ({error.strerror or error}): name the page again") from error
