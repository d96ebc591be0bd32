from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out

from vclean.features.visibility.candidate_texts import CandidateTexts
from vclean.features.visibility.element_painting import ElementPainting
from vclean.features.visibility.paint_layers import PaintLayers
from vclean.features.visibility.painters import Painters
from vclean.render.snapshot import Snapshot

GRAY = {"background-color": "rgb(90, 90, 90)", "display": "block"}
FIXED = GRAY | {"position": "fixed"}
HTML = "<div><p>A sentence</p></div><b></b>"


class Page:
    """The page `HTML`, whose `b` has the box of the page and whose `p` has the text."""

    def __init__(self, html: str = HTML, **styles: dict[str, str]) -> None:
        self.snapshot = laid_out(html, styles={"b": GRAY, **styles})
        self.tags = [self.snapshot.tags[tag] for tag in self.snapshot.tag.tolist()]

    def layers(self, snapshot: Snapshot | None = None) -> PaintLayers:
        page = snapshot or self.snapshot
        return PaintLayers(CandidateTexts(page), Painters(ElementPainting(page)))

    def split(self) -> tuple[list[str], list[str]]:
        """Return the tags below and above the text."""
        ancestors = self.snapshot.ancestors(self.tags.index("p"))
        below, above = self.layers().split(0, ancestors, None)
        return [self.tags[element] for element in below], [self.tags[element] for element in above]


class TestSplit:
    def test_ancestors_are_below(self) -> None:
        assert Page(div=GRAY, p=GRAY, b={}).split() == (["div", "p"], [])

    def test_positioned_elements_are_above(self) -> None:
        assert Page(p=GRAY, b=GRAY | {"position": "absolute"}).split() == (["p"], ["b"])

    def test_negative_levels_are_below(self) -> None:
        assert Page(p=GRAY, b=GRAY | {"position": "absolute", "z-index": "-1"}).split() == (["b", "p"], [])

    def test_elements_elsewhere_are_neither(self) -> None:
        page = Page(p=GRAY)
        page.snapshot.box[page.tags.index("b")] = (0, 500, 800, 20)
        assert page.split() == (["p"], [])
        assert page.layers().is_overlapped.tolist() == [False]

    def test_overlapped(self) -> None:
        assert Page().layers().is_overlapped.tolist() == [True]
        assert Page(b={}, div=GRAY).layers().is_overlapped.tolist() == [False]

    @pytest.mark.parametrize(
        ("style", "overlaps"), [({}, False), ({"position": "absolute"}, True), ({"float": "left"}, True)]
    )
    def test_inline_elements_lie_beside_text(self, style: dict[str, str], *, overlaps: bool) -> None:
        assert Page(b=GRAY | {"display": "inline"} | style).layers().is_overlapped.tolist() == [overlaps]


class TestCovers:
    @pytest.mark.parametrize(
        ("style", "covers"),
        [
            ({}, True),
            ({"background-color": "rgba(90, 90, 90, 0.5)"}, False),
            ({"opacity": "0.5"}, False),
            ({"background-color": "", "background-image": "linear-gradient(rgb(0, 0, 0), rgb(9, 9, 9))"}, True),
            ({"background-color": "", "background-image": "linear-gradient(rgb(0, 0, 0), rgba(9, 9, 9, 0))"}, False),
        ],
    )
    def test_opaque_elements(self, style: dict[str, str], *, covers: bool) -> None:
        page = Page(b=GRAY | style)
        assert page.layers().covers(page.tags.index("b"), 0) is covers

    @pytest.mark.parametrize(("width", "covers"), [(800, True), (40, False)])
    def test_whole_lines(self, width: float, *, covers: bool) -> None:
        page = Page()
        page.snapshot.box[page.tags.index("b")] = (0, 0, width, 100)
        assert page.layers().covers(page.tags.index("b"), 0) is covers

    @pytest.mark.parametrize(("height", "covers"), [(600, True), (100, False)])
    def test_text_scrolls_out_from_below_a_fixed_article(self, height: float, *, covers: bool) -> None:
        page = Page(f"<div><p>A sentence</p></div><b>{'Words of the article. ' * 20}</b>", b=FIXED)
        box = page.snapshot.box.copy()
        box[page.tags.index("b")] = np.float32([0, 0, 800, height])
        assert page.layers(replace(page.snapshot, box=box)).covers(page.tags.index("b"), 0) is covers

    def test_overlays_cover_no_text_outside(self) -> None:
        page = Page(f"<div><p>A sentence</p>{'Words of the article. ' * 20}</div><b></b>", b=FIXED)
        assert not page.layers().covers(page.tags.index("b"), 0)

    def test_elements_of_an_overlay_cover_its_text(self) -> None:
        page = Page(f"<div>{'Words of the article. ' * 20}</div><b><p>A sentence</p><i></i></b>", b=FIXED, i=GRAY)
        assert page.layers().covers(page.tags.index("i"), 1)


class TestCoverTogether:
    HALVES = "<div><p>A sentence</p></div><b></b><b></b>"

    def together(self, left: float, right: float, **style: str) -> bool:
        """Return whether two elements cover the text, up to x = `left` and from x = `right`."""
        page = Page(self.HALVES, b=GRAY | {"position": "absolute"} | style)
        first, second = (element for element, tag in enumerate(page.tags) if tag == "b")
        page.snapshot.box[first] = (0, 0, left, 100)
        page.snapshot.box[second] = (right, 0, 800 - right, 100)
        return page.layers().cover_together([first], 0)

    @pytest.mark.parametrize(("left", "right", "covers"), [(60, 60, True), (60, 40, True), (60, 75, False)])
    def test_all_of_every_line(self, left: float, right: float, *, covers: bool) -> None:
        assert self.together(left, right) is covers

    def test_opaque_elements_above_the_text(self) -> None:
        assert not self.together(60, 60, opacity="0.5")
        assert not self.together(60, 60, **{"z-index": "-1"})
