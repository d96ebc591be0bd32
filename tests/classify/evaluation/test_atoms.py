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


def segmentation(*shapes):
    return Segmentation.from_shapes(shapes)


def bcubed(page, kind, predicted, truth, screenshot=None):
    return score(*PageAtoms(page, screenshot).group([kind], predicted, truth)[kind])


def weights(page, kind, *shapes, screenshot=None):
    """Return the weight of the elements in each shape."""
    atoms = PageAtoms(page, screenshot).group([kind], segmentation(*shapes), segmentation())[kind]
    return (atoms.weight @ atoms.predicted).tolist()


class TestKind:
    def test_all_kinds_can_be_parsed(self) -> None:
        assert tuple(AtomKind) == ATOMS

    def test_only_edges_need_a_screenshot(self) -> None:
        assert [kind for kind in AtomKind if kind.needs_screenshot] == [AtomKind.EDGES_FINE, AtomKind.EDGES_COARSE]


class TestPixels:
    def test_weights_are_areas(self) -> None:
        assert weights(boxed(PAGE), AtomKind.PIXELS, TOP, LEFT, RIGHT) == [4000, 3000, 3000]

    def test_whole_page_as_one_segment(self) -> None:
        """Use shares .4, .3, .3 of the page: P is the sum of their squares, .34; R is 1."""
        page = boxed(PAGE)
        result = bcubed(page, AtomKind.PIXELS, whole_page(page), segmentation(TOP, LEFT, RIGHT))
        assert result.precision == pytest.approx(0.34)
        assert result.recall == 1

    def test_border_at_the_wrong_position(self) -> None:
        """Compare true segments of 50 and 50 px with predicted segments of 40 and 60 px.

        Of the lower 60 parts, 10 are true with 10 and 50 with 50 of 60: P = .4 + .1 * 10/60 + .5 * 50/60.
        Of the upper 50, 40 find 40 and 10 find 10 of 50: R = .4 * 40/50 + .1 * 10/50 + .5.
        """
        page = boxed(PAGE)
        truth = segmentation(shapely.box(0, 0, 100, 50), shapely.box(0, 50, 100, 100))
        result = bcubed(page, AtomKind.PIXELS, segmentation(TOP, shapely.box(0, 40, 100, 100)), truth)
        assert result.precision == pytest.approx(0.4 + 1 / 60 + 25 / 60)
        assert result.recall == pytest.approx(0.32 + 0.02 + 0.5)

    def test_elements_in_no_true_segment(self) -> None:
        """Compare one true segment, the upper 40 of 100 px, with the whole page.

        P: .4 of the page is true with .4 of it, the rest with nothing: .16.
        """
        page = boxed(PAGE)
        result = bcubed(page, AtomKind.PIXELS, whole_page(page), segmentation(TOP))
        assert result.precision == pytest.approx(0.16)
        assert result.recall == 1


class TestNodes:
    def test_shape_has_to_cover_the_box_of_a_node(self) -> None:
        """Check that TOP covers the box of div, heading and its text, three nodes, but not that of the body."""
        assert weights(boxed(PAGE), AtomKind.NODES, TOP, shapely.box(0, 0, 99, 100)) == [3, 2]

    def test_nodes_with_equal_boxes_are_one_element(self) -> None:
        page = boxed(PAGE)
        atoms = PageAtoms(page).group([AtomKind.NODES], segmentation(TOP), segmentation())[AtomKind.NODES]
        assert sorted(atoms.weight[atoms.predicted[:, 0]].tolist()) == [3]

    def test_wrapper_belongs_to_the_segment_inside(self) -> None:
        """Use the heading as the segment; the div around it has the same box."""
        page = boxed(PAGE)
        nodes = Nodes(page)
        heading = int(np.flatnonzero(page.is_tag(("h1",)))[0])
        predicted = Segmentation.from_roots(nodes, [[heading]])
        atoms = PageAtoms(page).group([AtomKind.NODES], predicted, segmentation(TOP))[AtomKind.NODES]
        assert (atoms.weight @ atoms.predicted).tolist() == (atoms.weight @ atoms.truth).tolist() == [3]

    def test_listed_nodes_count_regardless_of_boxes(self) -> None:
        """Use a text that overflows its element."""
        page = boxed('<body><p title="0 0 10 10"><b title="0 0 90 10">Long</b></p></body>')
        nodes = Nodes(page)
        paragraph = Segmentation.from_roots(nodes, [[int(np.flatnonzero(page.is_tag(("p",)))[0])]])
        atoms = PageAtoms(page).group([AtomKind.NODES], paragraph, segmentation(*paragraph.shapes))[AtomKind.NODES]
        assert (atoms.weight @ atoms.predicted).tolist() == [3]
        assert (atoms.weight @ atoms.truth).tolist() == [1]


