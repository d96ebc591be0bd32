"""Records of a page: its metadata, the posts of a thread, the items of a listing, its product or recipe.

They are from its markup and from what readers see.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from vclean.classify.metadata import choose_metadata
from vclean.features.facts.items import find_items
from vclean.features.facts.posts import is_action
from vclean.features.facts.subject import find_subject
from vclean.features.headline import normalize
from vclean.features.text.dates import is_day_first, parse_date
from vclean.labels import Box, Label, PageType
from vclean.output.selection import image_sources
from vclean.output.text import to_text
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.candidates import Candidate
    from vclean.features.facts.items import ItemRecord
    from vclean.features.facts.posts import PostRecord
    from vclean.features.facts.threads import LabelledBlocks
    from vclean.result import Result

_SEPARATORS: Final = " \t\n-\u2013\u2014:|\u00b7,."
"""Characters between a title and a text in the same line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where a value of the metadata comes from, and how sure it is.

    Attributes:
        source: the markup or text that gives the value: "json-ld", "open-graph", "microdata", "meta", "link", "time",
            "title" (of the document), "url" or "page" (text that readers see); "text" for the detected language.
        property: the name in the markup, such as `article:published_time`; for text of the page, what points to it.
        probability: the probability that the value is right, 0 to 1.
        sources: all sources that give the value.
        xpath: the XPath of the element that gives or shows the value; None if only the head has it.
        box: the box of the text, CSS px; None if the value is not painted, or the page was not rendered.
        block: the index of the block that shows the value; None if no block does.

    >>> Evidence(source="meta", property="author", probability=0.9).xpath is None
    True
    """

    source: str
    property: str
    probability: float
    sources: tuple[str, ...] = ()
    xpath: str | None = None
    box: Box | None = None
    block: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Metadata of a page. Strings are empty and tuples have no items where the page gives no probable value.

    Attributes:
        url: the URL of the page; if it was given without one, its canonical URL.
        title: the title of the page, without the name of its site.
        authors: the names of the authors, in their order.
        published: the day or the moment of publication, ISO 8601, with the zone if the page gives it.
        modified: the day or the moment of the last change, in the same form.
        site_name: the name of the site.
        language: the detected language of the content, ISO 639-1; empty if unknown.
        declared_language: the language that the document declares, a BCP 47 tag; or empty.
        description: the description for search engines and links.
        canonical_url: the URL that the page declares as its own.
        image: the URL of the main image.
        section: the section of the site.
        tags: keywords.
        license: the URL or the name of the license.
        feeds: the URLs of its feeds.
        alternates: versions of the page in other languages: for each the language tag, a space and the URL.
        page_type: the type of the page, a value of `PageType`.
        evidence: where each of these values comes from, by the name of the field.
        document_title: the title of the document, `<title>`.
        rendered: whether a browser rendered the page.
        width, height: the size of the document, CSS px; NaN if it was not rendered.
        noscript: whether the content of `<noscript>` elements is part of the page.
        browser: the name and version of the browser; empty if the page was not rendered.
        settings: the render settings, by name.

    >>> import vclean
    >>> page = '<title>Rain - Daily</title><meta name="author" content="Ann Lee"><h1>Rain</h1><p>By Ann Lee<p>Rain.'
    >>> metadata = vclean.clean(page).metadata
    >>> metadata.title, metadata.authors, metadata.published
    ('Rain', ('Ann Lee',), '')
    """

    url: str
    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    modified: str = ""
    site_name: str = ""
    language: str = ""
    declared_language: str = ""
    description: str = ""
    canonical_url: str = ""
    image: str = ""
    section: str = ""
    tags: tuple[str, ...] = ()
    license: str = ""
    feeds: tuple[str, ...] = ()
    alternates: tuple[str, ...] = ()
    page_type: str = ""
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    document_title: str = ""
    rendered: bool = False
    width: float = float("nan")
    height: float = float("nan")
    noscript: bool = False
    browser: str = ""
    settings: Mapping[str, float | bool] = field(default_factory=dict)


LISTS: Final = ("authors", "tags", "feeds", "alternates")
"""Fields with several values."""
PAGE_FIELDS: Final = (
    "title", "authors", "published", "modified", "site_name", "language", "description", "canonical_url", "image",
    "section", "tags", "license", "feeds", "alternates", "page_type",
)  # fmt: skip
"""Fields that outputs have, in their order."""
_OF_FIRST_POST: Final = 0.95
"""Probability that the date of the first post is that of a thread: right for 69 of 71 threads of wcxb."""


