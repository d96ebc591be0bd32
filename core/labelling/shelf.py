"""Where gold is put: one file per page and annotator, whole after every change; and all of it, exported."""

from __future__ import annotations

import shutil
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from vclean.files import explained, write_atomic
from vclean.labelling.gold import SUFFIX, GoldBlock, LabelledPage, read_gold
from vclean.labelling.preparing import SNAPSHOTS
from vclean.labelling.sheet import Status
from vclean.outputs import Names, made

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.labelling.prepared import PreparedPage
    from vclean.labelling.sheet import Sheet

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
        self._folder = made(folder / GOLD / annotator)
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
        write_atomic(made(folder) / (annotator + SUFFIX), "".join(page.to_line() for page in own))
        for page in own:
            write_atomic(made(folder / annotator) / f"{_file_name(page.id)}.txt", page.cleaneval)
    for key in sorted({key for page in done for key in page.snapshots.values()}):
        name = f"{key}.npz"
        with explained(folder / SNAPSHOTS / name):
            shutil.copyfile(project / SNAPSHOTS / name, made(folder / SNAPSHOTS) / name)
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
