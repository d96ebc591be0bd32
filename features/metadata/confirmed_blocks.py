"""Read title, authors and dates from the blocks that a person marked to show them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.features.metadata.mentions import Field, Mention, Source
from vclean.features.metadata.names import read_names
from vclean.features.metadata.visible_text import HEADLINES, block_dates, headline_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from vclean.features.metadata.page_view import PageView

_LEAST_HEADLINE: Final = f"headline{HEADLINES - 1}"


def with_confirmed(
    mentions: Sequence[Mention],
    field: Field,
    blocks: Collection[int],
    page: PageView,
    language: str,
    *,
    day_first: bool,
) -> list[Mention]:
    """Return the mentions of a field, with those in marked blocks, which need not look like headlines or bylines.

    Args:
        mentions: the mentions of the field.
        field: the title, the authors or the day of publication.
        blocks: the marked blocks.
        page: the page.
        language: ISO 639-1 code of the names of months.
        day_first: whether 3/7/2024 is in July.
    """
    completed = list(mentions)
    for block in sorted(blocks):
        shown = [mention for mention in completed if mention.block == block and mention.source is Source.PAGE]
        if field is Field.AUTHORS:
            completed = _with_names(completed, shown, page.texts[block], block)
        elif not shown and field is Field.TITLE:
            completed.append(Mention(field, (headline_text(page.texts[block]),), Source.PAGE, _LEAST_HEADLINE, block))
        elif not shown:
            completed += block_dates(page, block, language, day_first=day_first)
    return completed


def _with_names(mentions: list[Mention], shown: list[Mention], text: str, block: int) -> list[Mention]:
    """Return mentions of authors, with the names in the text of a marked block instead of the text itself."""
    names = read_names(text)
    if not names:
        return mentions
    mention = shown[0] if shown else Mention(Field.AUTHORS, (), Source.PAGE, "near", block)
    return [*(each for each in mentions if each not in shown), replace(mention, values=names)]
