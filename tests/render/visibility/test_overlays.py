"""Overlays of invented layouts; real ones are in test_overlays_rendered.py."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import decided, laid_out, snapshot

from vclean.features.blocks import extract_blocks
from vclean.render.snapshot import Snapshot
from vclean.render.visibility.overlays import find_overlays
from vclean.render.visibility.painting import Painting
from vclean.settings import Policy

ARTICLE = f"<article>{'<p>Words of the article, line by line.</p>' * 9}</article>"
BAR = {"position": "fixed", "background-color": "rgb(255, 255, 255)"}


def page(html: str, box: tuple[float, ...] = (0, 0, 800, 600), **styles: dict[str, str]) -> Snapshot:
    """Return a page with a fixed, white `aside` in the box."""
    laid = laid_out(html, styles={"aside": BAR, **styles})
    boxes = laid.box.copy()
    boxes[laid.is_tag(("aside",))] = np.float32(box)
    return replace(laid, box=boxes)


def tags(snapshot: Snapshot) -> list[str]:
    return [snapshot.tags[snapshot.tag[element]] for element in find_overlays(Painting(snapshot)).tolist()]


WORDS = "<p>Words of the article, line by line.</p>" * 9
DIALOG = {"position": "absolute", "background-color": "rgb(255, 255, 255)"}
CLEAR = {"position": "fixed"}
GRAY = {"background-color": "rgb(90, 90, 90)"}


@pytest.mark.parametrize(
    ("html", "styles", "expected"),
    [
        (f"{ARTICLE}<aside>Agree</aside>", {}, "aside"),
        (f"{ARTICLE}<aside><i>Agree</i></aside>", {"i": BAR}, "aside"),
        (f"{ARTICLE}<aside hidden>Agree</aside>", {}, ""),
        *((f"{ARTICLE}<aside>Agree</aside>", {"aside": BAR | {"position": position}}, "")
          for position in ("static", "relative", "absolute")),
        # absolute dialogs
        (f"{ARTICLE}<aside role=dialog>Agree</aside>", {"aside": DIALOG}, "aside"),
        (f"{ARTICLE}<aside><i aria-modal=true>Agree</i></aside>", {"aside": DIALOG}, "aside"),
        (f"{ARTICLE}<aside role=menu>Agree</aside>", {"aside": DIALOG}, ""),
        ("<p>Menu</p><aside role=dialog>Words of the dialog</aside>", {}, ""),
        # backgrounds
        (f"{ARTICLE}<aside>Agree</aside>", {"aside": CLEAR}, ""),
        (f"{ARTICLE}<aside>Agree to this long note<i></i></aside>", {"aside": CLEAR, "i": GRAY}, ""),
        (f"{ARTICLE}<aside><i>Agree to this long note</i></aside>", {"aside": CLEAR, "i": GRAY}, "aside"),
        (f"{ARTICLE}<aside>×<i></i></aside>", {"aside": CLEAR, "i": GRAY}, "aside"),
        # below the text
        (f"{ARTICLE}<aside>Agree</aside>", {"aside": BAR | {"z-index": "-1"}}, ""),
        (f"<aside>Agree</aside>{ARTICLE}", {"article": {"position": "relative"}}, ""),
        (f"<aside>Agree</aside>{ARTICLE}", {"article": {"position": "relative"}, "p": {"float": "left"}}, ""),
        # main content
        (f"<p>Menu</p><aside>{WORDS}</aside>", {}, ""),
        (f"<p>Menu</p><aside><main>{WORDS}</main></aside>", {}, ""),
        (f"<main>{WORDS}</main><aside>{WORDS}</aside>", {}, "aside"),
        # above a backdrop
        (f"{ARTICLE}<aside></aside><i>Agree</i>", {"i": DIALOG}, "aside i"),
        (f"<i>Agree</i>{ARTICLE}<aside></aside>", {"i": DIALOG}, "aside"),
        # small pages
        *((html, {}, "") for html in ("<p>", "<aside></aside>", "<aside>Agree</aside>")),
    ],
)  # fmt: skip
def test_overlays(html: str, styles: dict[str, dict[str, str]], expected: str) -> None:
    assert tags(page(html, **styles)) == expected.split()


@pytest.mark.parametrize(
    ("html", "box", "expected"),
    [
        (f"{ARTICLE}<aside>Agree</aside>", (0, 0, 800, 9), ""),  # a bar that covers no text
        (f"{ARTICLE}<aside>Agree</aside>", (0, 500, 800, 100), "aside"),
        (f"<article>{ARTICLE}<aside>Agree</aside></article>", (0, 500, 800, 100), ""),
        (f"{ARTICLE}<aside>Agree</aside>", (0, 0, 180, 600), ""),  # left of the centers of the lines
        (f"{ARTICLE}<aside>Agree</aside>", (180, 0, 9, 600), "aside"),
        (f"{ARTICLE}<aside>Agree</aside>", (600, 250, 150, 100), ""),  # in the margin
        (f"{ARTICLE}<aside>Agree</aside>", (0, 310, 150, 100), ""),
        (f"{ARTICLE}<aside>Agree</aside>", (600, 490, 150, 100), "aside"),
        (f"{ARTICLE}<aside></aside><i>Agree</i>", (0, 0, 800, 200), "aside"),  # no backdrop
    ],
)
def test_overlays_by_place(html: str, box: tuple[float, ...], expected: str) -> None:
    assert tags(page(html, box, i=DIALOG)) == expected.split()


def test_unrendered_page_has_no_overlays() -> None:
    assert len(find_overlays(Painting(snapshot(f"{ARTICLE}<dialog open style='position: fixed'>Agree</dialog>")))) == 0


def test_elements_inside_of_overlays() -> None:
    snapshot = page(f"{ARTICLE}<aside><i>Agree</i></aside><u></u>")
    (overlay,) = find_overlays(Painting(snapshot)).tolist()
    roots = snapshot.inside(find_overlays(Painting(snapshot)))
    assert np.flatnonzero(roots == overlay).tolist() == [overlay, overlay + 1]
    assert (np.delete(roots, [overlay, overlay + 1]) == -1).all()


class TestBlocks:
    def test_in_overlay(self) -> None:
        blocks = extract_blocks(decided(page(f"<p>Menu</p>{ARTICLE}<aside><p>Agree<p>Or not</aside>")))
        assert blocks.in_overlay.tolist() == [False] * 10 + [True, True]
        assert blocks.take([0, 10]).in_overlay.tolist() == [False, True]

    def test_excluded(self) -> None:
        blocks = extract_blocks(decided(page(f"<p hidden>Spam</p>{ARTICLE}<aside><p>Agree</aside>")))
        assert np.flatnonzero(blocks.is_excluded(Policy())).tolist() == [0, 10]
        assert np.flatnonzero(blocks.is_excluded(Policy(hidden="drop"))).tolist() == [0, 10]
        assert not blocks.is_excluded(Policy(hidden="keep")).any()