class TestChars:
    def test_weights_are_lengths_of_visible_texts(self) -> None:
        assert weights(boxed(PAGE), AtomKind.CHARS, TOP, LEFT, RIGHT, shapely.box(0, 0, 100, 100)) == [7, 3, 2, 12]

    def test_two_texts_in_one_segment(self) -> None:
        """Use true segments of 7, 3, 2 characters, and predicted of 7 and 5: P = 7/12 + 3/12 * 3/5 + 2/12 * 2/5."""
        page = boxed(PAGE)
        result = bcubed(
            page, AtomKind.CHARS, segmentation(TOP, shapely.union(LEFT, RIGHT)), segmentation(TOP, LEFT, RIGHT)
        )
        assert result.precision == pytest.approx(7 / 12 + 13 / 60)
        assert result.recall == 1

    def test_page_without_text(self) -> None:
        page = boxed("<body><img></body>")
        result = bcubed(page, AtomKind.CHARS, whole_page(page), segmentation(TOP))
        assert np.isnan(result.precision)


def screenshot():
    """Return a screenshot with a black square of 20x20 px in the upper half."""
    image = Image.new("RGB", (100, 100), "white")
    ImageDraw.Draw(image).rectangle((10, 10, 29, 29), fill="black")
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


class TestEdges:
    def test_counts_pixels_on_edges(self) -> None:
        """Check that its sides count 20 px each, minus rounded corners, and nothing in the lower half."""
        around, below = weights(boxed(PAGE), AtomKind.EDGES_FINE, TOP, LEFT, screenshot=screenshot())
        assert around == pytest.approx(80, abs=8)
        assert below == 0

    def test_edges_count_on_both_sides_of_a_border(self) -> None:
        """Use a segment that ends at x = 10, where the square begins; its left side is an edge on column 9."""
        halves = shapely.box(0, 0, 10, 100), shapely.box(10, 0, 100, 100)
        left, right = weights(boxed(PAGE), AtomKind.EDGES_FINE, *halves, screenshot=screenshot())
        assert left == pytest.approx(20, abs=4)
        assert left + right > weights(boxed(PAGE), AtomKind.EDGES_FINE, TOP, screenshot=screenshot())[0]

    def test_coarse_and_fine_edges(self) -> None:
        atoms = PageAtoms(boxed(PAGE), screenshot())
        both = atoms.group([AtomKind.EDGES_FINE, AtomKind.EDGES_COARSE], segmentation(TOP), segmentation(TOP))
        assert both[AtomKind.EDGES_FINE].weight.sum() != both[AtomKind.EDGES_COARSE].weight.sum()
        assert [score(*result).f1 for result in both.values()] == [1, 1]

    def test_edges_without_a_screenshot(self) -> None:
        with pytest.raises(ValueError, match="need a screenshot"):
            PageAtoms(boxed(PAGE)).group([AtomKind.EDGES_FINE], segmentation(TOP), segmentation(TOP))


class TestPageAtoms:
    def test_a_page_without_height(self) -> None:
        page = boxed("<body></body>", height=0)
        assert bcubed(page, AtomKind.PIXELS, whole_page(page), whole_page(page)).f1 == 1

    @pytest.mark.parametrize("kind", [AtomKind.CHARS, AtomKind.NODES, AtomKind.PIXELS])
    def test_segments_by_shapes_and_by_nodes_agree(self, kind: AtomKind) -> None:
        page = boxed(PAGE)
        nodes = Nodes(page)
        tops = np.flatnonzero(page.is_tag(("div", "p")))[:3]
        by_node = Segmentation.from_nodes(nodes, nodes.inside(tops))
        assert bcubed(page, kind, segmentation(*by_node.shapes), by_node).f1 == pytest.approx(1)
