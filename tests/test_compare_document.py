from __future__ import annotations

import json
import re

import pytest
from lxml import etree, html

from vclean.compare.document import POLICY, asset, data, document, element

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\u2028\x00\ud800"


def written(made):
    return etree.tostring(made, encoding="unicode")


class TestElement:
    def test_texts_and_elements_stand_in_their_order(self):
        assert written(element("p", "a ", element("b", "c"), " d ", "e")) == "<p>a <b>c</b> d e</p>"

    def test_names_of_attributes(self):
        made = element("svg", class_="plot", aria_label="x", viewBox="0 0 1 1", data_order=None)
        assert dict(made.attrib) == {"class": "plot", "aria-label": "x", "viewBox": "0 0 1 1"}

    @pytest.mark.parametrize(("value", "expected"), [(3, "3"), (2.0, "2"), (1.23456, "1.23"), (-0.5, "-0.5")])
    def test_numbers_are_short(self, value, expected):
        assert element("g", x=value).get("x") == expected

    def test_what_is_none_is_left_out(self):
        assert written(element("p", None, "a", title=None)) == "<p>a</p>"

    def test_hostile_text_is_text(self):
        made = html.fromstring(written(element("p", HOSTILE, title=HOSTILE)))
        assert list(made) == []
        assert made.text.startswith("</script><script>alert(1)")
        assert made.get("title").startswith("</script>")


class TestData:
    def test_it_comes_back(self):
        value = {"text": "<b>'\"\\ü\u2028", "numbers": [1, 2.5, None]}
        assert json.loads(data("d", value).text) == value

    def test_nothing_in_it_ends_the_script(self):
        made = data("d", [HOSTILE])
        assert "<" not in made.text
        assert "\u2028" not in made.text
        assert made.get("type") == "application/json"


class TestDocument:
    def test_styles_and_scripts_are_in_it_as_they_are(self):
        found = document("a < b", [element("p", "text")], styles=["page.css"], scripts=["report.js"], kind="x")
        assert found.startswith('<!DOCTYPE html>\n<html lang="en">')
        assert asset("page.css") in found
        assert asset("report.js") in found
        assert "<title>a &lt; b</title>" in found
        assert '<body class="x"><p>text</p>' in found

    def test_nothing_is_fetched(self):
        found = document("t", [], styles=["page.css", "report.css", "diff.css"], scripts=["report.js", "diff.js"])
        assert POLICY in found
        assert not re.search(r"https?://|@import|url\(", found)

    @pytest.mark.parametrize("name", ["report.js", "diff.js", "pane.js", "marks.js"])
    def test_scripts_write_text_only(self, name):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", asset(name))
