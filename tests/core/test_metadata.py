from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import vclean
from vclean.render.document_head import MAX_JSON_LD

ARTICLE = """<html lang=en><title>Rain in May | The Daily</title><meta name=author content="Ann Lee">
<meta property="article:published_time" content="2024-03-07T10:00:00Z">
<h1>Rain in May</h1><p class=byline>By Ann Lee</p>
<p>It rained for several days, and the river rose by a metre near the old ferry.</p>"""


class TestMetadata:
    @pytest.mark.browser
    def test_has_boxes_on_rendered_pages(self) -> None:
        metadata = vclean.clean(f"<style>h1 {{ font-size: 40px }}</style>{ARTICLE}", render=True).metadata
        box = metadata.evidence["title"].box
        assert box is not None
        assert box.width > 0

    def test_thread_has_the_date_of_its_first_post(self) -> None:
        page = vclean.clean_file(Path(__file__).parents[2] / "fixtures" / "forum" / "page.html")
        evidence = page.metadata.evidence["published"]
        assert page.metadata.published == page.posts[0].date == "2026-10-06T19:02:00"
        assert (evidence.property, evidence.xpath) == ("post", page.posts[0].xpath)

    @pytest.mark.parametrize(("day", "published"), [("2024/03/06", "2024-03-06"), ("2023/03/06", "2024-03-07")])
    def test_day_of_the_url_beside_that_of_the_markup(self, day: str, published: str) -> None:
        page = vclean.clean(ARTICLE, url=f"https://example.org/{day}/rain")
        assert page.metadata.published[:10] == published

    @pytest.mark.parametrize(
        "script",
        [
            "[" * (MAX_JSON_LD // 2) + "]" * (MAX_JSON_LD // 2),
            '{"@type": 7, "author": {"name": {"name": [[]]}}, "datePublished": {}, "headline": false}',
            json.dumps({"@type": "Article", "datePublished": "x" * 100_000, "author": [[["a"]]] * 1000}),
        ],
        ids=["deep", "types", "long"],
    )
    def test_hostile_json_ld_has_no_effect(self, script: str) -> None:
        started = time.perf_counter()
        metadata = vclean.clean(f'<script type="application/ld+json">{script}</script><p>It rained.').metadata
        assert (metadata.authors, metadata.published) == ((), "")
        assert time.perf_counter() - started < 10
