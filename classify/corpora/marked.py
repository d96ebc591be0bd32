"""Hand-marked pages: archives whose pages say of their regions which role they have.

The format is that of the segmentation set that Kreuzer, Hage and Feelders used ("A quantitative comparison of semantic
web page segmentation approaches", 2015): an element carries `data-block`, 1 for a region of the page and 2 for a part
of one, and `data-block-type`, its role. The tool the marks were made with left itself behind: its dialog, which names
every role, its style sheets and scripts, and the class `highlight`. All of it is removed before anything is computed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
from resiliparse.parse.html import HTMLTree

from vclean.classify.corpora.corpora import GoldPage
from vclean.errors import InputError
from vclean.features import tree
from vclean.features.blocks import extract_blocks
from vclean.labels import Role
from vclean.page import Page
from vclean.render.archive.pages import Archive
from vclean.render.decode import page_text
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from resiliparse.parse.html import ElementNode

    from vclean.features.blocks import BlockColumns
    from vclean.render.archive.pages import Record
    from vclean.render.snapshot import Snapshot


_TYPES: Final = {
    **{role.value: role for role in Role},
    "menu": Role.NAVIGATION,
    "searchbar": Role.FORM,
    "linklist": Role.LINKS,
    "image": Role.MEDIA,
    "video": Role.MEDIA,
}
"""Roles by the lower-cased value of `data-block-type`."""

_DOCTYPE: Final = re.compile(r"\s*(?:<\?[^>]*>\s*)?(<!doctype[^>]*>)", re.IGNORECASE)
_TOOL: Final = "/builder/"
"""What the addresses of the tool's scripts and style sheets have in common."""
_TRACES: Final = ("popupDialog", "data-block")


@dataclass(frozen=True, slots=True)
class RegionMark:
    """A marked region: the XPath of its element in the page without marks, its role, and its level, 1 or 2."""

    xpath: str
    role: Role
    level: int


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page without its marks, served with its sub-resources, and the marks that were in it, in document order."""

    page: Page
    marks: tuple[RegionMark, ...]

    def gold(self, corpus: str) -> GoldPage:
        """The page as one of a corpus; its gold text is that of the blocks that are content by their marks."""
        blocks = extract_blocks(parse(self.page))
        kept = content_blocks(blocks, self.marks)
        return GoldPage(
            corpus=corpus,
            id=self.page.id,
            url=self.page.url,
            html=self.page.content if isinstance(self.page.content, bytes) else self.page.content.encode("utf-8-sig"),
            text="\n".join(text for text, keep in zip(blocks.text, kept.tolist(), strict=True) if keep),
            resources=self.page.resources,
        )


class MarkedArchive:
    """The marked pages of a web archive; as a corpus, it is iterated as gold pages.

    Which pages they are, a file of their addresses beside the archive says (`name.pages.txt` beside `name.warc.gz`),
    one to a line; without one, all that have marks are.

    Args:
        path: the archive.
        addresses: of the pages, in place of the file's; None for those.

    Raises:
        InputError: the archive cannot be read, or not to its end, or has no page with marks, or none of those wanted.
    """

    def __init__(self, path: Path, addresses: Collection[str] | None = None) -> None:
        self.path = path
        self._addresses = addresses
        self._archive = Archive(path)
        if self._archive.damage:  # scores on what is left of it would be told as those of the whole
            raise InputError(self._archive.damage)
        if not self._records and addresses is not None:
            raise InputError(
                f"{path} has none of the {len(addresses)} pages wanted: give their addresses as it has them"
            )
        if not self._records:
            raise InputError(f"{path} has no page with marks: give an archive whose pages carry data-block-type")

    @property
    def name(self) -> str:
        """The file's name without its endings."""
        return self.path.name.partition(".")[0]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[GoldPage]:
        """The pages with their gold, in the archive's order."""
        return (page.gold(self.name) for page in self.marked())

    def marked(self) -> Iterator[MarkedPage]:
        """The pages with their marks, in the archive's order."""
        settings = RenderSettings()
        for record in self._records:
            found = self._archive.page(record, settings.max_bytes)
            html, marks = strip(page_text(found, settings.max_bytes))
            content = html.encode("utf-8-sig", "replace")
            yield MarkedPage(Page(content=content, url=found.url, resources=self._archive, id=found.id), marks)

    @cached_property
    def _records(self) -> list[Record]:
        listed = self.path.with_name(f"{self.name}.pages.txt")
        wanted = self._addresses
        if wanted is None:
            if not listed.is_file():
                return [record for record in self._archive.pages if self._has_marks(record)]
            wanted = set(listed.read_text(encoding="utf-8").split())
        found = self._archive.select(set(wanted))
        return sorted((record for _, record in found if record), key=lambda record: (record.member, record.offset))

    def _has_marks(self, record: Record) -> bool:
        content = self._archive.page(record, RenderSettings().max_bytes).content
        return isinstance(content, bytes) and b"data-block-type=" in content


