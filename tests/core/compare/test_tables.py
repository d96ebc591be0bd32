from __future__ import annotations

import pytest
from lxml import etree

from vclean.compare.report import Column, Table
from vclean.html_pages import environment


def table(columns, rows, caption=""):
    macros = environment("vclean.compare").get_template("table.html").module
    return etree.fromstring(macros.table(Table(columns, rows, caption)).strip())


def cells(made, path="tbody/tr"):
    return [["".join(cell.itertext()) for cell in row] for row in made.findall(f".//{path}")]


class TestTable:
    def test_escapes_hostile_texts(self):
        assert cells(table([Column("<i>", 0, '"<'), Column("<b>")], [[1, "<b>x</b>"]])) == [["1", "<b>x</b>"]]

    @pytest.mark.parametrize(("rows", "kind"), [(40, "scroll"), (41, "scroll long")])
    def test_long_tables_scroll(self, rows, kind):
        assert table([Column("n", 0)], [[row] for row in range(rows)]).get("class") == kind
