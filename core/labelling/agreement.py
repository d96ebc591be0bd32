"""Measure the agreement of two annotators: Cohen's kappa, and the blocks on which they differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vclean.characters import format_count
from vclean.errors import InputError
from vclean.features.block_names import block_names, match_blocks
from vclean.labelling.store import Status
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vclean.labelling.export import GoldBlock, LabelledPage
    from vclean.labelling.store import Annotation

_EXCERPT: Final = 60


@dataclass(frozen=True, slots=True)
class Pair:
    """Block with the annotations of both annotators."""

    page: str
    xpath: str
    text: str
    first: Annotation
    second: Annotation


@dataclass(frozen=True, slots=True)
class Agreement:
    """Annotations of two annotators for the blocks of pages that both have done.

    Attributes:
        annotators: their names.
        pages: number of these pages.
        pairs: the blocks.
    """

    annotators: tuple[str, str]
    pages: int
    pairs: Sequence[Pair]

    @classmethod
    def of(cls, first: Iterable[LabelledPage], second: Iterable[LabelledPage]) -> Agreement:
        """Match the pages by id, and their blocks by location and text.

        Raises:
            InputError: there is no page that both have done.
        """
        left, right = _finished_pages(first), _finished_pages(second)
        common = [page for page in left if page in right]
        if not common:
            raise InputError("no page is done by both annotators: label the same pages")
        pairs = [pair for page in common for pair in _pair_blocks(left[page], right[page])]
        return cls((left[common[0]].annotator, right[common[0]].annotator), len(common), pairs)

    @property
    def differing(self) -> list[Pair]:
        """Return the blocks with different labels, roles or parts."""
        return [pair for pair in self.pairs if pair.first != pair.second]

    def kappas(self) -> dict[str, float]:
        """Return Cohen's kappa of labels, of content or other, of each label against the rest, of roles, of parts."""
        label = [(str(pair.first.label), str(pair.second.label)) for pair in self.pairs]
        content = [(pair.first.label.is_content, pair.second.label.is_content) for pair in self.pairs]
        role = [(str(pair.first.role), str(pair.second.role)) for pair in self.pairs]
        part = [(str(pair.first.part), str(pair.second.part)) for pair in self.pairs]
        each = {str(name): cohens_kappa([(a == name, b == name) for a, b in label]) for name in Label}
        kappas = {"labels": cohens_kappa(label), "content": cohens_kappa(content), **each}
        return {**kappas, "roles": cohens_kappa(role), "parts": cohens_kappa(part)}

    def report(self) -> str:
        """Return the kappas, then one line for each block that differs, as text."""
        same = sum(pair.first.label is pair.second.label for pair in self.pairs)
        share = f"{same / len(self.pairs):.1%}" if self.pairs else "none"
        counts = f"{format_count(self.pages, 'page')}, {format_count(len(self.pairs), 'block')}"
        head = f"{' and '.join(self.annotators)}: {counts}, same label {share}"
        kappas = [f"  kappa {name:8} {self._kappa_text(value)}" for name, value in self.kappas().items()]
        return "\n".join([head, *kappas, *self._difference_lines()]) + "\n"

    def _kappa_text(self, kappa: float) -> str:
        if not math.isnan(kappa):
            return f"{kappa:6.3f}"
        reason = "both give the same value to every block" if self.pairs else "they have no block in common"
        return f"     - undefined: {reason}"

    def _difference_lines(self) -> Iterator[str]:
        page = ""
        for pair in self.differing:
            if pair.page != page:
                page = pair.page
                yield f"{page}:"
            labels = f"{_annotation_text(pair.first)} | {_annotation_text(pair.second)}"
            yield f"  {labels}  {pair.xpath}  {_excerpt(pair.text)}"


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


def _finished_pages(pages: Iterable[LabelledPage]) -> dict[str, LabelledPage]:
    return {page.id: page for page in pages if page.status is Status.DONE}


def _pair_blocks(left: LabelledPage, right: LabelledPage) -> Iterator[Pair]:
    left_blocks, right_blocks = _blocks_by_name(left), _blocks_by_name(right)
    matches = match_blocks(list(left_blocks), list(right_blocks))
    for name, block in left_blocks.items():
        if name in matches:
            match = right_blocks[matches[name]]
            yield Pair(left.id, block.xpath, block.text, block.annotation, match.annotation)


def _blocks_by_name(page: LabelledPage) -> dict[str, GoldBlock]:
    names = block_names([block.xpath for block in page.blocks], [block.text for block in page.blocks])
    return dict(zip(names, page.blocks, strict=True))


def _annotation_text(annotation: Annotation) -> str:
    return " ".join([annotation.label, annotation.role or "-", *([annotation.part] if annotation.part else [])])


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return f'"{words}"' if len(words) <= _EXCERPT else f'"{words[: _EXCERPT - 1]}…"'
