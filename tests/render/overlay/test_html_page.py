"""Test the interactive overlay in a browser: pointer, keys, filters, segments, requests and speed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from helpers.page_records import screenshot
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from vclean.cli.main import main
from vclean.render.browser.chromium import find_chromium
from vclean.render.overlay.html import OverlayPage, draw_html
from vclean.render.overlay.layers import HIDDEN, HIDDEN_PENS, PART_PENS, JsonObject

pytestmark = pytest.mark.browser

WIDTH, ROW = 800, 40
WINDOW: Final[ViewportSize] = {"width": 1400, "height": 900}
HOSTILE = "</script><img src=x onerror=document.title='taken'><b>bold</b>"
ROLES = {"h": "title", "p": "article", "l": "article", "o": "navigation"}
MAX_MILLISECONDS = 100
"""Largest duration of an interaction in milliseconds."""
FIXTURES = Path(__file__).parents[3] / "fixtures"


def block(row: int, label: str, text: str = "", **facts: object) -> JsonObject:
    """Return a block of a column of blocks, each 30 px high, one every 40 px."""
    box = [100, ROW * row + 5, 600, 30]
    probability = {"o": 0.05, "h": 0.7}.get(label, 0.95)
    default = {"box": box, "text": text or f"Block {row}", "role": ROLES[label], "probability": probability}
    empty = {"font": "", "xpath": "", "source": "", "visibility": "shown", "reasons": []}
    return {"label": label, **empty, **default, **facts}


def segments() -> JsonObject:
    """Return a page with two parts, of which the upper one has two parts."""
    rows = [([0, 0, 800, 2400], 0, 1, -1), ([0, 0, 800, 1000], 1, 4, 0), ([0, 0, 800, 400], 2, 8, 1),
            ([0, 420, 800, 580], 2, 8, 1), ([0, 1040, 800, 1360], 1, 9, 0)]  # fmt: skip
    names = ("box", "level", "coherence", "parent", "text", "xpath")
    page_segments = [dict(zip(names, (*row, f"Part {number}", ""), strict=True)) for number, row in enumerate(rows)]
    bands = [
        {"box": [0, 1000, 800, 40], "segment": 0, "weight": 9},
        {"box": [0, 400, 800, 20], "segment": 1, "weight": 3},
    ]
    shown = {"pdoc": 5, "drawn": False, "separators_drawn": False}
    return {"name": "vips", "segments": page_segments, "separators": bands, **shown}


def content(count: int = 60, **facts: object) -> OverlayPage:
    """Return a page with a heading, paragraphs and, every fifth block, boilerplate."""
    reasons = [
        {"group": "links", "text": "link share 0.92 in a narrow column", "value": -1.5},
        {"group": "rule", "text": "the cut of the page", "value": 0.0},
    ]
    blocks = [block(row, "o" if row % 5 == 4 else "p") for row in range(count)]
    blocks[0] = block(
        0, "h", "The heading", font="32 px Georgia, bold", xpath="/html[1]/body[1]/h1[1]", source="line 7"
    )
    blocks[4] = block(4, "o", HOSTILE, reasons=reasons, margin=-2.25)
    blocks[6] = block(6, "p", reasons=reasons, margin=-2.25, overruled_by="whole group")
    blocks[5] = block(5, "p", "Folded away", visibility="revealable")
    default = {"id": "page.html", "url": "https://example.org/", "title": f"Rain {HOSTILE}", "blocks": blocks}
    size = {"width": WIDTH, "height": count * ROW, "screenshot": screenshot(WIDTH, count * ROW)}
    return OverlayPage(**({**default, **size, "layers": [segments()], "facts": {"Method": "vclean"}} | facts))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(find_chromium().path), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Page:
    """Return a tab for all tests, in which each test opens its page."""
    return browser.new_page(viewport=WINDOW)


class Opened:
    """Interactive overlay, opened from disk, with its requests and errors."""

    def __init__(self, tab: Page, path: Path, document: str) -> None:
        path.write_text(document, encoding="utf-8")
        self.page = tab
        self.requests: list[str] = []
        self.errors: list[str] = []
        tab.on("request", lambda request: self.requests.append(request.url[:40]))
        tab.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: self.errors.append(str(error)))
        tab.mouse.move(0, 0)
        tab.goto(path.as_uri())
        self.wait_for_frames()

    def wait_for_frames(self) -> None:
        """Wait until pending drawings are finished."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def assert_eventually(self, expression: str) -> None:
        """Assert that an expression becomes true; the policy of the page forbids the wait functions of Playwright."""
        end = time.monotonic() + 10
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            self.wait_for_frames()

    def perform(self, steps: str) -> None:
        """Press keys, type words and click on or left of blocks: `click 2, Shift+click 5, beside 2, End, "jk"`."""
        for step in steps.split(", "):
            action, _, row = step.partition(" ")
            modifier, _, action = action.rpartition("+")
            if step.startswith('"'):
                self.page.keyboard.type(step.strip('"'))
            elif action in ("click", "beside"):
                x, y = self.center_of(int(row))
                if modifier:
                    self.page.keyboard.down(modifier)
                self.page.mouse.click(x - 350 * (action == "beside"), y)
                if modifier:
                    self.page.keyboard.up(modifier)
            else:
                self.page.keyboard.press(step)
        self.wait_for_frames()

    def point_at(self, row: int) -> None:
        """Move the pointer to a block."""
        self.page.mouse.move(*self.center_of(row))
        self.wait_for_frames()

    def selected(self) -> list[int]:
        indexes: list[int] = self.page.evaluate("vclean.state.selected")
        return indexes

    def center_of(self, row: int) -> tuple[float, float]:
        """Return the position of the center of a block on the screen."""
        return tuple(self.page.evaluate(
            """(row) => {
              const stage = document.getElementById("stage").getBoundingClientRect();
              const [x, y, w, h] = vclean.blocks[row].box;
              return [stage.left + (x + w / 2) * vclean.scale(), stage.top + (y + h / 2) * vclean.scale()];
            }""", row))  # fmt: skip

    def color(self, row: int) -> str:
        """Return the color of the frame of a block; empty if it has none."""
        self.wait_for_frames()
        color: str = self.page.evaluate(
            """(row) => {
              const [x, y] = vclean.blocks[row].box;
              const { width, height } = vclean.data.page;
              const at = (frame) => Math.abs(parseFloat(frame.style.left) - 100 * x / width)
                + Math.abs(parseFloat(frame.style.top) - 100 * y / height) < .01;
              const frame = [...document.querySelectorAll("#frames .frame:not(.selected)")].findLast(at);
              return frame ? getComputedStyle(frame).outlineColor : "";
            }""", row)  # fmt: skip
        return color

    @property
    def details(self) -> str:
        self.wait_for_frames()
        return self.page.locator("#details").inner_text()

    @property
    def listed(self) -> str:
        self.wait_for_frames()
        return self.page.locator("#count").inner_text()


