from __future__ import annotations

import pytest
from helpers.trials import trial
from lxml import html

from vclean.compare import plots
from vclean.compare.report import ReportFacts, to_html


def section(name, pages):
    """The parts of a section after its heading; none where the report does not have it."""
    found = html.fromstring(to_html(ReportFacts(trials=pages))).find(f".//section[@id='{name}']")
    return [] if found is None else list(found)[1:]


def text(found):
    return " ".join(" ".join(found.itertext()).split())


def parts(made):
    return [(part.tag, part.get("class")) for part in made]


def table_rows(parts, caption):
    """The cells of the table with that caption."""
    for part in parts:
        for table in part.iter("table"):
            if table.findtext("caption") == caption:
                return [[text(cell) for cell in row] for row in table.iterfind("tbody/tr")]
    raise AssertionError(f"no table {caption}")


class TestOverview:
    def test_means_and_how_many_failed(self):
        pages = [trial("a", text="word"), trial("b", error="InputError: no"), trial("c", text="word")]
        tile = section("scores", pages)[0].find("ul/li")
        assert text(tile).startswith("one 0.667 word F1; 95 %: 0.013 to 1.000")
        assert text(tile).endswith("median 1.000, 3 pages, 1 failed")

    def test_corpora_by_their_size(self):
        pages = [trial("a", text="word", corpus="small"), *(trial(name, corpus="large") for name in "bc")]
        rows = table_rows(section("scores", pages), "By corpus")
        assert [row[:4] for row in rows] == [["large", "2", "one", "0.000"], ["small", "1", "one", "1.000"]]

    def test_every_method_has_a_row_for_every_corpus(self):
        pages = [trial("a", method=method, corpus=corpus) for corpus in ("x", "y") for method in ("one", "two")]
        rows = table_rows(section("scores", pages), "By corpus")
        assert [(row[0], row[2]) for row in rows] == [("x", "one"), ("x", "two"), ("y", "one"), ("y", "two")]

    def test_the_spread_of_every_method(self):
        pages = [trial("a", text="word"), trial("a", method="two")]
        figure = section("scores", pages)[0].find("figure")
        assert "one: mean 1.000, median 1.000" in text(figure)
        assert "two: mean 0.000, median 0.000" in text(figure)


class TestByGroups:
    def test_pages_of_one_kind_need_no_groups(self):
        assert section("kinds-of-pages", [trial("a"), trial("b"), trial("b", method="two")]) == []

    def test_the_legend_stands_once_and_only_for_several_methods(self):
        pages = [trial("a", language="en"), trial("b", language="de")]
        assert parts(section("kinds-of-pages", pages)) == [("div", "pair")]
        both = [*pages, *(trial(each.outcome.id, language=each.language, method="two") for each in pages)]
        assert parts(section("kinds-of-pages", both)) == [("ul", "legend"), ("div", "pair")]

    def test_scores_by_language(self):
        pages = [trial("a", language="en", text="word"), trial("b", language="de"), trial("c", language="")]
        rows = table_rows(section("kinds-of-pages", pages), "By language")
        assert rows == [
            ["de", "1", "one", "0.000", "0.000", "0.000"],
            ["en", "1", "one", "1.000", "1.000", "1.000"],
            ["unknown", "1", "one", "0.000", "0.000", "0.000"],
        ]

    def test_scores_by_length_in_the_order_of_lengths(self):
        pages = [trial("a", words=4000), trial("b", words=4000), trial("c", words=150), trial("d", words=0)]
        rows = table_rows(section("kinds-of-pages", pages), "By length")
        assert [row[0] for row in rows] == ["no words", "100 to 299", "3,000 and more"]

    def test_a_method_that_saw_other_pages(self):
        pages = [trial("a", page_type="article"), trial("b", page_type="forum", method="two", text="word")]
        rows = table_rows(section("kinds-of-pages", pages), "By page type")
        assert [row[:3] for row in rows] == [["article", "1", "one"], ["forum", "1", "two"]]


