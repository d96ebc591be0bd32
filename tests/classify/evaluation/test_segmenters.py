from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from helpers.boxed import boxed
from helpers.marked import marked_page

from vclean.classify.corpora.rendering import RenderedMarkedPage
from vclean.classify.evaluation.segmentation import DEPTHS
from vclean.classify.evaluation.segmenters import find_method
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


class TestFindMethod:
    def test_without_a_knob(self) -> None:
        method = find_method("page")
        assert (method.name, method.setting, method.oracle) == ("page", 0, False)
        assert len(method.segmenter.cut("x", boxed(HTML))) == 1

    def test_the_knob_is_chosen(self) -> None:
        method = find_method("dom")
        assert (method.setting, method.oracle) == (None, False)
        assert list(method.segmenter.settings) == list(DEPTHS)

    def test_the_knob_is_given(self) -> None:
        assert find_method("dom@3").setting == 3
        assert find_method("vips@11").setting == 11

    def test_the_truth_sets_the_knob(self) -> None:
        assert find_method("vips-oracle").oracle

    def test_one_segmenter_under_several_names(self) -> None:
        """It cuts each page once for all of them."""
        assert find_method("dom").segmenter is find_method("dom@2").segmenter is find_method("dom-oracle").segmenter

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
    def test_others(self, name: str, reason: str) -> None:
        with pytest.raises(UsageError, match=reason):
            find_method(name)


class TestCut:
    @pytest.mark.parametrize("name", ["page", "dom", "vips"])
    def test_a_cut_for_every_setting(self, name: str) -> None:
        segmenter = find_method(name).segmenter
        page = boxed(HTML)
        cuts = segmenter.cut("x", page)
        assert len(cuts) == len(segmenter.settings)
        assert all(cut.holds is not None and len(cut) for cut in cuts)
        assert segmenter.usual in segmenter.settings

    def test_vips_cuts_more_the_more_coherence_is_asked_for(self) -> None:
        counts = [len(cut) for cut in find_method("vips").segmenter.cut("x", boxed(HTML))]
        assert counts[0] == 1
        assert counts == sorted(counts)
        assert counts[-1] > 1


class TestStored:
    def test_the_only_segmentation(self, tmp_path: Path) -> None:
        path = stored(tmp_path / "s.json", mine=[[[SQUARE]]])
        method = find_method(str(path))
        (cut,) = method.segmenter.cut("x", boxed(HTML))
        assert [shape.bounds for shape in cut.shapes] == [(0, 0, 10, 10)]
        assert cut.holds is None

    def test_one_of_several_by_name(self, tmp_path: Path) -> None:
        path = stored(tmp_path / "s.JSONL", mine=[[[SQUARE]]], others=[])
        (cut,) = find_method(f"{path}:others").segmenter.cut("x", boxed(HTML))
        assert len(cut) == 0

    @pytest.mark.parametrize("ending", ["", ":yours"])
    def test_which_one_has_to_be_clear(self, tmp_path: Path, ending: str) -> None:
        path = stored(tmp_path / "s.json", mine=[[[SQUARE]]], others=[])
        with pytest.raises(UsageError, match="mine, others"):
            find_method(f"{path}{ending}")

    def test_a_page_that_is_not_in_the_file(self, tmp_path: Path) -> None:
        path = stored(tmp_path / "s.json", mine=[[[SQUARE]]])
        (cut,) = find_method(str(path)).segmenter.cut("y", boxed(HTML))
        assert len(cut) == 0

    def test_no_file(self) -> None:
        with pytest.raises(InputError, match="cannot read"):
            find_method("none.json")


class TestTrained:
    def test_the_knob_is_its_two_cuts(self) -> None:
        assert list(find_method("shipped").segmenter.settings) == [6, 11]
        assert find_method("learned@11").setting == 11

    def test_the_shipped_model_cuts_other_pages(self) -> None:
        page, _ = marked_page(1)
        main, parts = find_method("shipped").segmenter.cut("http://other.example/", page)
        assert len(parts) >= len(main) >= 2

    def test_not_those_it_learned_from(self) -> None:
        """A score on these would be no score."""
        page, _ = marked_page(1)
        address = load_default().card["pages"][0]
        with pytest.raises(UsageError, match=f"shipped learned from {address}: score it on other pages"):
            find_method("shipped").segmenter.cut(address, page)

    def test_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "own.vclean"
        path.write_bytes(load_default().to_bytes())
        page, _ = marked_page(2)
        assert find_method(str(path)).name == str(path)
        assert len(find_method(str(path)).segmenter.cut("http://other.example/", page)) == 2

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="cannot read the model"):
            find_method(str(tmp_path / "none.vclean"))


class TestTaught:
    def test_what_needs_no_teaching_stays_as_it_is(self) -> None:
        dom = find_method("dom").segmenter
        assert dom.taught([], lambda: None) is dom

    def test_too_few_pages(self) -> None:
        pages = [RenderedMarkedPage("http://one.example/", *marked_page(0))]
        with pytest.raises(InputError, match="too few marked pages"):
            find_method("learned").segmenter.taught(pages, lambda: None)
