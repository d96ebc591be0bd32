"""Read hand-marked pages from web archives, and render them: pages with the roles of their regions.

The format is that of the data set of Kreuzer, Hage and Feelders ("A quantitative comparison of semantic web page
segmentation approaches", 2015). An element has `data-block`, 1 for a region of the page and 2 for a part of a region,
and `data-block-type`, its role. The annotation tool left traces in the pages: its dialog, which names every role, its
style sheets and scripts, and the class `highlight`. All of these are removed before anything is computed.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Final

import numpy as np
from resiliparse.parse.html import HTMLTree

from vclean.classify.corpora.gold import GoldPage
from vclean.errors import InputError, OutputError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.files import make_folder
from vclean.imports import import_optional
from vclean.labels import REGION_ROLES, Role
from vclean.page import Page
from vclean.render import tree
from vclean.render.archive.pages import Archive
from vclean.render.browser.renderer import Renderer
from vclean.render.cache import RenderingCache
from vclean.render.decode import read_document
from vclean.render.static.parse import parse
from vclean.runtime import track
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from resiliparse.parse.html import ElementNode

    from vclean.features.blocks import BlockColumns
    from vclean.render.archive.pages import Record
    from vclean.render.rendered_page import Rendering
    from vclean.render.snapshot import Snapshot


_TYPES: Final = {
    **{role.value: role for role in REGION_ROLES},
    "menu": Role.NAVIGATION,
    "searchbar": Role.FORM,
    "linklist": Role.LINKS,
    "image": Role.MEDIA,
    "video": Role.MEDIA,
}
"""Roles by the lower-cased value of `data-block-type`."""

_DOCTYPE: Final = re.compile(r"\s*(?:<\?[^>]*>\s*)?(<!doctype[^>]*>)", re.IGNORECASE)
_TOOL: Final = "/builder/"
"""Part that the URLs of the annotation tool's scripts and style sheets have in common."""


@dataclass(frozen=True, slots=True)
class RegionMark:
    """Marked region: the XPath of its element in the page without marks, its role, and its level, 1 or 2."""

    xpath: str
    role: Role
    level: int


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """Page without its marks, served with its subresources, and its marks in document order."""

    page: Page
    marks: tuple[RegionMark, ...]


class MarkedArchive:
    """Marked pages of a web archive. As a corpus, it is iterated as gold pages.

    A file beside the archive lists the URLs of the pages, one per line: `name.pages.txt` beside `name.warc.gz`.
    Without this file, all pages with marks are read.

    Args:
        path: the archive.
        list_path: another file of URLs; None for the file beside the archive.

    Raises:
        InputError: the archive cannot be read completely, it has no page with marks, or none of the listed pages; or
            the list cannot be read.
    """

    def __init__(self, path: Path, list_path: Path | None = None) -> None:
        self.path = path
        self._archive = Archive(path)
        if self._archive.damage:  # scores of the readable part must not pass for scores of the whole archive
            raise InputError(self._archive.damage)
        beside = path.with_name(f"{self.name}.pages.txt")
        if list_path is None and not beside.is_file():
            self._records = [record for record in self._archive.pages if self._has_marks(record)]
            missing = "no page with marks: give an archive whose pages carry data-block-type"
        else:
            addresses = _addresses(list_path or beside)
            selected = [record for _, record in self._archive.select(addresses) if record]
            self._records = sorted(selected, key=lambda record: (record.member, record.offset))
            missing = f"none of the {len(addresses)} requested pages: give their addresses as the archive has them"
        if not self._records:
            raise InputError(f"{path} has {missing}")

    @property
    def name(self) -> str:
        """Return the name of the file without its suffixes."""
        return self.path.name.partition(".")[0]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[GoldPage]:
        """Yield the pages in the order of the archive. Their gold text is that of blocks that are content by marks."""
        for marked in self.marked_pages():
            page, blocks = marked.page, extract_blocks(parse(marked.page))
            yield GoldPage(
                corpus=self.name,
                id=page.id,
                url=page.url,
                html=page.content if isinstance(page.content, bytes) else page.content.encode("utf-8-sig"),
                text="\n".join(compress(blocks.text, content_blocks(blocks, marked.marks).tolist())),
                resources=page.resources,
            )

    def marked_pages(self) -> Iterator[MarkedPage]:
        """Yield the pages with their marks, in the order of the archive."""
        settings = RenderSettings()
        for record in self._records:
            page = self._archive.page(record, settings.max_bytes)
            html, marks = strip_marks(read_document(page, settings.max_bytes).text)
            content = html.encode("utf-8-sig", "replace")
            yield MarkedPage(Page(content=content, url=page.url, resources=self._archive, id=page.id), marks)

    def _has_marks(self, record: Record) -> bool:
        content = self._archive.page(record, RenderSettings().max_bytes).content
        return isinstance(content, bytes) and b"data-block-type=" in content


def strip_marks(html: str) -> tuple[str, tuple[RegionMark, ...]]:
    """Return the document without its marks and the traces of the tool; and the marks, in document order.

    The document is serialized from the tree of an HTML Standard parser, so that other parsers build the same tree.
    Marks with other types than roles are dropped.
    """
    document = HTMLTree.parse(html)
    _remove_tool(document)
    marks = [
        RegionMark(_xpath(element), role, int(element.getattr("data-block") or 1))
        for element in _select(document, "[data-block-type]")
        if (role := _TYPES.get((element.getattr("data-block-type") or "").lower()))
    ]
    for element in _select(document, "[data-block], [data-block-type]"):
        for name in [name for name in element.attrs if name.startswith("data-block")]:
            element.delattr(name)
    declared = _DOCTYPE.match(html)  # it selects quirks or standards mode
    return (declared.group(1) if declared else "") + _DOCTYPE.sub("", str(document), count=1), tuple(marks)