class TestCalibration:
    def test_no_method_gives_probabilities(self):
        assert section("calibration", [trial("a", said="p", truth="p")]) == []

    def test_a_diagram_of_blocks_of_words_and_of_pages(self):
        made = section("calibration", [trial("a", said="po", truth="pp", confidence=0.7)])
        titles = [figure.findtext("figcaption") for part in made for figure in part.iter("figure")]
        assert titles == ["Blocks: is it content?", "Blocks, by their words", "Pages: how good is the text?"]

    def test_the_error_is_the_distance_of_what_was_said(self):
        made = section("calibration", [trial("a", said="pp", truth="pp", confidence=0.7)])
        rows = table_rows(made, "Expected calibration error")
        assert rows[0] == ["one", "blocks", "0.1000", "0.1000"]
        assert rows[2] == ["one", "pages", "0.7000", "0.7000"]

    def test_the_legend_names_those_that_are_drawn(self):
        pages = [trial("a", said="p", truth="p", method=name, confidence=given) for name, given in
                 (("one", 0.5), ("rule", None), ("two", 0.6))]  # fmt: skip
        legend = next(part for part in section("calibration", pages) if part.get("class") == "legend")
        assert text(legend) == "one two"


class TestConfusions:
    def test_a_table_for_every_method(self):
        pages = [trial("a", said="p", truth="o", method=name) for name in ("one", "two")]
        tables = [table for part in section("labels", pages) for table in part.iter("table")]
        assert [table.findtext("caption") for table in tables] == ["one", "two"]

    def test_counts_are_told_on_the_cells(self):
        made = section("labels", [trial("a", said="ppo", truth="ppp")])
        cells = [cell for part in made for cell in part.iterfind(".//tbody/tr/td")]
        assert [cell.get("title") for cell in cells][:5] == [
            "0 of 3 blocks", "2 of 3 blocks", "0 of 3 blocks", "0 of 3 blocks", "1 of 3 blocks",
        ]  # fmt: skip
        assert cells[1].get("style") == "--share: 0.667"

    def test_pages_that_all_failed(self):
        assert [row for part in section("labels", [trial("a")]) for row in part.iterfind(".//tbody/tr")] == []


class TestAllPages:
    @pytest.mark.parametrize(("methods", "columns"), [(1, 7), (3, 9)])
    def test_a_column_for_every_method(self, methods, columns):
        pages = [trial("a", method=f"m{at}") for at in range(methods)]
        table = next(part.find("table") for part in section("all-pages", pages) if part.find("table") is not None)
        assert len(table.findall("thead/tr/th")) == columns

    def test_pages_of_the_same_name_in_two_corpora(self):
        pages = [trial("a", corpus="x", text="word"), trial("a", corpus="y")]
        rows = next(part for part in section("all-pages", pages) if part.find("table") is not None).iterfind(
            ".//tbody/tr"
        )
        assert [[text(cell) for cell in row][:6] for row in rows] == [
            ["a", "y", "", "en", "1", "0.000"],
            ["a", "x", "", "en", "1", "1.000"],
        ]


class TestFailures:
    def test_none(self):
        assert section("failures", [trial("a")]) == []

    def test_each_by_the_method_it_befell(self):
        pages = [trial("a", error="X: y"), trial("a", method="two"), trial("b", method="two", error="Z: w")]
        *_, table = section("failures", pages)
        rows = [[text(cell) for cell in row] for row in table.iterfind(".//tbody/tr")]
        assert rows == [["a", "news", "one", "X: y"], ["b", "news", "two", "Z: w"]]


def test_more_methods_than_markers():
    """The seventh method looks like the first; its name still stands on its marks."""
    names = [f"m{at}" for at in range(plots.SERIES + 1)]
    pages = [trial(page, method=name, page_type=page) for page in "ab" for name in names]
    figure = next(part.find("figure") for part in section("kinds-of-pages", pages) if part.find("figure") is not None)
    titles = [found.text for found in figure.iterfind("svg/*/title")]
    assert [title.partition(":")[0] for title in titles[: len(names)]] == [f"a (1), {name}" for name in names]
