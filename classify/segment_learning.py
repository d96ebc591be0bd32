"""The learned segmenter cross-validated: every page cut by a model that has seen no page of its site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vclean.classify.corpora import folds
from vclean.classify.segment_model import fit
from vclean.classify.segment_rows import marked_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from vclean.classify.segment_model import SegmentModel
    from vclean.classify.segment_rows import SegmentRows
    from vclean.classify.segment_scores import SeenPage

FOLDS: Final = 10


def learn_rows(pages: Iterable[SeenPage]) -> list[SegmentRows]:
    """The rows of the pages from which something can be learned."""
    found = [marked_rows(page.snapshot, page.marks, page.id) for page in pages]
    return [rows for rows in found if rows is not None]


def cross_validated(
    rows: Sequence[SegmentRows], *, done: Callable[[], None] = lambda: None
) -> Callable[[str], SegmentModel]:
    """By address of a page, a model that has seen no page of its site; of pages without rows, any.

    Args:
        rows: of pages of several sites.
        done: called after each of the `FOLDS` folds.

    Raises:
        InputError: what is left for one fold to learn from is too little.
    """
    number = dict(
        zip([page.address for page in rows], folds([page.site for page in rows], FOLDS).tolist(), strict=True)
    )
    models = {}
    for fold in sorted(set(number.values())):
        models[fold] = fit([page for page in rows if number[page.address] != fold])
        done()
    return lambda address: models[number.get(address, min(models))]
