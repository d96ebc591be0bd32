"""Write gold: one file for each page and annotator, rewritten after every change, and the export of all of it.

The agreement of two annotators is measured by Cohen's kappa, with the blocks on which they differ.
"""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass, field, fields
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vclean.characters import format_count
from vclean.errors import InputError
from vclean.features.blocks import match_blocks, text_hash
from vclean.files import make_folder, output_errors, write_atomic
from vclean.labelling.preparation import SNAPSHOTS, AnnotatedPage, GoldBlock
from vclean.labelling.session import Annotation, Status
from vclean.labels import Label
from vclean.output.text import to_cleaneval
from vclean.output.writers import UniqueNames
from vclean.render.overlay.layers import excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vclean.labelling.preparation import PreparedPage
    from vclean.labelling.session import PageAnnotations


Pair = tuple[GoldBlock, GoldBlock]
"""Block as each of two annotators labelled it."""

_VALUES: Final[dict[str, Callable[[Annotation], object]]] = {
    "labels": lambda annotation: annotation.label,
    "content": lambda annotation: annotation.label.is_content,
    **{str(label): partial(lambda label, annotation: annotation.label is label, label) for label in Label},
    "roles": lambda annotation: annotation.role,
    "parts": lambda annotation: annotation.part,
}
"""Values of an annotation that are compared."""


def cohens_kappa(pairs: Sequence[tuple[object, object]]) -> float:
    """Return agreement beyond chance (Cohen 1960), at most 1; NaN if chance alone explains it, as for one value only.

    >>> cohens_kappa([("h", "h"), ("p", "p"), ("p", "h"), ("p", "p")])
    0.5
    """
    if not pairs:
        return float("nan")
    total = len(pairs)
    observed = sum(a == b for a, b in pairs) / total
    values = {value for pair in pairs for value in pair}
    chance = sum(sum(a == v for a, _ in pairs) * sum(b == v for _, b in pairs) for v in values) / total**2
    return (observed - chance) / (1 - chance) if chance < 1 else float("nan")


def agreement_report(first: Sequence[LabelledPage], second: Sequence[LabelledPage]) -> str:
    """Return the kappas of two annotators, then one line for each block that differs, as text.

    The pages that both have done are matched by id, and their blocks by location and text.

    Raises:
        InputError: there is no page that both have done, or pages of one side are of several annotators.
    """
    left, right = ({page.id: page for page in pages if page.status is Status.DONE} for pages in (first, second))
    for pages in (first, second):
        if len(annotators := {page.annotator for page in pages}) > 1:
            raise InputError(f"{' and '.join(sorted(annotators))} labelled the same gold: name that of one of them")
    common = [page for page in left if page in right]
    if not common:
        raise InputError("no page is done by both annotators: label the same pages")
    pairs = {page: _pair_blocks(left[page], right[page]) for page in common}
    names = f"{left[common[0]].annotator} and {right[common[0]].annotator}"
    lines = [f"{names}: {format_count(len(common), 'page')}, {_agreement(list(chain(*pairs.values())))}"]
    for page, blocks in pairs.items():
        differing = [_difference_line(*pair) for pair in blocks if pair[0].annotation != pair[1].annotation]
        lines += [f"{page}:", *differing] if differing else []
    return "\n".join(lines) + "\n"


def _agreement(pairs: Sequence[Pair]) -> str:
    """Return the share of blocks with the same label, and a line for each kappa."""
    same = sum(first.annotation.label is second.annotation.label for first, second in pairs)
    lines = [f"{format_count(len(pairs), 'block')}, same label {f'{same / len(pairs):.1%}' if pairs else 'none'}"]
    reason = "both give the same value to every block" if pairs else "they have no block in common"
    for name, value in _VALUES.items():
        kappa = cohens_kappa([(value(first.annotation), value(second.annotation)) for first, second in pairs])
        lines.append(f"  kappa {name:8} " + (f"     - undefined: {reason}" if math.isnan(kappa) else f"{kappa:6.3f}"))
    return "\n".join(lines)


