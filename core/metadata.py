"""Metadata of a page: title, authors, dates, type and the like, each with its source and its probability."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from vclean.labels import Box, PageType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.candidates import Candidate
    from vclean.result import Result


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
    from vclean.classify.metadata import choose_metadata

    snapshot, prediction = result.columns.snapshot, result.prediction
    choices = choose_metadata(result.context, result.language, prediction.metadata_model, prediction.parts)
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
