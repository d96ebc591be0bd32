from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
import shapely
from helpers.boxed import boxed
from helpers.marked import marked_page

from vclean.classify.corpora.marked import RenderedMarkedPage, strip_marks
from vclean.classify.evaluation.segmentation import (
    DEPTHS,
    Nodes,
    Segmentation,
    find_segmenter,
    gold_segments,
    segment_at_depth,
    whole_page,
)
from vclean.classify.segments.model import load_default
from vclean.errors import InputError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


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
    def test_shown_excludes_hidden_and_empty_nodes(self) -> None:
        page = boxed(PAGE)
        shown = names(page, Nodes(page).shown)
        assert shown == ["html", "body", "div", "b", "p", "p", "One", "two", "Left", "Right"]


class TestOfNodes:
    def segmentation(self, page, *tops):
        nodes = Nodes(page)
        return Segmentation.from_roots(nodes, [[element(page, name) for name in roots] for roots in tops])

    def test_segments_without_visible_nodes_are_dropped(self) -> None:
        segmentation = self.segmentation(boxed(PAGE), ["c"], ["a"])
        assert len(segmentation) == len(segmentation.members) == 1


class TestOfShapes:
    def test_overlapping_parts_are_merged(self) -> None:
        """Accept overlapping polygons, which files from other programs may have."""
        both = shapely.MultiPolygon([shapely.box(0, 0, 6, 6), shapely.box(3, 0, 9, 6)])
        assert Segmentation.from_shapes([both]).shapes[0].area == 54

    def test_no_segments(self) -> None:
        assert len(Segmentation.from_shapes([])) == 0


DOM_PAGE = """<body><header title="0 0 100 10"><b title="0 0 40 10">Site</b> slogan <img title="90 0 10 10"></header>
<main title="0 10 100 80"><p title="0 10 100 40">First</p><p title="0 50 100 40">Second
<i title="40 50 20 10">word</i></p></main><aside lang=hidden>Hidden</aside>Loose</body>"""


def texts(html, depth):
    """Return the texts in each segment."""
    page = boxed(html)
    result = []
    for held in segment_at_depth(page, depth).members:
        rows = np.flatnonzero(held[len(page) :])
        result.append([" ".join(page.texts[row].split()) for row in rows if page.texts[row].strip()])
    return result


class TestWholePage:
    def test_one_segment_with_all_nodes(self) -> None:
        page = boxed(DOM_PAGE)
        result = whole_page(page)
        assert [shape.bounds for shape in result.shapes] == [(0, 0, 100, 100)]
        assert result.members.shape == (1, len(Nodes(page)))
        assert result.members.all()


class TestSegmentAtDepth:
    def test_children_of_the_body(self) -> None:
        """Check that loose nodes of the body are one segment, and hidden nodes none."""
        assert texts(DOM_PAGE, 1) == [["Loose"], ["Site", "slogan"], ["First", "Second", "word"]]

    def test_images_are_segments(self) -> None:
        page = boxed('<body><div title="0 0 50 50"><img title="0 0 9 9"><img title="20 20 9 9"></div></body>')
        assert len(segment_at_depth(page, 1)) == 1
        assert [shape.bounds for shape in segment_at_depth(page, 2).shapes] == [(0, 0, 9, 9), (20, 20, 29, 29)]


HTML = """<html><body><div data-block=1 data-block-type=Header title="0 0 100 20">Site
<ul data-block=2 data-block-type=Menu title="50 0 50 20"><li>Home</ul></div>
<div data-block=1 data-block-type=Content title="0 20 100 80">
<p data-block=2 data-block-type=Article title="0 20 100 30">One</p>
<p data-block=2 data-block-type=Article lang=hidden>Two</p>Rest</div></body></html>"""


def truth(html, level):
    """Return the segments of a level, and the texts in each."""
    stripped, marks = strip_marks(html)
    page = boxed(stripped)
    segments = gold_segments(page, marks, level)
    texts = [
        [" ".join(page.texts[row - len(page)].split()) for row in range(len(page), len(held)) if held[row]]
        for held in segments.members
    ]
    return segments, [[text for text in texts_of_segment if text] for texts_of_segment in texts]


class TestGoldSegments:
    def test_without_marks_of_the_level(self) -> None:
        assert len(truth(HTML, 3)[0]) == 0


