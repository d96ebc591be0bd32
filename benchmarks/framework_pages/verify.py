"""Compare the class of each marked sentence with what Chromium paints, at first and after clicks and hovers.

`python benchmarks/framework_pages/verify.py [NAME...]` prints each disagreement and fails if there is one.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pages import FrameworkPage, pages
from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Page

URL = "http://page.test/"
VIEWPORT = (1280, 800)
PIXELS, DIFFERENCE = 40, 48
"""A sentence is painted if this many pixels change by this much (of 255) when its letters become transparent."""
CLICKS = 2
"""Number of clicks on each control: the third slide of a carousel needs two."""
SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")


def painted(page: Page, sentences: list[str]) -> set[str]:
    """Return the sentences whose letters change pixels of the viewport."""
    boxes = {sentence: page.evaluate("sentence => boxesOf(sentence)", sentence) or [[0] * 4] for sentence in sentences}
    areas = {sentence: np.clip(np.rint(found), 0, VIEWPORT * 2).astype(int) for sentence, found in boxes.items()}
    areas = {sentence: found for sentence, found in areas.items() if (found[:, 2:] > found[:, :2]).all(1).any()}
    if not areas:
        return set()
    before = _screenshot(page)
    page.evaluate("sentences => paint(sentences, false)", list(areas))
    without = _screenshot(page)
    page.evaluate("sentences => paint(sentences, true)", list(areas))
    changed = np.abs(before - without).max(2) > DIFFERENCE
    if changed.any():
        changed &= (before == _screenshot(page)).all(2)
    return {key for key, found in areas.items() if sum(changed[b:d, a:c].sum() for a, b, c, d in found) >= PIXELS}


def _screenshot(page: Page) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), dtype=np.int16)


def observed_classes(page: Page, sample: FrameworkPage) -> dict[str, str]:
    """Return by sentence `shown`, `revealable` or `hidden`."""
    page.route("**/*", lambda route: route.fulfill(status=204))  # which keeps the page
    page.route(URL, lambda route: route.fulfill(body=sample.html, content_type="text/html; charset=utf-8"))
    page.on("pageerror", lambda error: print(f"{sample.name}: {error}"))
    _load(page)
    for y in range(0, page.evaluate("document.documentElement.scrollHeight"), 400):
        page.evaluate("y => scrollTo(0, y)", y)
        page.wait_for_timeout(120)
    classes = {sentence: "shown" for sentence in sample.sentences if _is_shown(page, sentence)}
    page.evaluate("scrollTo(0, 0)")
    tried: list[str] = []
    while pending := sorted(set(sample.sentences) - set(classes)):
        control = page.evaluate("tried => nextControl(tried)", tried)
        if control is None:  # perhaps one is covered by what an earlier one has opened
            _load(page)
            control = page.evaluate("tried => nextControl(tried)", tried)
        if control is None:
            break
        tried.append(control[0])
        classes |= dict.fromkeys(_revealed(page, pending, *control[1:]), "revealable")
    return classes | dict.fromkeys(pending, "hidden")


def _load(page: Page) -> None:
    page.goto(URL)
    page.evaluate(SCRIPT)
    page.wait_for_timeout(700)


def _is_shown(page: Page, sentence: str) -> bool:
    for box in page.evaluate("sentence => boxesOf(sentence)", sentence)[:1]:
        page.evaluate("y => scrollBy({top: y, behavior: 'instant'})", box[1] - 300)
    for _ in range(3):
        page.wait_for_timeout(500)
        if painted(page, [sentence]):
            return True
    return False


def _revealed(page: Page, sentences: list[str], x: float, y: float, clickable: bool) -> set[str]:
    page.mouse.move(x, y)
    page.wait_for_timeout(350)
    revealed = _painted_twice(page, sentences)
    for _ in range(CLICKS if clickable else 0):
        page.mouse.click(x, y)
        page.wait_for_timeout(650)
        revealed |= _painted_twice(page, sentences)
    page.keyboard.press("Escape")
    page.mouse.move(1279, 799)
    page.wait_for_timeout(300)
    return revealed


def _painted_twice(page: Page, sentences: list[str]) -> set[str]:
    # A second look, one by one: what moves past a sentence or lies over it changes pixels, too.
    return {sentence for sentence in painted(page, sentences) if painted(page, [sentence])}


def main(names: list[str]) -> int:
    """Check the pages with these names, or all; return the exit code."""
    wrong, counts = 0, Counter[str]()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=["--no-sandbox"]
        )
        for sample in (sample for sample in pages() if not names or sample.name in names):
            counts += Counter(sample.sentences.values())
            page = browser.new_page(viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]})
            classes = observed_classes(page, sample)
            page.close()
            for sentence, label in sample.sentences.items():
                if classes[sentence] != label.replace("injected", "hidden"):
                    wrong += 1
                    print(f"{sample.name}: {label}, observed {classes[sentence]}: {sentence}", flush=True)
    print(f"{dict(counts)}, {wrong} disagreements")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
