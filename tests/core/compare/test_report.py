from __future__ import annotations

import json

import pytest
from helpers.page_records import error_analysis, page_record, screenshot
from lxml import etree, html

from vclean.compare import report as report_page
from vclean.compare.records import ErrorAnalysis
from vclean.compare.report import Column, Table, to_html
from vclean.html_pages import environment

HOSTILE = "</script><script>alert(1)</script>"
HTML = "<p>Menu</p><p>Rain, all day long</p><p>Share</p><p>More</p>"


def report(records, **facts):
    return html.fromstring(to_html(records, **facts))


def text(document):
    return " ".join(" ".join(document.itertext()).split())


def table_rows(made, caption):
    """Return the cells of the table with a caption."""
    table = next(each for each in made.iter("table") if each.findtext("caption") == caption)
    return [[text(cell) for cell in row] for row in table.iterfind("tbody/tr")]


def pages(method="one"):
    return [
        page_record("a", text="word", method=method, page_type="article", predicted="hpo", truth="h?o", confidence=0.9),
        page_record("b", method=method, page_type="forum", words=500, predicted="pp", truth="op", confidence=0.4),
        page_record("c", method=method, page_type="forum", error="InputError: no text"),
    ]


def worst_page(image=b""):
    """Return the arguments of a report with a worst page."""
    page = page_record("a", predicted="opop", truth="oppo", confidence=0.5, url="https://a.example/")
    return {"evaluations": [page], "worst": [page], "analyses": {page.key: error_analysis(page, HTML, image)}}


class TestToHtml:
    def test_omits_empty_sections(self):
        document = report([page_record("a", text="word", predicted="p", truth="p")])
        assert [section.get("id") for section in document.iterfind(".//section")] == ["scores", "labels", "all-pages"]

    def test_is_deterministic(self):
        assert to_html(pages()) == to_html(pages())

    def test_escapes_hostile_names(self):
        facts = dict.fromkeys(("method", "page_type", "corpus", "error", "url"), HOSTILE)
        document = page_record(HOSTILE, text="word", **facts)
        made = report([document], worst=[document])
        scripts = [text(script) for script in made.iterfind(".//script") if script.get("type") is None]
        assert len(scripts) == 1
        assert "alert(1)" not in scripts[0]


def test_scores_distribution_over_pages():
    rows = table_rows(report(pages() + pages("two")), "Pages by word F1")
    assert rows[0] == ["0.9 to 1.0", "0.333", "0.333"]
    assert rows[-1] == ["0.0 to 0.1", "0.667", "0.667"]


class TestKindsOfPages:
    def test_scores_by_language_and_length(self):
        words = [{"language": "en", "text": "word", "words": 150}, {"words": 4000}, {"language": "", "words": 0}]
        made = report([page_record(name, **facts) for name, facts in zip("abc", words, strict=True)])
        assert table_rows(made, "By language") == [
            ["en", "2", "one", "0.000 to 1.000", "0.500", "0.500", "0.500"],
            ["unknown", "1", "one", "0.000 to 0.000", "0.000", "0.000", "0.000"],
        ]
        assert [row[0] for row in table_rows(made, "By length")] == ["no words", "100 to 299", "3,000 and more"]

    def test_table_for_each_dimension_and_row_for_each_method(self):
        """Pages of one dimension differ in it."""
        made = report([page_record("a", page_type="x"), page_record("b", page_type="y", method="two")])
        section = made.find(".//section[@id='kinds-of-pages']")
        assert [text(caption) for caption in section.iterfind(".//caption")] == ["By page type"]
        assert [row[:3] for row in table_rows(made, "By page type")] == [["x", "1", "one"], ["y", "1", "two"]]


def test_calibration_error_is_distance_from_prediction():
    made = report([page_record("a", predicted="pp", truth="pp", confidence=0.7)])
    rows = table_rows(made, "Expected calibration error")
    assert (rows[0][2:], rows[2][2:]) == (["0.1000", "0.1000"], ["0.7000", "0.7000"])


def test_labels_shares_by_gold_label():
    rows = {name: cells for name, *cells in table_rows(report(pages()), "one")}
    assert rows["o other"] == ["0.000", "0.500", "0.000", "0.000", "0.500", "2"]
    assert rows["content of unknown type"] == ["0.000", "1.000", "0.000", "0.000", "0.000", "1"]
    assert "l list item" not in rows


