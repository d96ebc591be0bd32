"""From pages to pages ready for labelling: what was rendered and labelled before is not again."""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Self

from vclean.api import Cleaner
from vclean.errors import InputError, UsageError
from vclean.files import write_atomic
from vclean.labelling.documents import frame_digest, page_document
from vclean.labelling.prepared import PreparedPage, prepared
from vclean.outputs import made
from vclean.render.browser import Renderer, Rendering
from vclean.render.camera import Camera
from vclean.render.static import parse
from vclean.render.store import StoredReader, from_bytes, read_key, to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vclean.page import Page
    from vclean.render.snapshot import Snapshot
    from vclean.settings import RenderSettings

SNAPSHOTS: Final = "snapshots"
PAGES: Final = "pages"

_HTML, _PAGE = ".html", ".page.json"
_EXPLAINED: Final = 500
"""Blocks up to which the reasons are told: they take ten milliseconds a block."""


class Preparer:
    """Makes pages ready, and keeps them in a folder; a context manager, whose browser starts when it is needed.

    Attributes:
        pages: where the pages are that are ready, and the HTML that shows them.
        snapshots: where their snapshots and pictures are.

    Args:
        folder: of the project, which is there.
        model: a model file in place of the shipped one.
        settings: how to render, and what bounds a page.

    Raises:
        ModelError: the model file is missing, damaged or of another version.
        OutputError: the folders cannot be made.
    """

    def __init__(self, folder: Path, *, model: Path | None, settings: RenderSettings) -> None:
        self.pages = made(folder / PAGES)
        self.snapshots = made(folder / SNAPSHOTS)
        self._settings = settings
        self._cleaner = Cleaner(model=model, settings=settings)
        self._explainer = Cleaner(model=model, settings=settings, explain=True)
        self._maker = f"{self._cleaner.model_version} {frame_digest()}"
        self._stack = ExitStack()
        self._camera: Camera | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the browser, if it was started."""
        self._stack.close()

    def prepare(self, page: Page) -> PreparedPage:
        """Make a page ready, unless it is, by the same model and for the same HTML.

        Raises:
            UsageError: it is a stored snapshot, which has no picture.
            BrowserMissingError: it has to be rendered, and there is no usable Chromium.
            VcleanError: it cannot be rendered or labelled, by what went wrong.
        """
        if page.snapshot is not None:
            raise UsageError(f"{page.id} is a stored snapshot, which has no picture: name the page itself")
        key = read_key(page, self._settings.to_dict(), rendered=True).hex()
        before = self._kept(page.id)
        if before and before.snapshots["rendered"] == key and before.maker == self._maker:
            return before
        rendering = self._render(page)
        snapshots = {"rendered": key, **self._parsed(page)}
        return self._labelled(page.id, rendering, _digest(page, rendering), snapshots)

    def known(self) -> Iterator[PreparedPage]:
        """The pages that were made ready before, in the order of their ids; labelled anew if model or HTML are others.

        Raises:
            InputError: one of them is damaged.
        """
        found = [page for path in self.pages.glob(f"*{_PAGE}") if (page := _read(path))]
        for page in sorted(found, key=lambda page: page.id):
            if page.maker == self._maker:
                yield page
            else:
                yield self._labelled(page.id, self._stored(page), page.content, page.snapshots)

    def document(self, page: PreparedPage) -> str:
        """The HTML of a page.

        Raises:
            InputError: it is gone.
        """
        return _bytes(self._path(page.id, _HTML)).decode()

    def _labelled(self, name: str, rendering: Rendering, content: str, snapshots: dict[str, str]) -> PreparedPage:
        """What the model says of a page; it is kept, its overlay first."""
        blocks = self._cleaner.cut_snapshot(rendering.snapshot)
        result = (self._explainer if len(blocks) <= _EXPLAINED else self._cleaner).label(blocks, name)
        page = prepared(result, maker=self._maker, content=content, snapshots=snapshots)
        write_atomic(self._path(name, _HTML), page_document(result, rendering.picture or b""))
        write_atomic(self._path(name, _PAGE), page.to_json())
        return page

    def _render(self, page: Page) -> Rendering:
        if self._camera is None:
            renderer = self._stack.enter_context(Renderer(self._settings))
            self._camera = Camera(renderer, self._settings, self.snapshots, pictures=True)
        return self._camera(page)

    def _parsed(self, page: Page) -> dict[str, str]:
        """The key of the page as the static parser has it, which is kept: models learn from both readings."""
        if page.live:
            return {}
        StoredReader(self.snapshots, lambda page: parse(page, self._settings), self._settings, rendered=False)(page)
        return {"parsed": read_key(page, self._settings.to_dict(), rendered=False).hex()}

    def _kept(self, name: str) -> PreparedPage | None:
        path = self._path(name, _PAGE)
        return _read(path) if path.is_file() else None

    def _stored(self, page: PreparedPage) -> Rendering:
        key = page.snapshots["rendered"]
        return Rendering(read_snapshot(self.snapshots, key), _bytes(self.snapshots / f"{key}.png"))

    def _path(self, name: str, suffix: str) -> Path:
        return self.pages / (sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32] + suffix)


def has_pages(project: Path) -> bool:
    """Whether any page of a project was made ready before."""
    return any((project / PAGES).glob(f"*{_PAGE}"))


def read_snapshot(folder: Path, key: str) -> Snapshot:
    """A stored snapshot.

    Raises:
        InputError: it is not there, or damaged.
    """
    return from_bytes(_bytes(folder / f"{key}.npz"))


def _read(path: Path) -> PreparedPage | None:
    try:
        return PreparedPage.from_json(_bytes(path).decode())
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is damaged: delete it, and start again") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path} ({error.strerror or error}): name the page again") from error


def _digest(page: Page, rendering: Rendering) -> str:
    """SHA-256 of the document; of a live page, whose document only the browser saw, that of the snapshot."""
    content = to_bytes(rendering.snapshot) if page.live else page.content
    return sha256(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content).hexdigest()
