from __future__ import annotations

import numpy as np
import shapely
from helpers.boxed import boxed

from vclean.classify.evaluation.segmentation import Nodes, Segmentation

PAGE = """<body><div id=a title="0 0 100 20">One <b title="0 0 30 20">two</b></div>
<div id=b title="0 20 100 0"><p title="0 20 50 40">Left</p><p title="50 20 50 60">Right</p></div>
<div id=c lang=hidden title="0 80 100 20">Menu</div></body>"""


def element(page, name):
    """Return the index of the element with an id, or else of the first with a tag."""
    ids = {value: key for key, value in page.attributes("id").items()}
    return ids[name] if name in ids else int(np.flatnonzero(page.is_tag((name,)))[0])


def text(page, words):
    """Return the index of a text among the nodes."""
    return len(page) + [" ".join(each.split()) for each in page.texts].index(words)


def names(page, held):
    """Return the tags and texts of some nodes in order, without blank texts."""
    tags = [page.tags[tag] for tag in page.tag]
    names_of_nodes = np.array([*tags, *(" ".join(each.split()) for each in page.texts)], dtype=object)[held].tolist()
    return [name for name in names_of_nodes if name]


class TestNodes:
    def test_boxes_are_rounded_to_pixels(self) -> None:
        page = boxed('<body><p title="0.4 0.5 10.2 9.9">Words</p></body>')
        nodes = Nodes(page)
        assert nodes.box[element(page, "p")].tolist() == [0, 1, 11, 10]
        assert nodes.box[text(page, "Words")].tolist() == [0, 1, 11, 10]

    def test_text_without_lines_has_no_box(self) -> None:
        page = boxed("<body><p lang=hidden>Words</p></body>")
        nodes = Nodes(page)
        assert np.isnan(nodes.box[text(page, "Words")]).all()

    def test_text_of_several_lines(self) -> None:
        page = boxed('<body><p title="0 0 50 20">Words</p></body>')
        lines = np.array([[0, 0, 50, 10], [0, 10, 20, 10]], dtype=np.float32)
        object.__setattr__(page, "line_box", lines)
        object.__setattr__(page, "line_text", np.repeat(page.line_text, 2))
        assert Nodes(page).box[text(page, "Words")].tolist() == [0, 0, 50, 20]

    def test_shown_excludes_hidden_and_empty_nodes(self) -> None:
        page = boxed(PAGE)
        shown = names(page, Nodes(page).shown)
        assert shown == ["html", "body", "div", "b", "p", "p", "One", "two", "Left", "Right"]

    def test_characters(self) -> None:
        page = boxed("<body><p>Two  words\n</p><img></body>")
        nodes = Nodes(page)
        assert nodes.characters[text(page, "Two words")] == 9
        assert nodes.characters[: len(page)].sum() == 0

    def test_inside_includes_descendants(self) -> None:
        page = boxed(PAGE)
        nodes = Nodes(page)
        inside, alone = nodes.inside([element(page, "a"), text(page, "Left")])
        assert names(page, inside) == ["div", "b", "One", "two"]
        assert names(page, alone) == ["Left"]

    def test_outermost(self) -> None:
        page = boxed(PAGE)
        nodes = Nodes(page)
        held = nodes.inside([element(page, "a"), element(page, "b"), element(page, "c")]).any(axis=0)
        assert names(page, nodes.outermost(held)) == ["div", "p", "p"]


class TestOfNodes:
    def segmentation(self, page, *tops):
        nodes = Nodes(page)
        return Segmentation.from_roots(nodes, [[element(page, name) for name in roots] for roots in tops])

    def test_shape_is_the_box_of_an_element(self) -> None:
        segmentation = self.segmentation(boxed(PAGE), ["a"])
        assert shapely.equals(segmentation.shapes[0], shapely.box(0, 0, 100, 20))

    def test_element_without_height_has_the_shape_of_its_content(self) -> None:
        segmentation = self.segmentation(boxed(PAGE), ["b"])
        assert shapely.equals(
            segmentation.shapes[0], shapely.union(shapely.box(0, 20, 50, 60), shapely.box(50, 20, 100, 80))
        )

    def test_several_roots(self) -> None:
        """Use boxes that do not touch: the segment has two polygons."""
        page = boxed('<body><i title="0 0 5 5">a</i><b title="20 0 5 5">b</b></body>')
        segmentation = self.segmentation(page, ["i", "b"])
        assert len(segmentation) == 1
        assert shapely.get_num_geometries(segmentation.shapes[0]) == 2
        assert names(page, segmentation.members[0]) == ["i", "b", "a", "b"]

    def test_segments_without_visible_nodes_are_dropped(self) -> None:
        segmentation = self.segmentation(boxed(PAGE), ["c"], ["a"])
        assert len(segmentation) == len(segmentation.members) == 1

    def test_no_segments(self) -> None:
        page = boxed(PAGE)
        segmentation = self.segmentation(page)
        assert len(segmentation) == 0
        assert segmentation.members.shape == (0, len(Nodes(page)))


class TestOfShapes:
    def test_shapes_are_rounded_to_pixels(self) -> None:
        segmentation = Segmentation.from_shapes([shapely.box(0.2, 0.4, 9.6, 10.4)])
        assert shapely.equals(segmentation.shapes[0], shapely.box(0, 0, 10, 10))
        assert segmentation.members is None

    def test_shapes_without_area_are_dropped(self) -> None:
        shapes = [
            shapely.Polygon(),
            shapely.box(0, 0, 0.3, 10),
            shapely.box(0, 0, 5, 5),
            shapely.LineString([(0, 0), (9, 9)]),
        ]
        assert len(Segmentation.from_shapes(shapes)) == 1

    def test_overlapping_parts_are_merged(self) -> None:
        """Accept overlapping polygons, which files from other programs may have."""
        both = shapely.MultiPolygon([shapely.box(0, 0, 6, 6), shapely.box(3, 0, 9, 6)])
        assert Segmentation.from_shapes([both]).shapes[0].area == 54

    def test_self_intersecting_ring(self) -> None:
        bow = shapely.Polygon([(0, 0), (10, 10), (10, 0), (0, 10)])
        assert Segmentation.from_shapes([bow]).shapes[0].area == 50

    def test_no_segments(self) -> None:
        assert len(Segmentation.from_shapes([])) == 0
