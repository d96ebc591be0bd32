"""Tests of the pages of `vclean diff` and `vclean report` in a real browser, opened from disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.page_records import error_analysis, page_record, screenshot
from helpers.pages import laid_out, result
from helpers.waiting import assert_eventually
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from vclean.compare.diff import Comparison
from vclean.compare.report import to_html
from vclean.render.browser.chromium import find_chromium

pytestmark = pytest.mark.browser

COUNT = 100
HOSTILE = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
HTML = f"<title>{HOSTILE.replace('<', '&lt;')}</title>" + "".join(f"<p>Block number {row}</p>" for row in range(COUNT))
SHOT = screenshot(800, 20 * (COUNT + 2))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(find_chromium().path), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """Return a tab, and check that its pages have no errors and request nothing."""
    problems: list[str] = []
    with browser.new_page(viewport={"width": 1200, "height": 600}, color_scheme="dark") as opened:
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("console", lambda message: problems.append(message.text))
        opened.on("request", lambda request: request.url.startswith("http") and problems.append(request.url))
        yield opened
    assert problems == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write both pages to files: one method alone keeps every tenth block, the other every 25th."""
    where = tmp_path_factory.mktemp("pages")
    snap = laid_out(HTML)
    labels = ["".join("o" if row % step == 0 else "p" for row in range(COUNT)) for step in (10, 25)]
    first, second = (result(snap, each, id="page.html") for each in labels)
    (where / "diff.html").write_text(Comparison(("one", "two"), first, second, SHOT).to("html"), encoding="utf-8")
    (where / "list.html").write_text(Comparison(("one", "two"), first, second).to("html"), encoding="utf-8")
    (where / "report.html").write_text(report(labels), encoding="utf-8")
    return where


def report(labels: list[str]) -> str:
    shown = page_record("shown", predicted=labels[0], truth=labels[1], confidence=0.8, url="https://example.org/")
    others = [
        page_record(f"page {row}", text="word" * (row % 2), page_type=f"type {row % 3}", words=row) for row in range(60)
    ]
    analyses = {shown.key: error_analysis(shown, HTML, SHOT)}
    return to_html([shown, *others], worst=[shown], analyses=analyses)


@pytest.fixture
def diff(tab: Page, folder: Path) -> Page:
    tab.goto((folder / "diff.html").as_uri())
    return tab


def panes(tab: Page) -> list[Locator]:
    return tab.locator(".pane").all()


def tops(tab: Page) -> list[float]:
    return [pane.evaluate("pane => pane.scrollTop") for pane in panes(tab)]


def selected(tab: Page) -> list[str | None]:
    return [frame.get_attribute("data-block") for frame in tab.locator(".frame.selected").all()]


def current(tab: Page) -> str:
    return tab.locator("li[aria-current] .text").inner_text()


