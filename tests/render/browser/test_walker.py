import pytest

from vclean.render.browser import walker


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
            ("<style>a { -webkit-mask-image: none; mix-blend-mode: screen }", {"mask-image", "mix-blend-mode"}),
            ("<style>a { text-transform: none }", {"text-transform", "transform"}),
            ("<style>a { z-index: 1; opacity: 0; isolation: isolate }", {"z-index", "opacity", "isolation"}),
            ("<p>Filter the mask: a blend, é \ud800", {"filter", "mask-image", "mix-blend-mode"}),
        ],
    )
    def test_lists_undeclared_properties(self, html: str, names: set[str]) -> None:
        properties, undeclared = (set(walker.hints(source)["undeclared"]) for source in ("", html))
        assert properties - undeclared == names

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
        assert walker.hints(f"<style>{rules}")["fonts"] == expected
