"""What styles decide of the texts of a page, and what they leave to pixels."""

import pytest
from helpers.pages import laid_out

from vclean.page import Page
from vclean.render.browser import reading
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Hidden, Snapshot
from vclean.render.visibility.painted_texts import Decision, decide

pytestmark = pytest.mark.browser

TEXT = "<p id=x>The lock keeper counts the barges.</p>"
BEFORE = "#x { position: relative } #x::before { content: ''; position: absolute; inset: 0"
BOX = "<i style='position: absolute; inset: 0; {}'></i>"
BLANK = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
PAGES = {
    # name: (style sheet, page, code by styles, code of the doubt)
    "dark on white": ("", TEXT, 0, 0),
    "white on white": ("p { color: #fff }", TEXT, Hidden.COLOR, 0),
    "white on dark": ("p { color: #fff; background: #222 }", TEXT, 0, 0),
    "white on a translucent dark": ("p { color: #fff; background: #000a }", TEXT, 0, 0),
    "white on a faint gray": ("p { color: #fff; background: #0001 }", TEXT, Hidden.COLOR, 0),
    "transparent": ("p { color: transparent }", TEXT, Hidden.COLOR, 0),
    "same luminance, other hue": ("p { color: #f00; background: #767676 }", TEXT, 0, 0),
    "white with a shadow": ("p { color: #fff; text-shadow: 0 0 2px #000 }", TEXT, 0, Hidden.COLOR),
    "white on a missing image": ("p { color: #fff; background: url(a.png) }", TEXT, 0, 0),
    "white on an embedded image": (f"p {{ color: #fff; background: url({BLANK}) }}", TEXT, 0, Hidden.COLOR),
    "white on a dark gradient": ("p { color: #fff; background: linear-gradient(#111, #333) }", TEXT, 0, 0),
    "white on a light gradient": ("p { color: #fff; background: linear-gradient(#fff, #333) }", TEXT, 0, Hidden.COLOR),
    "letters of a gradient": ("p { background: linear-gradient(red, blue) text }", TEXT, 0, Hidden.COLOR),
    "blurred": ("p { filter: blur(9px) }", TEXT, 0, Hidden.FILTER),
    "masked": ("p { mask-image: linear-gradient(#000, #0000) }", TEXT, 0, Hidden.MASK),
    "blended": ("p { mix-blend-mode: multiply }", TEXT, 0, Hidden.BLEND),
    "clip path": ("p { clip-path: circle(40%) }", TEXT, 0, Hidden.CLIPPED),
    "turned in space": ("p { transform: rotateY(30deg) }", TEXT, 0, Hidden.TRANSFORM),
    "below an opaque box": ("", TEXT + BOX.format("background: #fff"), Hidden.COVERED, 0),
    "below a translucent box": ("", TEXT + BOX.format("background: #fffc"), 0, Hidden.COVERED),
    "below a faint box": ("", TEXT + BOX.format("background: #fff3"), 0, 0),
    "below a drawing": ("", TEXT + "<svg style='position: absolute; inset: 0'></svg>", 0, Hidden.COVERED),
    "above an opaque box": ("p { position: relative; z-index: 1 }", BOX.format("background: #ccc") + TEXT, 0, 0),
    "white above a dark box": (
        "p { position: relative; color: #fff }", BOX.format("background: #222; height: 90px") + TEXT, 0, 0),
    "below its own background": ("div { background: #fff } p { position: relative; z-index: -1 }",
        f"<div>{TEXT}</div>", Hidden.COVERED, 0),
    "before": (f"{BEFORE}; background: #fff }}", TEXT, 0, Hidden.COVERED),
    "before without a background": (f"{BEFORE} }}", TEXT, 0, 0),
    "inset shadow": ("p { box-shadow: inset 0 0 0 99px #fff }", TEXT, 0, Hidden.COVERED),
    "shadow around": ("p { box-shadow: 0 9px 30px #0006 }", TEXT, 0, 0),
    "a word": ("p { filter: blur(9px) }", "<p id=x>Barges</p>", 0, 0),
    "a menu": ("p { filter: blur(9px) }", f"<nav>{TEXT}</nav>", 0, 0),
    "a link": ("p { filter: blur(9px) }", f"<a href=/>{TEXT}</a>", 0, 0),
    "a menu beside a text": ("p { filter: blur(9px) }", f"<nav>{TEXT}</nav><p>The water is high, the gates are shut.",
        0, Hidden.NO),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_decision(name: str, renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    decisions: list[Decision] = []

    def record(snapshot: Snapshot) -> Decision:
        decisions.append(decide(snapshot))
        return decisions[-1]._replace(doubts={})

    monkeypatch.setattr(reading, "decide", record)
    css, body, code, doubt = PAGES[name]
    html = f"<!doctype html><style>html {{ background: #fff }} body {{ margin: 0 }} {css}</style>{body}"
    page = renderer.render(Page(content=html)).snapshot
    (text,) = [number for number, words in enumerate(page.texts) if "arges" in words]
    (decision,) = decisions
    assert (decision.hidden[text], decision.doubts.get(text, 0)) == (code, doubt)


def test_crowded_page_is_left_to_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vclean.render.visibility.painted_texts._MAX_PAIRS", 10)
    boxes = "<i>Nine words of a text that is below others</i>" * 9
    page = laid_out(boxes, styles={"i": {"position": "absolute", "background-color": "rgba(9, 9, 9, 0.1)"}})
    assert len(decide(page).doubts) == 9
