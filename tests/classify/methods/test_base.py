from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.pages import snapshot

from vclean.classify.methods.base import to_elements, to_html
from vclean.page import Page
from vclean.render.static.parse import parse

PAGE = """<html lang=en><head><title>A &amp; B</title></head><body class="x y">
<div id=a>one<p>two <b>three</b> four
<br>five</p>six</div>
<ul><li>seven<li><a href="/eight?a=1&amp;b=2">eight</a></ul><!-- no --><script>no()</script></body></html>"""


class TestToElements:
    def test_replaces_illegal_names_and_characters(self):
        page = replace(snapshot("<p title='a\x08b'>c\x08d</p>"), tags=("html", "body", "a<b"))
        element = to_elements(page)[2]
        assert (element.tag, element.get("title"), element.text) == ("x-other", "a b", "c d")


class TestToHtml:
    @pytest.mark.parametrize("html", [PAGE, "<p>", "text", "<table><td>a<td>b</table>", "<pre>\n a\n  b</pre><p>c"])
    def test_parses_to_the_same_snapshot(self, html):
        page = snapshot(html)
        parsed = parse(Page(content=to_html(page), url=page.url))
        assert [parsed.tags[tag] for tag in parsed.tag] == [page.tags[tag] for tag in page.tag]
        assert list(parsed.texts) == list(page.texts)
        assert parsed.title == page.title
        assert list(parsed.attr_value) == list(page.attr_value)