@pytest.fixture(scope="module")
def document() -> str:
    return draw_html(content())


@pytest.fixture
def show(tab: Page, tmp_path: Path) -> Iterator[Callable[[str], Opened]]:
    """Return a function that opens a document; its page must have no errors."""
    pages = []

    def opened(document: str) -> Opened:
        pages.append(Opened(tab, tmp_path / "overlay.html", document))
        return pages[-1]

    yield opened
    assert [page.errors for page in pages] == [[]] * len(pages)


@pytest.fixture
def opened(show: Callable[[str], Opened], document: str) -> Opened:
    return show(document)


class TestSafety:
    def test_fetches_nothing(self, opened: Opened) -> None:
        schemes = {address.partition(":")[0] for address in opened.requests}
        assert schemes <= {"file", "data"}
        assert sum(address.startswith("file:") for address in opened.requests) == 1

    def test_inserts_page_text_as_text(self, opened: Opened) -> None:
        opened.page.evaluate("vclean.select(4)")
        assert HOSTILE in opened.details
        assert opened.page.locator("img").count() == 1
        assert opened.page.title() == f"Rain {HOSTILE} – vclean"

    def test_enforces_policy(self, tab: Page, tmp_path: Path) -> None:
        # Scripts that are added to the file later do not run, and requests fail.
        document = draw_html(content()).replace("</body>", "<script>document.title = 'taken'</script></body>")
        changed = Opened(tab, tmp_path / "changed.html", document)
        assert "taken" not in changed.page.title().split(HOSTILE)[-1]
        assert changed.page.evaluate("fetch('http://127.0.0.1:9/').catch((error) => error.name)") == "TypeError"
        assert all("Content Security Policy" in text for text in changed.errors)


