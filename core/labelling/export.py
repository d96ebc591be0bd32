"""Where gold is put: one file per page and annotator, whole after every change; and all of it, exported."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError
from vclean.files import explained, make_folder, write_atomic
from vclean.labelling.preparation import SNAPSHOTS
from vclean.labelling.store import Status, Verdict, text_hash
from vclean.output.text import to_cleaneval
from vclean.output.writers import Names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.labelling.preparation import PreparedPage
    from vclean.labelling.store import Sheet


VERSION: Final = 1
"""Version of the line's layout."""
SUFFIX: Final = ".gold.jsonl"
"""How the name of a file of gold ends, in a folder."""


@dataclass(frozen=True, slots=True)
class GoldBlock:
    """A block and what it is.

    Attributes:
        xpath, text: of the block.
        verdict: its label and role.
        by_hand: whether the annotator said so, rather than left what the model said.
        version: the revision of the page in which its verdict changed last; 0 where it never did.
    """

    xpath: str
    text: str
    verdict: Verdict
    by_hand: bool
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPage:
    """A page and what its blocks are, in document order.

    Attributes:
        id, url, title: of the page.
        annotator: who labelled it.
        status: how far it is; only the blocks of a page that is done are all looked at.
        content: SHA-256 of the document, hexadecimal.
        settings: digest of the render settings, hexadecimal.
        model: the version of the model that labelled it first.
        snapshots: the keys of its stored snapshots, hexadecimal, by `rendered` and `parsed`.
        blocks: what it is made of.
        folder: where its snapshots are; not part of the line.
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
        """The page's content as CleanEval has it: one unit a line, with its mark."""
        return to_cleaneval([block.text for block in self.blocks], [block.verdict.label for block in self.blocks])

    def to_line(self) -> str:
        """The page as one line of JSON."""
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
            "blocks": [_record(block) for block in self.blocks],
        }
        return json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"

    @classmethod
    def from_line(cls, line: str, folder: Path) -> LabelledPage:
        """The page of a line whose file is in a project of labels.

        Raises:
            ValueError: it is no such line; or KeyError, TypeError, AttributeError.
        """
        facts = json.loads(line)
        if facts.pop("version") != VERSION:
            raise ValueError("of another version")
        blocks = [_block(**block) for block in facts.pop("blocks")]
        return cls(blocks=blocks, folder=folder, status=Status(facts.pop("status")), **facts)


def read_gold(path: Path) -> list[LabelledPage]:
    """The pages of a file of gold, or of all such files in a folder and those below it, in the order of their names.

    Raises:
        InputError: there is no such file, none in the folder, or one is damaged.
    """
    if not path.exists():
        raise InputError(f"there is no {path}: label pages first, with `vclean label`")
    files = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
    pages = [page for file in files for page in _pages(file)]
    if not pages:
        raise InputError(f"there is no gold in {path}: label pages first, with `vclean label`")
    return pages


def _pages(path: Path) -> Iterator[LabelledPage]:
    try:
        lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InputError(f"cannot read {path} ({reason}): name a file of `vclean label`") from error
    for number, line in enumerate(lines, 1):
        try:
            yield LabelledPage.from_line(line, path.parent)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}, line {number}, is no page labelled with `vclean label`: take it out") from error


def _record(block: GoldBlock) -> dict[str, Any]:
    return {
        "xpath": block.xpath,
        "text_hash": text_hash(block.text),
        "text": block.text,
        "label": str(block.verdict.label),
        "role": str(block.verdict.role) if block.verdict.role else None,
        "by_hand": block.by_hand,
        "version": block.version,
    }


def _block(
    *, xpath: object, text: object, label: str, role: str | None, by_hand: bool, version: int, text_hash: object
) -> GoldBlock:
    if not isinstance(xpath, str) or not isinstance(text, str) or not isinstance(text_hash, str):
        raise TypeError("no text")
    return GoldBlock(xpath, text, Verdict.from_list([label, role]), by_hand=bool(by_hand), version=int(version))


GOLD: Final = "gold"


class Shelf:
    """Keeps the gold of one annotator, two files a page: a line of JSON, and CleanEval text.

    Args:
        folder: of the project, which is there.
        annotator: who labels.

    Raises:
        OutputError: the folder of the gold cannot be made.
    """

    def __init__(self, folder: Path, annotator: str) -> None:
        self._folder = make_folder(folder / GOLD / annotator)
        self._annotator = annotator

    def put(self, page: PreparedPage, sheet: Sheet) -> None:
        """Write what is said of a page now.

        Raises:
            OutputError: it cannot be written.
        """
        labelled = _labelled(page, sheet, self._annotator)
        name = _file_name(page.id)
        write_atomic(self._folder / (name + SUFFIX), labelled.to_line())
        write_atomic(self._folder / f"{name}.txt", labelled.cleaneval)


def export(project: Path, folder: Path) -> tuple[int, int]:
    """Put all pages of a project that are done into a folder, which is whole without the project.

    By annotator it has `NAME.gold.jsonl` and CleanEval text in the folder `NAME`; and the pages' snapshots.

    Returns:
        How many pages are in it, and how many are left out for they are not done.

    Raises:
        InputError: the project holds no gold.
        OutputError: something cannot be written.
    """
    pages = read_gold(project / GOLD)
    done = [page for page in pages if page.status is Status.DONE]
    for annotator in sorted({page.annotator for page in done}):
        own = [page for page in done if page.annotator == annotator]
        write_atomic(make_folder(folder) / (annotator + SUFFIX), "".join(page.to_line() for page in own))
        for page in own:
            write_atomic(make_folder(folder / annotator) / f"{_file_name(page.id)}.txt", page.cleaneval)
    for key in sorted({key for page in done for key in page.snapshots.values()}):
        name = f"{key}.npz"
        with explained(folder / SNAPSHOTS / name):
            shutil.copyfile(project / SNAPSHOTS / name, make_folder(folder / SNAPSHOTS) / name)
    return len(done), len(pages) - len(done)


def _labelled(page: PreparedPage, sheet: Sheet, annotator: str) -> LabelledPage:
    rows = zip(page.names, page.xpaths, page.texts, page.predicted, strict=True)
    return LabelledPage(
        id=page.id,
        url=page.url,
        title=page.title,
        annotator=annotator,
        status=sheet.status,
        content=page.content,
        settings=page.settings,
        model=page.model,
        snapshots=page.snapshots,
        blocks=[
            GoldBlock(xpath, text, sheet.verdict(name, said), name in sheet.verdicts, sheet.versions.get(name, 0))
            for name, xpath, text, said in rows
        ],
    )


def _file_name(page: str) -> str:
    """A name that tells the page, and no other: ids that differ in what no file's name can have stay apart."""
    return f"{Names().name(page)}-{sha256(page.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
