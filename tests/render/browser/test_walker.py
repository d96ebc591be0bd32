import base64
import json
from typing import Any

import numpy as np
import pytest

from vclean.errors import LimitError
from vclean.render.browser import walker
from vclean.render.snapshot import ATTRIBUTES, LITTLE_TEXT, STYLES, Hidden, Snapshot
from vclean.render.static import styles
from vclean.settings import RenderSettings


def pack(values: Any, dtype: str = "<i4") -> str:
    return base64.b64encode(np.array(values, dtype=dtype).tobytes()).decode()


def answer(**changes: Any) -> str:
    """What the walker says of `<p title=t>Hi` on a page of two elements and no body."""
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
        "line_text": pack([0]),
        "line_box": pack([8, 9, 12.5, 17], "<f4"),
    }
    whole = {
        "columns": columns,
        "tags": ["html", "p"],
        "rows": ["\n".join(f"{name}-value" for name in STYLES)],
        "texts": ["Hi"],
        "attributes": ["t"],
        "title": " A\n b ",
        "language": "en",
        "width": 1366,
        "height": 768,
        "noscript": False,
        "sticky": False,
    }
    return json.dumps(whole | changes)


def unpack(**changes: Any) -> Snapshot:
    return walker.unpack(answer(**changes), RenderSettings(), build="Test/1", url="http://example.org/")


class TestUnpack:
    def test_columns_have_their_types_and_shapes(self) -> None:
        found = unpack()
        assert found.parent.tolist() == [-1, 0]
        assert (found.box.shape, found.box.dtype) == ((2, 4), np.float32)
        assert found.box[1].tolist() == [8, 8.5, 100, 20]
        assert (found.line_box.shape, found.line_text.dtype) == ((1, 4), np.int32)
        assert found.hidden.tolist() == [Hidden.NO, Hidden.OPACITY]

    def test_strings(self) -> None:
        found = unpack()
        assert found.tags == ("html", "p")
        assert found.texts == ["Hi"]
        assert found.attributes("title") == {1: "t"}
        assert found.styles.column("z-index") == ["z-index-value"]

    def test_facts_of_the_page(self) -> None:
        found = unpack()
        assert (found.title, found.language, found.build) == ("A b", "en", "Test/1")
        assert (found.width, found.height, found.rendered) == (1366.0, 768.0, True)
        assert found.url == "http://example.org/"
        assert found.settings == RenderSettings().to_dict()

    def test_page_without_text(self) -> None:
        columns = json.loads(answer())["columns"] | {"line_box": "", "line_text": "", "text_parent": ""}
        found = unpack(columns=columns, texts=[])
        assert found.line_box.shape == (0, 4)
        assert found.text_parent.shape == (0,)

    @pytest.mark.parametrize(
        ("refusal", "message"),
        [({"nodes": 200_000}, "200,000 elements, over the cap of 150,000"), ({"characters": 10**8}, "100,000,000")],
    )
    def test_caps(self, refusal: dict[str, int], message: str) -> None:
        with pytest.raises(LimitError, match=message):
            walker.unpack(json.dumps(refusal), RenderSettings(), build="", url="")


class TestHints:
    @pytest.mark.parametrize(
        ("hint", "html"),
        [
            ("skipping", "<style>p{CONTENT-visibility:auto}"),
            ("skipping", "<p hidden=until-found>"),
            ("clips", "<p style='Clip-Path: inset(50%)'>"),
            ("clips", "<style>.sr { clip: rect(0 0 0 0) }"),
            ("indents", "<style>h1 { TEXT-INDENT: -999px }"),
            ("fonts", "<style>@font-face { src: url(data:font/woff2,x) }"),
        ],
    )
    def test_one_thing_used(self, hint: str, html: str) -> None:
        assert [name for name, used in walker.hints(html).items() if used] == [hint]

    def test_nothing_used(self) -> None:
        assert not any(walker.hints("<p style='visibility: hidden' hidden>content, indented").values())


class TestMayEmbedFonts:
    @pytest.mark.parametrize("source", ["data:font/woff2,x", "'data:x/y,x'", ' "DATA:,x"', "a.woff), url(data:,x"])
    def test_used(self, source: str) -> None:
        assert walker.may_embed_fonts(f"<style>@Font-Face {{ font-family: f; src: url({source}) }}")

    @pytest.mark.parametrize("rule", ["@font-face { src: url(f.woff) } p { background: url(data:,x) }", "url(data:,x)"])
    def test_not_used(self, rule: str) -> None:
        assert not walker.may_embed_fonts(f"<style>{rule}")

    def test_unclosed_rules(self) -> None:
        """In linear time: twenty times the text would take four hundred times as long otherwise."""
        assert not walker.may_embed_fonts("@font-face{url( " * 500_000)


class TestExpression:
    @staticmethod
    def options(expression: str) -> dict[str, Any]:
        """The two parts of the options, put together as JavaScript would."""
        decoder = json.JSONDecoder()
        constants, end = decoder.raw_decode(expression, expression.rindex("({...") + len("({..."))
        return constants | decoder.raw_decode(expression, end + len(", ..."))[0]

    def test_walker_is_called_with_the_contract(self) -> None:
        expression = walker.expression("", RenderSettings())
        options = self.options(expression)
        assert expression.endswith("})")
        assert options["attributes"] == list(ATTRIBUTES)
        assert options["styles"] == list(STYLES)

    def test_rules_are_those_of_the_static_parser(self) -> None:
        options = self.options(walker.expression("", RenderSettings()))
        assert set(options["skipped"]) == styles.SKIPPED_TAGS | {"head"}
        assert set(options["replaced"]) == styles.REPLACED_TAGS
        assert options["littleText"] == LITTLE_TEXT

    def test_settings_are_applied(self) -> None:
        settings = RenderSettings(max_nodes=7, max_bytes=8, scripts=True)
        options = self.options(walker.expression("http://example.org/", settings))
        assert (options["maxNodes"], options["maxCharacters"], options["scripts"]) == (7, 8, True)

    @pytest.mark.parametrize("url", ['"', "\\", "</script>", "\n", "\u2028", "é"])
    def test_address_is_quoted(self, url: str) -> None:
        assert self.options(walker.expression(url, RenderSettings()))["url"] == url


class TestCall:
    @staticmethod
    def options(call: str) -> dict[str, Any]:
        return dict(json.loads(call[call.index("](") + 2 : -1]))

    def test_only_what_differs_from_page_to_page_is_sent(self) -> None:
        """The walker itself is left in the tab."""
        call = walker.call("http://example.org/", RenderSettings(max_nodes=7))
        assert len(call) < 300
        assert (self.options(call)["url"], self.options(call)["maxNodes"]) == ("http://example.org/", 7)

    @pytest.mark.parametrize("hint", ["skipping", "clips", "indents", "fonts", "discard"])
    @pytest.mark.parametrize("value", [True, False])
    def test_hints(self, hint: str, value: bool) -> None:
        assert self.options(walker.call("", RenderSettings(), **{hint: value}))[hint] is value

    @pytest.mark.parametrize("url", ['"', "\\", "]({", "\n", "\u2028", "é"])
    def test_address_is_quoted(self, url: str) -> None:
        assert self.options(walker.call(url, RenderSettings()))["url"] == url

    def test_the_name_is_that_of_the_definition(self) -> None:
        name = walker.definition().partition(" = ")[0]
        assert walker.call("", RenderSettings()).startswith(f"{name}({{")
