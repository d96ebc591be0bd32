"""Records of a page: the posts of a thread, the items of a listing, and the product or the recipe that it is about.

They are from its markup and from what readers see.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.page_type import is_named_forum, page_type
from vclean.features.facts.posts import is_action
from vclean.features.facts.products import ProductSubject, price_and_currency
from vclean.features.facts.subject import find_subject
from vclean.features.facts.threads import LabelledBlocks, comment_parts
from vclean.features.headline import normalize
from vclean.features.matrix import page_context
from vclean.labels import Box, Kind, Label
from vclean.output.text import to_text
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.items import ItemRecord
    from vclean.features.facts.posts import PostRecord

_SEPARATORS: Final = " \t\n-\u2013\u2014:|\u00b7,."
"""Characters between a title and a text in the same line."""
_MAX_SNIPPET: Final = 500
"""Longest snippet of an item, in characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Post of a thread, or comment of a reader.

    Attributes:
        author: the name of the author as on the page; empty if unknown.
        date: the date in ISO 8601, with the time if the page has it; empty if unknown or relative.
        date_text: the date as on the page; empty if unknown.
        text: the text of the body, without author and date.
        depth: the number of posts that it replies to, directly or not; 0 for posts that are no reply.
        parent: the index of the post that it replies to; None for posts that are no reply.
        box: the box of the whole post, in CSS px; None if the page was not rendered.
        xpath: the absolute XPath of the element of the post.
        blocks: the indices of the blocks of the body.
    """

    author: str
    date: str
    date_text: str
    text: str
    depth: int
    parent: int | None
    box: Box | None
    xpath: str
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Item of a listing or grid, such as a teaser, a product or a search result.

    Attributes:
        title: the title.
        link: the address that the title, or the item, links to; empty without.
        image: the address of the first image; empty without.
        price: the first price as on the page; empty without.
        snippet: the longest text of the item beside its title, cut to 500 characters; empty without.
        box: the box of the item, in CSS px; None if the page was not rendered.
        xpath: the absolute XPath of the element of the item.
        blocks: the indices of the blocks of the item.
    """

    title: str
    link: str
    image: str
    price: str
    snippet: str
    box: Box | None
    xpath: str
    blocks: tuple[int, ...]