def _pair_blocks(left: LabelledPage, right: LabelledPage) -> list[Pair]:
    matches = match_blocks(list(left.blocks_by_name), list(right.blocks_by_name))
    return [
        (block, right.blocks_by_name[matches[name]]) for name, block in left.blocks_by_name.items() if name in matches
    ]


def _difference_line(*pair: GoldBlock) -> str:
    named = [(each.annotation.label, each.annotation.role or "-", each.annotation.part or "") for each in pair]
    labels = " | ".join(" ".join(names).rstrip() for names in named)
    return f'  {labels}  {pair[0].xpath}  "{excerpt(" ".join(pair[0].text.split()), _EXCERPT)}"'


_EXCERPT: Final = 60
"""Number of characters of a block that a report shows."""

VERSION: Final = 1
"""Version of the format of a line."""
SUFFIX: Final = ".gold.jsonl"
"""Suffix of gold files."""


_FIELDS: Final = (
    "id", "url", "title", "annotator", "status", "content", "settings", "model", "snapshots", "blocks"
)  # fmt: skip
"""Fields of a line, in this order."""


@dataclass(frozen=True, kw_only=True)
class LabelledPage(AnnotatedPage):
    """Page as an annotator labelled it.

    Attributes:
        annotator: name of the annotator.
        status: progress of the annotation; only the blocks of a page that is done were all checked.
        folder: folder of its snapshots; not part of the line.
    """

    annotator: str
    status: Status
    folder: Path = field(default_factory=Path)

    @property
    def labels(self) -> list[Label]:
        """Return the labels of the blocks."""
        return [block.annotation.label for block in self.blocks]

    @property
    def cleaneval(self) -> str:
        """Return the content as CleanEval text: one unit in each line, with its mark."""
        return to_cleaneval(self.texts, self.labels)

    def to_line(self) -> str:
        """Return the page as one line of JSON."""
        facts = {"version": VERSION} | {name: getattr(self, name) for name in _FIELDS}
        facts["blocks"] = [
            {
                "xpath": block.xpath,
                "text_hash": text_hash(block.text),
                "text": block.text,
                **block.annotation._asdict(),
                "by_hand": block.by_hand,
                "version": block.version,
            }
            for block in self.blocks
        ]
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
        blocks = [_read_block(**block) for block in facts.pop("blocks")]
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


def _read_block(
    *, xpath: object, text_hash: object, text: object, by_hand: bool, version: int, **annotation: Any
) -> GoldBlock:
    if not isinstance(xpath, str) or not isinstance(text, str) or not isinstance(text_hash, str):
        raise TypeError("not a string")
    return GoldBlock(xpath, text, Annotation.from_list(Annotation(**annotation)), bool(by_hand), int(version))


GOLD: Final = "gold"


def write_gold(folder: Path, annotator: str, page: PreparedPage, annotations: PageAnnotations) -> None:
    """Write the current annotations of a page to the folder of the annotator: a line of JSON, and CleanEval text.

    Raises:
        OutputError: it cannot be written.
    """
    blocks = []
    for name, block in page.blocks_by_name.items():
        annotation, version = annotations.annotation(name, block.annotation), annotations.versions.get(name, 0)
        blocks.append(GoldBlock(block.xpath, block.text, annotation, name in annotations.manual, version))
    facts = {each.name: getattr(page, each.name) for each in fields(AnnotatedPage)} | {"blocks": blocks}
    labelled = LabelledPage(**facts, annotator=annotator, status=annotations.status)
    name = _file_name(page.id)
    write_atomic(folder / (name + SUFFIX), labelled.to_line())
    write_atomic(folder / f"{name}.txt", labelled.cleaneval)


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


def _file_name(page: str) -> str:
    """Return a unique file name for a page. A hash separates ids that differ in characters invalid in file names."""
    return f"{UniqueNames().name(page)}-{sha256(page.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