class TestWorstPages:
    def test_quotes_errors(self):
        card = text(html.fromstring(to_html(**worst_page())).find(".//li[@class='card']"))
        assert card.startswith("0.000 a https://a.example/ news, en, 1 word of gold")
        assert "content, missed : 1 block .10 Share" in card
        assert "kept, but not content : 1 block .90 More" in card

    def test_facts_of_a_card(self):
        """Leave out unknown facts, shorten long names and texts, quote five errors and count the rest."""
        facts = {"url": "https://example.org/" + "y" * 500, "error": "X: y", "predicted": "o" * 6, "truth": "p" * 6}
        record = page_record("x" * 500, language="", **facts)
        source = "".join(f"<p>{'word ' * (200 - row)}" for row in range(6))
        analyses = {record.key: error_analysis(record, source)}
        card = report([record], worst=[record], analyses=analyses).find(".//li[@class='card']")
        assert "news, 1 word of gold; precision 0.000, recall 0.000" in text(card)
        assert card.findtext(".//p[@class='missed']") == "X: y"
        link = card.find(".//a")
        assert (len(link.text), link.get("rel")) == (120, "noreferrer noopener")
        assert link.get("href").endswith("y" * 500)
        assert len(text(card.find(".//h3"))) < 110
        items = [text(item) for item in card.iterfind(".//details/ul/li")]
        assert (len(items), items[-1], len(card.findtext(".//q"))) == (6, "and 1 more", 160)
        assert card.find(".//img") is None

    def test_thumbnail_opens_overlay(self, monkeypatch):
        monkeypatch.setattr(ErrorAnalysis, "overlay", lambda _: "<p>overlay</p>")
        made = html.fromstring(to_html(**worst_page(screenshot())))
        button = made.find(".//button[@data-overlay]")
        assert (button.get("data-overlay"), button.get("aria-label")) == ("0", "Open the overlay of a")
        assert button.find("img").get("src").startswith("data:image/webp;base64,")
        assert json.loads(made.find(".//script[@id='overlays']").text) == ["<p>overlay</p>"]

    @pytest.mark.parametrize(("size", "fits"), [(1_000, True), (2_000, False)])
    def test_omits_overlays_that_do_not_fit(self, monkeypatch, size, fits):
        """Keep the thumbnail, and state the number of omitted overlays."""
        monkeypatch.setattr(ErrorAnalysis, "overlay", lambda _: "<" * size)
        monkeypatch.setattr(report_page, "MAX_BYTES", 10_000)
        section = html.fromstring(to_html(**worst_page(screenshot()))).find(".//section[@id='worst-pages']")
        button = section.find(".//button[@data-overlay]")
        assert (button.get("disabled") is None, button.find("img") is None) == (fits, False)
        assert ("The overlays of 1 of them are left out" in text(section)) == (not fits)


def test_all_pages_sorts_by_score_of_first_method():
    made = report([*pages(), page_record("a", method="two"), page_record("b", method="two", text="word")])
    rows = made.iterfind(".//table[@id='all-pages-table']/tbody/tr")
    assert [[text(cell) for cell in row] for row in rows] == [
        ["b", "news", "forum", "en", "500", "0.000", "1.000", "0.400"],
        ["c", "news", "forum", "en", "1", "0.000", "–", "–"],
        ["a", "news", "article", "en", "1", "1.000", "0.000", "0.900"],
    ]


def test_lists_failures_with_reason():
    row = report(pages()).find(".//section[@id='failures']//tbody/tr")
    assert [text(cell) for cell in row] == ["c", "news", "one", "InputError: no text"]


def test_long_tables_scroll_and_escape_texts():
    def made(columns, rows):
        macros = environment("vclean.compare").get_template("table.html").module
        return etree.fromstring(macros.table(Table(columns, rows, "")).strip())

    hostile = made([Column("<i>", 0, '"<'), Column("<b>")], [[1, "<b>x</b>"]])
    assert ["".join(cell.itertext()) for cell in hostile.find(".//tbody/tr")] == ["1", "<b>x</b>"]
    kinds = [made([Column("n", 0)], [[row] for row in range(count)]).get("class") for count in (40, 41)]
    assert kinds == ["scroll", "scroll long"]