class PageRecords:
    """Records of a page, each kind found on its first use.

    Args:
        blocks: the blocks of the page.
        prediction: their labels.
        language: returns the language of the content, ISO 639-1; empty if unknown.
    """

    def __init__(self, blocks: BlockColumns, prediction: Prediction, language: Callable[[], str]) -> None:
        decision, snapshot = prediction.decision, blocks.snapshot
        context = prediction.context or page_context(blocks)
        self._page = LabelledBlocks(
            blocks=blocks,
            context=context,
            labels=prediction.labels,
            probability=prediction.probability,
            policy=decision.policy if decision else Policy(),
            in_forum=is_named_forum(snapshot),
            detect=language,
            find_type=partial(page_type, context, prediction.metadata_model),
        )

    @cached_property
    def posts(self) -> tuple[Post, ...]:
        """Return the posts in document order."""
        posts: list[Post] = []
        thread: list[int] = []  # the last post of each depth so far, and the posts that it replies to
        for number, record in enumerate(self._page.posts):
            while thread and self._page.posts[thread[-1]].depth >= record.depth:
                thread.pop()
            posts.append(self._post(record, thread[-1] if thread else None))
            thread.append(number)
        return tuple(posts)

    @property
    def is_thread(self) -> bool:
        """Return whether posts of a thread are the content of the page, and no comments below a document."""
        return self._page.is_thread

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Return the items in document order."""
        from vclean.features.facts.items import find_items

        return tuple(self._item(record) for record in find_items(self._page))

    @property
    def rows(self) -> dict[Kind, list[int]]:
        """Return the blocks of posts, comments and items by kind."""
        posts, blocks = [row for post in self.posts for row in post.blocks], self._page.blocks
        items = [row for item in self.items for row in item.blocks]
        if self.is_thread:
            return {Kind.POST: posts, Kind.ITEM: items}
        comments = np.flatnonzero(comment_parts(blocks)[blocks.node]).tolist() if len(blocks) else []
        return {Kind.COMMENT: [*comments, *posts], Kind.ITEM: items}

    def _post(self, record: PostRecord, parent: int | None) -> Post:
        texts = self._page.snapshot.texts
        date = " ".join(texts[record.date].split()) if record.date >= 0 else ""
        return Post(
            author=" ".join(texts[record.author].split()) if record.author >= 0 else "",
            date=self._iso_date(record, date),
            date_text=date,
            text=self._text(record.rows),
            depth=record.depth,
            parent=parent,
            box=Box.painted(self._page.snapshot.box[record.element].tolist()),
            xpath=self._page.snapshot.xpath(record.element),
            blocks=record.rows,
        )

    def _iso_date(self, record: PostRecord, text: str) -> str:
        """Return the date of a post: that of the attributes around its text, or else of its text."""
        if record.date < 0:
            return ""
        from vclean.features.text.dates import is_day_first, parse_date

        language, snapshot = self._page.language, self._page.snapshot
        day_first = is_day_first(language, snapshot.language)
        for element in snapshot.ancestors(int(snapshot.text_parent[record.date]))[:2]:
            for name in ("datetime", "title", "content"):
                if date := parse_date(snapshot.attributes(name).get(element, ""), language, day_first=day_first):
                    return date
        return parse_date(text, language, day_first=day_first)

    def _text(self, rows: Sequence[int]) -> str:
        """Return the text of some blocks, without the controls at its end."""
        texts, labels = self._page.blocks.text, self._page.labels
        last = max((row for row in rows if not is_action(texts[row])), default=-1)
        shown = {row: labels[row] if labels[row].is_content else Label.PARAGRAPH for row in rows if row <= last}
        return to_text([texts[row] for row in shown], list(shown.values())).strip("\n")

    def _item(self, record: ItemRecord) -> Item:
        texts = self._page.blocks.text
        rest = [texts[row] for row in record.rows if row != record.title_row]
        line = texts[record.title_row]
        after = line[len(record.title) :].lstrip(_SEPARATORS) if line.startswith(record.title) else ""
        rest += [after] if any(map(str.isalpha, after)) else []
        link, image = self._page.snapshot.attributes("href"), self._image_sources
        return Item(
            title=record.title,
            link=link.get(record.link, ""),
            image=image.get(record.image, ""),
            price=record.price,
            snippet=max(rest, key=len, default="")[:_MAX_SNIPPET],
            box=Box.painted(self._page.snapshot.box[record.element].tolist()),
            xpath=self._page.snapshot.xpath(record.element),
            blocks=record.rows,
        )

    @cached_property
    def _image_sources(self) -> dict[int, str]:
        from vclean.output.selection import image_sources  # with the rules of the cleaned page

        return image_sources(self._page.snapshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Product that a page is about. Strings are empty and tuples have no items where the page gives no value.

    Attributes:
        name: its name: that of the markup if readers see it in the headline or the title, else the headline.
        brand: its brand, as declared.
        price: its price, a number with a decimal point: that of `price_text`, else the declared one.
        price_text: its price as readers see it; empty if they see no price, or only others.
        currency: ISO 4217 code of the currency.
        numbers: its numbers, as declared: those of the manufacturer, of the shop, on the bar code.
        box: the box of the block with the price, in CSS px; None if the page was not rendered, or shows no price.
        blocks: the indices of the blocks with price, brand and numbers.
    """

    name: str
    brand: str
    price: str
    price_text: str
    currency: str
    numbers: tuple[str, ...]
    box: Box | None
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Recipe that a page is about, as its markup declares it.

    Attributes:
        name: its name; empty if unknown.
        ingredients: its ingredients, with their amounts.
        steps: its steps, in order.
        box: the smallest box around the ingredients and steps that readers see, in CSS px; None if the page was not
            rendered, or shows none.
        blocks: the indices of the blocks with ingredients and steps.
    """

    name: str
    ingredients: tuple[str, ...]
    steps: tuple[str, ...]
    box: Box | None
    blocks: tuple[int, ...]


def read_subject(blocks: BlockColumns, prediction: Prediction, title: Callable[[], str]) -> Product | Recipe | None:
    """Return the product or the recipe that a page is about; None for other pages.

    Args:
        blocks: the blocks of the page.
        prediction: their labels. By other methods, and in the convention of a corpus, it has no subject.
        title: returns the title in the metadata of the page.
    """
    subject = prediction.subject
    if subject is None:
        context = prediction.context or page_context(blocks)
        subject = find_subject(context, ~blocks.is_excluded(Policy()))
    if subject is None:
        return None
    name = subject.declared.name
    headline = prediction.headline.text if prediction.headline else title()
    if not name or normalize(name) not in normalize(f"{headline} {blocks.snapshot.title}"):
        name = headline or name
    if not isinstance(subject, ProductSubject):
        return Recipe(
            name=name,
            ingredients=subject.declared.ingredients,
            steps=subject.declared.steps,
            box=_box_around(blocks, subject.rows),
            blocks=subject.rows,
        )
    price, currency = price_and_currency(subject.declared, subject.price_text)
    return Product(
        name=name,
        brand=subject.declared.brand,
        price=price,
        price_text=subject.price_text,
        currency=currency,
        numbers=subject.declared.numbers,
        box=_box_around(blocks, [subject.price] if subject.price_text else []),
        blocks=subject.rows,
    )


def _box_around(blocks: BlockColumns, rows: Sequence[int]) -> Box | None:
    """Return the smallest box around some blocks; None if none of them is painted."""
    boxes = (Box.painted(blocks.box[row].tolist()) for row in rows if row >= 0)
    return Box.around([box for box in boxes if box])