class TestDiff:
    def test_both_panes_show_screenshot_and_differences(self, diff: Page) -> None:
        assert current(diff) == "Block number 10"
        assert selected(diff) == ["10", "10"]
        assert diff.title().endswith(HOSTILE)
        for pane, count in zip(panes(diff), (2, 8), strict=True):
            expect(pane.locator(".frame")).to_have_count(COUNT)
            expect(pane.locator(".frame.changed")).to_have_count(10)
            expect(pane.locator(".frame.changed:not([data-label=o])")).to_have_count(count)

    def test_keys_select_next_difference_in_both_panes(self, diff: Page) -> None:
        """Stop at the ends of the list; keys work in a pane too."""
        for key in ("k", "j", "ArrowDown", "j", "k"):
            diff.keyboard.press(key)
        assert current(diff) == "Block number 25"
        assert selected(diff) == ["25", "25"]
        expect(diff.locator("#live")).to_have_text("3 of 10")
        for _ in range(20):
            diff.keyboard.press("j")
        assert current(diff) == "Block number 90"
        panes(diff)[0].focus()
        diff.keyboard.press("k")
        assert current(diff) == "Block number 80"

    def test_scrolls_to_selected_block(self, diff: Page) -> None:
        diff.get_by_role("button", name="Block number 90").click()
        assert selected(diff) == ["90", "90"]
        for frame in diff.locator(".frame.selected").all():
            expect(frame).to_be_in_viewport()

    def test_panes_scroll_together(self, diff: Page) -> None:
        first, second = panes(diff)
        first.evaluate("pane => { pane.scrollTop = 240 }")
        assert_eventually(lambda: tops(diff) == [240, 240])
        second.evaluate("pane => { pane.scrollTop = 60 }")
        assert_eventually(lambda: tops(diff) == [60, 60])

    def test_click_on_screenshot_selects_row(self, diff: Page) -> None:
        """Select a block without a difference in both panes, too."""
        panes(diff)[1].locator(".changed").nth(2).click()
        assert current(diff) == "Block number 25"
        panes(diff)[1].locator("[data-block='26']").click()
        assert (current(diff), selected(diff)) == ("Block number 25", ["26", "26"])

    def test_panes_zoom_together(self, diff: Page) -> None:
        def widths() -> list[float]:
            return [stage.evaluate("stage => stage.clientWidth") for stage in diff.locator(".stage").all()]

        fit = widths()
        diff.keyboard.press("+")
        assert widths() == pytest.approx([1.25 * each for each in fit], abs=1)
        diff.get_by_role("button", name="smaller").click()
        assert widths() == fit
        diff.keyboard.press("-")
        diff.keyboard.press("0")
        assert widths() == fit

    def test_kind_can_be_hidden(self, diff: Page) -> None:
        diff.get_by_text("kept by two alone").click()
        assert diff.locator("#differences > li:visible").count() == 2
        assert current(diff) == "Block number 25"
        diff.keyboard.press("j")
        assert current(diff) == "Block number 75"

    def test_list_without_screenshot(self, tab: Page, folder: Path) -> None:
        tab.goto((folder / "list.html").as_uri())
        assert tab.locator(".more:visible").count() == 10
        tab.keyboard.press("j")
        assert current(tab) == "Block number 10"


@pytest.fixture
def page(tab: Page, folder: Path) -> Page:
    tab.goto((folder / "report.html").as_uri())
    return tab


def column(page: Page, number: int) -> list[str]:
    return page.locator(f"#all-pages-table tbody tr:visible > :nth-child({number})").all_inner_texts()


class TestReport:
    def test_heads_sort_both_ways(self, page: Page) -> None:
        """Sort texts ascending first, and undefined values last."""
        heads = page.locator("#all-pages-table thead th")
        words = heads.nth(4).get_by_role("button")
        words.click()
        assert [int(text) for text in column(page, 5)] == sorted(map(int, column(page, 5)), reverse=True)
        assert heads.nth(4).get_attribute("aria-sort") == "descending"
        words.click()
        assert column(page, 5)[:3] == ["0", "1", "1"]
        heads.nth(0).get_by_role("button").click()
        assert column(page, 1) == sorted(column(page, 1))
        for _ in range(2):
            heads.nth(6).get_by_role("button").click()
            assert column(page, 7)[0] == "0.800"

    def test_thumbnail_opens_overlay_and_escape_closes_it(self, page: Page) -> None:
        page.get_by_role("button", name="Open the overlay of shown").click()
        expect(page.get_by_role("dialog", name="shown")).to_be_visible()
        assert_eventually(
            lambda: len(page.frames) == 2 and page.frames[1].evaluate("window.vclean?.state.selected") == [10]
        )
        assert page.frames[1].evaluate("vclean.blocks.filter((block) => block.changed).length") == 10
        expect(page.frames[1].locator(".frame.selected")).to_be_in_viewport()
        page.locator("#close").focus()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="shown")).to_be_hidden()

    def test_tables_have_names_and_fit_narrow_windows(self, page: Page) -> None:
        assert page.get_by_role("region", name="Pages by word F1").count() == 1
        assert page.get_by_role("region", name="By page type").count() == 1
        page.set_viewport_size({"width": 400, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
