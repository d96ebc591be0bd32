"""Tests of labelling in a real browser: click, keys, undo, reload, two tabs, a large page, and retraining."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers.corrections import APPEAL, COUNCIL, article
from helpers.labelled import HTML, PREDICTED, ROLES, session, white
from helpers.pages import laid_out, result
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from vclean import clean
from vclean.cli.main import main
from vclean.labelling.export import read_gold
from vclean.labelling.preparation import page_document, to_prepared_page
from vclean.labelling.server import LabelServer
from vclean.labelling.session import AnnotationSession, Status
from vclean.output.overlay import to_overlay_page
from vclean.render.browser.chromium import find_chromium

pytestmark = pytest.mark.browser

SLOWEST = 100
"""Maximum milliseconds of an interaction."""
MANY = 5_000
TALLEST = 10_000
"""Height of the screenshot in px; a larger one would take long to encode."""


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        options = {"args": ["--no-sandbox"]} if os.name == "posix" and os.geteuid() == 0 else {}
        browser = playwright.chromium.launch(executable_path=find_chromium().path, **options)
        yield browser
        browser.close()


@pytest.fixture
def context(chrome: Browser) -> Iterator[BrowserContext]:
    made = chrome.new_context(viewport={"width": 1300, "height": 800})
    made.set_default_timeout(20_000)
    yield made
    made.close()


@dataclass
class Project:
    """Served annotation session of invented pages, without rendering and without a model."""

    folder: Path
    server: LabelServer
    session: AnnotationSession

    @property
    def gold(self) -> str:
        """Return the CleanEval text of the first page, as it is on the disk."""
        (path,) = (self.folder / "gold" / "me").glob("page0-*.txt")
        return path.read_text(encoding="utf-8")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Project]]:
    """Return a function from pages, each HTML with labels, to a project; the first page has the lowest confidence."""
    with ExitStack() as stack:

        def start(*pages: tuple[str, str], failures: Sequence[str] = ()) -> Project:
            made = session(tmp_path, failures=failures)
            documents = []
            for number, (html, labels) in enumerate(pages):
                roles = ROLES if html == HTML else ()
                page = result(laid_out(html), labels, id=f"page{number}", confidence=number / 10, roles=roles)
                made.add(to_prepared_page(page, maker="", content="", snapshots={}))
                height = int(page.columns.snapshot.height)
                screenshot = white(800, height) if height < TALLEST else b""
                documents.append(page_document(to_overlay_page(page, screenshot)))
            made.ready = True
            server = stack.enter_context(LabelServer(made, documents.__getitem__))
            return Project(tmp_path, server, made)

        yield start


class Tab:
    """Browser tab that shows a page."""

    def __init__(self, context: BrowserContext, project: Project, path: str = "page/0") -> None:
        self.page = context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda output: self.errors.append(output.text) if output.type == "error" else None)
        self.page.goto(project.server.url + path)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def save(self, *keys: str) -> None:
        """Press keys, and wait until everything is saved."""
        self.press(*keys)
        self.rest()

    def rest(self) -> None:
        """Wait until everything is saved."""
        expect(self.page.locator("#saved")).to_have_text("saved", timeout=20_000)

    def click(self, row: int, **how: Any) -> None:
        """Click a block in the screenshot: lines are 20 px apart, from 20 px on."""
        self.page.locator("#stage").click(position=self.position(row), **how)

    def position(self, row: int) -> dict[str, float]:
        scale = self.page.evaluate("document.getElementById('stage').clientWidth / vclean.data.page.width")
        return {"x": 50 * scale, "y": (20 * (row + 1) + 8) * scale}

    def drag(self, first: int, last: int) -> None:
        frame = self.page.locator("#stage").bounding_box()
        assert frame is not None
        begin, end = self.position(first), self.position(last)
        mouse = self.page.mouse
        mouse.move(frame["x"] + begin["x"] + 300, frame["y"] + begin["y"])
        mouse.down()
        mouse.move(frame["x"] + begin["x"], frame["y"] + begin["y"] + 5, steps=3)
        mouse.move(frame["x"] + end["x"], frame["y"] + end["y"], steps=3)
        mouse.up()

    @property
    def labels(self) -> str:
        return str(self.page.evaluate("vclean.blocks.map((block) => block.label).join('')"))

    @property
    def selected(self) -> list[int]:
        return sorted(self.page.evaluate("vclean.state.selected"))

    def assert_labels(self, labels: str) -> None:
        self.page.wait_for_function(
            "(labels) => vclean.blocks.map((block) => block.label).join('') === labels", arg=labels
        )


@pytest.fixture
def tab(context: BrowserContext, project: Project) -> Iterator[Tab]:
    """Return a tab with the first page of the `project` of a test class, and check that it reports no errors."""
    made = Tab(context, project)
    yield made
    assert made.errors == []


class TestOnePage:
    @pytest.fixture
    def project(self, serve) -> Project:
        return serve((HTML, PREDICTED), (HTML, PREDICTED))

    def test_label_by_click_with_key_and_button(self, tab: Tab, project: Project) -> None:
        tab.click(2)
        assert tab.selected == [2]
        tab.save("o")
        assert tab.labels == "ohop"
        assert project.gold == "<h>Rain\n<p>It rained again.\n"
        tab.click(0)
        tab.page.get_by_role("button", name="paragraph").first.click()
        tab.rest()
        assert project.gold.startswith("<p>Home\n")
        expect(tab.page.locator("[data-key=p]")).to_have_attribute("aria-pressed", "true")
        expect(tab.page.locator(".facts")).to_contain_text("3 of 4 blocks")

    def test_drag_selects_several_blocks_and_modifiers_extend_the_selection(self, tab: Tab, project: Project) -> None:
        tab.drag(1, 3)
        assert tab.selected == [1, 2, 3]
        tab.save("l")
        assert project.gold == "<l>Rain\n<l>It rained.\n<l>It rained again.\n"
        tab.click(0)
        tab.click(2, modifiers=["Shift"])
        assert tab.selected == [0, 1, 2]
        tab.click(1, modifiers=["Control"])
        tab.click(3, modifiers=["Control"])
        assert tab.selected == [0, 2, 3]

    def test_label_by_keyboard(self, tab: Tab, project: Project) -> None:
        tab.save("j", "p", "j", "j", "Shift+ArrowDown", "c")
        assert tab.labels == "phcc"
        assert project.gold == "<p>Home\n<h>Rain It rained. It rained again.\n"

    def test_set_role(self, tab: Tab, project: Project) -> None:
        tab.click(3)
        tab.page.locator("#role").click()
        tab.page.locator("#roles").get_by_role("button", name="comments").click()
        tab.rest()
        tab.save("o")
        (page,) = read_gold(project.folder / "gold")
        assert page.blocks[3].annotation == ("o", "comments", None)
        assert page.blocks[3].by_hand

    def test_set_role_by_keyboard(self, tab: Tab, project: Project) -> None:
        """Choose a role by its key, the first free letter; Escape returns to the blocks, which stay selected."""
        dialog = tab.page.locator("#roles")
        tab.press("j", "r")
        expect(dialog).to_be_visible()
        tab.press("Escape")
        expect(dialog).to_be_hidden()
        tab.page.wait_for_timeout(300)  # the browser reports the closing of a dialog after it hides it
        tab.press("r")
        expect(dialog).to_be_visible()
        expect(dialog.locator("kbd")).to_have_text([*"tacobunhfsdrlmgv0"])
        tab.save("f")
        assert tab.page.evaluate("vclean.blocks[0].role") == "footer"
        assert tab.selected == [0]
        tab.save("j", "h")
        assert tab.labels == "ohpp"
        assert project.session.state(0, 0)["blocks"] == [
            [0, "o", "footer", None, True, 1],
            [1, "h", "article", None, True, 2],
        ]

    def test_correct_parts(self, tab: Tab, project: Project) -> None:
        """Mark a title and the beginning of a post: they are drawn at once, and no more after undo."""
        parts = "vclean.data.parts.map(({ kind, block }) => [kind, block])"
        assert tab.page.evaluate(parts) == []
        tab.press("j", "j", "t")
        expect(tab.page.locator("#parts kbd")).to_have_text([*"tbdypi0"])
        tab.save("t")
        tab.save("j", "t", "p")
        assert tab.page.evaluate(parts) == [["title", 1], ["post", 2]]
        assert tab.page.evaluate("vclean.state.form.getAll('part')") == ["title", "post"]
        expect(tab.page.get_by_role("group", name="Parts of the page").locator("label:visible")).to_have_text(
            ["title", "post"]
        )
        (page,) = read_gold(project.folder / "gold")
        assert [block.annotation.part for block in page.blocks] == [None, "title", "post", None]
        tab.save("u")
        tab.save("k", "t", "0")
        assert tab.page.evaluate(parts) == []

    def test_undo_and_redo_after_reload(self, tab: Tab, project: Project) -> None:
        tab.save("j", "p", "j", "o")
        tab.page.reload()
        tab.assert_labels("popp")
        tab.press("u")
        tab.assert_labels("phpp")
        tab.press("Control+z")
        tab.assert_labels("ohpp")
        expect(tab.page.get_by_role("button", name="Undo")).to_be_disabled()
        tab.press("U")
        tab.assert_labels("phpp")
        tab.press("Control+y")
        tab.assert_labels("popp")
        tab.rest()
        assert project.gold == "<p>Home\n<p>It rained.\n<p>It rained again.\n"

    def test_last_of_several_fast_keys_wins(self, tab: Tab, project: Project) -> None:
        """Ignore answers to earlier changes that arrive after later ones."""
        seen = "document.addEventListener('vclean:change', () => (window.seen ||= []).push(vclean.blocks[0].label))"
        tab.page.evaluate(seen)
        tab.save("j", *"hplcohplc")
        assert tab.labels == "chpp"
        assert tab.page.evaluate("window.seen").count("h") == 2
        assert len((project.folder / "me.jsonl").read_text().splitlines()) == 9

    def test_two_tabs_are_synchronized(self, tab: Tab, context: BrowserContext, project: Project) -> None:
        """Apply the last of two changes of one block in both tabs."""
        other = Tab(context, project)
        tab.press("j", "p")
        other.assert_labels("phpp")
        other.press("j", "l")
        tab.assert_labels("lhpp")
        tab.press("h")
        other.assert_labels("hhpp")
        other.press("u")
        tab.assert_labels("lhpp")
        assert other.errors == []

    def test_done_opens_next_page(self, tab: Tab, context: BrowserContext, project: Project) -> None:
        tab.press("Enter")
        expect(tab.page).to_have_url(re.compile(r"/page/1$"))
        expect(tab.page.locator("#progress-text")).to_have_text("1 of 2 done")
        tab.press("s")
        expect(tab.page).to_have_url(project.server.url)
        expect(tab.page.locator("#count")).to_have_text("1 of 2 done, 1 skipped")
        expect(tab.page.locator("tbody tr").first).to_contain_text("done")
        assert [page.status for page in read_gold(project.folder / "gold")] == [Status.DONE, Status.SKIPPED]
        tab.page.locator("tbody a").first.click()
        tab.page.get_by_role("button", name="Reopen").click()
        expect(tab.page.get_by_role("button", name="Done")).to_be_visible()
        assert project.session.progress()["open"] == 1

    def test_enter_on_button_activates_it_but_not_after_a_click(self, tab: Tab, project: Project) -> None:
        tab.press("j")
        tab.page.locator("[data-key=l]").focus()
        tab.save("Enter")
        assert (tab.labels, project.session.progress()["done"]) == ("lhpp", 0)
        tab.page.locator("[data-key=l]").click()
        tab.press("Enter")
        expect(tab.page).to_have_url(re.compile(r"/page/1$"))

    def test_key_without_selection_shows_message(self, tab: Tab, project: Project) -> None:
        tab.press("p")
        expect(tab.page.locator("#live")).to_have_text("Select a block first.")
        expect(tab.page.locator("[data-key=p]")).to_be_disabled()
        assert project.session.state(0, 0)["revision"] == 0


class TestErrors:
    @pytest.mark.parametrize("failures", [[], ["<b>bad</b>.html took too long", "no.html is binary"]])
    def test_lists_failed_pages(self, serve, context: BrowserContext, failures: list[str]) -> None:
        tab = Tab(context, serve((HTML, PREDICTED), failures=failures), path="")
        expect(tab.page.locator("tbody tr")).to_have_count(1)
        expect(tab.page.locator("#failed")).to_be_visible(visible=bool(failures))
        expect(tab.page.locator("#failed li")).to_have_text(failures)
        assert tab.errors == []

    def test_full_disk_reverts_change(self, serve, context: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> None:
        project = serve((HTML, PREDICTED))
        tab = Tab(context, project)
        tab.save("j", "p")

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        tab.press("j", "o")
        expect(tab.page.get_by_role("alert")).to_contain_text("the disk is full")
        tab.assert_labels("phpp")
        monkeypatch.undo()
        tab.save("l")
        expect(tab.page.get_by_role("alert")).to_be_hidden()
        tab.assert_labels("plpp")

    def test_shows_lost_server(self, serve, context: BrowserContext) -> None:
        project = serve((HTML, PREDICTED))
        tab = Tab(context, project)
        tab.save("j", "p")
        project.server.__exit__()
        expect(tab.page.get_by_role("alert")).to_contain_text("The server does not answer")
        tab.press("o")
        expect(tab.page.get_by_role("alert")).to_contain_text("Not saved")
        expect(tab.page.locator("#saved")).to_have_text("not saved")

    def test_other_site_can_neither_read_nor_write(self, serve, context: BrowserContext, site) -> None:
        """Refuse a page of another origin even if it knows the token."""
        project = serve((HTML, PREDICTED))
        address = project.server.url
        tab = context.new_page()
        tab.goto(site.serve("/", "<p>Another site"))
        ask = "([url, options]) => fetch(url, options).then((answer) => answer.status, () => 'refused')"
        body = '{"blocks": [{"block": 0, "label": "p"}]}'
        plain = {"method": "POST", "mode": "no-cors", "headers": {"Content-Type": "text/plain"}, "body": body}
        as_json = {"method": "POST", "headers": {"Content-Type": "application/json"}, "body": body}
        assert tab.evaluate(ask, [address + "list", {}]) == "refused"
        for options in (plain, as_json):
            tab.evaluate(ask, [address + "change/0", options])
        assert project.session.state(0, 0)["revision"] == 0


ROUNDS = """async ([key, rounds]) => {
  const frame = () => new Promise((then) => requestAnimationFrame(then));
  const rest = () => new Promise((then) => setTimeout(then, 0));
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    await frame();
    await rest();
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: key[round % key.length], bubbles: true }));
    const acted = performance.now();
    const began = await frame();
    await rest();
    times.push(acted - start + performance.now() - Math.max(began, acted));
  }
  return times;
}"""
"""Milliseconds of work from a key to its change on the screen, without waiting for the frame."""


@pytest.mark.slow
class TestManyBlocks:
    """Five thousand blocks: every interaction takes less than a tenth of a second, including painting."""

    @pytest.fixture
    def project(self, serve) -> Project:
        html = "".join(f"<p>Block {row} of a long page" for row in range(MANY))
        return serve((html, "hpplo" * (MANY // 5)))

    def test_interactions_are_fast(self, tab: Tab) -> None:
        tab.press("j")
        for keys in ("jk", "hplco", "uU"):
            times = tab.page.evaluate(ROUNDS, [list(keys), 6])
            assert min(times) < SLOWEST, (keys, times)
            assert sorted(times)[len(times) // 2] < 2 * SLOWEST, (keys, times)  # the machine may have more to do
        tab.rest()

    def test_labels_all_blocks_at_once(self, tab: Tab) -> None:
        tab.press("a")
        assert len(tab.selected) == MANY
        times = tab.page.evaluate(ROUNDS, [["o", "p"], 4])
        assert min(times) < 2 * SLOWEST, times
        tab.rest()
        tab.assert_labels("p" * MANY)


@pytest.fixture
def label() -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    """Return a function that starts `vclean label` in a new process, and returns the process and its address."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "vclean", "label", *map(str, arguments)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
        started.append(process)
        assert process.stderr is not None
        first = next((line for line in process.stderr if "sandbox is off" not in line), "")
        assert first.startswith("vclean: open http://127.0.0.1:"), first
        return process, first.split()[-1]

    yield start
    for process in started:
        with process:
            process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.slow
