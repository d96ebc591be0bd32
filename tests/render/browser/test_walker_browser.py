import base64
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.browser import png_url

from vclean.errors import LimitError
from vclean.page import Page
from vclean.render.browser.cdp import BrowserTab
from vclean.render.browser.chromium import font_folders
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import STYLES, Hidden, Snapshot
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

NO_MARGIN = "<!doctype html><style>body { margin: 0 } p { margin: 0 }</style>"


def element(snapshot: Snapshot, name: str) -> int:
    """Return the element with the id `name`."""
    return next(node for node, value in snapshot.attributes("id").items() if value == name)


@pytest.fixture(scope="module")
def font_file() -> Path:
    """Return a font file with Latin letters."""
    names = ("DejaVuSans", "LiberationSans", "NotoSans-Regular", "Arial", "Roboto-Regular", "Verdana")
    candidates = [path for folder in font_folders() for path in folder.rglob("*.ttf") if path.stem.startswith(names)]
    if not candidates:
        pytest.skip("no font that is known to have Latin letters")
    return min(candidates, key=lambda path: path.stat().st_size)


def hidden_of(snapshot: Snapshot, name: str = "x") -> Hidden:
    return Hidden(snapshot.hidden[element(snapshot, name)])


def tags_of(snapshot: Snapshot) -> list[str]:
    return [snapshot.tags[tag] for tag in snapshot.tag]


class TestTree:
    def test_returns_preorder_with_ends_and_depths(self, snap) -> None:
        page = snap("<div><p>a<b>b</b></p></div><ul><li>c</ul>")
        assert tags_of(page) == ["html", "body", "div", "p", "b", "ul", "li"]
        assert page.parent.tolist() == [-1, 0, 1, 2, 3, 1, 5]
        assert page.end.tolist() == [7, 7, 5, 5, 5, 7, 7]
        assert page.depth.tolist() == [0, 1, 2, 3, 4, 2, 3]

    def test_excludes_head_scripts_and_styles(self, snap) -> None:
        page = snap("<title>T</title><meta name=a><p>x<script>1</script><style>i{}</style><template>t</template></p>")
        assert (tags_of(page), page.texts, page.title) == (["html", "body", "p"], ["x"], "T")

    @pytest.mark.parametrize("tag", ["iframe", "textarea", "video", "object", "svg", "noframes"])
    def test_treats_replaced_elements_as_leaves(self, snap, tag: str) -> None:
        page = snap(f"<p>before<{tag}>inside</{tag}>after")
        assert tag in tags_of(page)
        assert page.texts == ["before", "after"]

    def test_returns_urls_of_frames_in_a_frameset(self, snap) -> None:
        inner = "<frameset><frame src=b.html></frameset>"
        page = snap(f"<frameset><frame src=a.html>{inner}<noframes>none</noframes></frameset>", "http://example.org/")
        assert tags_of(page) == ["html", "frameset", "frame", "frameset", "frame", "noframes"]
        assert page.attributes("src") == {2: "http://example.org/a.html", 4: "http://example.org/b.html"}
        assert page.texts == []

    def test_reads_deep_tree(self, snap) -> None:
        assert snap("<div>" * 400 + "deep").depth.max() == 401


SHADOW = (
    "<div id=host><template shadowrootmode=open><b>shadow </b><slot>fallback</slot><slot name=s>unused</slot>"
    "</template>light</div>"
)


class TestTexts:
    @pytest.mark.parametrize(
        ("html", "texts"),
        [
            ("<select><option>One<option>Two</select>", ["One", "Two"]),
            (SHADOW, ["shadow ", "light", "unused"]),
            ("<p>a<!-- b -->c", ["a", "c"]),
            ("<p><b>a</b>\n \n<i>b</i>", ["a", " ", "b"]),
            ("<pre><b>a</b>\n  <i>b</i></pre>", ["a", "\n  ", "b"]),
            ("<p style='text-transform: uppercase'>a  b\nc", ["a  b\nc"]),
        ],
    )
    def test_are_those_of_the_source(self, snap, html: str, texts: list[str]) -> None:
        assert snap(html).texts == texts

    def test_text_after_is_the_last_started_element(self, snap) -> None:
        page = snap("<p>a<b>b<i></i></b>c")
        assert page.texts == ["a", "b", "c"]
        assert page.text_parent.tolist() == [2, 3, 2]
        assert page.text_after.tolist() == [2, 3, 4]