def _remove_tool(document: HTMLTree) -> None:
    """Remove the dialog, scripts and style sheets of the annotation tool, and its class from elements."""
    traces = [*_select(document, "#popupDialog"), *filter(_is_tool, _select(document, "link, script, style"))]
    if not traces:
        return
    for element in traces:
        dialog = element.closest(".ui-dialog")
        (element if dialog is None else dialog).decompose()
    for element in _select(document, ".highlight"):
        names = [name for name in (element.getattr("class") or "").split() if name != "highlight"]
        element.setattr("class", " ".join(names))


def _select(document: HTMLTree, css: str) -> list[ElementNode]:
    root = document.document
    return list(root.query_selector_all(css)) if root else []


def _is_tool(element: ElementNode) -> bool:
    address = (element.getattr("href") or "") + (element.getattr("src") or "")
    return _TOOL in address or any(trace in (element.text or "") for trace in ("popupDialog", "data-block"))


def _xpath(element: ElementNode) -> str:
    steps = []
    current: ElementNode | None = element
    while current is not None:
        number, before = 1, current.prev_element
        while before is not None:
            number += before.tag == current.tag
            before = before.prev_element
        steps.append(f"{current.tag}[{number}]")
        current = current.parent_element
    return "/" + "/".join(reversed(steps))


def locate_marks(snapshot: Snapshot, marks: Sequence[RegionMark]) -> NDArray[np.int32]:
    """Return the element of each mark in a snapshot of the page, int32 (M,); -1 if no element has its XPath."""
    elements = {snapshot.xpath(element): element for element in range(len(snapshot))}
    return np.array([elements.get(mark.xpath, -1) for mark in marks], dtype=np.int32)


def content_blocks(blocks: BlockColumns, marks: Sequence[RegionMark]) -> NDArray[np.bool_]:
    """Return which blocks are content by the innermost mark that contains them, bool (B,); text outside marks is not.

    The role decides (`Role.is_content`). Marks of images and videos are ignored in favor of the mark around them.
    """
    role_marks = tuple(mark for mark in marks if mark.role is not Role.MEDIA)
    snapshot, element = blocks.snapshot, locate_marks(blocks.snapshot, role_marks)
    located = np.flatnonzero(element >= 0)
    number = np.full(len(snapshot), -1, dtype=np.int32)
    number[element[located]] = located
    # The parent of the first text of a block may be deeper than its container.
    anchor = snapshot.text_parent[blocks.members[blocks.first]]
    innermost = number[tree.nearest_ancestor(number >= 0, snapshot.parent)][anchor]
    is_content = np.array([*(mark.role.is_content for mark in role_marks), False], dtype=bool)
    return is_content[innermost]


_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, eq=False)
class RenderedMarkedPage:
    """Rendered marked page; `screenshot` is None unless screenshots were requested."""

    id: str
    snapshot: Snapshot
    marks: Sequence[RegionMark]
    screenshot: bytes | None = None


def rendered_marked_pages(
    path: Path, list_path: Path | None, snapshots: Path | None, failures: list[str], *, screenshots: bool = False
) -> Iterator[RenderedMarkedPage]:
    """Render the marked pages of an archive, and report progress on standard error.

    Args:
        path: the archive.
        list_path: file of the addresses of the requested pages; None for the list beside the archive, or else all.
        snapshots: folder in which renderings are cached; None for no cache.
        failures: receives the URL of each page that cannot be rendered; the error is logged.
        screenshots: whether to take screenshots.

    Raises:
        InputError: the archive or the list of pages cannot be read.
        OutputError: the folder cannot be created.
        ExtraMissingError: the library that groups pages by site is not installed.
        BrowserMissingError: there is no usable Chromium.
        VcleanError: no page can be rendered.
    """
    import_optional("tldextract", "tldextract", "corpora")
    archive, settings = MarkedArchive(path, list_path), RenderSettings()
    folder = make_folder(snapshots) if snapshots else None
    with Renderer(settings) as renderer:
        render: Callable[[Page], Rendering] = partial(renderer.render, screenshot=screenshots)
        if folder:
            render = RenderingCache(render, settings, folder, screenshots=screenshots)
        for marked in track(archive.marked_pages(), "rendering", "pages", total=len(archive)):
            try:
                rendering = render(marked.page)
            except OutputError:
                raise
            except VcleanError as error:
                failures.append(marked.page.url)
                _log.error("%s is left out: %s", marked.page.url, error)
            else:
                yield RenderedMarkedPage(marked.page.url, rendering.snapshot, marked.marks, rendering.screenshot)
    if len(failures) == len(archive):
        raise VcleanError("no marked page could be rendered: see above")


def _addresses(path: Path) -> set[str]:
    """Return the addresses in a file, one per line.

    Raises:
        InputError: the file cannot be read, or has no address.
    """
    try:
        addresses = set(path.read_text(encoding="utf-8-sig").split())
    except OSError as error:
        raise InputError(f"cannot read the list of pages {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the list of pages {path} is no text in UTF-8: give one address a line") from error
    if not addresses:
        raise InputError(f"the list of pages {path} is empty: give one address a line")
    return addresses
