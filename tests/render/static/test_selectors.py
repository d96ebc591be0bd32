"""Match selectors with elements."""

import time

import pytest
from lxml import etree

from vclean.render.static.selectors import Matcher, parse_selector, split_list

ROOT = etree.fromstring(
    "<html class='no-js'><body class='home'><div id='d' class='a b'>"
    "<p>1</p><p class='x md:hidden' data-k='qq r' lang='en-US'>2</p><i class='y'>3</i><p>4</p></div></body></html>",
    etree.HTMLParser(),
)
SECOND = ROOT.xpath("//p[2]")[0]


def matches(text: str) -> bool:
    selector = parse_selector(text)
    return selector is not None and Matcher(1000).matches(selector, SECOND)


@pytest.mark.parametrize(
    "selector",
    [
        ".x", "p.x", "P", "*.x", ".x.md\\:hidden", "#d .x", "div > p.x", ".a.b > .x", "body .x",
        "html > body > div > p",
        "p ~ .x", "p + .x", "[data-k]", "p[data-k^=q]", "[data-k='qq r']", "[data-k~=r]", "[lang|=en]", "[data-k$=r]",
        "[data-k*='q r']", ".x:not(.z)", ".x:not(.z, .w):not(i)", "p:nth-child(2)", "p:nth-child(even)",
        "p:nth-of-type(2n + 2)", "p:nth-of-type(-n+2)", ".x:not(:first-child)",
    ],
)  # fmt: skip
def test_match(selector: str) -> None:
    assert matches(selector)


@pytest.mark.parametrize(
    "selector",
    [
        ".z", ".x.z", "i.x", ".x > p", "#d > div > .x", ".y + .x", ".y ~ .x", "[data-k=q]", "[title]", "[lang^='']",
        ".x:not(.md\\:hidden)", "p:nth-child(3)", "p:nth-child(odd)", "p:first-child", "p:last-of-type", ".no-js .x",
        "body.home .x", ".home .x", ".x:hover", ".x::before", "p:has(b)", ".x >", "> .x", "", ".", "p:nth-child(of)",
        "p:not(.a .b)", "&.x", "@media", "a" * 999 + " b" * 99,
    ],
)  # fmt: skip
def test_do_not_match(selector: str) -> None:
    assert not matches(selector)


def test_lists() -> None:
    assert split_list(".a, .b") == [".a", " .b"]
    assert split_list("i:is(.a,.b):where(.c, .d)") == ["i.a.c", "i.a.d", "i.b.c", "i.b.d"]
    assert len(split_list(":is(a,b)" * 20)) < 99


@pytest.mark.parametrize("part", [":not(", "[a=", ":is(a,", "a ", "\\", ".a>", ":nth-child(1"])
def test_hostile_selectors_take_little_time(part: str) -> None:
    started = time.process_time()
    for selector in split_list(part * 2_000):
        parse_selector(selector)
    assert time.process_time() - started < 1


def test_steps_are_bounded() -> None:
    root = etree.fromstring("<div class='a'>" * 200 + "</div>" * 200, etree.HTMLParser())
    selector = parse_selector("b > .a .a .a .a .a .a .a")
    assert selector is not None
    started = time.process_time()
    matcher = Matcher(20_000)
    assert not any(matcher.matches(selector, element) for element in root.iter("div"))
    assert time.process_time() - started < 1
