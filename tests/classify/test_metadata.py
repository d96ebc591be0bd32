from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.archives import repacked
from helpers.pages import context_of

from vclean.classify import model_file
from vclean.classify.metadata import choose, choose_metadata, from_bytes, load_shipped
from vclean.errors import ModelError
from vclean.features.facts.candidates import MetadataPage
from vclean.features.facts.mentions import Field

ARTICLE = """<title>Rain in May | Example</title><meta property="og:site_name" content="Example">
<link rel=canonical href="/rain-in-may"><meta property="og:image" content="i.png"><link rel=license href=/by>
<link rel=alternate type="application/rss+xml" href=/feed.xml><link rel="alternate stylesheet" href=/dark.css>
<link rel=alternate hreflang=de href=/de/><link rel=alternate hreflang=X-Default href=/>
<meta property="article:tag" content="rain"><meta property="article:tag" content="May">
<meta name=description content="It rained."><meta property="article:section" content="Weather">
<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Rain in May", "author": {"name": "Ann Lee"},
"datePublished": "2024-03-07T10:00:00+01:00", "dateModified": "2024-03-09"}</script>
<article><h1>Rain in May</h1><p class=byline>By Ann Lee</p><time datetime="2024-03-07">March 7, 2024</time>
<p>It rained for several days, and the river rose by a metre near the old ferry.</p></article>"""


def chosen(html: str) -> dict[Field, tuple[str, ...]]:
    """Return the values of a page by field, without its type, which `test_page_type.py` tests."""
    choices = choose_metadata(context_of(html), "en")
    return {field: choice.values for field, choice in choices.items() if field is not Field.PAGE_TYPE}


class TestChoose:
    @pytest.mark.parametrize(
        ("probability", "page_type", "has_value"),
        [(0.25, "article", True), (0.25, "forum", True), (0.25, "product", False), (0.25, "", False),
         (0.4, "product", True), (0.1, "article", False)],
    )  # fmt: skip
    @pytest.mark.parametrize("field", [Field.AUTHORS, Field.PUBLISHED])
    def test_pages_that_rarely_have_a_value_need_more(self, field, probability, page_type, has_value) -> None:
        candidates = MetadataPage(context_of(ARTICLE), "en").candidates(field)
        trees = SimpleNamespace(predict=lambda x: np.full(len(x), probability))
        assert bool(choose(field, candidates, trees, page_type=page_type)) is has_value


class TestChooseMetadata:
    def test_all_fields(self) -> None:
        assert chosen(ARTICLE) == {
            Field.TITLE: ("Rain in May",),
            Field.AUTHORS: ("Ann Lee",),
            Field.PUBLISHED: ("2024-03-07T10:00:00+01:00",),
            Field.MODIFIED: ("2024-03-09",),
            Field.SITE_NAME: ("Example",),
            Field.DESCRIPTION: ("It rained.",),
            Field.CANONICAL_URL: ("https://example.org/rain-in-may",),
            Field.IMAGE: ("https://example.org/dir/i.png",),
            Field.SECTION: ("Weather",),
            Field.TAGS: ("rain", "May"),
            Field.LICENSE: ("https://example.org/by",),
            Field.FEEDS: ("https://example.org/feed.xml",),
            Field.ALTERNATES: ("de https://example.org/de/", "x-default https://example.org/"),
        }

    @pytest.mark.parametrize("heading", ["Rain in M\u00aday<a href=#r>¶</a>", "Rain in May <a href=#r>\u200b</a>"])
    def test_titles_have_no_soft_hyphens_and_permalinks(self, heading: str) -> None:
        html = f"<h1>{heading}</h1><p>It rained for several days, and the river rose by a metre near the old ferry."
        assert chosen(html)[Field.TITLE] == ("Rain in May",)

    def test_a_change_before_the_publication_is_left_out(self) -> None:
        html = ARTICLE.replace('"dateModified": "2024-03-09"', '"dateModified": "2023-03-09"')
        assert Field.MODIFIED not in chosen(html)


TEXT = """<p>The harbour council met late on the quay, and the fishermen who had waited since the morning were told that
the old sluice would be rebuilt before winter, whatever the cost might be to the town.</p><p>Nobody had expected the
decision so soon. For eleven years the plans had lain in a drawer of the town hall.</p>"""