class TestFromClickToModel:
    """Correct a page, kill the server, restart it, train, and check the prediction of the new model."""

    def test_retrained_model_predicts_corrected_label(self, label, context: BrowserContext, tmp_path: Path) -> None:
        (tmp_path / "site").mkdir()
        for number in range(4):
            (tmp_path / "site" / f"{number}.html").write_text(article(number), encoding="utf-8")
        project, model = tmp_path / "project", tmp_path / "new.vclean"
        assert APPEAL in clean(article(4)).to_text()

        process, address = label(tmp_path / "site", "-o", project)
        tab = context.new_page()
        tab.goto(address)
        expect(tab.locator("#count")).to_have_text("0 of 4 done", timeout=60_000)
        tab.locator("#start").click()
        correct(tab, done=0)
        process.kill()  # the answer came: nothing is lost

        process, address = label("-o", project)
        tab.goto(address)
        expect(tab.locator("#count")).to_have_text("1 of 4 done", timeout=60_000)
        tab.locator("#start").click()
        for done in (1, 2, 3):
            correct(tab, done=done)
        expect(tab.locator("#count")).to_have_text("4 of 4 done")
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=30)[1]
        assert (process.returncode, "Traceback" in output) == (0, False)
        assert "the labels are in" in output

        pages = read_gold(project)
        assert [page.status for page in pages] == [Status.DONE] * 4
        assert all(APPEAL not in page.cleaneval and COUNCIL in page.cleaneval for page in pages)
        assert main(["train", "--corrections", str(project), "-o", str(model)]) == 0
        after = clean(article(4), model=model)
        assert APPEAL not in after.to_text()
        assert COUNCIL in after.to_text()
        for render in (False, True):
            confirmed = clean(article(0), model=model, render=render, explain=True)
            assert APPEAL not in confirmed.to_text()
            assert {block.reasons[0].rule for block in confirmed.blocks} == {"confirmed"}


def correct(tab: Page, text: str = APPEAL, *, done: int) -> None:
    """Click a block in the screenshot, press `o`, and mark the page as done."""
    expect(tab.locator("#progress-text")).to_have_text(re.compile(rf"{done} of \d done"))
    tab.wait_for_function("() => document.getElementById('image').complete")
    position = tab.evaluate(
        """(text) => {
          const { box } = vclean.blocks.find((block) => block.text.startsWith(text));
          const scale = document.getElementById("stage").clientWidth / vclean.data.page.width;
          return { x: (box[0] + 20) * scale, y: (box[1] + 10) * scale };
        }""",
        text,
    )
    tab.locator("#stage").click(position=position)
    expect(tab.locator("#details")).to_contain_text(text)
    expect(tab.locator(".reasons [title=sum]")).to_contain_text(re.compile("kept|left out|overruled"))
    tab.keyboard.press("o")
    expect(tab.locator("#saved")).to_have_text("saved")
    address = tab.url
    tab.keyboard.press("Enter")
    tab.wait_for_url(lambda url: url != address)
