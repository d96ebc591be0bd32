"""Overlays of invented layouts; real ones are in test_overlays_rendered.py."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import decided, laid_out, snapshot

from vclean.features.blocks import extract_blocks
from vclean.render.snapshot import Snapshot
from vclean.render.visibility.overlays import find_overlays
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
    return [snapshot.tags[snapshot.tag[element]] for element in find_overlays(snapshot).tolist()]


class TestOverlayElements:
    def test_element_above_text(self) -> None:
        assert tags(page(f"{ARTICLE}<aside>Agree</aside>")) == ["aside"]

    @pytest.mark.parametrize("position", ["static", "relative", "absolute"])
    def test_elements_that_do_not_float(self, position: str) -> None:
        assert tags(page(f"{ARTICLE}<aside>Agree</aside>", aside=BAR | {"position": position})) == []

    def test_absolute_dialog(self) -> None:
        absolute = BAR | {"position": "absolute"}
        assert tags(page(f"{ARTICLE}<aside role=dialog>Agree</aside>", aside=absolute)) == ["aside"]
        assert tags(page(f"{ARTICLE}<aside><i aria-modal=true>Agree</i></aside>", aside=absolute)) == ["aside"]
        assert tags(page(f"{ARTICLE}<aside role=menu>Agree</aside>", aside=absolute)) == []

    def test_element_without_background(self) -> None:
        assert tags(page(f"{ARTICLE}<aside>Agree</aside>", aside={"position": "fixed"})) == []

    def test_text_beside_the_background(self) -> None:
        clear = {"position": "fixed"}
        gray = {"background-color": "rgb(90, 90, 90)"}
        assert tags(page(f"{ARTICLE}<aside>Agree to this long note<i></i></aside>", aside=clear, i=gray)) == []
        assert tags(page(f"{ARTICLE}<aside><i>Agree to this long note</i></aside>", aside=clear, i=gray)) == ["aside"]
        assert tags(page(f"{ARTICLE}<aside>×<i></i></aside>", aside=clear, i=gray)) == ["aside"]

    def test_element_below_text(self) -> None:
        assert tags(page(f"{ARTICLE}<aside>Agree</aside>", aside=BAR | {"z-index": "-1"})) == []
        assert tags(page(f"<aside>Agree</aside>{ARTICLE}", article={"position": "relative"})) == []

    def test_hidden_element(self) -> None:
        assert tags(page(f"{ARTICLE}<aside hidden>Agree</aside>")) == []

    def test_bar_at_the_top_that_covers_no_text(self) -> None:
        assert tags(page(f"{ARTICLE}<aside>Agree</aside>", (0, 0, 800, 9))) == []

    def test_bar_at_the_bottom_that_covers_no_text(self) -> None:
        assert tags(page(f"{ARTICLE}<aside>Agree</aside>", (0, 500, 800, 100))) == ["aside"]
        assert tags(page(f"<article>{ARTICLE}<aside>Agree</aside></article>", (0, 500, 800, 100))) == []

    def test_element_in_the_margin(self) -> None:
        assert tags(page(f"{ARTICLE}<aside>Agree</aside>", (600, 250, 150, 100))) == []
        assert tags(page(f"{ARTICLE}<aside>Agree</aside>", (600, 490, 150, 100))) == ["aside"]

    def test_main_content(self) -> None:
        words = "<p>Words of the article, line by line.</p>" * 9
        assert tags(page(f"<p>Menu</p><aside>{words}</aside>")) == []
        assert tags(page(f"<p>Menu</p><aside><main>{words}</main></aside>")) == []
        assert tags(page(f"<main>{words}</main><aside>{words}</aside>")) == ["aside"]

    def test_dialog_without_a_page(self) -> None:
        assert tags(page("<p>Menu</p><aside role=dialog>Words of the dialog</aside>")) == []

    def test_element_above_a_backdrop(self) -> None:
        dialog = {"position": "absolute", "background-color": "rgb(255, 255, 255)"}
        assert tags(page(f"{ARTICLE}<aside></aside><i>Agree</i>", i=dialog)) == ["aside", "i"]
        assert tags(page(f"<i>Agree</i>{ARTICLE}<aside></aside>", i=dialog)) == ["aside"]
        assert tags(page(f"{ARTICLE}<aside></aside><i>Agree</i>", (0, 0, 800, 200), i=dialog)) == ["aside"]

    def test_outermost(self) -> None:
        assert tags(page(f"{ARTICLE}<aside><i>Agree</i></aside>", i=BAR)) == ["aside"]

    @pytest.mark.parametrize("html", ["<p>", "<aside></aside>", "<aside>Agree</aside>"])
    def test_small_pages(self, html: str) -> None:
        assert tags(page(html)) == []

    def test_unrendered_page(self) -> None:
        assert len(find_overlays(snapshot(f"{ARTICLE}<dialog open style='position: fixed'>Agree</dialog>"))) == 0


class TestOverlayRoots:
    def test_descendants(self) -> None:
        snapshot = page(f"{ARTICLE}<aside><i>Agree</i></aside><u></u>")
        (overlay,) = find_overlays(snapshot).tolist()
        roots = snapshot.inside(find_overlays(snapshot))
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
