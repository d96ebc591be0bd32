import time

import pytest

from vclean.render.browser.pseudo_rules import painted_pseudos

DARK = "{ content: ''; background: #123 }"


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (f".a::before {DARK}", [(".a", "::before")]),
        (f".a:before {DARK}", [(".a", "::before")]),
        (f".A B:AFTER {DARK}", [(".A B", "::after")]),
        (f"p, .a > q::after, li:not(.x, .y)::before {DARK}", [("q", "::after"), ("li:not(.x, .y)", "::before")]),
        (f"::before {DARK}", [("*", "::before")]),
        (f"@media screen {{ .a::before {DARK} }}", [(".a", "::before")]),
        (f"/* .b */ .a::before {DARK}", [(".a", "::before")]),
        (".a::after { content: ''; box-shadow: 0 0 0 99px #fff }", [(".a", "::after")]),
        (".a::after { backdrop-filter: blur(9px) }", [(".a", "::after")]),
        (".a::before { content: 'x'; color: red }", []),
        (".a::first-line { color: #fff }", [(".a", "::first-line")]),
        (f".a::before {DARK} .a::before {DARK}", [(".a", "::before")]),
    ],
)
def test_selectors(css: str, expected: list[tuple[str, str]]) -> None:
    assert painted_pseudos(f"<style>{css}</style><p class=a>Text") == expected


def test_nested_rules_are_left_to_the_browser() -> None:
    assert painted_pseudos(f"<style>.a {{ color: red; &::before {DARK} }}</style>") is None


def test_page_without_rules() -> None:
    assert painted_pseudos("<p>Before: the flood; after: the drought.") == []


def test_long_sources_take_linear_time() -> None:
    started = time.perf_counter()
    painted_pseudos("<style>" + 20_000 * ".a:before{background:" + "</style>")
    painted_pseudos(200_000 * ":before")
    assert time.perf_counter() - started < 5
