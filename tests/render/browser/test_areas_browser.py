"""What the walker reads beside elements: pseudo-elements, shadows, borders, outlines, and letters that are none."""

from collections.abc import Iterator

import pytest

from vclean.page import Page, Resource
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import AreaPlace, Hidden, Snapshot
from vclean.render.storage.cache import from_bytes, to_bytes

pytestmark = pytest.mark.browser

STYLE = "body { margin: 0 } #x { position: relative; width: 200px; height: 100px; margin: 0 }"
AREA = tuple[str, str, bool, list[float]]


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as shared:
        yield shared


def html(css: str, body: str = "<p id=x>Text") -> str:
    return f"<!doctype html><style>{STYLE} {css}</style><body>{body}"


def areas(page: Snapshot) -> list[AREA]:
    """Return for each area its place, its background color, whether it is plain, and its box."""
    found = page.areas
    colors = page.styles.column("background-color")
    return [
        (AreaPlace(place).name, colors[style], plain, box)
        for place, style, plain, box in zip(
            found.place.tolist(), found.style.tolist(), found.is_plain.tolist(), found.box.tolist(), strict=True
        )
    ]


RED = "rgb(255, 0, 0)"
OVER = "content: ''; position: absolute; inset: 0; background: red"


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (f"#x::after {{ {OVER} }}", [("AFTER", RED, True, [0, 0, 200, 100])]),
        (f"#x:before {{ {OVER}; left: 50px; top: 10px }}", [("BEFORE", RED, True, [50, 10, 150, 90])]),
        (f"#x::after {{ {OVER}; width: 20px; padding: 5px }}", [("AFTER", RED, True, [0, 0, 30, 100])]),
        (f"#x::after {{ {OVER}; border-radius: 50% }}", [("AFTER", RED, False, [0, 0, 200, 100])]),
        (f"#x::after {{ {OVER}; transform: scale(.5) }}", [("AFTER", RED, False, [50, 25, 100, 50])]),
        (f"#x {{ overflow: hidden }} #x::after {{ {OVER}; inset: -50px }}", [("AFTER", RED, True, [0, 0, 200, 100])]),
        ("#x::before { content: ''; display: block; height: 30px; background: red }",
         [("BEFORE", RED, True, [0, 0, 200, 30])]),
        ("#x::after { content: ''; display: block; height: 30px; background: red }",
         [("AFTER", RED, True, [0, 70, 200, 30])]),
        (f"#x::after {{ {OVER}; display: none }}", []),
        (f"#x::after {{ {OVER}; opacity: 0 }}", []),
        (f"#x::after {{ {OVER}; transform: scaleX(0) }}", []),
        ("#x::after { position: absolute; inset: 0; background: red }", []),
        (f"@media print {{ #x::after {{ {OVER} }} }}", []),
        (f".other::after {{ {OVER} }}", []),
        (f"#x {{ &::after {{ {OVER} }} }}", [("AFTER", RED, True, [0, 0, 200, 100])]),
    ],
)  # fmt: skip
def test_pseudo_elements(renderer: Renderer, css: str, expected: list[AREA]) -> None:
    assert areas(renderer.render(Page(content=html(css))).snapshot) == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("box-shadow: 1px 2px 4px red", []),
        ("box-shadow: inset 0 0 0 200px red", [("BACKGROUND", RED, True, [0, 0, 200, 100])]),
        ("box-shadow: inset 0 0 0 200px rgba(255, 0, 0, .1)", []),
        ("box-shadow: 0 0 0 20px red; margin: 20px 20px 0",
         [("BACKGROUND", RED, True, box) for box in ([0, 0, 240, 20], [0, 120, 240, 20], [0, 20, 20, 100],
                                                     [220, 20, 20, 100])]),
        ("outline: 110px solid red; outline-offset: -110px", [("OUTLINE", RED, True, [0, 0, 200, 100])]),
        ("border-top: 40px solid red", [("BACKGROUND", RED, True, [0, 0, 200, 40])]),
        ("border-top: 40px dashed red", [("BACKGROUND", RED, False, [0, 0, 200, 40])]),
        ("border: 40px solid transparent; border-top-color: red", [("BACKGROUND", RED, False, [0, 0, 280, 40])]),
        ("border: 2px solid red", []),
        ("backdrop-filter: blur(9px)", [("BACKGROUND", "rgba(0, 0, 0, 0)", False, [0, 0, 200, 100])]),
        ("border: 9px solid; border-image: linear-gradient(red, red) 1 fill",
         [("BACKGROUND", "rgba(0, 0, 0, 0)", False, [0, 0, 218, 118])]),
    ],
)  # fmt: skip
def test_frames(renderer: Renderer, css: str, expected: list[AREA]) -> None:
    assert areas(renderer.render(Page(content=html(f"#x {{ {css} }}"))).snapshot) == expected


@pytest.mark.parametrize(
    ("css", "codes"),
    [
        ("#x { clip-path: url(#c) }", [Hidden.CLIPPED]),
        ("#x { clip-path: inset(0) }", []),
        ("#x::first-line { color: white }", [Hidden.COLOR]),
        ("#x { text-decoration: line-through 2em }", [Hidden.COVERED]),
        ("#x { text-decoration: line-through 2px }", []),
    ],
)
def test_unclear_elements(renderer: Renderer, css: str, codes: list[Hidden]) -> None:
    assert renderer.render(Page(content=html(css))).snapshot.unclear[:, 1].tolist() == codes


def test_style_sheets_in_files_are_read(renderer: Renderer) -> None:
    sheets = {
        "https://example.org/a.css": Resource(b"@import 'b.css'; @import 'https://other.example/c.css';", "text/css"),
        "https://example.org/b.css": Resource(f"#x::after {{ {OVER} }}".encode(), "text/css"),
        "https://other.example/c.css": Resource(b"p::before { background: blue }", "text/css"),
    }
    content = html("", "<link rel=stylesheet href=a.css><p id=x>Text")
    page = renderer.render(Page(content=content, url="https://example.org/", resources=sheets)).snapshot
    assert areas(page) == [("AFTER", RED, True, [0, 0, 200, 100])]


def test_they_are_stored(renderer: Renderer) -> None:
    page = renderer.render(Page(content=html(f"#x::after {{ {OVER} }} #x::first-line {{ color: red }}"))).snapshot
    again = from_bytes(to_bytes(page))
    assert areas(again) == areas(page) != []
    assert again.unclear.tolist() == page.unclear.tolist() != []


@pytest.mark.parametrize(
    ("scheme", "dark"),
    [(":root { color-scheme: dark }", True), (":root { color-scheme: light dark }", False), ("", False)],
)
def test_dark_canvas(renderer: Renderer, scheme: str, *, dark: bool) -> None:
    assert renderer.render(Page(content=html(scheme))).snapshot.dark is dark


def test_dark_canvas_by_a_meta_element(renderer: Renderer) -> None:
    page = Page(content="<!doctype html><meta name=color-scheme content=dark><p>Text")
    assert renderer.render(page).snapshot.dark


def test_thousands_of_pseudo_elements_are_bounded(renderer: Renderer) -> None:
    content = html(f"p {{ position: relative }} p::after {{ {OVER} }}", 2000 * "<p>Text")
    assert len(areas(renderer.render(Page(content=content)).snapshot)) == 500
