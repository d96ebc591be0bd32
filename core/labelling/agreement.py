"""How far two annotators agree: Cohen's kappa, and the blocks where they do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vclean.errors import InputError
from vclean.labelling.store import Status, block_names, refound
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vclean.labelling.export import GoldBlock, LabelledPage
    from vclean.labelling.store import Verdict

_EXCERPT: Final = 60


@dataclass(frozen=True, slots=True)
class Pair:
    """A block that both annotators labelled."""

    page: str
    xpath: str
    text: str
    first: Verdict
    second: Verdict


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two annotators say of the blocks of pages that both have done.

    Attributes:
        annotators: their names.
        pages: how many pages they are.
        pairs: the blocks.
    """

    annotators: tuple[str, str]
    pages: int
    pairs: Sequence[Pair]

    @classmethod
    def of(cls, first: Iterable[LabelledPage], second: Iterable[LabelledPage]) -> Agreement:
        """Match the pages by their ids, and their blocks by place and text.

        Raises:
            InputError: there is no page that both have done.
        """
        left, right = _done(first), _done(second)
        common = [page for page in left if page in right]
        if not common:
            raise InputError("the two have no page in common that both have done: label the same pages")
        pairs = [pair for page in common for pair in _pairs(left[page], right[page])]
        return cls((left[common[0]].annotator, right[common[0]].annotator), len(common), pairs)

    @property
    def differing(self) -> list[Pair]:
        """The blocks whose labels, or roles, differ."""
        return [pair for pair in self.pairs if pair.first != pair.second]

    def kappas(self) -> dict[str, float]:
        """Cohen's kappa: of all labels, of content against the rest, of each label against the others, of all roles."""
        label = [(str(pair.first.label), str(pair.second.label)) for pair in self.pairs]
        content = [(pair.first.label.is_content, pair.second.label.is_content) for pair in self.pairs]
        role = [(str(pair.first.role), str(pair.second.role)) for pair in self.pairs]
        each = {str(name): cohens_kappa([(a == name, b == name) for a, b in label]) for name in Label}
        return {"labels": cohens_kappa(label), "content": cohens_kappa(content), **each, "roles": cohens_kappa(role)}

    def report(self) -> str:
        """The figures, then one line for each block that differs, for people."""
        same = sum(pair.first.label is pair.second.label for pair in self.pairs)
        share = f"{same / len(self.pairs):.1%}" if self.pairs else "none"
        head = f"{' and '.join(self.annotators)}: {self.pages} pages, {len(self.pairs)} blocks, same label {share}"
        kappas = [f"  kappa {name:8} {self._worded(value)}" for name, value in self.kappas().items()]
        return "\n".join([head, *kappas, *self._differences()]) + "\n"

    def _worded(self, kappa: float) -> str:
        if not math.isnan(kappa):
            return f"{kappa:6.3f}"
        same = "both say the same of every block, as they would by chance"
        return f"     - undefined: {same if self.pairs else 'they have no block in common'}"

    def _differences(self) -> Iterator[str]:
        page = ""
        for pair in self.differing:
            if pair.page != page:
                page = pair.page
                yield f"{page}:"
            yield f"  {_told(pair.first)} | {_told(pair.second)}  {pair.xpath}  {_excerpt(pair.text)}"


def cohens_kappa(pairs: Sequence[tuple[object, object]]) -> float:
    """Agreement beyond chance (Cohen 1960), up to 1; NaN where chance alone explains all, as with one value only.

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


def _done(pages: Iterable[LabelledPage]) -> dict[str, LabelledPage]:
    return {page.id: page for page in pages if page.status is Status.DONE}


def _pairs(left: LabelledPage, right: LabelledPage) -> Iterator[Pair]:
    ours, theirs = _named(left), _named(right)
    found = refound(list(ours), list(theirs))
    for name, block in ours.items():
        if name in found:
            yield Pair(left.id, block.xpath, block.text, block.verdict, theirs[found[name]].verdict)


def _named(page: LabelledPage) -> dict[str, GoldBlock]:
    names = block_names([block.xpath for block in page.blocks], [block.text for block in page.blocks])
    return dict(zip(names, page.blocks, strict=True))


def _told(verdict: Verdict) -> str:
    return f"{verdict.label} {verdict.role or '-'}"


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return f'"{words}"' if len(words) <= _EXCERPT else f'"{words[: _EXCERPT - 1]}…"'