def strip(html: str) -> tuple[str, tuple[RegionMark, ...]]:
    """The document without its marks and without the tool that made them; and the marks, in document order.

    The document is written out as the HTML Standard's parser has it, so that other parsers build the same tree of it.
    Marks of a type that is no role are dropped.
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
    return _with_doctype(str(document), html), tuple(marks)


def _remove_tool(document: HTMLTree) -> None:
    """Remove the dialog, the scripts and style sheets of the tool, and its class from what it was left on."""
    traces = [*_select(document, "#popupDialog"), *filter(_is_tool, _select(document, "link, script, style"))]
    if not traces:
        return
    for element in traces:
        _outermost(element).decompose()
    for element in _select(document, ".highlight"):
        names = [name for name in (element.getattr("class") or "").split() if name != "highlight"]
        element.setattr("class", " ".join(names))


def _select(document: HTMLTree, css: str) -> list[ElementNode]:
    root = document.document
    return list(root.query_selector_all(css)) if root else []


def _is_tool(element: ElementNode) -> bool:
    address = (element.getattr("href") or "") + (element.getattr("src") or "")
    return _TOOL in address or any(trace in (element.text or "") for trace in _TRACES)


def _outermost(element: ElementNode) -> ElementNode:
    """The dialog round the element, or the element itself."""
    around = element.closest(".ui-dialog")
    return element if around is None else around


def _with_doctype(written: str, source: str) -> str:
    """`written` with the document type of `source`, for it decides between quirks and standards mode."""
    declared = _DOCTYPE.match(source)
    return (declared.group(1) if declared else "") + _DOCTYPE.sub("", written, count=1)


def _xpath(element: ElementNode) -> str:
    steps = []
    here: ElementNode | None = element
    while here is not None:
        number, before = 1, here.prev_element
        while before is not None:
            number += before.tag == here.tag
            before = before.prev_element
        steps.append(f"{here.tag}[{number}]")
        here = here.parent_element
    return "/" + "/".join(reversed(steps))


def locate(snapshot: Snapshot, marks: Sequence[RegionMark]) -> NDArray[np.int32]:
    """int32 (M,): the element of every mark in a snapshot of the page, -1 where it has none at that path."""
    wanted = {mark.xpath for mark in marks}
    shallow = {step for path in wanted for step in _prefixes(path)}
    paths: dict[str, int] = {}
    path_of = {-1: ""}
    for element, (parent, tag) in enumerate(zip(snapshot.parent.tolist(), snapshot.tag.tolist(), strict=True)):
        if (above := path_of.get(parent)) is not None:
            path = f"{above}/{snapshot.tags[tag]}[{snapshot.sibling_number[element]}]"
            if path in shallow:
                path_of[element] = path
                paths[path] = element
    return np.array([paths.get(mark.xpath, -1) for mark in marks], dtype=np.int32)


def _prefixes(path: str) -> Iterator[str]:
    ends = (match.start() for match in re.finditer("/", path[1:]))
    return chain((path[: end + 1] for end in ends), (path,))


def innermost(snapshot: Snapshot, marks: Sequence[RegionMark]) -> NDArray[np.int32]:
    """int32 (N,): the number of the innermost mark round every element, its own first; -1 where there is none."""
    element = locate(snapshot, marks)
    number = np.full(len(snapshot), -1, dtype=np.int32)
    found = np.flatnonzero(element >= 0)
    number[element[found]] = found
    return number[tree.nearest_ancestor(number >= 0, snapshot.parent)]


def content_blocks(blocks: BlockColumns, marks: Sequence[RegionMark]) -> NDArray[np.bool_]:
    """Whether a block is content by the innermost mark round it, bool (B,); text outside all marks is not.

    The role decides (`Role.is_content`); in an image's or film's mark, that of the mark round it.
    """
    told = tuple(mark for mark in marks if mark.role is not Role.MEDIA)
    number = innermost(blocks.snapshot, told)[block_anchor(blocks)]
    is_content = np.array([*(mark.role.is_content for mark in told), False], dtype=bool)
    return is_content[number]


def block_anchor(blocks: BlockColumns) -> NDArray[np.int32]:
    """int32 (B,): the parent element of every block's first text, which may stand deeper than its container."""
    return blocks.snapshot.text_parent[blocks.members[blocks.first]]