def article(head: str = "", before: str = "", after: str = "", title: str = "Old sluice to be rebuilt") -> str:
    """Return an article without metadata of its own, but for its title."""
    return f"""<title>{title}</title>{head}<nav><a href=/>Home</a></nav>
    <article><h1>Old sluice to be rebuilt</h1>{before}{TEXT}</article>{after}"""


def json_ld(day: str, kind: str = "NewsArticle") -> str:
    return (
        f'<script type="application/ld+json">{{"@type": "{kind}", "headline": "Old sluice to be rebuilt",'
        f'"datePublished": "{day}"}}</script>'
    )


class TestDeclaredDates:
    @pytest.mark.parametrize(
        "head",
        [
            json_ld("2024-03-07"),
            json_ld("2024-03-07", "WebPage"),
            '<meta name=date content="2024-03-07">',
            '<meta name="DC.date.issued" content="2024-03-07">',
            json_ld("2024-03-07") + '<meta property="article:modified_time" content="2024-05-01">',
        ],
    )
    def test_the_only_declared_day_of_an_article_is_its_day(self, head: str) -> None:
        assert chosen(article(head))[Field.PUBLISHED][0] == "2024-03-07"

    def test_shop_pages_have_none(self) -> None:
        product = '{"@type": "Product", "name": "Camera", "offers": {"@type": "Offer", "price": "40"}}'
        html = json_ld("2024-03-07", "WebPage") + (
            f'<script type="application/ld+json">{product}</script><title>Camera</title><a href=/c>Cameras</a>'
            "<h1>Camera</h1><p class=price>€ 40</p><button>Add to cart</button><p>A camera with two lenses."
        )
        assert Field.PUBLISHED not in chosen(html)

    @pytest.mark.parametrize("name", ["article:modified_time", "og:updated_time"])
    def test_a_declared_change_is_no_publication(self, name: str) -> None:
        values = chosen(article(f'<meta property="{name}" content="2024-03-09T10:00:00+02:00">'))
        assert values[Field.MODIFIED] == ("2024-03-09T10:00:00+02:00",)
        assert Field.PUBLISHED not in values

    def test_comments_give_neither_date_nor_author(self) -> None:
        comment = "<li class=comment><b>Bo Ek</b> <time datetime=2024-04-01>April 1, 2024</time><p>I think so, too."
        comments = f"<section id=comments class=comments><h2>Comments</h2><ol>{comment * 3}</ol></section>"
        assert not {Field.PUBLISHED, Field.AUTHORS} & set(chosen(article(after=3 * TEXT + comments)))


class TestPlaceholders:
    @pytest.mark.parametrize(
        "title", ["Untitled Document", "Home", "New Page 1", "index.html", "{{ title }}", "Document"]
    )
    def test_are_no_titles(self, title: str) -> None:
        html = article(title=title).replace("h1>", "div>")
        assert chosen(html).get(Field.TITLE) != (title,)

    def test_a_named_headline_is_the_title(self) -> None:
        html = article(title="Untitled Document").replace("<h1>", "<div class=headline>").replace("</h1>", "</div>")
        assert chosen(html)[Field.TITLE] == ("Old sluice to be rebuilt",)

    def test_headings_are_titles(self) -> None:
        html = f"<title>Home - Lexicon</title><h1>Home</h1>{TEXT}"
        assert chosen(html)[Field.TITLE] == ("Home",)

    @pytest.mark.parametrize("name", ["{{author}}", "admin", "Administrator", "root", "editor", "[author]"])
    def test_are_no_authors(self, name: str) -> None:
        assert Field.AUTHORS not in chosen(article(f'<meta name=author content="{name}">'))


class TestFromBytes:
    def test_restores_a_model(self) -> None:
        data = load_shipped().to_bytes()
        assert from_bytes(data).to_bytes() == data

    @pytest.mark.parametrize("data", [b"", b"PK", model_file.pack({"card.json": b"{}"})])
    def test_refuses_damaged_files(self, data: bytes) -> None:
        with pytest.raises(ModelError, match="the model of metadata is damaged"):
            from_bytes(data)

    def test_refuses_other_columns(self) -> None:
        card = load_shipped().card
        columns = {**card["columns"], "title": card["columns"]["title"][1:]}
        data = repacked(load_shipped().to_bytes(), card=json.dumps({**card, "columns": columns}).encode())
        with pytest.raises(ModelError, match="of another version"):
            from_bytes(data)