class TestPointer:
    def test_hover_shows_details_and_reasons_until_the_pointer_leaves(self, opened: Opened) -> None:
        opened.page.evaluate("vclean.select(6)")
        opened.point_at(0)
        for part in ("heading .70", "title", "32 px Georgia, bold", "600 × 30 px at 100, 5", "/html[1]/body[1]/h1[1]",
                     "line 7", "The heading"):  # fmt: skip
            assert part in opened.details
        expect(opened.page.locator(".frame[data-caption]")).to_have_attribute("data-caption", "heading .70")
        opened.point_at(4)
        assert "Why it is left out" in opened.details
        assert opened.page.locator(".reasons .sign").all_inner_texts() == ["−1.5", "", "−2.25"]
        assert "sum of all groups, the average block and the threshold of the page: left out" in opened.details
        assert "link share 0.92 in a narrow column" in opened.details
        assert "overruled" not in opened.details
        opened.page.mouse.move(5, 5)
        assert "the threshold of the page; overruled by the rule “whole group”" in opened.details

    def test_click_selects_and_scrolls_list(self, opened: Opened) -> None:
        opened.page.evaluate("document.getElementById('list').scrollTop = 9999")
        opened.perform("click 0")
        expect(opened.page.locator("#row-0")).to_have_attribute("aria-selected", "true")
        expect(opened.page.locator("#row-0")).to_be_in_viewport()
        assert opened.selected() == [0]
        assert opened.page.locator("#live").inner_text() == "heading .70: The heading"

    def test_drag_selects_touched_blocks(self, opened: Opened) -> None:
        # Block 5 is not drawn, and therefore not selected.
        (x, y), (_, below) = opened.center_of(3), opened.center_of(7)
        opened.page.mouse.move(x - 350, y)
        opened.page.mouse.down()
        opened.page.mouse.move(x, (y + below) / 2)
        opened.page.mouse.move(x + 40, below)
        opened.wait_for_frames()
        expect(opened.page.locator(".rubber")).to_be_visible()
        opened.page.mouse.up()
        assert opened.selected() == [3, 4, 6, 7]
        expect(opened.page.locator(".rubber")).to_have_count(0)
        assert "last of 4 selected" in opened.details

    def test_list_and_screenshot_scroll_each_other(self, opened: Opened) -> None:
        opened.page.mouse.move(*opened.center_of(3))
        opened.page.mouse.wheel(0, 800)
        opened.assert_eventually("document.getElementById('list').scrollTop > 500")
        opened.page.evaluate("document.getElementById('list').scrollTop = 99999")
        opened.wait_for_frames()
        opened.page.locator("#row-58").click()
        assert opened.center_of(58)[1] < 900


@pytest.mark.parametrize(
    ("steps", "selected"),
    [
        ("click 2, beside 2", []),
        ("click 2, Control+click 6", [2, 6]),
        ("click 2, Control+click 6, Control+click 2", [6]),
        ("click 6, Shift+click 3", [6, 5, 4, 3]),
        ("click 2, ArrowDown", [3]),
        ("j, Shift+ArrowDown, Shift+ArrowDown", [0, 1, 2]),
        ("j, j, k", [0]),
        ("j, j, ArrowUp", [0]),
        ("End", [59]),
        ("End, k", [58]),
        ("End, Home", [0]),
        ("j, Escape", []),
        ('/, "jk?"', []),
    ],
)
def test_keys_and_clicks_select(opened: Opened, steps: str, selected: list[int]) -> None:
    opened.perform(steps)
    assert opened.selected() == selected
    assert not opened.page.locator("#help").is_visible()


