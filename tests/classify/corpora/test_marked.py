from __future__ import annotations

import gzip

import pytest
from helpers.archives import record, response
from helpers.pages import laid_out, snapshot

from vclean.classify.corpora import marked as marks
from vclean.classify.corpora.corpora import site
from vclean.classify.corpora.marked import MarkedArchive, RegionMark, content_blocks, innermost, locate, strip
from vclean.errors import InputError
from vclean.features.blocks import extract_blocks
from vclean.labels import Role

DIALOG = """<div class="ui-dialog ui-widget"><span class=ui-dialog-title>New resource</span>
<div id=popupDialog class=ui-dialog-content><input id=header4242 value=Header><label>Footer</label></div></div>"""
SCRIPT = f"var s = '{DIALOG.replace(chr(10), '')}'"
PAGE = f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html><head><title>A page</title>
<link rel=stylesheet href="http://tool.example/builder/css/ui.css"><link rel=stylesheet href=site.css>
<script src=http://tool.example/builder/builder.js></script><style>.highlight {{}} *[data-block] {{}}</style>
<style>p {{color: red}}</style></head>
<body><div data-block=1 data-block-type=Header class=highlight>Site <ul data-block=2 data-block-type=Menu><li>Home</ul>
</div><div data-block=1 data-block-type=Content class="main highlight"><h1 data-block=2 data-block-type=Title>Title</h1>
<table><tr><td data-block=2 data-block-type=Article><p>Text
<img data-block=2 data-block-type=Image src=a.png></table>
<div data-block=2 data-block-type=LinkList>More</div><p data-block=2 data-block-type=Whatever>End</p></div>
<div class=block-highlight>Outside</div>{DIALOG}<script>{SCRIPT}</script>
</body></html>"""


class TestStrip:
    @pytest.mark.parametrize(
        "trace",
        ["data-block", "popupDialog", "ui-dialog", "builder", "New resource", "4242", '"highlight', " highlight"],
    )
    def test_nothing_of_the_marks_is_left(self, trace):
        assert trace in PAGE.replace("=highlight", '="highlight')
        assert trace not in strip(PAGE)[0]

    @pytest.mark.parametrize(
        "kept",
        ["site.css", "color: red", 'class="main"', 'class="block-highlight"', "Outside", "<title>A page</title>"],
    )
    def test_the_page_is(self, kept):
        assert kept in strip(PAGE)[0]

    def test_the_document_type_stays_as_it_was(self):
        assert strip(PAGE)[0].startswith('<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"')
        assert strip("<p>No type.")[0].startswith("<html>")

    def test_the_marks_in_document_order(self):
        found = strip(PAGE)[1]
        assert [(mark.role, mark.level) for mark in found] == [
            (Role.HEADER, 1), (Role.NAVIGATION, 2), (Role.CONTENT, 1), (Role.TITLE, 2), (Role.ARTICLE, 2),
            (Role.MEDIA, 2), (Role.LINKS, 2),
        ]  # fmt: skip
        assert found[4].xpath == "/html[1]/body[1]/div[2]/table[1]/tbody[1]/tr[1]/td[1]"

    def test_a_page_without_the_tool_keeps_its_own_highlights(self):
        html = "<div data-block=1 data-block-type=content class=highlight>Code</div>"
        assert 'class="highlight"' in strip(html)[0]
        assert strip(html)[1] == (RegionMark("/html[1]/body[1]/div[1]", Role.CONTENT, 1),)

    def test_without_a_level_it_is_the_first(self):
        assert strip("<p data-block-type=Ad>Buy")[1][0].level == 1

    def test_stripping_twice_changes_nothing(self):
        html = strip(PAGE)[0]
        assert strip(html) == (html, ())


class TestLocate:
    def test_every_mark_is_found(self):
        html, found = strip(PAGE)
        page = snapshot(html)
        elements = locate(page, found)
        assert [page.xpath(element) for element in elements.tolist()] == [mark.xpath for mark in found]

    def test_what_is_not_there(self):
        assert locate(snapshot("<p>one"), [RegionMark("/html[1]/body[1]/p[2]", Role.AD, 1)]).tolist() == [-1]


class TestInnermost:
    def test_its_own_mark_or_the_nearest_round_it(self):
        html, found = strip(PAGE)
        page = snapshot(html)
        number = innermost(page, found)
        by_tag = {page.tags[page.tag[i]]: int(number[i]) for i in range(len(page))}
        assert by_tag["body"] == -1
        assert found[by_tag["li"]].role is Role.NAVIGATION
        assert found[by_tag["p"]].role is not Role.ARTICLE
        assert found[by_tag["img"]].role is Role.MEDIA

    def test_no_marks(self):
        assert (innermost(snapshot("<p>one"), ()) == -1).all()


class TestContentBlocks:
    def test_by_the_innermost_mark(self):
        html, found = strip(PAGE)
        blocks = extract_blocks(snapshot(html))
        kept = [text for text, keep in zip(blocks.text, content_blocks(blocks, found), strict=True) if keep]
        assert kept == ["Title", "Text", "End"]

    def test_a_film_is_what_is_round_it(self):
        html, found = strip(
            "<div data-block-type=Article>Text<p data-block-type=Video>Caption</div><p data-block-type=Image>Alone"
        )
        assert content_blocks(extract_blocks(snapshot(html)), found).tolist() == [True, True, False]

    def test_rendered_and_not_alike(self):
        html, found = strip(PAGE)
        assert (
            content_blocks(extract_blocks(laid_out(html)), found).tolist()
            == content_blocks(extract_blocks(snapshot(html)), found).tolist()
        )


URL = "http://a.example/page.html"


@pytest.fixture
def archive(tmp_path):
    """An archive of a marked page, the same page under another address, one without marks, and a style sheet."""
    path = tmp_path / "styled.warc.gz"
    records = [
        record(URL, response(PAGE.encode(), "text/html; charset=utf-8")),
        record("http://a.example/copy.html", response(PAGE.encode(), "text/html; charset=utf-8")),
        record("http://a.example/other", response(b"<p>No marks.")),
        record("http://a.example/site.css", response(b"p{}", "text/css")),
    ]
    path.write_bytes(b"".join(map(gzip.compress, records)))
    return path


class TestMarkedArchive:
    def test_all_pages_with_marks(self, archive):
        corpus = MarkedArchive(archive)
        assert (len(corpus), corpus.name) == (2, "styled")
        assert [page.page.url for page in corpus.marked()] == [URL, "http://a.example/copy.html"]

    def test_the_listed_ones_where_there_is_a_list(self, archive):
        archive.with_name("styled.pages.txt").write_text(URL + "\n")
        assert [page.page.url for page in MarkedArchive(archive).marked()] == [URL]

    def test_the_wanted_ones_where_they_are_named(self, archive):
        archive.with_name("styled.pages.txt").write_text(URL + "\n")
        copy = "http://a.example/copy.html"
        found = MarkedArchive(archive, {copy, "http://b.example/"})
        assert [page.page.url for page in found.marked()] == [copy]

    def test_none_of_the_wanted_ones(self, archive):
        with pytest.raises(InputError, match="none of the 1 pages wanted"):
            MarkedArchive(archive, {"http://b.example/"})

    def test_pages_are_served_with_what_they_need(self, archive):
        page = next(MarkedArchive(archive).marked()).page
        assert page.resources.get("http://a.example/site.css").body == b"p{}"

    def test_nothing_of_the_marks_reaches_the_blocks(self, archive):
        marked = next(MarkedArchive(archive).marked())
        page = snapshot(marked.page.content)
        assert not any("data-block" in value or "4242" in value for value in page.attr_value)
        assert not {"highlight", "ui-dialog"} & {name for v in page.attributes("class").values() for name in v.split()}
        assert "New resource" not in " ".join(extract_blocks(page).text)

    def test_as_a_corpus(self, archive):
        gold = next(iter(MarkedArchive(archive)))
        assert (gold.corpus, gold.id, gold.url, site(gold)) == ("styled", URL, URL, "a.example")
        assert gold.text == "Title\nText\nEnd"

    def test_the_page_is_the_same_both_ways(self, archive):
        corpus = MarkedArchive(archive)
        assert next(iter(corpus)).page().content == next(corpus.marked()).page.content

    def test_cut_off(self, archive):
        """What is left of it is not what its scores would be told of."""
        archive.write_bytes(archive.read_bytes()[:-100])
        with pytest.raises(InputError, match="cut off"):
            MarkedArchive(archive)

    def test_no_page_with_marks(self, tmp_path):
        path = tmp_path / "plain.warc"
        path.write_bytes(record(URL, response(b"<p>No marks.")))
        with pytest.raises(InputError, match="no page with marks"):
            MarkedArchive(path)

    def test_every_type_of_the_published_set_has_a_role(self):
        types = {"linklist", "article", "image", "content", "menu", "header", "footer", "logo", "title", "ad"}
        types |= {"sidebar", "searchbar", "table", "video", "comments", "author"}
        assert types <= set(marks._TYPES)
