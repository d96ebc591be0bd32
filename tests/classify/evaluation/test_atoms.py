from __future__ import annotations

import io

import numpy as np
import pytest
import shapely
from helpers.boxed import boxed
from PIL import Image, ImageDraw

from vclean.classify.evaluation.atoms import AtomKind, PageAtoms
from vclean.classify.evaluation.bcubed import score
from vclean.classify.evaluation.segmentation import Nodes, Segmentation, whole_page
from vclean.cli.commands.evaluate_segments import ATOMS

PAGE = """<body><div title="0 0 100 40"><h1 title="0 0 100 40">Seven c</h1></div>
<p title="0 40 50 60">Abc</p><p title="50 40 50 60">Ab</p><p lang=hidden>Hidden</p></body>"""

TOP, LEFT, RIGHT = shapely.box(0, 0, 100, 40), shapely.box(0, 40, 50, 100), shapely.box(50, 40, 100, 100)


def cut(*shapes):
    return Segmentation.of_shapes(shapes)


def rated(page, kind, found, truth, picture=None):
    return score(*PageAtoms(page, picture).of([kind], found, truth)[kind])


def weights(page, kind, *shapes, picture=None):
    """The weight of the elements in every shape."""
    atoms = PageAtoms(page, picture).of([kind], cut(*shapes), cut())[kind]
    return (atoms.weight @ atoms.found).tolist()


class TestKind:
    def test_all_can_be_asked_for(self) -> None:
        assert tuple(AtomKind) == ATOMS

    def test_edges_need_a_picture(self) -> None:
        assert [kind for kind in AtomKind if kind.needs_picture] == [AtomKind.EDGES_FINE, AtomKind.EDGES_COARSE]


class TestPixels:
    def test_areas(self) -> None:
        assert weights(boxed(PAGE), AtomKind.PIXELS, TOP, LEFT, RIGHT) == [4000, 3000, 3000]

    def test_the_whole_page(self) -> None:
        """Shares .4, .3, .3 of the page: P is the sum of their squares, .34; R is 1."""
        page = boxed(PAGE)
        found = rated(page, AtomKind.PIXELS, whole_page(page), cut(TOP, LEFT, RIGHT))
        assert found.precision == pytest.approx(0.34)
        assert found.recall == 1

    def test_a_border_in_the_wrong_place(self) -> None:
        """Truth: the upper 50 px and the lower 50 of 100; found: the upper 40 and the lower 60.

        Of the lower 60 parts, 10 are true with 10 and 50 with 50 of 60: P = .4 + .1 * 10/60 + .5 * 50/60.
        Of the upper 50, 40 find 40 and 10 find 10 of 50: R = .4 * 40/50 + .1 * 10/50 + .5.
        """
        page = boxed(PAGE)
        truth = cut(shapely.box(0, 0, 100, 50), shapely.box(0, 50, 100, 100))
        found = rated(page, AtomKind.PIXELS, cut(TOP, shapely.box(0, 40, 100, 100)), truth)
        assert found.precision == pytest.approx(0.4 + 1 / 60 + 25 / 60)
        assert found.recall == pytest.approx(0.32 + 0.02 + 0.5)

    def test_what_is_in_no_segment(self) -> None:
        """The page's upper 40 of 100 px are the only true segment; the whole page is found.

        P: .4 of the page is true with .4 of it, the rest with nothing: .16.
        """
        page = boxed(PAGE)
        found = rated(page, AtomKind.PIXELS, whole_page(page), cut(TOP))
        assert found.precision == pytest.approx(0.16)
        assert found.recall == 1


class TestNodes:
    def test_by_shape_they_have_to_be_inside_as_a_whole(self) -> None:
        """TOP covers the div with the heading and its text, one box of three nodes, and not the body's."""
        assert weights(boxed(PAGE), AtomKind.NODES, TOP, shapely.box(0, 0, 99, 100)) == [3, 2]

    def test_nodes_of_one_box_are_one(self) -> None:
        page = boxed(PAGE)
        atoms = PageAtoms(page).of([AtomKind.NODES], cut(TOP), cut())[AtomKind.NODES]
        assert sorted(atoms.weight[atoms.found[:, 0]].tolist()) == [3]

    def test_a_wrapper_belongs_to_the_segment_in_it(self) -> None:
        """By nodes the segment is the heading; the div round it has the same box."""
        page = boxed(PAGE)
        nodes = Nodes(page)
        heading = int(np.flatnonzero(page.is_tag(("h1",)))[0])
        found = Segmentation.of_roots(nodes, [[heading]])
        atoms = PageAtoms(page).of([AtomKind.NODES], found, cut(TOP))[AtomKind.NODES]
        assert (atoms.weight @ atoms.found).tolist() == (atoms.weight @ atoms.truth).tolist() == [3]

    def test_by_nodes_their_boxes_do_not_matter(self) -> None:
        """A text that stands out of its element is in it all the same."""
        page = boxed('<body><p title="0 0 10 10"><b title="0 0 90 10">Long</b></p></body>')
        nodes = Nodes(page)
        paragraph = Segmentation.of_roots(nodes, [[int(np.flatnonzero(page.is_tag(("p",)))[0])]])
        atoms = PageAtoms(page).of([AtomKind.NODES], paragraph, cut(*paragraph.shapes))[AtomKind.NODES]
        assert (atoms.weight @ atoms.found).tolist() == [3]
        assert (atoms.weight @ atoms.truth).tolist() == [1]


