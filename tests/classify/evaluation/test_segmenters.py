from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from helpers.boxed import boxed
from helpers.marked import marked_page

from vclean.classify.corpora.rendering import RenderedMarkedPage
from vclean.classify.evaluation.segmentation import DEPTHS
from vclean.classify.evaluation.segmenters import find_segmenter
from vclean.classify.segments.model import load_default
from vclean.errors import InputError, ModelError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

HTML = """<body><div title="0 0 100 20"><h1 title="0 0 100 20">Title</h1></div>
<div title="0 30 100 70"><p title="0 30 100 30">One</p><p title="0 60 100 40">Two</p></div></body>"""
SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]


def stored(path: Path, **segmentations: object) -> Path:
    value = {"id": "x", "height": 100, "width": 100, "segmentations": segmentations}
    path.write_text(json.dumps(value))
    return path


class TestFindSegmenter:
    def test_without_a_parameter(self) -> None:
        method = find_segmenter("page")
        assert (method.name, method.parameter, method.oracle) == ("page", 0, False)
        assert len(method.segmenter.segment("x", boxed(HTML))) == 1

    def test_parameter_is_chosen_by_default(self) -> None:
        method = find_segmenter("dom")
        assert (method.parameter, method.oracle) == (None, False)
        assert list(method.segmenter.parameter_values) == list(DEPTHS)

    def test_parameter_in_the_name(self) -> None:
        assert find_segmenter("dom@3").parameter == 3
        assert find_segmenter("vips@11").parameter == 11

    def test_oracle_in_the_name(self) -> None:
        assert find_segmenter("vips-oracle").oracle

    def test_names_share_one_segmenter(self) -> None:
        """Check identity, so that each page is segmented once for all names."""
        assert (
            find_segmenter("dom").segmenter
            is find_segmenter("dom@2").segmenter
            is find_segmenter("dom-oracle").segmenter
        )

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
    @pytest.mark.parametrize("name", ["page", "dom", "vips"])
    def test_one_segmentation_per_parameter_value(self, name: str) -> None:
        segmenter = find_segmenter(name).segmenter
        page = boxed(HTML)
        segmentations = segmenter.segment("x", page)
        assert len(segmentations) == len(segmenter.parameter_values)
        assert all(segmentation.members is not None and len(segmentation) for segmentation in segmentations)
        assert segmenter.default in segmenter.parameter_values

    def test_vips_returns_more_segments_for_higher_coherence(self) -> None:
        counts = [len(segmentation) for segmentation in find_segmenter("vips").segmenter.segment("x", boxed(HTML))]
        assert counts[0] == 1
        assert counts == sorted(counts)
        assert counts[-1] > 1


class TestStored:
    def test_file_with_one_segmentation(self, tmp_path: Path) -> None:
        path = stored(tmp_path / "s.json", mine=[[[SQUARE]]])
        method = find_segmenter(str(path))
        (segmentation,) = method.segmenter.segment("x", boxed(HTML))
        assert [shape.bounds for shape in segmentation.shapes] == [(0, 0, 10, 10)]
        assert segmentation.members is None

    def test_selects_a_segmentation_by_name(self, tmp_path: Path) -> None:
        path = stored(tmp_path / "s.JSONL", mine=[[[SQUARE]]], others=[])
        (segmentation,) = find_segmenter(f"{path}:others").segmenter.segment("x", boxed(HTML))
        assert len(segmentation) == 0

    @pytest.mark.parametrize("ending", ["", ":yours"])
    def test_ambiguous_segmentation(self, tmp_path: Path, ending: str) -> None:
        path = stored(tmp_path / "s.json", mine=[[[SQUARE]]], others=[])
        with pytest.raises(UsageError, match="mine, others"):
            find_segmenter(f"{path}{ending}")

    def test_page_missing_from_the_file(self, tmp_path: Path) -> None:
        path = stored(tmp_path / "s.json", mine=[[[SQUARE]]])
        (segmentation,) = find_segmenter(str(path)).segmenter.segment("y", boxed(HTML))
        assert len(segmentation) == 0

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

    def test_missing_model_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="cannot read the model"):
            find_segmenter(str(tmp_path / "none.vclean"))


class TestTraining:
    def test_segmenter_without_training_is_returned_unchanged(self) -> None:
        dom = find_segmenter("dom").segmenter
        assert dom.trained([], lambda: None) is dom

    def test_too_few_pages(self) -> None:
        pages = [RenderedMarkedPage("http://one.example/", *marked_page(0))]
        with pytest.raises(InputError, match="too few marked pages"):
            find_segmenter("learned").segmenter.trained(pages, lambda: None)
