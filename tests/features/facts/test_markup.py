from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.facts.markup import head_mentions, json_ld_mentions
from vclean.features.facts.mentions import MAX_MENTIONS, Field, Source
from vclean.render.document_head import DocumentHead


def mentions(*meta: tuple[str, str], links: tuple[tuple[str, str], ...] = ()) -> list[tuple[object, ...]]:
    all_mentions = head_mentions(DocumentHead(meta=meta, links=links))
    return [(mention.field, mention.values, mention.source) for mention in all_mentions]


class TestHeadMentions:
    def test_reads_open_graph_and_others(self) -> None:
        assert mentions(("og:title", "Rain &amp; sun"), ("dc.creator", "Lee, Ann"), ("robots", "noindex")) == [
            (Field.TITLE, ("Rain & sun",), Source.OPEN_GRAPH),
            (Field.AUTHORS, ("Lee, Ann",), Source.META),
        ]

    def test_reads_the_author_of_wordpress(self) -> None:
        all_mentions = mentions(("twitter:label1", "Written by"), ("twitter:data1", "Ann Lee"))
        assert all_mentions == [(Field.AUTHORS, ("Ann Lee",), Source.OPEN_GRAPH)]
        assert mentions(("twitter:label1", "Reading time"), ("twitter:data1", "3 minutes")) == []

    def test_reads_links(self) -> None:
        assert mentions(links=(("license", "https://example.org/by"), ("author", "https://example.org/ann"))) == [
            (Field.LICENSE, ("https://example.org/by",), Source.LINK)
        ]

    def test_bounds_lists(self) -> None:
        assert len(mentions(*(("article:tag", f"tag {number}") for number in range(1000)))[0][1]) <= 50


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["@type", "@graph", "@id", "author", "name", "image", "keywords"]), inner)
    ),
    max_leaves=12,
)


def values(*objects: object) -> dict[tuple[Field, str], tuple[str, ...]]:
    """Return the values by field and property."""
    mentions = json_ld_mentions([json.dumps(each) for each in objects])
    return {(mention.field, mention.name): mention.values for mention in mentions}


class TestJsonLdMentions:
    def test_reads_an_article(self) -> None:
        mentions = values({
            "@type": ["NewsArticle"], "headline": "Rain &amp; sun", "datePublished": "2024-03-07",
            "author": [{"@type": "Person", "name": "Ann Lee"}, "Bo Ek"], "publisher": {"name": "The Daily"},
            "image": {"url": "https://example.org/i.png"}, "keywords": "rain, sun",
        })  # fmt: skip
        assert mentions == {
            (Field.TITLE, "article.headline"): ("Rain & sun",),
            (Field.PUBLISHED, "article.datePublished"): ("2024-03-07",),
            (Field.AUTHORS, "article.author"): ("Ann Lee", "Bo Ek"),
            (Field.SITE_NAME, "article.publisher"): ("The Daily",),
            (Field.IMAGE, "article.image"): ("https://example.org/i.png",),
            (Field.TAGS, "article.keywords"): ("rain", "sun"),
        }

    def test_follows_references_in_a_graph(self) -> None:
        person = {"@id": "#ann", "@type": "Person", "name": "Ann Lee"}
        article = {"@type": "http://schema.org/Article", "author": {"@id": "#ann"}}
        assert values({"@graph": [article, person]})[Field.AUTHORS, "article.author"] == ("Ann Lee",)

    @given(ANY)
    def test_accepts_any_types(self, value: object) -> None:
        article = {"@type": "Article", "headline": "Rain", "author": value, "image": value, "@graph": value}
        mentions = json_ld_mentions([json.dumps(article)])
        assert mentions[0].values == ("Rain",)
        assert all(isinstance(text, str) and text for mention in mentions for text in mention.values)

    @pytest.mark.parametrize(
        "script",
        [
            '{"@type": "Article", "headline": "Rain",}',
            '<!-- {"@type": "Article", "headline": "Rain"} -->',
            '{"@type": "Article", "headline": "Rain"};',
            '{"@type": "Article", "headline": "Rain", "description": "a\n"b" c"}',
            '{"@type": "Article", "headline": "Rain", "author": {"name": "Ann"',
        ],
    )
    def test_repairs_broken_json(self, script: str) -> None:
        assert ("Rain",) in [mention.values for mention in json_ld_mentions([script])]

    @pytest.mark.parametrize("script", ["", "null", "rain", "{", "[1, 2", '"text"', "\x00", "{" * 3000])
    def test_has_no_mention_in_other_text(self, script: str) -> None:
        assert json_ld_mentions([script]) == []

    @pytest.mark.parametrize(
        "script",
        [
            "[" * 100_000 + "]" * 100_000,
            '{"@graph":' * 20_000 + "1" + "}" * 20_000,
            json.dumps([{"@type": "Article", "headline": "x" * 500, "author": ["a" * 200] * 500}] * 400),
            '{"@type": "Article", "headline": ' + "[" * 400_000,
        ],
        ids=["deep", "deep graph", "many", "broken"],
    )
    def test_bounds_time_and_number(self, script: str) -> None:
        started = time.perf_counter()
        mentions = json_ld_mentions([script])
        assert len(mentions) <= MAX_MENTIONS
        assert time.perf_counter() - started < 5
