"""Records of a page: the posts of a thread, the items of a listing, and the product or the recipe that it is about.

They are from its markup and from what readers see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vclean.features.facts.declared import DeclaredRecipe
from vclean.features.facts.items import find_items
from vclean.features.facts.posts import is_action
from vclean.features.facts.products import price_and_currency
from vclean.features.facts.subject import find_subject
from vclean.features.headline import normalize
from vclean.features.text.dates import is_day_first, parse_date
from vclean.labels import Box, Label
from vclean.output.selection import image_sources
from vclean.output.text import to_text
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.features.facts.items import ItemRecord
    from vclean.features.facts.posts import PostRecord
    from vclean.features.facts.threads import LabelledBlocks
    from vclean.result import Result

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


def read_posts(page: LabelledBlocks) -> tuple[Post, ...]:
    """Return the posts of a page in document order."""
    posts: list[Post] = []
    thread: list[int] = []  # the last post of each depth so far, and the posts that it replies to
    for number, record in enumerate(page.posts):
        while thread and page.posts[thread[-1]].depth >= record.depth:
            thread.pop()
        posts.append(_post(page, record, thread[-1] if thread else None))
        thread.append(number)
    return tuple(posts)


def _post(page: LabelledBlocks, record: PostRecord, parent: int | None) -> Post:
    texts = page.snapshot.texts
    author, date = (" ".join(texts[node].split()) if node >= 0 else "" for node in (record.author, record.date))
    return Post(
        author=author,
        date=_iso_date(page, record, date),
        date_text=date,
        text=_text(page, record.rows),
        depth=record.depth,
        parent=parent,
        box=Box.painted(page.snapshot.box[record.element].tolist()),
        xpath=page.snapshot.xpath(record.element),
        blocks=record.rows,
    )


def _iso_date(page: LabelledBlocks, record: PostRecord, text: str) -> str:
    """Return the date of a post: that of the attributes around its text, or else of its text."""
    if record.date < 0:
        return ""
    language, snapshot = page.language(), page.snapshot
    day_first = is_day_first(language, snapshot.language)
    for element in snapshot.ancestors(int(snapshot.text_parent[record.date]))[:2]:
        for name in ("datetime", "title", "content"):
            if date := parse_date(snapshot.attributes(name).get(element, ""), language, day_first=day_first):
                return date
    return parse_date(text, language, day_first=day_first)


def _text(page: LabelledBlocks, rows: Sequence[int]) -> str:
    """Return the text of some blocks, without the controls at its end."""
    texts, labels = page.blocks.text, page.labels
    last = max((row for row in rows if not is_action(texts[row])), default=-1)
    shown = {row: labels[row] if labels[row].is_content else Label.PARAGRAPH for row in rows if row <= last}
    return to_text([texts[row] for row in shown], list(shown.values())).strip("\n")


def read_items(page: LabelledBlocks) -> tuple[Item, ...]:
    """Return the items of a page in document order."""
    records = find_items(page)
    images = image_sources(page.snapshot) if records else {}
    return tuple(_item(page, record, images) for record in records)


def _item(page: LabelledBlocks, record: ItemRecord, images: Mapping[int, str]) -> Item:
    texts = page.blocks.text
    rest = [texts[row] for row in record.rows if row != record.title_row]
    line = texts[record.title_row]
    after = line[len(record.title) :].lstrip(_SEPARATORS) if line.startswith(record.title) else ""
    rest += [after] if any(map(str.isalpha, after)) else []
    return Item(
        title=record.title,
        link=page.snapshot.attributes("href").get(record.link, ""),
        image=images.get(record.image, ""),
        price=record.price,
        snippet=max(rest, key=len, default="")[:_MAX_SNIPPET],
        box=Box.painted(page.snapshot.box[record.element].tolist()),
        xpath=page.snapshot.xpath(record.element),
        blocks=record.rows,
    )


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


def read_subject(result: Result) -> tuple[Product | None, Recipe | None]:
    """Return the product and the recipe that a page is about, of which one at least is None.

    Of other methods, and in the convention of a corpus, the prediction has no subject.
    """
    blocks, prediction = result.columns, result.prediction
    subject = prediction.subject or find_subject(result.context, ~blocks.is_excluded(Policy()))
    if subject is None:
        return None, None
    name = subject.declared.name
    headline = prediction.headline.text if prediction.headline else result.metadata.title
    if not name or normalize(name) not in normalize(f"{headline} {blocks.snapshot.title}"):
        name = headline or name
    if isinstance(subject.declared, DeclaredRecipe):
        return None, Recipe(
            name=name,
            ingredients=subject.declared.ingredients,
            steps=subject.declared.steps,
            box=Box.around(Box.painted(blocks.box[row].tolist()) for row in subject.rows),
            blocks=subject.rows,
        )
    price, currency = price_and_currency(subject.declared, subject.price_text)
    product = Product(
        name=name,
        brand=subject.declared.brand,
        price=price,
        price_text=subject.price_text,
        currency=currency,
        numbers=subject.declared.numbers,
        box=Box.painted(blocks.box[subject.price].tolist()) if subject.price_text else None,
        blocks=subject.rows,
    )
    return product, None
