from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from lxml import html

from vclean.characters import replace_illegal
from vclean.html_pages import (
    INLINE_POLICY,
    asset,
    environment,
    hash_policy,
    render_page,
    to_script_json,
)

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "vclean": "core", "vclean.compare": "core/compare", "vclean.labelling": "core/labelling",
    "vclean.render.overlay": "render/overlay",
}  # fmt: skip
FILES = [
    (package, path.name) for package, folder in PACKAGES.items() for path in (ROOT / folder / "templates").iterdir()
]
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\u2028\x00\ud800"
PAGE = """{% extends "page.html" %}
{% block body %}
<p title="{{ text }}">{{ text }}</p><script type="application/json" id="d">{{ value|embedded|safe }}</script>
{% endblock %}"""
HEAD = {"title": "t", "policy": INLINE_POLICY, "styles": (), "scripts": ()}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def printed(source, **values):
    return environment("vclean").from_string(source).render(values)


def page(text, value):
    return printed(PAGE, text=text, value=value, **HEAD | {"title": text})


class TestPrinting:
    @pytest.mark.parametrize(("value", "expected"), [(3, "3"), (2.0, "2"), (1.23456, "1.23"), (-0.5, "-0.5")])
    def test_numbers_are_short(self, value, expected):
        assert printed("{{ value }}", value=value) == expected

    @pytest.mark.parametrize(("value", "places", "expected"), [(float("nan"), 2, "–"), (12345, 0, "12,345")])
    def test_decimals(self, value, places, expected):
        assert printed("{{ value|decimals(places) }}", value=value, places=places) == expected

    def test_macros_are_escaped_once(self):
        assert printed("{% macro f(x) %}<b>{{ x }}</b>{% endmacro %}{{ f(text) }}", text="<") == "<b>&lt;</b>"

    def test_safe_values_are_not_escaped(self):
        assert printed("{{ text|safe }}", text="<b>\x00") == "<b>\x00"

    def test_a_variable_that_is_missing_is_an_error(self):
        with pytest.raises(UndefinedError):
            printed("{{ missing }}")


class TestPage:
    def test_templates_are_those_of_their_package(self):
        values = {"pages": [], "failed": [], "ready": True, "total": 0, "done": 0, "skipped": 0} | HEAD
        document = render_page("vclean.labelling", "list.html", **values)
        assert "Pages to label" in document
        assert document == render_page("vclean.labelling", "list.html", **values)


class TestFiles:
    @pytest.mark.parametrize(("package", "name"), FILES)
    def test_all_are_installed(self, package, name):
        assert asset(package, name)

    @pytest.mark.parametrize(("package", "name"), [file for file in FILES if file[1].endswith(".js")])
    def test_scripts_write_text_only(self, package, name):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", asset(package, name))


def test_script_json_has_no_nan():
    with pytest.raises(ValueError, match="JSON"):
        to_script_json(float("nan"))


@pytest.mark.parametrize(("same_origin", "source"), [(True, "'self'"), (False, "'none'")])
def test_policy_allows_requests_to_same_origin(same_origin, source):
    assert f"connect-src {source};" in hash_policy([], [], same_origin=same_origin)


@given(st.text())
@example(HOSTILE)
def test_texts_round_trip(text):
    document = html.fromstring(printed('<p title="{{ text }}">{{ text }}</p>', text=text))
    assert list(document) == []
    lines = re.compile("\r\n?")  # parsers of HTML read all ends of lines as \n
    assert lines.sub("\n", document.text or "") == lines.sub("\n", replace_illegal(text))
    assert lines.sub("\n", document.get("title")) == lines.sub("\n", replace_illegal(text))


@given(st.text(), JSON)
def test_values_add_no_tags(text, value):
    """Escape title and data: neither adds a tag, and the data can be read again."""
    document = html.document_fromstring(page(text, value))
    tags = [element.tag for element in document.iter()]
    assert tags == ["html", "head", *["meta"] * 5, "title", "body", "p", "script"]
    script = document.findtext(".//script")
    assert "<" not in script
    assert json.loads(script) == json.loads(replace_illegal(json.dumps(value, ensure_ascii=False)))
