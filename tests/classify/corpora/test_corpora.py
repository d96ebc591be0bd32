from __future__ import annotations

import gzip
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import record, response
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.corpora.corpora import assign_folds, read_corpus, registered_domain, site
from vclean.classify.corpora.gold import GoldPage
from vclean.errors import InputError

ROW = {"id": "7", "html": b"<p>cat", "gold_text": "cat"}
GROUPS = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=60)


@pytest.fixture
def corpus_file(tmp_path):
    """Return a function that writes rows as a corpus and returns its path."""

    def write(rows, name="news", **options):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.Table.from_pylist(rows), path, **options)
        return path

    return write


class TestReadCorpus:
    @pytest.mark.parametrize("name", ["a.warc", "a.WARC.gz"])
    def test_opens_an_archive_of_marked_pages(self, tmp_path, name):
        path = tmp_path / name
        data = record("http://a.example/", response(b"<p data-block-type=Article>cat<p data-block-type=Ad>Buy"))
        path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        corpus = read_corpus(path)
        assert (corpus.name, len(corpus)) == ("a", 1)
        assert [page.text for page in corpus] == ["cat"]

    def test_reads_all_columns(self, corpus_file):
        same = {"id": "7", "url": "https://example.org/a", "page_type": "article", "html": b"<p>cat"}
        gold = {"gold_text": "cat", "gold_markup": "<p>cat", "gold_markdown": "# cat", "annotated_html": b"<b>cat"}
        (page,) = read_corpus(corpus_file([same | gold | {"must": ["cat"], "must_not": ["dog", "cow"]}]))
        snippets = {"must": ("cat",), "must_not": ("dog", "cow")}
        texts = {"text": "cat", "markup": "<p>cat", "markdown": "# cat", "annotated": b"<b>cat"}
        assert page == GoldPage(corpus="news", **same, **texts, **snippets)

    def test_gold_text_may_be_null(self, corpus_file):
        rows = [ROW, ROW | {"gold_text": None}]
        assert [page.text for page in read_corpus(corpus_file(rows))] == ["cat", ""]

    def test_documents_stored_as_text_are_utf8(self, corpus_file):
        html = '<meta charset="windows-1252"><p>žluť'
        page = next(iter(read_corpus(corpus_file([ROW | {"html": html}]))))
        assert page.html == b"\xef\xbb\xbf" + html.encode()

    @pytest.mark.parametrize("content", [b"", b"<html>", b"PAR1" + bytes(20) + b"PAR1"])
    def test_file_of_another_format(self, tmp_path, content):
        path = tmp_path / "page.parquet"
        path.write_bytes(content)
        with pytest.raises(
            InputError, match=r"page\.parquet is no Parquet file that can be read \(.*\): name a corpus"
        ) as caught:
            read_corpus(path)
        assert "\n" not in str(caught.value)

    def test_folder(self, tmp_path):
        with pytest.raises(InputError, match="is a folder: name a Parquet file"):
            read_corpus(tmp_path)

    def test_names_missing_columns(self, corpus_file):
        with pytest.raises(InputError, match="is no corpus: add the column html, gold_text"):
            read_corpus(corpus_file([{"id": "1", "text": "x"}]))

    def test_reports_damage_in_one_line(self, corpus_file):
        path = corpus_file([ROW | {"html": bytes(np.arange(256, dtype=np.uint8)) * 100}], compression="zstd")
        data = bytearray(path.read_bytes())
        data[40:400] = bytes(360)
        path.write_bytes(data)
        with pytest.raises(InputError, match="cannot be read to its end") as caught:
            list(read_corpus(path))
        assert "\n" not in str(caught.value)


class TestPage:
    def test_returns_the_document_without_gold(self):
        page = GoldPage(id="7", url="https://example.org/", html=b"<p>cat", text="gold").to_page()
        assert (page.id, page.url, page.content) == ("7", "https://example.org/", b"<p>cat")


class TestRegisteredDomain:
    @pytest.mark.parametrize(
        ("url", "domain"),
        [
            ("http://news.bbc.co.uk/2/hi", "bbc.co.uk"),
            ("https://example.org:8080/", "example.org"),
            ("https://USER@WWW.Example.ORG", "example.org"),
            ("//cdn.example.com/x.js", "example.com"),
            ("http://216.31.193.173/page", "216.31.193.173"),
            ("http://www.shd.org.yu/page", "www.shd.org.yu"),
            ("http://localhost/", "localhost"),
            ("http://a.blogspot.com/", "blogspot.com"),
            ("", ""),
        ],
    )
    def test_domains(self, url, domain):
        assert registered_domain(url) == domain


class TestSite:
    @pytest.mark.parametrize(
        "html",
        [
            b'<base href="http://www.example.org/x/"><a href="http://other.com">',
            b'<link href="https://example.org/page" rel="canonical"><a href="http://other.com">',
            b'<meta property="og:url" content="https://m.example.org/"><a href="http://other.com">',
            b'<a href="http://other.com/"><a href="http://example.org/1"><a href="http://www.example.org/2">',
            b'<a href="/relative"><img src="http://img.example.org/a.png">',
            b"<script>var home = 'http://www.example.org/';</script>",
            b'<title>never closed <a href="http://example.org/">',
            b'<a href="http://facebook.com/"><a href="http://facebook.com/me"><a href="http://example.org/">',
            b'<link rel="canonical" href="/page"><a href="http://example.org/">',
            b'<a href=" HTTP://Example.ORG/ ">',
        ],
    )
    def test_uses_elements_of_the_page(self, html):
        assert site(GoldPage(html=html)) == "example.org"

    @pytest.mark.parametrize(
        ("html", "name"),
        [
            (b'<a href="http://news.google.com/1">', "google.com"),  # the last resort
            (b"", "news/7"),
            (b"   ", "news/7"),
            (b"<p>no links", "news/7"),
            (b"\x00\xff", "news/7"),
            (b"<!-- only a comment -->", "news/7"),
        ],
    )
    def test_page_without_its_domain(self, html, name):
        assert site(GoldPage(corpus="news", id="7", html=html)) == name


class TestFolds:
    def test_is_reproducible_and_accepts_no_pages(self):
        assert assign_folds(["a", "b", "c", "d", "e", "f"], 3, seed=7).tolist() == [2, 0, 2, 0, 1, 1]
        assert assign_folds([], 5).tolist() == []

    @given(GROUPS, st.integers(1, 6), st.randoms())
    def test_groups_are_not_split_and_order_does_not_matter(self, groups, k, random):
        fold_of = dict(zip(groups, assign_folds(groups, k).tolist(), strict=True))
        assert assign_folds(groups, k).tolist() == [fold_of[group] for group in groups]
        assert set(fold_of.values()) <= set(range(k))
        random.shuffle(groups)
        assert assign_folds(groups, k).tolist() == [fold_of[group] for group in groups]

    @given(GROUPS, st.integers(1, 6))
    def test_fold_sizes_differ_by_at_most_one_group(self, groups, k):
        load = np.bincount(assign_folds(groups, k), minlength=k)
        assert load.max() - load.min() <= max(Counter(groups).values())