class TestKeys:
    def test_sets_active_descendant_of_list_box(self, opened: Opened) -> None:
        opened.page.locator("#list").focus()
        opened.page.keyboard.press("ArrowDown")
        assert opened.page.locator("#list").get_attribute("aria-activedescendant") == "row-1"
        row = opened.page.get_by_role("option", name="paragraph Block 1 .95 article", exact=True)
        assert row.get_attribute("aria-setsize") == "60"
        opened.perform("PageDown")
        assert opened.selected()[0] > 3

    def test_keys_scroll_focused_screenshot(self, opened: Opened) -> None:
        opened.page.locator("#pane").focus()
        opened.page.keyboard.press("PageDown")
        opened.assert_eventually("document.getElementById('pane').scrollTop > 100")
        assert opened.selected() == []

    @pytest.mark.parametrize(
        ("words", "listed", "remaining", "announcement"),
        [("block 1", "11 of 60", [1], "Block 1"), ("block 7", "1 of 60", [], "nothing selected")],
    )
    def test_search_filters_blocks_and_deselects_the_others(
        self, opened: Opened, words: str, listed: str, remaining: list[int], announcement: str
    ) -> None:
        # Otherwise a key could change blocks that are not visible.
        opened.page.evaluate("vclean.select([2, 1])")
        opened.perform(f'/, "{words}"')
        assert (opened.listed, opened.selected()) == (listed, remaining)
        expect(opened.page.locator("#live")).to_contain_text(announcement)
        opened.perform("Escape")
        assert opened.listed == "60"
        assert opened.page.evaluate("document.activeElement.id") == "list"

    def test_shows_help_and_changes_zoom(self, opened: Opened) -> None:
        opened.page.keyboard.press("?")
        expect(opened.page.locator("#help")).to_contain_text("fit the screenshot to the window")
        opened.page.locator("#help button").click()
        expect(opened.page.locator("#help")).to_be_hidden()
        fit = opened.page.evaluate("vclean.scale()")
        opened.perform("-")
        assert opened.page.evaluate("vclean.scale()") < fit
        opened.perform("0")
        assert opened.page.evaluate("vclean.scale()") == fit
        assert opened.page.locator("#zoom").inner_text() == f"{fit * 100:.0f} %"

    def test_tab_key_reaches_all_controls(self, opened: Opened) -> None:
        # Controls are buttons, check boxes, sliders, the first of several radio buttons, and the list.
        seen = set()
        for _ in range(60):
            opened.page.keyboard.press("Tab")
            seen.add(opened.page.evaluate(
                "(focus => focus.id || focus.ariaLabel || focus.dataset.key || focus.parentElement.innerText)"
                "(document.activeElement)"))  # fmt: skip
        assert {"search", "list", "pane", "?", "Blocks", "by label", "VIPS segments", "Separators", "Fit the width",
                "Least probability", "Greatest probability", "p\nparagraph\n47"} <= seen  # fmt: skip


class TestFilters:
    def chip(self, opened: Opened, name: str):
        return opened.page.locator(".chip", has_text=name)

    def test_filters_by_label(self, opened: Opened) -> None:
        opened.page.evaluate("vclean.select([0, 4])")
        self.chip(opened, "other, left out").click()
        assert (opened.listed, opened.selected()) == ("48 of 60", [0])
        assert opened.color(14) == ""
        expect(opened.page.get_by_label("other, left out")).not_to_be_checked()
        for listed in ("1 of 60", "60"):  # only headings, then all
            self.chip(opened, "heading").dblclick()
            assert opened.listed == listed

    def test_filters_by_role_visibility_and_probability(self, opened: Opened) -> None:
        # Hidden blocks are listed, but not drawn.
        assert opened.color(5) == ""
        expect(opened.page.locator("#row-5")).to_contain_text("revealable")
        self.chip(opened, "navigation").click()
        self.chip(opened, "revealable").click()
        assert opened.listed == "47 of 60"
        opened.page.get_by_label("Greatest probability").fill("0.8")
        assert opened.listed == "1 of 60"
        opened.page.get_by_label("Least probability").fill("0.9")
        assert opened.listed == "0 of 60"