BOX = "position: absolute; left: 30px; top: 2000px; width: 100px; height: 50px; border: 2px solid; padding: 3px"


class TestBoxes:
    @pytest.mark.parametrize(
        ("html", "box"),
        [
            (f"<!doctype html><div id=x style='{BOX}; margin: 1px'></div>", [31, 2001, 110, 60]),
            ("<div id=x hidden>text</div>", [0, 0, 0, 0]),
            # Quirks mode without a doctype.
            ("<body style='margin: 0'><div id=x style='height: 100%'></div>", [0, 0, 1366, 768]),
            ("<!doctype html><body style='margin: 0'><div id=x style='height: 100%'></div>", [0, 0, 1366, 0]),
        ],
    )
    def test_are_border_boxes_from_the_document_origin(self, snap, html: str, box: list[float]) -> None:
        page = snap(html)
        assert page.box[element(page, "x")].tolist() == box

    def test_measures_page_size(self, snap) -> None:
        page = snap(NO_MARGIN + "<div style='width: 2000px; height: 3000px'>")
        assert (page.width, page.height) == (2000, 3000)

    def test_uses_portrait_viewport_of_the_settings(self) -> None:
        rule = "@media (width: 400px) and (orientation: portrait) { p { height: 100vh } }"
        with Renderer(RenderSettings(width=400, height=500)) as renderer:
            page = renderer.render(Page(content=f"{NO_MARGIN}<style>{rule}</style><p id=x>")).snapshot
        assert page.box[element(page, "x")].tolist() == [0, 0, 400, 500]
        assert page.settings == RenderSettings(width=400, height=500).to_dict()

    def test_puts_origin_of_right_to_left_page_at_the_left_edge(self, snap) -> None:
        page = snap("<!doctype html><html dir=rtl><body style='margin: 0'><div id=x style='width: 3000px'>a</div>")
        assert page.box[element(page, "x")].tolist()[:1] == [0]
        assert page.width == 3000
        assert hidden_of(page) == Hidden.NO


class TestLines:
    @pytest.mark.parametrize(
        ("html", "lines"),
        [
            ("<p style='width: 120px; font: 20px/30px monospace'>aaaa bbbb cccc</p>", 2),
            ("<p>abc \u05d0\u05d1\u05d2 def</p>", 1),  # bidirectional text has one rectangle per run
            ("<p style='display: none'>text", 0),
            ("<p style='visibility: hidden'>text", 0),
            ("<p style='opacity: 0'>text", 0),
        ],
    )
    def test_returns_one_box_per_line(self, snap, html: str, lines: int) -> None:
        page = snap(NO_MARGIN + html)
        assert page.line_text.tolist() == [0] * lines
        assert np.diff(page.line_box[:, 1]).tolist() == [30] * (lines - 1)

    def test_returns_lines_inside_the_block(self, snap) -> None:
        page = snap(NO_MARGIN + "<p id=x style='width: 300px'>" + "word " * 100)
        lines, box = page.line_box, page.box[element(page, "x")]
        assert lines[:, 0].min() >= box[0]
        assert (lines[:, 0] + lines[:, 2]).max() <= box[0] + box[2] + 0.01


FOLDED = "height: 0; overflow: hidden"
SECOND_SLIDE = "<div style='width: 900px'><p id=x style='margin-left: 400px'>text"
FADES_IN = "@keyframes in { to { opacity: 1 } }"
SCRIPTING = "<style>@media (scripting) { b { display: none } }</style>"


