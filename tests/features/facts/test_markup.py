from __future__ import annotations

from vclean.features.facts.markup import head_mentions
from vclean.features.facts.mentions import Field, Source
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