class TestColors:
    def test_colors_by_label_then_by_role(self, opened: Opened) -> None:
        assert [opened.color(row) for row in (0, 1, 4)] == ["rgb(213, 94, 0)", "rgb(0, 114, 178)", "rgb(95, 95, 95)"]
        opened.page.get_by_text("by role").click()
        assert opened.color(4) == "rgb(0, 114, 178)"
        expect(opened.page.get_by_role("radio", name="by label")).not_to_be_checked()
        opened.page.get_by_text("Blocks", exact=True).first.click()
        assert opened.color(1) == ""

    def test_draws_hidden_blocks_that_have_a_box(self, tab: Page, show: Callable[[str], Opened]) -> None:
        boxes = {1: [100, 45, 600, 30], 2: None, 3: [0, 0, 0, 0]}
        hidden = [block(row, "p", visibility="hidden", technique="opacity", box=box) for row, box in boxes.items()]
        shown = {"hidden_drawn": True, "drawn": False}
        overlay = show(draw_html(content(blocks=[block(0, "p"), *hidden], shown=shown)))
        box = tab.get_by_label("Hidden 1", exact=True)
        expect(box).to_be_checked()
        expect(tab.locator("#frames .frame")).to_have_count(1)
        assert overlay.color(1) == f"rgb{HIDDEN_PENS[HIDDEN].color}"
        overlay.perform("click 1")
        assert overlay.selected() == [1]
        assert "hidden: opacity" in overlay.details
        overlay.page.keyboard.press("Escape")
        box.uncheck(force=True)
        assert overlay.color(1) == ""

    def test_draws_parts_of_a_kind(self, show: Callable[[str], Opened]) -> None:
        x, y, *size = content().blocks[1]["box"]
        parts = [{"kind": "post", "box": (x, top, *size), "text": "Ada", "block": None} for top in (y, y + 100)]
        overlay = show(draw_html(content(parts=parts, shown={"drawn": False})))
        expect(overlay.page.get_by_title("Ada")).to_have_text("posts 2")
        button = overlay.page.get_by_text("posts 2")
        colors = [overlay.color(1)]
        for _ in range(2):
            button.click()
            colors.append(overlay.color(1))
        assert colors == ["", f"rgb{PART_PENS['post'].color}", ""]

    def test_follows_color_scheme(self, tab: Page, opened: Opened) -> None:
        color = "getComputedStyle(document.getElementById('panel')).backgroundColor"
        tab.emulate_media(color_scheme="light")
        light = opened.page.evaluate(color)
        tab.emulate_media(color_scheme="dark")
        dark = opened.page.evaluate(color)
        tab.emulate_media(color_scheme=None)
        assert light == "rgb(255, 255, 255)" != dark


class TestSegments:
    def test_slider_filters_segments_and_separators(self, opened: Opened) -> None:
        bands = opened.page.locator(".band")
        opened.page.get_by_text("Separators").click()
        expect(bands).to_have_count(2)
        opened.page.locator("#tabs").get_by_text("VIPS segments").click()
        assert opened.page.evaluate("[vclean.at(400, 200), vclean.at(400, 410), vclean.at(400, 1020)]") == [2, 1, 0]
        opened.perform("End")
        assert "level 1, DoC 9" in opened.details
        assert "Part 4" in opened.details
        assert opened.listed == "5"
        for degree, listed in (("4", "3 of 5"), ("1", "1 of 5")):
            opened.page.get_by_label("PDoC").fill(degree)
            assert opened.listed == listed
        expect(bands).to_have_count(0)

    def test_shows_page_without_blocks(self, show: Callable[[str], Opened]) -> None:
        opened = show(draw_html(content(blocks=[])))
        opened.perform("j, j")
        assert "level 1, DoC 4" in opened.details
        assert opened.page.locator(".blocks-only").count() == 0
        expect(opened.page.locator("#tabs")).to_be_hidden()


SCRIPT = """
  window.events = [];
  vclean.on("select", (detail) => events.push(["select", ...detail.indexes]));
  document.addEventListener("vclean:change", (event) => events.push(["change", ...event.detail.indexes]));
  vclean.addKey("x", "cross out", () => {
    for (const row of vclean.state.selected) vclean.blocks[row].label = "o";
    vclean.changed(vclean.state.selected);
  });
  document.getElementById("tools").append(vclean.element("button", { type: "button" }, "Save"));
"""


class TestScripts:
    """Interface for added scripts, such as that of `vclean label`."""

    def test_adds_keys_controls_help_data_and_events(self, show: Callable[[str], Opened]) -> None:
        styles = ["#tools button { color: red }"]
        opened = show(draw_html(content(extra={"next": 2}), scripts=[SCRIPT], styles=styles))
        assert opened.page.evaluate("vclean.data.extra.next") == 2
        expect(opened.page.locator("#tools button")).to_have_css("color", "rgb(255, 0, 0)")
        opened.page.evaluate("vclean.select([1, 2])")
        opened.perform("x")
        assert opened.page.evaluate("events") == [["select", 1, 2], ["change", 1, 2]]
        assert opened.page.evaluate("vclean.blocks[1].label") == "o"
        opened.page.keyboard.press("?")
        expect(opened.page.locator("#help")).to_contain_text("cross out")

    def test_updates_changed_label_everywhere(self, opened: Opened) -> None:
        opened.page.evaluate("vclean.select(1); vclean.blocks[1].label = 'h'; vclean.changed([1])")
        assert "heading" in opened.details
        expect(opened.page.locator("#row-1 i")).to_have_text("h")
        expect(opened.page.locator(".chip", has_text="heading")).to_contain_text("2")
        assert [opened.color(row) for row in (1, 2)] == ["rgb(213, 94, 0)", "rgb(0, 114, 178)"]
        opened.page.evaluate("vclean.select([3, 999, -1, 1.5, 'length', 3])")
        assert opened.selected() == [3]