class TestHidden:
    @pytest.mark.parametrize(
        ("style", "code"),
        [
            ("", Hidden.NO),
            ("display: none", Hidden.DISPLAY),
            ("content-visibility: hidden", Hidden.DISPLAY),
            ("content-visibility: auto", Hidden.NO),
            ("visibility: hidden", Hidden.VISIBILITY),
            ("visibility: collapse", Hidden.VISIBILITY),
            ("opacity: 0", Hidden.OPACITY),
            ("opacity: 0.5", Hidden.NO),
            ("height: 0; overflow: hidden", Hidden.CLIPPED),
            ("height: 0; overflow: clip", Hidden.CLIPPED),
            ("height: 0", Hidden.NO),
            ("max-height: 0; overflow: auto", Hidden.CLIPPED),
            ("position: absolute; width: 1px; height: 1px; overflow: hidden", Hidden.CLIPPED),
            ("position: absolute; clip: rect(0 0 0 0)", Hidden.CLIPPED),
            ("position: absolute; clip: rect(1px, 1px, 1px, 1px)", Hidden.CLIPPED),
            ("clip: rect(0 0 0 0)", Hidden.NO),
            ("height: 0; overflow: clip; overflow-clip-margin: 40px", Hidden.NO),
            ("text-indent: -9999px; overflow: hidden", Hidden.CLIPPED),
            ("text-indent: -20px", Hidden.NO),
            ("position: absolute; left: -9999px", Hidden.OFF_PAGE),
            ("position: absolute; top: -9999px", Hidden.OFF_PAGE),
            ("margin-left: -9999px; width: 100px", Hidden.OFF_PAGE),
            ("transform: translateX(-5000px)", Hidden.OFF_PAGE),
            ("display: contents", Hidden.NO),
        ],
    )
    def test_applies_to_descendants(self, snap, style: str, code: Hidden) -> None:
        page = snap(f"<!doctype html><div style='{style}'><p id=x>text</p></div>")
        assert hidden_of(page) == code

    @pytest.mark.parametrize(
        ("html", "code"),
        [
            ("<details><summary>s</summary><p id=x>text</details>", Hidden.DISPLAY),
            ("<details><summary id=x>s</summary><p>text</details>", Hidden.NO),
            ("<details open><summary>s</summary><p id=x>text</details>", Hidden.NO),
            ("<div hidden><p id=x>text", Hidden.DISPLAY),
            ("<div hidden=until-found><p id=x>text", Hidden.DISPLAY),
            ("<dialog><p id=x>text</dialog>", Hidden.DISPLAY),
            ("<div style='visibility: hidden'><p id=x style='visibility: visible'>text", Hidden.NO),
            ("<div style='opacity: 0'><p id=x style='opacity: 1'>text", Hidden.OPACITY),
            ("<div style='text-indent: -9999px'><p id=x style='text-indent: 0'>text", Hidden.NO),
            (f"<div style='{FOLDED}'><p id=x style='position: fixed; top: 0'>text", Hidden.NO),
            (f"<div style='{FOLDED}'><p id=x style='position: absolute; top: 0'>text", Hidden.NO),
            (f"<div style='{FOLDED}; position: relative'><p id=x style='position: absolute; top: 0'>t", Hidden.CLIPPED),
            (f"<div style='width: 300px; overflow: hidden'>{SECOND_SLIDE}", Hidden.CLIPPED),
            (f"<div style='width: 300px; overflow: auto'>{SECOND_SLIDE}", Hidden.NO),
            ("<body style='overflow: hidden; height: 100vh'><p id=x style='margin-top: 2000px'>text", Hidden.NO),
            ("<video><p id=x>fallback</p></video><p id=x>text", Hidden.NO),
            # The end of an animation counts: content that fades in is shown, independent of duration and clock.
            (f"<style>{FADES_IN} #x {{ opacity: 0; animation: in 9s 9s forwards }}</style><p id=x>t", Hidden.NO),
            ("<noscript><style>img { display: none }</style></noscript><p>t</p><img id=x width=9>", Hidden.DISPLAY),
            # Without the styles of `noscript`, scripts show it.
            ("<style>p { opacity: 0 }</style><noscript><style>p { opacity: 1 }</style></noscript><p id=x>t", Hidden.NO),
            (f"<div><template shadowrootmode=open>{SCRIPTING}<b id=x>t</b></template></div>", Hidden.DISPLAY),
        ],
    )
    def test_has_expected_code(self, snap, html: str, code: Hidden) -> None:
        assert hidden_of(snap("<!doctype html>" + html)) == code


ENDLESS = "animation: a 1s infinite alternate"
SCROLLED = "animation: a linear both; animation-timeline: view()"


