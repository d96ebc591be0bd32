from __future__ import annotations

import pytest
from helpers.page_records import page_record
from lxml import html

from vclean.compare import plots
from vclean.compare.report import ReportData, to_html


def section(name, pages):
    """Return the parts of a section after its heading; empty if the report lacks the section."""
    element = html.fromstring(to_html(ReportData(records=pages))).find(f".//section[@id='{name}']")
    return [] if element is None else list(element)[1:]


def text(element):
    return " ".join(" ".join(element.itertext()).split())


def parts(made):
    return [(part.tag, part.get("class")) for part in made]


def table_rows(parts, caption):
    """Return the cells of the table with a caption."""
    for part in parts:
        for table in part.iter("table"):
            if table.findtext("caption") == caption:
                return [[text(cell) for cell in row] for row in table.iterfind("tbody/tr")]
    raise AssertionError(f"no table {caption}")


class TestOverview:
    def test_shows_means_and_number_of_failures(self):
        pages = [page_record("a", text="word"), page_record("b", error="InputError: no"), page_record("c", text="word")]
        tile = section("scores", pages)[0].find("ul/li")
        assert text(tile).startswith("one 0.667 word F1; 95 %: 0.013 to 1.000")
        assert text(tile).endswith("median 1.000, 3 pages, 1 failed")

    def test_sorts_corpora_by_size(self):
        pages = [page_record("a", text="word", corpus="small"), *(page_record(name, corpus="large") for name in "bc")]
        rows = table_rows(section("scores", pages), "By corpus")
        assert [row[:4] for row in rows] == [["large", "2", "one", "0.000"], ["small", "1", "one", "1.000"]]

    def test_has_row_for_each_method_and_corpus(self):
        pages = [page_record("a", method=method, corpus=corpus) for corpus in ("x", "y") for method in ("one", "two")]
        rows = table_rows(section("scores", pages), "By corpus")
        assert [(row[0], row[2]) for row in rows] == [("x", "one"), ("x", "two"), ("y", "one"), ("y", "two")]

    def test_shows_distribution_for_each_method(self):
        pages = [page_record("a", text="word"), page_record("a", method="two")]
        figure = section("scores", pages)[0].find("figure")
        assert "one: mean 1.000, median 1.000" in text(figure)
        assert "two: mean 0.000, median 0.000" in text(figure)


class TestByGroups:
    def test_empty_for_pages_of_one_kind(self):
        assert section("kinds-of-pages", [page_record("a"), page_record("b"), page_record("b", method="two")]) == []

    def test_one_legend_for_several_methods(self):
        pages = [page_record("a", language="en"), page_record("b", language="de")]
        assert parts(section("kinds-of-pages", pages)) == [("div", "pair")]
        both = [*pages, *(page_record(each.outcome.id, language=each.language, method="two") for each in pages)]
        assert parts(section("kinds-of-pages", both)) == [("ul", "legend"), ("div", "pair")]

    def test_scores_by_language(self):
        pages = [
            page_record("a", language="en", text="word"),
            page_record("b", language="de"),
            page_record("c", language=""),
        ]
        rows = table_rows(section("kinds-of-pages", pages), "By language")
        assert rows == [
            ["de", "1", "one", "0.000", "0.000", "0.000"],
            ["en", "1", "one", "1.000", "1.000", "1.000"],
            ["unknown", "1", "one", "0.000", "0.000", "0.000"],
        ]

    def test_scores_by_length_in_the_order_of_lengths(self):
        pages = [
            page_record("a", words=4000),
            page_record("b", words=4000),
            page_record("c", words=150),
            page_record("d", words=0),
        ]
        rows = table_rows(section("kinds-of-pages", pages), "By length")
        assert [row[0] for row in rows] == ["no words", "100 to 299", "3,000 and more"]

    def test_method_with_other_pages(self):
        pages = [page_record("a", page_type="article"), page_record("b", page_type="forum", method="two", text="word")]
        rows = table_rows(section("kinds-of-pages", pages), "By page type")
        assert [row[:3] for row in rows] == [["article", "1", "one"], ["forum", "1", "two"]]


