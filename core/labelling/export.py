"""Write gold: one file for each page and annotator, rewritten after every change, and the export of all of it."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError
from vclean.features.block_names import text_hash
from vclean.files import make_folder, output_errors, write_atomic
from vclean.labelling.preparation import SNAPSHOTS
from vclean.labelling.store import Annotation, Status
from vclean.output.text import to_cleaneval
from vclean.output.writers import UniqueNames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.labelling.preparation import PreparedPage
    from vclean.labelling.store import PageAnnotations


VERSION: Final = 1
"""Version of the format of a line."""
SUFFIX: Final = ".gold.jsonl"
"""Suffix of gold files."""


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
    by_hand: bool
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPage:
    """Page with the annotations of its blocks, in document order.

    Attributes:
        id, url, title: of the page.
        annotator: name of the annotator.
        status: progress of the annotation; only the blocks of a page that is done were all checked.
        content: SHA-256 of the document, hexadecimal.
        settings: digest of the render settings, hexadecimal.
        model: version of the model that made the first predictions.
        snapshots: keys of its stored snapshots, hexadecimal, by `rendered` and `parsed`.
        blocks: its blocks.
        folder: folder of its snapshots; not part of the line.
    """

    id: str
    url: str
    title: str
    annotator: str
    status: Status
    content: str
    settings: str
    model: str
    snapshots: dict[str, str]
    blocks: list[GoldBlock]
    folder: Path = field(default_factory=Path)

    @property
    def cleaneval(self) -> str:
        """Return the content as CleanEval text: one unit in each line, with its mark."""
        return to_cleaneval([block.text for block in self.blocks], [block.annotation.label for block in self.blocks])

    def to_line(self) -> str:
        """Return the page as one line of JSON."""
        facts = {
            "version": VERSION,
            "id": self.id,
            "url": self.url,
            "title": self.title,
            "annotator": self.annotator,
            "status": str(self.status),
            "content": self.content,
            "settings": self.settings,
            "model": self.model,
            "snapshots": self.snapshots,
            "blocks": [_block_to_dict(block) for block in self.blocks],
        }
        return json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"

    @classmethod
    def from_line(cls, line: str, folder: Path) -> LabelledPage:
        """Read the page of a line; `folder` is the folder of its file.

        Raises:
            ValueError: the line is invalid; or KeyError, TypeError, AttributeError.
        """
        facts = json.loads(line)
        if facts.pop("version") != VERSION:
            raise ValueError("another version")
        blocks = [_block_from_dict(**block) for block in facts.pop("blocks")]
        return cls(blocks=blocks, folder=folder, status=Status(facts.pop("status")), **facts)


def read_gold(path: Path) -> list[LabelledPage]:
    """Read the pages of a gold file, or of all gold files in a folder and its subfolders, sorted by name.

    Raises:
        InputError: there is no such file, none in the folder, or one is damaged.
    """
    if not path.exists():
        raise InputError(f"there is no {path}: label pages first, with `vclean label`")
    files = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
    pages = [page for file in files for page in _read_file(file)]
    if not pages:
        raise InputError(f"there is no gold in {path}: label pages first, with `vclean label`")
    return pages


def _read_file(path: Path) -> Iterator[LabelledPage]:
    try:
        lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"cannot read {path} ({reason}): name a file of `vclean label`") from error
    for number, line in enumerate(lines, 1):
        try:
            yield LabelledPage.from_line(line, path.parent)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            remedy = "delete this line" if path.name.endswith(SUFFIX) else "name the project, or its folder gold/"
            raise InputError(f"{path}, line {number}, is no page labelled with `vclean label`: {remedy}") from error


def _block_to_dict(block: GoldBlock) -> dict[str, Any]:
    return {
        "xpath": block.xpath,
        "text_hash": text_hash(block.text),
        "text": block.text,
        "label": str(block.annotation.label),
        "role": str(block.annotation.role) if block.annotation.role else None,
        "part": str(block.annotation.part) if block.annotation.part else None,
        "by_hand": block.by_hand,
        "version": block.version,
    }


def _block_from_dict(
    *,
    xpath: object,
    text: object,
    label: str,
    role: str | None,
    part: str | None = None,
    by_hand: bool,
    version: int,
    text_hash: object,
) -> GoldBlock:
    if not isinstance(xpath, str) or not isinstance(text, str) or not isinstance(text_hash, str):
        raise TypeError("not a string")
    annotation = Annotation.from_list([label, role, part])
    return GoldBlock(xpath, text, annotation, by_hand=bool(by_hand), version=int(version))


GOLD: Final = "gold"


class GoldWriter:
    """Write the gold of one annotator, two files for each page: a line of JSON, and CleanEval text.

    Args:
        folder: the existing folder of the project.
        annotator: name of the annotator.

    Raises:
        OutputError: the folder of the gold cannot be made.
    """

    def __init__(self, folder: Path, annotator: str) -> None:
        self._folder = make_folder(folder / GOLD / annotator)
        self._annotator = annotator

    def write(self, page: PreparedPage, annotations: PageAnnotations) -> None:
        """Write the current annotations of a page.

        Raises:
            OutputError: it cannot be written.
        """
        labelled = _to_labelled_page(page, annotations, self._annotator)
        name = _file_name(page.id)
        write_atomic(self._folder / (name + SUFFIX), labelled.to_line())
        write_atomic(self._folder / f"{name}.txt", labelled.cleaneval)


def export(project: Path, folder: Path) -> tuple[int, int]:
    """Export all pages of a project that are done to a folder that does not need the project.

    For each annotator NAME it contains `NAME.gold.jsonl`, and CleanEval text in the folder `NAME`; and the snapshots.

    Returns:
        Number of exported pages, and number of pages that are not done and were left out.

    Raises:
        InputError: the project contains no gold.
        OutputError: a file cannot be written.
    """
    pages = read_gold(project / GOLD)
    done = [page for page in pages if page.status is Status.DONE]
    for annotator in sorted({page.annotator for page in done}):
        pages_of_annotator = [page for page in done if page.annotator == annotator]
        write_atomic(make_folder(folder) / (annotator + SUFFIX), "".join(page.to_line() for page in pages_of_annotator))
        for page in pages_of_annotator:
            write_atomic(make_folder(folder / annotator) / f"{_file_name(page.id)}.txt", page.cleaneval)
    for key in sorted({key for page in done for key in page.snapshots.values()}):
        name = f"{key}.npz"
        with output_errors(folder / SNAPSHOTS / name):
            shutil.copyfile(project / SNAPSHOTS / name, make_folder(folder / SNAPSHOTS) / name)
    return len(done), len(pages) - len(done)


def _to_labelled_page(page: PreparedPage, annotations: PageAnnotations, annotator: str) -> LabelledPage:
    rows = zip(page.names, page.xpaths, page.texts, page.predicted, strict=True)
    return LabelledPage(
        id=page.id,
        url=page.url,
        title=page.title,
        annotator=annotator,
        status=annotations.status,
        content=page.content,
        settings=page.settings,
        model=page.model,
        snapshots=page.snapshots,
        blocks=[
            GoldBlock(
                xpath,
                text,
                annotations.annotation(name, predicted),
                name in annotations.manual,
                annotations.versions.get(name, 0),
            )
            for name, xpath, text, predicted in rows
        ],
    )


def _file_name(page: str) -> str:
    """Return a unique file name for a page. A hash separates ids that differ in characters invalid in file names."""
    return f"{UniqueNames().name(page)}-{sha256(page.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