class TestAnimations:
    def test_cancels_endless_animation(self, snap) -> None:
        rules = "@keyframes m { to { margin-left: 900px } } #x { animation: m 1s infinite }"
        page = snap(f"{NO_MARGIN}<style>{rules}</style><p id=x>t")
        assert page.box[element(page, "x")][0] == 0

    @pytest.mark.parametrize(
        ("frames", "style", "code"),
        [
            ("from, to { opacity: 0 }", ENDLESS, Hidden.OPACITY),
            ("from { opacity: 0 } to { opacity: .9 }", f"opacity: 0; {ENDLESS}", Hidden.NO),
            ("50% { opacity: 0 }", ENDLESS, Hidden.NO),
            ("from { opacity: 0 }", SCROLLED, Hidden.NO),
            ("from { opacity: 0 }", f"{SCROLLED}; animation-range: entry 0% entry 100%", Hidden.NO),
            ("to { opacity: 0 }", f"{SCROLLED}; animation-range: exit 0% exit 100%", Hidden.NO),
            ("0%, 100% { opacity: 0 } 50% { opacity: 1 }", f"{SCROLLED}; animation-range: cover", Hidden.NO),
            ("from, to { opacity: 0 }", SCROLLED, Hidden.OPACITY),
        ],
    )
    def test_clearest_state_counts(self, snap, frames: str, style: str, code: Hidden) -> None:
        css = f"@keyframes a {{ {frames} }} #x {{ {style} }} div {{ height: 2000px }}"
        assert hidden_of(snap(f"<!doctype html><style>{css}</style><div></div><p id=x>t</p><div></div>")) == code

    def test_measures_lazy_content(self, snap) -> None:
        # With `content-visibility: auto`, content has no size before it is scrolled into view.
        lazy = "<div style='content-visibility: auto'><p style='height: 500px'>t</div>" * 10
        assert snap(NO_MARGIN + lazy).height == 5000


class TestNoscriptStyles:
    @pytest.mark.parametrize("rule", ["display: none", "visibility: hidden", "opacity: .3"])
    @pytest.mark.parametrize("around", ["{}", "@media screen {{ {} }}", "div {{ & {} }}"])
    def test_hide_nothing(self, snap, rule: str, around: str) -> None:
        # Readers have scripts; without them the walker reads what they see.
        css = around.format(f"#x {{ {rule} }}")
        page = snap(f"<noscript><style>{css}</style></noscript><div><p id=x>t</p></div><p>{'word ' * 99}")
        assert hidden_of(page) == Hidden.NO
        assert page.styles.column("opacity")[page.style[element(page, "x")]] == "1"


class TestMediaQueries:
    """Readers have scripts, and no wish for less motion."""

    @pytest.mark.parametrize(
        "html",
        [
            "<style>@media (scripting: enabled) { #x { display: none } }</style>",
            "<style>@media (Scripting) and (min-width: 9px) { #x { display: none } }</style>",
            "<style>@media print, not all and (scripting: none) { #x { display: none } }</style>",
            "<style>@media screen { div { @media (scripting) { & #x { display: none } } } }</style>",
            "<style media='(scripting)'>#x { display: none }</style>",
            "<style>#x { display: none } @media (scripting: none) { #x { display: block } }</style>",
            "<style>@media (prefers-reduced-motion: no-preference) { #x { display: none } }</style>",
            "<img name=styleSheets><style>@media (scripting) { #x { display: none } }</style>",
        ],
    )
    def test_hide(self, snap, html: str) -> None:
        assert hidden_of(snap(f"{html}<div><p id=x>t</div>")) == Hidden.DISPLAY

    @pytest.mark.parametrize(
        "query",
        ["(scripting: none)", "(scripting: initial-only)", "not all and (scripting)", "(prefers-reduced-motion)"],
    )
    def test_do_not_hide(self, snap, query: str) -> None:
        # An earlier page with the same query has no effect.
        html = f"<style>@media {query} {{ #x {{ display: none }} }}</style><p id=x>scripting"
        assert [hidden_of(snap(html)) for _ in range(3)] == [Hidden.NO] * 3