class TestCalibration:
    def test_empty_without_probabilities(self):
        assert section("calibration", [page_record("a", predicted="p", truth="p")]) == []

    def test_plots_blocks_words_and_pages(self):
        made = section("calibration", [page_record("a", predicted="po", truth="pp", confidence=0.7)])
        titles = [figure.findtext("figcaption") for part in made for figure in part.iter("figure")]
        assert titles == ["Blocks: probability of content", "Blocks, weighted by words", "Pages: expected word F1"]

    def test_error_is_distance_from_prediction(self):
        made = section("calibration", [page_record("a", predicted="pp", truth="pp", confidence=0.7)])
        rows = table_rows(made, "Expected calibration error")
        assert rows[0] == ["one", "blocks", "0.1000", "0.1000"]
        assert rows[2] == ["one", "pages", "0.7000", "0.7000"]

    def test_legend_names_plotted_methods(self):
        pages = [page_record("a", predicted="p", truth="p", method=name, confidence=confidence) for name, confidence in
                 (("one", 0.5), ("rule", None), ("two", 0.6))]  # fmt: skip
        legend = next(part for part in section("calibration", pages) if part.get("class") == "legend")
        assert text(legend) == "one two"


class TestConfusions:
    def test_has_table_for_each_method(self):
        pages = [page_record("a", predicted="p", truth="o", method=name) for name in ("one", "two")]
        tables = [table for part in section("labels", pages) for table in part.iter("table")]
        assert [table.findtext("caption") for table in tables] == ["one", "two"]

    def test_cells_have_counts_as_title(self):
        made = section("labels", [page_record("a", predicted="ppo", truth="ppp")])
        cells = [cell for part in made for cell in part.iterfind(".//tbody/tr/td")]
        assert [cell.get("title") for cell in cells][:5] == [
            "0 of 3 blocks", "2 of 3 blocks", "0 of 3 blocks", "0 of 3 blocks", "1 of 3 blocks",
        ]  # fmt: skip
        assert cells[1].get("style") == "--share: 0.667"

    def test_all_pages_failed(self):
        assert [row for part in section("labels", [page_record("a")]) for row in part.iterfind(".//tbody/tr")] == []


class TestAllPages:
    @pytest.mark.parametrize(("methods", "columns"), [(1, 7), (3, 9)])
    def test_has_column_for_each_method(self, methods, columns):
        pages = [page_record("a", method=f"m{at}") for at in range(methods)]
        table = next(part.find("table") for part in section("all-pages", pages) if part.find("table") is not None)
        assert len(table.findall("thead/tr/th")) == columns

    def test_equal_page_names_in_two_corpora(self):
        pages = [page_record("a", corpus="x", text="word"), page_record("a", corpus="y")]
        rows = next(part for part in section("all-pages", pages) if part.find("table") is not None).iterfind(
            ".//tbody/tr"
        )
        assert [[text(cell) for cell in row][:6] for row in rows] == [
            ["a", "y", "", "en", "1", "0.000"],
            ["a", "x", "", "en", "1", "1.000"],
        ]


class TestFailures:
    def test_empty_without_failures(self):
        assert section("failures", [page_record("a")]) == []

    def test_lists_failures_by_method(self):
        pages = [
            page_record("a", error="X: y"),
            page_record("a", method="two"),
            page_record("b", method="two", error="Z: w"),
        ]
        *_, table = section("failures", pages)
        rows = [[text(cell) for cell in row] for row in table.iterfind(".//tbody/tr")]
        assert rows == [["a", "news", "one", "X: y"], ["b", "news", "two", "Z: w"]]


def test_more_methods_than_markers():
    """Give the seventh method the marker of the first; tooltips contain its name."""
    names = [f"m{at}" for at in range(plots.SERIES + 1)]
    pages = [page_record(page, method=name, page_type=page) for page in "ab" for name in names]
    figure = next(part.find("figure") for part in section("kinds-of-pages", pages) if part.find("figure") is not None)
    titles = [element.text for element in figure.iterfind("svg/*/title")]
    assert [title.partition(":")[0] for title in titles[: len(names)]] == [f"a (1), {name}" for name in names]