def read_metadata(result: Result) -> Metadata:
    """Find the metadata of a page in its markup and its text.

    A thread has the date of its first post, unless a person confirmed another one: what the page declares is often the
    date of the last post, or of the rendering.
    """
    snapshot, prediction = result.columns.snapshot, result.prediction
    choices = choose_metadata(result._context, result.language, prediction.metadata_model, prediction.parts)
    chosen: dict[str, Any] = {
        name.value: choice.values if name.value in LISTS else choice.values[0] for name, choice in choices.items()
    }
    evidence = {name.value: _evidence(choice, result.columns) for name, choice in choices.items()}
    evidence |= _language_evidence(result.language, snapshot.language)
    is_thread = chosen.get("page_type") == PageType.FORUM and result.is_thread
    is_confirmed = "published" in evidence and evidence["published"].probability == 1
    if is_thread and not is_confirmed and (post := result.posts[0]).date:
        chosen["published"] = post.date
        evidence["published"] = Evidence(
            source="page",
            property="post",
            probability=_OF_FIRST_POST,
            sources=("page",),
            xpath=post.xpath,
            box=post.box,
        )
    same = ("url", "rendered", "width", "height", "noscript", "settings")
    return Metadata(
        language=result.language,
        declared_language=snapshot.language,
        evidence=evidence,
        document_title=snapshot.title,
        browser=snapshot.build,
        **{name: getattr(snapshot, name) for name in same},
        **chosen,
    )


_WEAK: Final = ("page", "title", "url")
"""Sources that are named only if no markup gives the value."""


def _evidence(choice: Candidate, blocks: BlockColumns) -> Evidence:
    """Return the evidence of a value: the first mention in markup, and the first one on the page."""
    main = next((mention for mention in choice.mentions if mention.source not in _WEAK), choice.mentions[0])
    shown = [mention for mention in choice.mentions if mention.block >= 0 or mention.element >= 0]
    place = min(shown, key=lambda mention: mention.block < 0, default=None)
    block = place.block if place and place.block >= 0 else None
    element = None if place is None else place.element if place.element >= 0 else int(blocks.node[place.block])
    return Evidence(
        source=main.source.value,
        property=main.name,
        probability=round(choice.probability, 4),
        sources=tuple(dict.fromkeys(mention.source.value for mention in choice.mentions)),
        xpath=None if element is None else blocks.snapshot.xpath(element),
        box=None if block is None else Box.painted(blocks.box[block].tolist()),
        block=block,
    )


def _language_evidence(language: str, declared: str) -> dict[str, Evidence]:
    """Return the evidence of the language, which is detected from the text, and whether the document agrees."""
    if not language:
        return {}
    agrees = declared.partition("-")[0] == language
    sources = ("text", "html") if agrees else ("text",)
    return {"language": Evidence(source="text", property="", probability=0.99 if agrees else 0.9, sources=sources)}


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
    snapshot, posts = page.snapshot, list[Post]()
    thread: list[int] = []  # the last post of each depth so far, and the posts that it replies to
    for number, record in enumerate(page.posts):
        while thread and page.posts[thread[-1]].depth >= record.depth:
            thread.pop()
        nodes = record.author, record.date
        author, date = (" ".join(snapshot.texts[node].split()) if node >= 0 else "" for node in nodes)
        post = Post(
            author=author,
            date=_iso_date(page, record, date),
            date_text=date,
            text=_text(page, record.rows),
            depth=record.depth,
            parent=thread[-1] if thread else None,
            box=Box.painted(snapshot.box[record.element].tolist()),
            xpath=snapshot.xpath(record.element),
            blocks=record.rows,
        )
        posts.append(post)
        thread.append(number)
    return tuple(posts)


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
        snippet=max(rest, key=len, default="")[:500],
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
    subject = prediction.subject or find_subject(result._context, ~blocks.is_excluded(Policy()))
    if subject is None:
        return None, None
    name = subject.name
    headline = prediction.headline.text if prediction.headline else result.metadata.title
    if not name or normalize(name) not in normalize(f"{headline} {blocks.snapshot.title}"):
        name = headline or name
    if subject.ingredients:
        return None, Recipe(
            name=name,
            ingredients=subject.ingredients,
            steps=subject.steps,
            box=Box.around(Box.painted(blocks.box[row].tolist()) for row in subject.rows),
            blocks=subject.rows,
        )
    product = Product(
        name=name,
        brand=subject.brand,
        price=subject.price,
        price_text=subject.price_text,
        currency=subject.currency,
        numbers=subject.numbers,
        box=Box.painted(blocks.box[subject.price_row].tolist()) if subject.price_text else None,
        blocks=subject.rows,
    )
    return product, None