UNCHANGED = """
    display: inline-block; position: relative; float: left; visibility: hidden; overflow-x: scroll; font-size: 9px;
    font-weight: 700; font-style: italic; font-family: x; line-height: 7px; text-align: right;
    text-decoration-line: underline; text-transform: uppercase; white-space: nowrap; border-top-width: 1px;
    border-bottom-width: 2px; border-left-width: 3px; list-style-type: square; cursor: pointer; z-index: 3;
    filter: blur(1px); mix-blend-mode: multiply; background-clip: text; -webkit-text-stroke-width: 1px;
    backface-visibility: hidden; isolation: isolate
"""
"""A value of each property that differs from the initial one, and that is its own computed value."""
CHANGED = {name: (value, value) for name, value in re.findall(r"([\w-]+): ([^;\n]+)", UNCHANGED)} | {
    "opacity": (".5", "0.5"),
    "color": ("red", "rgb(255, 0, 0)"),
    "background-color": ("red", "rgb(255, 0, 0)"),
    "background-image": ("linear-gradient(red, red)", "linear-gradient(rgb(255, 0, 0), rgb(255, 0, 0))"),
    "transform": ("translateX(1px)", "matrix(1, 0, 0, 1, 1, 0)"),
    "mask-image": ("linear-gradient(red, red)", "linear-gradient(rgb(255, 0, 0), rgb(255, 0, 0))"),
    "-webkit-text-fill-color": ("red", "rgb(255, 0, 0)"),
    "text-shadow": ("red 1px 1px", "rgb(255, 0, 0) 1px 1px 0px"),
    "-webkit-text-stroke-color": ("red", "rgb(255, 0, 0)"),
}
"""By property: a value that differs from the initial one, and its computed value."""


@pytest.fixture(scope="module")
def rows(renderer: Renderer) -> dict[str, dict[str, str]]:
    """Return the styles of elements that differ from the element "" in one property each."""
    elements = [f"<div id={name} style='{name}: {value}'></div>" for name, (value, _) in CHANGED.items()]
    rule = "<style>div { border: 0 solid }</style>"
    snapshot = renderer.render(Page(content=f"{rule}<div id=plain></div>{''.join(elements)}")).snapshot
    styles = {name: snapshot.styles.rows[snapshot.style[node]] for node, name in snapshot.attributes("id").items()}
    return {"" if name == "plain" else name: dict(zip(STYLES, row, strict=True)) for name, row in styles.items()}


class TestStyles:
    @pytest.mark.parametrize("name", STYLES)
    def test_separates_rows_by_every_property(self, rows: dict[str, dict[str, str]], name: str) -> None:
        changed = {other for other in STYLES if rows[name][other] != rows[""][other]}
        assert name in changed
        assert rows[name][name] == CHANGED[name][1]

    def test_reads_font_without_a_shorthand(self, snap) -> None:
        # Chromium returns no shorthand for fonts that `font` cannot express.
        unusual = "font: 20px/30px serif; font-variant-numeric: tabular-nums;"
        page = snap(f"<p style='{unusual}'>a<p style='{unusual} font-size: 21px'>b")
        assert page.styles.number("font-size")[page.style].tolist()[2:] == [20, 21]
        assert page.styles.column("line-height")[page.style[3]] == "30px"

    def test_shares_rows_of_equal_styles_and_truncates_data_urls(self, snap) -> None:
        page = snap(f"<p style='background: url(data:image/png;base64,{'A' * 9000})'>a</p>" * 50)
        assert len(set(page.style[2:].tolist())) == 1
        assert max(map(len, page.styles.column("background-image"))) <= 200


