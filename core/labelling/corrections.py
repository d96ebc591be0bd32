"""Pages labelled by hand, as models learn from them: their stored snapshots beside what their blocks are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.corpora import GoldPage, registered_domain
from vclean.classify.dataset import page_rows
from vclean.classify.gold import CODES, align
from vclean.errors import InputError
from vclean.features.blocks import cut
from vclean.formats import to_text
from vclean.labelling.gold import read_gold
from vclean.labelling.names import block_names, refound
from vclean.labelling.preparing import SNAPSHOTS, read_snapshot
from vclean.labelling.sheet import Status
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.classify.dataset import PageRows
    from vclean.classify.region_model import RegionFits
    from vclean.features.blocks import Blocks
    from vclean.labelling.gold import LabelledPage

CORPUS: Final = "corrections"
"""The name of the corpus that corrected pages make."""
IMPORTANCE: Final = 5.0
"""As many pages of a corpus a corrected page counts as."""

_OTHER: Final = CODES.index(Label.OTHER)


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """A page that is done, read one way.

    Attributes:
        page: with its gold.
        rendered: whether it was read in a browser.
        blocks: B of them, cut from the stored snapshot.
        label: int8 (B,), an index into `vclean.classify.gold.CODES`.
    """

    page: LabelledPage
    rendered: bool
    blocks: Blocks
    label: NDArray[np.int8]

    @property
    def site(self) -> str:
        """The registered domain of the page; a name of its own where it has no address."""
        return registered_domain(self.page.url) or f"{CORPUS}/{self.page.id}"

    @property
    def gold(self) -> GoldPage:
        """The page as one of a corpus, without its document."""
        labels = [block.verdict.label for block in self.page.blocks]
        text = to_text([block.text for block in self.page.blocks], labels)
        name = f"{self.page.annotator}/{self.page.id}"
        return GoldPage(corpus=CORPUS, id=name, url=self.page.url, text=text, markup=self.page.cleaneval)


def read_corrections(path: Path) -> list[Correction]:
    """The pages in a file or a folder of gold that are done, each rendered and, where it was kept so, parsed.

    Raises:
        InputError: there is no such page, a file is damaged, or a snapshot is gone.
    """
    pages = read_gold(path)
    done = [page for page in pages if page.status is Status.DONE]
    if not done:
        raise InputError(f"none of the {len(pages)} pages in {path} is done: finish some with `vclean label`")
    return [_read(page, way) for page in done for way in sorted(page.snapshots, reverse=True)]


def correction_rows(corrections: Sequence[Correction], regions: RegionFits | None) -> list[PageRows]:
    """The training rows of corrections, one page after the other; `regions` gives models that saw no page of a site."""
    return [_rows(correction, regions) for correction in corrections]


def _rows(correction: Correction, regions: RegionFits | None) -> PageRows:
    site = correction.site
    rows = page_rows(correction.gold, site, correction.blocks, regions.for_site(site) if regions else None)
    content = correction.label != _OTHER
    share = np.where(content == rows.content, rows.share, content.astype(np.float32))
    return replace(rows, label=correction.label, content=content, share=share, importance=IMPORTANCE)


def _read(page: LabelledPage, way: str) -> Correction:
    folder = next((each for each in (page.folder, *page.folder.parents) if (each / SNAPSHOTS).is_dir()), page.folder)
    snapshot = read_snapshot(folder / SNAPSHOTS, page.snapshots[way])
    correction = Correction(page, way == "rendered", cut(snapshot), np.zeros(0, dtype=np.int8))
    return replace(correction, label=_labels(correction))


def _labels(correction: Correction) -> NDArray[np.int8]:
    """int8 (B,): a block found by place and text has its label; others, of a page read otherwise, by their words."""
    page, blocks = correction.page, correction.blocks
    labels = align(blocks.text, correction.gold).label
    ours = block_names([block.xpath for block in page.blocks], [block.text for block in page.blocks])
    theirs = block_names([blocks.snapshot.xpath(node) for node in blocks.node.tolist()], blocks.text)
    row = {name: number for number, name in enumerate(theirs)}
    found = refound(ours, theirs)
    for name, block in zip(ours, page.blocks, strict=True):
        if name in found:
            labels[row[found[name]]] = CODES.index(block.verdict.label)
    return labels
