"""Store the labels and parts that annotators confirmed, and find them again on the same page.

A model that was trained on corrections has the confirmed labels of its pages. They replace the labels of the model on
these pages, after all rules, and confirmed parts decide on its metadata. A page is recognized by its URL or, if one of
both has no URL, by its texts. Its blocks are matched as in labelling projects, by text and XPath.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar

from vclean.classify.prediction import Headline
from vclean.labels import Label, PartKind
from vclean.page import host_of, split_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vclean.features.blocks import BlockColumns

_Value = TypeVar("_Value", Label, PartKind)

_SAME_TEXTS: Final = 0.9
"""Share of common texts from which a page without URL is the same page."""


def address_digest(url: str) -> str:
    """Return 16 hexadecimal digits for the URL of a page, empty without URL.

    Scheme, `www.`, fragment and a slash at the end do not matter. A model file contains digests, not addresses.
    """
    parts, host = split_url(url), host_of(url)
    address = f"{host}{parts.path.rstrip('/')}?{parts.query}"
    return sha256(address.encode("utf-8", "surrogatepass")).hexdigest()[:16] if host else ""


@dataclass(frozen=True, slots=True)
class ConfirmedPage:
    """Page with confirmed labels.

    Attributes:
        address: digest of its URL, empty without URL: see `address_digest`.
        labels: confirmed labels by block name: see `vclean.features.blocks`.
        parts: confirmed parts by block name.
    """

    address: str
    labels: Mapping[str, Label]
    parts: Mapping[str, PartKind] = field(default_factory=dict)

    @classmethod
    def from_annotations(
        cls, url: str, labels: Sequence[Mapping[str, Label]], parts: Sequence[Mapping[str, PartKind]] = ()
    ) -> ConfirmedPage:
        """Return a page with the labels and parts of one or more annotators; those that differ are not confirmed."""
        return cls(address_digest(url), _agreed(labels), _agreed(parts))

    def common_share(self, names: Iterable[str]) -> float:
        """Return the number of common texts, relative to those of the page with more texts."""
        one, other = _texts(self.labels), _texts(names)
        return len(one & other) / max(len(one), len(other), 1)


def _agreed(annotations: Sequence[Mapping[str, _Value]]) -> dict[str, _Value]:
    """Return the values, by block name, that no annotator contradicts."""
    values = {name: value for each in annotations for name, value in each.items()}
    return {
        name: value for name, value in values.items() if all(each.get(name, value) is value for each in annotations)
    }


def _texts(names: Iterable[str]) -> set[str]:
    """Return the hashes of the texts of named blocks."""
    return {name.partition(" ")[0] for name in names}


def find_annotations(
    pages: Sequence[ConfirmedPage], blocks: BlockColumns
) -> tuple[dict[int, Label], dict[int, PartKind]]:
    """Return the confirmed labels and parts of the blocks of a page, by block, given all pages that have some."""
    if not pages or not len(blocks):
        return {}, {}
    from vclean.features.blocks import block_names, match_blocks

    names = block_names(blocks.xpath, blocks.text)
    page = _find(pages, address_digest(blocks.snapshot.url), names)
    if page is None:
        return {}, {}
    rows = {name: row for row, name in enumerate(names)}
    matches = {old: rows[new] for old, new in match_blocks(list(page.labels), names).items()}
    parts = {matches[name]: part for name, part in page.parts.items() if name in matches}
    return {row: page.labels[name] for name, row in matches.items()}, parts


def _find(pages: Sequence[ConfirmedPage], address: str, names: Sequence[str]) -> ConfirmedPage | None:
    """Return the page with an address; else the page with the same texts, if it or the address is unknown."""
    at_address = [page for page in pages if address and page.address == address]
    if at_address:
        return max(at_address, key=lambda page: page.common_share(names))
    unknown = [page for page in pages if not (address and page.address)]
    best = max(unknown, key=lambda page: page.common_share(names), default=None)
    return best if best and best.common_share(names) >= _SAME_TEXTS else None


def to_json(pages: Sequence[ConfirmedPage]) -> str:
    """Return the content of the file of confirmed pages in a model."""
    return json.dumps({"pages": [asdict(page) for page in pages]}, ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> tuple[ConfirmedPage, ...]:
    """Read the result of `to_json`.

    Raises:
        ValueError: the text is damaged; or KeyError, TypeError.
    """
    return tuple(
        ConfirmedPage(
            str(page["address"]),
            {name: Label(label) for name, label in dict(page["labels"]).items()},
            {name: PartKind(part) for name, part in dict(page.get("parts", {})).items()},
        )
        for page in json.loads(text)["pages"]
    )


def override(labels: Sequence[Label], confirmed: Mapping[int, Label]) -> list[Label]:
    """Return the labels, with those that are confirmed instead of the model's."""
    return [confirmed.get(block, label) for block, label in enumerate(labels)] if confirmed else list(labels)


def confirm_headline(
    headline: Headline | None,
    labels: Sequence[Label],
    confirmed: Mapping[int, Label],
    parts: Mapping[int, PartKind],
    texts: Sequence[str],
) -> Headline | None:
    """Return the headline of a page, as a person confirmed it.

    A block that is marked as title is the headline. The confirmed label of its block, if any, decides whether the
    headline is kept.

    Args:
        headline: the headline that the model found; None for none.
        labels: B labels.
        confirmed: the confirmed labels by block.
        parts: the confirmed parts by block.
        texts: the texts of the B blocks.
    """
    title = next((block for block, part in sorted(parts.items()) if part is PartKind.TITLE), None)
    if title is not None:
        headline = Headline(texts[title], title, "confirmed")
    if headline is None or headline.block is None or headline.block not in confirmed:
        return headline
    is_kept = labels[headline.block].is_content
    return replace(headline, source="confirmed" if is_kept else "dropped")