class TestAttributes:
    @pytest.mark.parametrize(
        ("html", "url", "values"),
        [
            ("<a href=../b?c#d>1</a>", "https://example.org/a/c.html", ["https://example.org/b?c#d"]),
            ("<img src=/i.png><q cite='//o.org/x'>", "https://e.org/", ["https://e.org/i.png", "https://o.org/x"]),
            ("<base href=/deep/><a href=x>1</a>", "https://example.org/", ["https://example.org/deep/x"]),
            ("<a href=../x>1</a>", "", ["../x"]),
            ("<a href='http://['>1</a><a href='x:y()'>2</a>", "https://e.org/", ["http://[", "x:y()"]),
            ("<p onload=a class='b c' data-x=1 id=d><i title=e>", "", ["b c", "d", "e"]),
        ],
    )
    def test_are_the_known_ones_in_order_with_absolute_links(
        self, snap, html: str, url: str, values: list[str]
    ) -> None:
        page = snap(html, url)
        assert page.attr_value == values
        assert page.attr_node.tolist() == sorted(page.attr_node.tolist())
        assert min(page.attr_node) == 2

    def test_truncates_long_values(self, snap) -> None:
        page = snap(f"<p title={'a' * 9000}><img src=data:image/png,{'a' * 9000}>")
        assert [len(value) for value in page.attr_value] == [2000, 64]


class TestNoscript:
    LONG = "<p>" + "word " * 200

    def test_menus_are_no_text(self, snap) -> None:
        menu = f"<ul><li><a><b>{'item ' * 150}</b></a></ul>"
        assert snap(f"Forum{menu}<noscript><p>{'word ' * 300}<a>link</a></noscript>").noscript

    def test_takes_no_space_if_excluded(self, snap) -> None:
        page = snap(f"{NO_MARGIN}{self.LONG}</p><noscript><div style='height: 999px'></div></noscript><p id=x>end")
        assert page.box[element(page, "x")][1] < 200

    def test_is_read_only_in_pages_without_text_whatever_the_pages_before(self, snap) -> None:
        excluded = f"{self.LONG}<noscript><b>{'other ' * 300}</b></noscript>"
        needed = f"<div>Loading<noscript>{self.LONG}</noscript><style>{'p{} ' * 300}</style>"
        pages = [snap(html) for html in (excluded, needed, excluded, excluded, needed, needed)]
        assert [page.noscript for page in pages] == [False, True, False, False, True, True]
        assert ["noscript" in page.tags for page in pages] == [page.noscript for page in pages]
        assert ["other" in "".join(page.texts) for page in pages] == [False] * 6
        assert [page.texts[-1].startswith("word") and len(page.line_box) > 1 for page in pages] == [True] * 6


FOLLOWER = Page(
    content="<style title=b>p { color: red; width: 50px }</style><p lang=x>text text</p><a href=a>b</a><noscript>n"
    "</noscript><pre>fixed</pre><b style='font-family: sans-serif'>sans"
)


@pytest.fixture(scope="module")
def fresh() -> Iterator[tuple[Renderer, Snapshot]]:
    """Return a renderer that no other page used before, and its snapshot of `FOLLOWER`."""
    with Renderer() as renderer:
        yield renderer, renderer.render(FOLLOWER).snapshot


