from __future__ import annotations

import pytest

from vclean.compare.document import element
from vclean.compare.tables import LONG, Column, counted, shown, table


def cells(made, path="tbody/tr"):
    return [["".join(cell.itertext()) for cell in row] for row in made.findall(f".//{path}")]


class TestTable:
    def test_heads_and_cells(self):
        made = table([Column("page"), Column("F1", 3)], [["a", 0.5], ["b", None]], caption="Scores")
        assert cells(made, "thead/tr") == [["page", "F1"]]
        assert cells(made) == [["a", "0.500"], ["b", "–"]]
        assert made.findtext(".//caption") == "Scores"
        assert made.get("aria-label") == "Scores"

    def test_the_first_cell_is_the_head_of_its_row(self):
        row = table([Column("page"), Column("n", 0)], [["a", 1]]).find(".//tbody/tr")
        assert [cell.tag for cell in row] == ["th", "td"]
        assert row[0].get("scope") == "row"

    def test_numbers_are_sorted_by_what_they_are_not_by_what_they_show(self):
        made = table([Column("n", 0), Column("m", 1)], [[1234567, float("nan")]])
        cell, missing = made.find(".//tbody/tr")
        assert (cell.text, cell.get("data-order")) == ("1,234,567", "1234567")
        assert (missing.text, missing.get("data-order")) == ("–", None)

    def test_a_cell_may_be_an_element(self):
        assert table([Column("page")], [[element("b", "x")]]).find(".//tbody/tr/th/b").text == "x"

    @pytest.mark.parametrize(("rows", "kind"), [(LONG, "scroll"), (LONG + 1, "scroll long")])
    def test_long_tables_scroll(self, rows, kind):
        assert table([Column("n", 0)], [[row] for row in range(rows)]).get("class") == kind

    def test_a_head_is_a_button_that_explains_itself(self):
        button = table([Column("F1", 3, "harmonic mean")], []).find(".//thead//button")
        assert (button.get("type"), button.get("title")) == ("button", "harmonic mean")


class TestShown:
    @pytest.mark.parametrize(
        ("value", "places", "expected"),
        [(None, 2, "–"), (float("nan"), 2, "–"), (0.12345, 3, "0.123"), (12345, 0, "12,345")],
    )
    def test_shown(self, value, places, expected):
        assert shown(value, places) == expected


class TestCounted:
    @pytest.mark.parametrize(
        ("number", "expected"), [(0, "0 blocks"), (1, "1 block"), (2, "2 blocks"), (1000, "1,000 blocks")]
    )
    def test_one_is_singular(self, number, expected):
        assert counted(number, "block") == expected
