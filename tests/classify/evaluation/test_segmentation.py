from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
import shapely
from helpers.boxed import boxed
from helpers.marked import marked_page

from vclean.classify.corpora.marked import RenderedMarkedPage
from vclean.classify.evaluation.segmentation import (
    DEPTHS,
    Nodes,
    Segmentation,
    find_segmenter,
    gold_segments,
    segment_at_depth,
    whole_page,
)
from vclean.classify.segments.model import load
from vclean.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


PAGE = """<body><div id=a title="0 0 100 20">One <b title="0 0 30 20">two</b></div>
<div id=b title="0 20 100 0"><p title="0 20 50 40">Left</p><p title="50 20 50 60">Right</p></div>
<div id=c lang=hidden title="0 80 100 20">Menu</div></body>"""


def element(page, name):
    """Return the index of the element with an id."""
    return next(node for node, value in page.attributes("id").items() if value == name)


class TestNodes:
    def test_shown_excludes_hidden_and_empty_nodes(self) -> None:
        page = boxed(PAGE)
        names = [*(page.tags[tag] for tag in page.tag), *(" ".join(text.split()) for text in page.texts)]
        shown = [name for name, is_shown in zip(names, Nodes(page).shown, strict=True) if is_shown and name]
        assert shown == ["html", "body", "div", "b", "p", "p", "One", "two", "Left", "Right"]


class TestOfNodes:
    def test_segments_without_visible_nodes_are_dropped(self) -> None:
        page = boxed(PAGE)
        segmentation = Segmentation.from_roots(Nodes(page), [[element(page, "c")], [element(page, "a")]])
        assert len(segmentation) == len(segmentation.members) == 1


class TestOfShapes:
    def test_overlapping_parts_are_merged(self) -> None:
        """Accept overlapping polygons, which files from other programs may have."""
        both = shapely.MultiPolygon([shapely.box(0, 0, 6, 6), shapely.box(3, 0, 9, 6)])
        assert Segmentation.from_shapes([both]).shapes[0].area == 54


DOM_PAGE = """<body><header title="0 0 100 10"><b title="0 0 40 10">Site</b> slogan <img title="90 0 10 10"></header>
<main title="0 10 100 80"><p title="0 10 100 40">First</p><p title="0 50 100 40">Second
<i title="40 50 20 10">word</i></p></main><aside lang=hidden>Hidden</aside>Loose</body>"""


class TestWholePage:
    def test_one_segment_with_all_nodes(self) -> None:
        page = boxed(DOM_PAGE)
        result = whole_page(page)
        assert [shape.bounds for shape in result.shapes] == [(0, 0, 100, 100)]
        assert result.members.tolist() == [[True] * len(Nodes(page))]


class TestSegmentAtDepth:
    def test_children_of_the_body(self) -> None:
        """Check that loose nodes of the body are one segment, and hidden nodes none."""
        page = boxed(DOM_PAGE)
        rows = [np.flatnonzero(members[len(page) :]) for members in segment_at_depth(page, 1).members]
        texts = [" ".join(" ".join(page.texts[row] for row in texts).split()) for texts in rows]
        assert texts == ["Loose", "Site slogan", "First Second word"]

    def test_images_are_segments(self) -> None:
        page = boxed('<body><div title="0 0 50 50"><img title="0 0 9 9"><img title="20 20 9 9"></div></body>')
        assert len(segment_at_depth(page, 1)) == 1
        assert [shape.bounds for shape in segment_at_depth(page, 2).shapes] == [(0, 0, 9, 9), (20, 20, 29, 29)]


class TestGoldSegments:
    def test_without_marks_of_the_level(self) -> None:
        assert len(gold_segments(*marked_page(1), 3)) == 0


STORY_HTML = """<body><div title="0 0 100 20"><h1 title="0 0 100 20">Title</h1></div>
<div title="0 30 100 70"><p title="0 30 100 30">One</p><p title="0 60 100 40">Two</p></div></body>"""
SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with two segmentations of a page."""
    path = tmp_path / "s.JSONL"
    page = {"id": "x", "height": 100, "width": 100, "segmentations": {"mine": [[[SQUARE]]], "others": []}}
    path.write_text(json.dumps(page))
    return path


class TestFindSegmenter:
    @pytest.mark.parametrize(
        ("name", "values", "parameter", "oracle"),
        [
            ("dom", DEPTHS, None, False),
            ("dom@3", DEPTHS, 3, False),
            ("vips@11", range(1, 12), 11, False),
            ("vips-oracle", range(1, 12), None, True),
            ("learned@11", (6, 11), 11, False),
            ("shipped", (6, 11), None, False),
        ],
    )
    def test_names(self, name: str, values: Sequence[int], parameter: int | None, oracle: bool) -> None:
        method = find_segmenter(name)
        assert list(method.values) == list(values)
        assert (method.parameter, method.oracle) == (parameter, oracle)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("dmo", "choose page, dom, vips"),
            ("", "choose page"),
            ("dom-oracle@3", "choose"),
            ("dom@0", "dom takes 1 to 16"),
            ("vips@12", "vips takes 1 to 11"),
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
        segmentations = find_segmenter("vips").segment("x", boxed(STORY_HTML))
        counts = list(map(len, segmentations))
        assert counts[0] == 1
        assert counts == sorted(counts)
        assert counts[-1] > 1


class TestStored:
    def test_selects_a_segmentation_by_name(self, path: Path) -> None:
        (segmentation,) = find_segmenter(f"{path}:others").segment("x", boxed(STORY_HTML))
        assert len(segmentation) == 0

    @pytest.mark.parametrize("ending", ["", ":yours"])
    def test_ambiguous_segmentation(self, path: Path, ending: str) -> None:
        with pytest.raises(UsageError, match="mine, others"):
            find_segmenter(f"{path}{ending}")

    def test_missing_file(self) -> None:
        with pytest.raises(InputError, match="cannot read"):
            find_segmenter("none.json")


class TestTrained:
    def test_shipped_model_and_model_from_a_file_segment_other_pages(self, tmp_path: Path) -> None:
        path = tmp_path / "own.vclean"
        path.write_bytes(load().to_bytes())
        for method in map(find_segmenter, ("shipped", str(path))):
            main, parts = method.segment("http://other.example/", marked_page(1)[0])
            assert len(parts) >= len(main) >= 2
        assert method.name == str(path)

    def test_rejects_pages_it_was_trained_on(self) -> None:
        """Raise UsageError, as scores on training pages are meaningless."""
        page, _ = marked_page(1)
        address = load().card["pages"][0]
        with pytest.raises(UsageError, match=f"shipped was trained on {address}: score it on other pages"):
            find_segmenter("shipped").segment(address, page)


class TestTraining:
    def test_too_few_pages(self) -> None:
        pages = [RenderedMarkedPage("http://one.example/", *marked_page(0))]
        with pytest.raises(InputError, match="too few marked pages"):
            find_segmenter("learned").trained(pages, lambda: None)