class TestChars:
    def test_lengths_of_texts_that_are_shown(self) -> None:
        assert weights(boxed(PAGE), AtomKind.CHARS, TOP, LEFT, RIGHT, shapely.box(0, 0, 100, 100)) == [7, 3, 2, 12]

    def test_two_texts_taken_as_one(self) -> None:
        """Truth 7, 3, 2 characters; found 7 and 5. P: 7/12 + 3/12 * 3/5 + 2/12 * 2/5 = 7/12 + 13/60."""
        page = boxed(PAGE)
        found = rated(page, AtomKind.CHARS, cut(TOP, shapely.union(LEFT, RIGHT)), cut(TOP, LEFT, RIGHT))
        assert found.precision == pytest.approx(7 / 12 + 13 / 60)
        assert found.recall == 1

    def test_without_text(self) -> None:
        page = boxed("<body><img></body>")
        found = rated(page, AtomKind.CHARS, whole_page(page), cut(TOP))
        assert np.isnan(found.precision)


def picture():
    """A black square of 20x20 px in the page's upper half."""
    image = Image.new("RGB", (100, 100), "white")
    ImageDraw.Draw(image).rectangle((10, 10, 29, 29), fill="black")
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


class TestEdges:
    def test_pixels_on_edges_count(self) -> None:
        """Its sides are 20 px each, less what is round at the corners; nothing of it is in the lower half."""
        around, below = weights(boxed(PAGE), AtomKind.EDGES_FINE, TOP, LEFT, picture=picture())
        assert around == pytest.approx(80, abs=8)
        assert below == 0

    def test_edges_count_on_both_sides_of_a_border(self) -> None:
        """The segment ends where the square begins, at x = 10; its left side is an edge on column 9."""
        halves = shapely.box(0, 0, 10, 100), shapely.box(10, 0, 100, 100)
        left, right = weights(boxed(PAGE), AtomKind.EDGES_FINE, *halves, picture=picture())
        assert left == pytest.approx(20, abs=4)
        assert left + right > weights(boxed(PAGE), AtomKind.EDGES_FINE, TOP, picture=picture())[0]

    def test_coarse_and_fine(self) -> None:
        atoms = PageAtoms(boxed(PAGE), picture())
        both = atoms.of([AtomKind.EDGES_FINE, AtomKind.EDGES_COARSE], cut(TOP), cut(TOP))
        assert both[AtomKind.EDGES_FINE].weight.sum() != both[AtomKind.EDGES_COARSE].weight.sum()
        assert [score(*found).f1 for found in both.values()] == [1, 1]

    def test_without_a_picture(self) -> None:
        with pytest.raises(ValueError, match="need a picture"):
            PageAtoms(boxed(PAGE)).of([AtomKind.EDGES_FINE], cut(TOP), cut(TOP))


class TestPageAtoms:
    def test_a_page_without_height(self) -> None:
        page = boxed("<body></body>", height=0)
        assert rated(page, AtomKind.PIXELS, whole_page(page), whole_page(page)).f1 == 1

    @pytest.mark.parametrize("kind", [AtomKind.CHARS, AtomKind.NODES, AtomKind.PIXELS])
    def test_shapes_and_nodes_of_the_same_segments_agree(self, kind: AtomKind) -> None:
        page = boxed(PAGE)
        nodes = Nodes(page)
        tops = np.flatnonzero(page.is_tag(("div", "p")))[:3]
        by_node = Segmentation.of_nodes(nodes, nodes.below(tops))
        assert rated(page, kind, cut(*by_node.shapes), by_node).f1 == pytest.approx(1)