class TestReuse:
    """Effects of a page on later pages in the same tab: there must be none."""

    @pytest.mark.parametrize(
        "before",
        [
            "<meta http-equiv=content-security-policy content=\"style-src 'none'\">",
            "<meta http-equiv=content-language content=ja>",
            "<meta http-equiv=Default-Style content=a>",
            "<meta http-equiv=refresh content='0;url=http://other.org/'>",
            "<meta http-equiv=set-cookie content='a=b'>",
            "<meta http-equiv=origin-trial content=AtZr>",
            "<meta http-equiv=accept-ch content=width><meta http-equiv=x-dns-prefetch-control content=on>",
            "<meta name=referrer content=no-referrer>",
            "<meta name=color-scheme content=dark>",
            "<style title=a>p { width: 9px }</style>",
            "<link rel=' StyleSheet ' title=a href='data:text/css,p{width:9px}'>",
            "<link rel=alternate type=application/rss+xml title=a href=http://other.org/feed>",
            "<style>p { width: 9px }</style><base href=http://other.org/>",
            "<plaintext>",
            "<body dir=rtl style='height: 9000px'>",
            "<noscript><p>" + "word " * 99,
            "<div style='content-visibility: auto'>",
            "<frameset><frame></frameset>",
            "<body link=red vlink=red alink=red><a href=a>",
        ],
    )
    def test_renders_page_after_another(
        self, renderer: Renderer, fresh: tuple[Renderer, Snapshot], before: str
    ) -> None:
        renderer.render(Page(content=before + "<p>before"))
        after, expected = renderer.render(FOLLOWER).snapshot, fresh[1]
        assert (after.texts, after.styles) == (expected.texts, expected.styles)
        assert np.array_equal(after.box, expected.box)
        assert np.array_equal(after.line_box, expected.line_box)

    @pytest.mark.parametrize(
        ("before", "navigations"),
        [
            ("<p>before", 0),
            ("<meta http-equiv=x-ua-compatible content='ie=edge'><meta http-equiv=origin-trial content=AtZr>", 0),
            ("<meta http-equiv=pragma content=no-cache><meta name=referrer content=no-referrer>", 0),
            ("<meta http-equiv=CONTENT-LANGUAGE content=ja>", 1),
            ("<style title=a>p { width: 9px }</style>", 1),
        ],
    )
    def test_navigates_only_after_persistent_effects(
        self, fresh: tuple[Renderer, Snapshot], monkeypatch: pytest.MonkeyPatch, before: str, navigations: int
    ) -> None:
        visited: list[str] = []
        navigate = BrowserTab.navigate

        async def counted(self: BrowserTab, url: str) -> None:
            visited.append(url)
            await navigate(self, url)

        fresh[0].render(Page(content="<p>nothing that would stay"))
        fresh[0].render(Page(content=before))
        monkeypatch.setattr(BrowserTab, "navigate", counted)
        fresh[0].render(Page(content="<p>after"))
        assert len(visited) == navigations

    def test_resets_link_colors_after_a_page_with_the_same_rules(self, renderer: Renderer) -> None:
        # Chromium shares computed styles between elements with equal rules, even of different pages.
        for name, color in (("red", "rgb(255, 0, 0)"), ("green", "rgb(0, 128, 0)")):
            renderer.render(Page(content="<p><a href=a>b</a>"))
            snapshot = renderer.render(Page(content=f"<body link={name}><p><a href=a>b</a>")).snapshot
            assert snapshot.styles.column("color")[int(snapshot.style[-1])] == color


class TestLoadingParts:
    """Parts that load after the page are available in the first rendering."""

    def test_waits_for_image_with_unusual_media_type(self, snap) -> None:
        source = png_url(16, 9).replace("image/png", "image/odd")
        assert snap(f"<img src='{source}'>").box[-1][2:].tolist() == [16, 9]

    @pytest.mark.parametrize(
        "html",
        [
            "<img src='data:image/odd,x'>",
            "<style>@font-face { font-family: f; src: url('data:font/woff2,x'), url(http://x.org/f.woff) }"
            " p { font-family: f }</style>",
        ],
    )
    def test_ignores_broken_parts(self, snap, html: str) -> None:
        assert snap(f"{html}<p>t").texts == ["t"]

    def test_waits_for_embedded_font(self, snap, font_file: Path) -> None:
        source = f"data:font/ttf;base64,{base64.b64encode(font_file.read_bytes()).decode()}"
        face = f"@font-face {{ font-family: f; size-adjust: 900%; src: url({source}) }}"
        html = f"<style>{face} p {{ font: 10px f }}</style><p>text"
        first, second = snap(html), snap(html)
        assert first.line_box.tobytes() == second.line_box.tobytes()
        assert first.line_box[0][2] > 100


class TestLimits:
    def test_keeps_browser_after_too_many_nodes(self) -> None:
        with Renderer(RenderSettings(max_nodes=20)) as renderer:
            renderer.render(Page(content="<p>One."))
            process = renderer._worker.renderer._process
            with pytest.raises(LimitError, match="24 elements, over the limit of 20: raise --max-nodes"):
                renderer.render(Page(content="<b></b>" * 21))
            assert renderer.render(Page(content="<p>Two.")).snapshot.texts == ["Two."]
            assert renderer._worker.renderer._process is process

    def test_rejects_too_much_text_from_scripts(self) -> None:
        grow = "<p><script>document.querySelector('p').append('x'.repeat(9000))</script>"
        with (
            Renderer(RenderSettings(scripts="on", max_bytes=5000, settle=0.5)) as renderer,
            pytest.raises(LimitError, match=r"9,0\d\d characters of text, over the limit of 5,000"),
        ):
            renderer.render(Page(content=grow))
