from __future__ import annotations

import gzip

import pytest
from helpers.archives import record, response
from helpers.pages import snapshot

from vclean.classify.corpora import marked as marks
from vclean.classify.corpora.corpora import read_corpus, site
from vclean.classify.corpora.marked import (
    MarkedArchive,
    RegionMark,
    content_blocks,
    locate_marks,
    strip_marks,
)
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


class TestStripMarks:
    @pytest.mark.parametrize(
        "trace",
        ["data-block", "popupDialog", "ui-dialog", "builder", "New resource", "4242", '"highlight', " highlight"],
    )
    def test_removes_all_traces_of_the_marks(self, trace):
        assert trace in PAGE.replace("=highlight", '="highlight')
        assert trace not in strip_marks(PAGE)[0]

    def test_level_defaults_to_1(self):
        assert strip_marks("<p data-block-type=Ad>Buy")[1][0].level == 1


class TestLocateMarks:
    @pytest.mark.parametrize("path", ["/html[1]/body[1]/div[1]/div[1]", "/html[1]/svg[1]/html[1]"])
    def test_descendants_of_missing_elements_are_missing(self, path):
        page = snapshot("<p>one<div>x<div>two")
        (element,) = locate_marks(page, [RegionMark(path, Role.AD, 1)]).tolist()
        assert (page.xpath(element) if element >= 0 else None) == (None if "svg" in path else path)


class TestContentBlocks:
    def test_media_marks_are_ignored(self):
        html, marks = strip_marks(
            "<div data-block-type=Article>Text<p data-block-type=Video>Caption</div><p data-block-type=Image>Alone"
        )
        assert content_blocks(extract_blocks(snapshot(html)), marks).tolist() == [True, True, False]


URL = "http://a.example/page.html"


@pytest.fixture
def archive(tmp_path):
    """Write an archive of a marked page, its copy at another URL, a page without marks, and a style sheet."""
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
    def test_reads_the_list_beside_the_archive(self, archive):
        archive.with_name("styled.pages.txt").write_text(URL + "\n")
        (page,) = MarkedArchive(archive).marked_pages()
        assert page.page.url == URL
        assert "data-block" not in str(page.page.content)

    def test_without_any_requested_page(self, archive):
        archive.with_name("styled.pages.txt").write_text("http://b.example/")
        with pytest.raises(InputError, match="none of the 1 requested pages"):
            MarkedArchive(archive)

    def test_iterates_gold_pages(self, archive):
        gold = next(iter(MarkedArchive(archive)))
        assert (gold.corpus, gold.id, gold.url, site(gold)) == ("styled", URL, URL, "a.example")
        assert gold.text == "Title\nText\nEnd"

    def test_truncated_archive(self, archive):
        """Reject it, as scores of the readable part would pass for scores of the whole."""
        archive.write_bytes(archive.read_bytes()[:-100])
        with pytest.raises(InputError, match="cut off"):
            MarkedArchive(archive)

    def test_without_marked_pages(self, tmp_path):
        path = tmp_path / "plain.warc"
        path.write_bytes(record(URL, response(b"<p>No marks.")))
        with pytest.raises(InputError, match="no page with marks"):
            read_corpus(path)

    def test_all_types_of_the_published_set_have_roles(self):
        types = {"linklist", "article", "image", "content", "menu", "header", "footer", "logo", "title", "ad"}
        types |= {"sidebar", "searchbar", "table", "video", "comments", "author"}
        assert types <= set(marks._TYPES)