STORY_HTML = """<body><div title="0 0 100 20"><h1 title="0 0 100 20">Title</h1></div>
<div title="0 30 100 70"><p title="0 30 100 30">One</p><p title="0 60 100 40">Two</p></div></body>"""
SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]


def stored(path: Path, **segmentations: object) -> Path:
    value = {"id": "x", "height": 100, "width": 100, "segmentations": segmentations}
    path.write_text(json.dumps(value))
    return path


class TestFindSegmenter:
    def test_parameter_is_chosen_by_default(self) -> None:
        method = find_segmenter("dom")
        assert (method.parameter, method.oracle) == (None, False)
        assert list(method.segmenter.parameter_values) == list(DEPTHS)

    def test_parameter_in_the_name(self) -> None:
        assert find_segmenter("dom@3").parameter == 3
        assert find_segmenter("vips@11").parameter == 11

    def test_oracle_in_the_name(self) -> None:
        assert find_segmenter("vips-oracle").oracle

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("dmo", "choose page, dom, vips"),
            ("", "choose page"),
            ("dom-true", "choose"),
            ("dom-oracle@3", "choose"),
            ("dom@0", "dom takes 1 to 16"),
            ("vips@12", "vips takes 1 to 11"),
            ("vips@two", "vips takes 1 to 11"),
            ("page@0", "page takes no number"),
            ("learned@5", "learned takes 6 or 11"),
            ("shipped@6", "choose page"),
        ],
    )
    def test_unknown_names(self, name: str, reason: str) -> None:
        with pytest.raises(UsageError, match=reason):
            find_segmenter(name)


class TestSegment:
    def test_vips_returns_more_segments_for_higher_coherence(self) -> None:
        counts = [
            len(segmentation) for segmentation in find_segmenter("vips").segmenter.segment("x", boxed(STORY_HTML))
        ]
        assert counts[0] == 1
        assert counts == sorted(counts)
        assert counts[-1] > 1


class TestStored:
    def test_selects_a_segmentation_by_name(self, tmp_path: Path) -> None:
        path = stored(tmp_path / "s.JSONL", mine=[[[SQUARE]]], others=[])
        (segmentation,) = find_segmenter(f"{path}:others").segmenter.segment("x", boxed(STORY_HTML))
        assert len(segmentation) == 0

    @pytest.mark.parametrize("ending", ["", ":yours"])
    def test_ambiguous_segmentation(self, tmp_path: Path, ending: str) -> None:
        path = stored(tmp_path / "s.json", mine=[[[SQUARE]]], others=[])
        with pytest.raises(UsageError, match="mine, others"):
            find_segmenter(f"{path}{ending}")

    def test_missing_file(self) -> None:
        with pytest.raises(InputError, match="cannot read"):
            find_segmenter("none.json")


class TestTrained:
    def test_parameter_values_are_its_two_levels(self) -> None:
        assert list(find_segmenter("shipped").segmenter.parameter_values) == [6, 11]
        assert find_segmenter("learned@11").parameter == 11

    def test_shipped_model_segments_other_pages(self) -> None:
        page, _ = marked_page(1)
        main, parts = find_segmenter("shipped").segmenter.segment("http://other.example/", page)
        assert len(parts) >= len(main) >= 2

    def test_rejects_pages_it_was_trained_on(self) -> None:
        """Raise UsageError, as scores on training pages are meaningless."""
        page, _ = marked_page(1)
        address = load_default().card["pages"][0]
        with pytest.raises(UsageError, match=f"shipped was trained on {address}: score it on other pages"):
            find_segmenter("shipped").segmenter.segment(address, page)

    def test_model_from_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "own.vclean"
        path.write_bytes(load_default().to_bytes())
        page, _ = marked_page(2)
        assert find_segmenter(str(path)).name == str(path)
        assert len(find_segmenter(str(path)).segmenter.segment("http://other.example/", page)) == 2


class TestTraining:
    def test_too_few_pages(self) -> None:
        pages = [RenderedMarkedPage("http://one.example/", *marked_page(0))]
        with pytest.raises(InputError, match="too few marked pages"):
            find_segmenter("learned").segmenter.trained(pages, lambda: None)
