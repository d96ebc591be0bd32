import base64
import json
from typing import Any

import numpy as np
import pytest

from vclean.errors import LimitError
from vclean.render.browser import walker
from vclean.render.rendered_page import Omissions
from vclean.render.snapshot import ATTRIBUTES, STYLES, Snapshot
from vclean.settings import RenderSettings


def pack(values: Any, dtype: str = "<i4") -> str:
    return base64.b64encode(np.array(values, dtype=dtype).tobytes()).decode()


def payload(**changes: Any) -> str:
    """Return the payload of the walker for `<p title=t>Hi`, a page of two elements without a body."""
    columns = {
        "tag": pack([0, 1]),
        "parent": pack([-1, 0]),
        "end": pack([2, 2]),
        "depth": pack([0, 1]),
        "box": pack([0, 0, 1366, 768, 8, 8.5, 100, 20], "<f4"),
        "hidden": pack([0, 3], "u1"),
        "style": pack([0, 0]),
        "attr_node": pack([1]),
        "attr_name": pack([ATTRIBUTES.index("title")]),
        "text_parent": pack([1]),
        "text_after": pack([1]),
        "text_hidden": pack([0], "u1"),
        "image": pack([]),
        "line_text": pack([0]),
        "line_box": pack([8, 9, 12.5, 17], "<f4"),
        "formula": pack([]),
    }
    default = {
        "columns": columns,
        "head": ['<meta name="author" content="Ann">'],
        "tags": ["html", "p"],
        "rows": ["\n".join(f"{name}-value" for name in STYLES)],
        "texts": ["Hi"],
        "attributes": ["t"],
        "title": " A\n b ",
        "language": "en",
        "width": 1366,
        "height": 768,
        "noscript": False,
        "dark": False,
        "sticky": False,
    }
    return json.dumps(default | changes)


def unpack(**changes: Any) -> Snapshot:
    return walker.unpack(payload(**changes), RenderSettings(), build="Test/1", url="http://example.org/")


class TestUnpack:
    def test_writes_sources_of_formulas_as_text(self) -> None:
        columns = json.loads(payload())["columns"] | {"formula": pack([0])}
        page = unpack(columns=columns, texts=["<math><msup><mi>x</mi><mn>2</mn></msup></math>"])
        assert page.texts == ["x^2"]

    def test_returns_metadata(self) -> None:
        snapshot = unpack()
        assert (snapshot.title, snapshot.language, snapshot.build) == ("A b", "en", "Test/1")
        assert (snapshot.width, snapshot.height, snapshot.rendered) == (1366.0, 768.0, True)
        assert snapshot.url == "http://example.org/"
        assert snapshot.settings == RenderSettings().to_dict()
        assert snapshot.head.meta == (("author", "Ann"),)

    @pytest.mark.parametrize(
        ("payload_fields", "message"),
        [({"nodes": 200_000}, "200,000 elements, over the limit of 150,000"), ({"characters": 10**8}, "100,000,000")],
    )
    def test_raises_for_exceeded_limits(self, payload_fields: dict[str, int], message: str) -> None:
        with pytest.raises(LimitError, match=message):
            walker.unpack(json.dumps(payload_fields), RenderSettings(), build="", url="")


class TestHints:
    @pytest.mark.parametrize(
        ("hint", "html"),
        [
            ("skipping", "<style>p{CONTENT-visibility:auto}"),
            ("skipping", "<p hidden=until-found>"),
            ("fonts", "<style>@font-face { src: url(data:font/woff2,x) }"),
            ("scripting", "<style media='(Scripting: none)'>p { display: none }"),
        ],
    )
    def test_detects_one_feature(self, hint: str, html: str) -> None:
        hints = walker.hints(html)
        absent = {"skipping": False, "fonts": False, "scripting": False}
        assert {name: hints[name] for name in absent} == absent | {hint: True}

    @pytest.mark.parametrize(
        ("html", "names"),
        [
            ("<p style='Clip-Path: inset(50%)'>", {"clip", "clip-path"}),
            ("<style>.sr { clip: rect(0 0 0 0) }", {"clip"}),
            ("<style>h1 { TEXT-INDENT: -999px }", {"text-indent"}),
            ("<style>a { -webkit-filter : blur(9px) }", {"filter"}),
            ("<style>a { filter/* b */: blur(9px) }", {"filter"}),
            ("<p style='filter&colon;blur(9px)'>", {"filter"}),
            ("<svg filter=url(#f)>", {"filter"}),
            ("<style>a { -webkit-mask-image: none; mix-blend-mode: screen }", {"mask-image", "mix-blend-mode"}),
            ("<svg transform='scale(2)'>", {"transform"}),
            ("<style>a { text-transform: none; transform: none }", {"text-transform", "transform"}),
            ("<style>a { text-transform: none }", {"text-transform"}),
            ("<style>a { z-index: 1; opacity: 0; isolation: isolate }", {"z-index", "opacity", "isolation"}),
            ("<p>Filter the mask: a blend of transforms, é \ud800", {"mask-image"}),
        ],
    )
    def test_lists_undeclared_properties(self, html: str, names: set[str]) -> None:
        undeclared = walker.hints(html)["undeclared"]
        assert isinstance(undeclared, list)
        properties = set(walker.hints("")["undeclared"])  # type: ignore[arg-type]
        assert properties - set(undeclared) == names


class TestMayEmbedFonts:
    @pytest.mark.parametrize(
        ("rules", "expected"),
        [
            ("@Font-Face { font-family: f; src: url(data:font/woff2,x) }", True),
            ("@Font-Face { src: url('data:x/y,x') }", True),
            ('@font-face { src: url( "DATA:,x") }', True),
            ("@font-face { src: url(a.woff), url(data:,x) }", True),
            ("@font-face { src: url(f.woff) } p { background: url(data:,x) }", False),
            ("url(data:,x)", False),
            ("@font-face{url( " * 500_000, False),  # in linear time: quadratic would take hours
        ],
        ids=range(7),
    )
    def test_detects_embedded_fonts(self, rules: str, expected: bool) -> None:
        assert walker.may_embed_fonts(f"<style>{rules}") == expected


class TestExpression:
    @pytest.mark.parametrize("url", ['"', "\\", "</script>", "\n", "\u2028", "é"])
    def test_passes_constants_and_quotes_url(self, url: str) -> None:
        expression = walker.expression(url, RenderSettings())
        decoder = json.JSONDecoder()
        constants, end = decoder.raw_decode(expression, expression.rindex("({...") + len("({..."))
        assert constants["attributes"] == list(ATTRIBUTES)
        assert constants["styles"] == list(STYLES)
        assert decoder.raw_decode(expression, end + len(", ..."))[0]["url"] == url
        assert expression.endswith("})")


class TestCall:
    @pytest.mark.parametrize(
        ("omissions", "expected"), [(None, (False, [], [])), (Omissions([3], [1, 2]), (True, [3], [1, 2]))]
    )
    def test_passes_omissions(self, omissions: Omissions | None, expected: tuple[bool, list[int], list[int]]) -> None:
        name = walker.definition().partition(" = ")[0]
        call = walker.call("", RenderSettings(), omissions=omissions)
        options = json.loads(call.removeprefix(f"{name}(").removesuffix(")"))
        assert (options["omits"], options["omittedElements"], options["omittedTexts"]) == expected