ACTIONS = {
    "select": "vclean.select(2500 + round)",
    "select all": "vclean.select(vclean.state.shown)",
    "hover": "vclean.hover(vclean.at(400, 300 + 12 * round), 'screenshot')",
    "step": "vclean.step(1)",
    "search": "search.value = ['7', ''][round % 2]; vclean.refresh()",
    "filter": "document.querySelector('.chip input').click()",
    "color": "document.querySelectorAll('[name=color]')[(round + 1) % 2].click()",
    "scroll": "pane.scrollTop = 700 * round",
    "scroll the list": "list.scrollTop = 9000 * round",
    "change": "vclean.blocks[100 + round].label = 'h'; vclean.changed([100 + round])",
    "zoom": "vclean.setZoom(round % 2 ? .9 : .7)",
}

ROUNDS = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const rest = () => new Promise((done) => setTimeout(done));
  const times = [];
  for (let round = 0; round < 10; round += 1) {
    await frame();
    await rest();
    const start = performance.now();
    %s;
    const acted = performance.now();
    const began = await frame();
    await rest();
    times.push(acted - start + performance.now() - Math.max(began, acted));
  }
  return times;
}"""


@pytest.fixture(scope="module")
def many(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Open a page with 5,000 blocks."""
    blocks = [
        block(row, "hplo"[row % 4], f"Some text of block {row} that is as long as those of menus are",
              box=[8 + 158 * (row % 5), 12 * (row // 5) + 1, 150, 10], probability=row % 100 / 100,
              xpath=f"/html[1]/body[1]/div[{row}]/p[1]")
        for row in range(5000)
    ]  # fmt: skip
    document = draw_html(content(blocks=blocks, height=12_000, screenshot=screenshot(WIDTH, 12_000)))
    return Opened(browser.new_page(viewport=WINDOW), tmp_path_factory.mktemp("many") / "many.html", document)


@pytest.mark.slow
class TestManyBlocks:
    """Speed with 5,000 blocks: every interaction takes less than 100 ms, drawing included."""

    @pytest.mark.parametrize("name", ACTIONS)
    def test_handles_interaction_quickly(self, many: Opened, name: str) -> None:
        """Use the fastest of several rounds, because the machine may be busy. Waiting for a frame is not counted."""
        times = many.page.evaluate(ROUNDS % ACTIONS[name])
        assert min(times) < MAX_MILLISECONDS, times

    def test_has_few_elements(self, many: Opened) -> None:
        assert many.page.locator(".row").count() < 60
        assert many.page.locator("*").count() < 1500


class TestFromTheCommandLine:
    @staticmethod
    def overlay_of(folder: Path, *arguments: str) -> str:
        """Return the overlay that a command writes."""
        overlay, page = folder / "seen.html", str(FIXTURES / "docs" / "page.html")
        assert main([*arguments, page, "--overlay", str(overlay), "-o", str(folder / "output")]) == 0
        return overlay.read_text(encoding="utf-8")

    def test_writes_overlay_of_a_page(self, show: Callable[[str], Opened], tmp_path: Path) -> None:
        document = self.overlay_of(tmp_path)
        assert len(document) < 2_000_000
        opened = show(document)
        opened.perform("j")
        assert "Why it is" in opened.details
        opened.page.locator("#tabs").get_by_text("VIPS segments").click()
        expect(opened.page.get_by_role("group", name="Blocks", exact=True)).to_be_hidden()

    def test_writes_overlay_of_segments(self, show: Callable[[str], Opened], tmp_path: Path) -> None:
        # The file has all levels; the slider starts at the degree of the command.
        opened = show(self.overlay_of(tmp_path, "segment", "--pdoc", "3"))
        shown, _, total = opened.listed.partition(" of ")
        assert int(shown) < int(total)
        assert opened.page.get_by_label("PDoC").input_value() == "3"
