"""Test the learned segmenter: training rows, training, model file, cross-validation."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers.archives import repacked
from helpers.marked import by_id, marked_page
from helpers.pages import snapshot
from helpers.painted import painted
from helpers.segment_training import quick

from vclean.classify.corpora.marked import RenderedMarkedPage
from vclean.classify.segments.model import (
    LEVELS,
    MAIN,
    METHOD,
    SEEDS,
    State,
    build_segments,
    from_bytes,
    load,
)
from vclean.classify.training.regions import cross_validate, fit_segmenter, segment_rows, training_rows
from vclean.errors import InputError, ModelError, UsageError
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.regions import candidate_regions
from vclean.features.segments.columns import COLUMNS
from vclean.features.segments.vips_page import VisualPage

COUNT = 6


def address(number):
    return f"http://site{number}.example/"


@pytest.fixture(scope="module")
def pages():
    return [RenderedMarkedPage(address(number), *marked_page(number)) for number in range(COUNT)]


@pytest.fixture(scope="module")
def rows(pages):
    return training_rows(pages)


@pytest.fixture(scope="module")
def model(rows):
    with pytest.MonkeyPatch.context() as patch:
        quick(patch)
        return fit_segmenter(rows, {"archive": "marked.warc"})


class TestMarkedRows:
    def test_columns_and_states(self, pages, rows):
        (first, *_) = rows
        assert first.x.shape == (len(first.parent), len(COLUMNS))
        assert (first.address, first.roles.site) == (address(0), "site0.example")
        assert set(first.states) == set(LEVELS)
        assert (first.states[1][0] == State.AT).sum() == 4
        assert (first.states[2][0][first.states[2][1]] == State.AT).sum() == 2

    def test_features_do_not_depend_on_marks(self, pages):
        """Compare the features of a page with different marks."""
        page = pages[0]
        other = [replace(mark, level=1) for mark in page.marks[:2]]
        first, second = (segment_rows(page.snapshot, marks, page.id) for marks in (page.marks, other))
        assert np.array_equal(first.x, second.x, equal_nan=True)

    def test_omits_levels_without_marks(self, pages):
        rows_of_page = segment_rows(pages[0].snapshot, [mark for mark in pages[0].marks if mark.level == 1], "x")
        assert set(rows_of_page.states) == {1}

    def test_no_rows_for_a_page_with_one_element(self):
        page = painted('<body title="0 0 9 9"><p>One</p></body>')
        assert segment_rows(page, [], "x") is None
        assert segment_rows(painted('<body title="0 0 9 9"></body>'), [], "x") is None


class TestFit:
    def test_segments_a_similar_page(self, model):
        page, _ = marked_page(COUNT + 1)
        page_segments = model(page)
        main = page_segments.at(MAIN)
        assert page_segments.method == METHOD
        assert len(main.leaves) == 4
        assert page_segments.segment_text(int(main.leaves[0])).startswith("Site")
        roots = [main.roots[leaf] for leaf in main.leaves.tolist()]
        assert [by_id(page, name) for name in ("head", "menu", "main", "foot")] == [elements[0] for elements in roots]
        assert len(page_segments.leaves) >= len(main.leaves) + 1

    def test_is_deterministic(self, rows, model, monkeypatch):
        quick(monkeypatch)
        assert fit_segmenter(rows, {"archive": "marked.warc"}).to_bytes() == model.to_bytes()

    def test_card(self, model):
        assert model.card["archive"] == "marked.warc"
        assert model.card["pages"] == [address(number) for number in range(COUNT)]
        assert model.card["seeds"] == SEEDS
        assert {"vclean", "lightgbm"} == set(model.card["versions"])

    def test_rejects_too_few_sites(self, rows):
        with pytest.raises(InputError, match="too few marked pages"):
            fit_segmenter(rows[:1])

    def test_rejects_a_level_without_marks(self, rows, monkeypatch):
        quick(monkeypatch)
        with pytest.raises(InputError, match="no page has marks of level 2"):
            fit_segmenter([replace(page, states={1: page.states[1]}) for page in rows])


class TestSegmentModel:
    def test_rejects_unrendered_pages(self, model):
        with pytest.raises(UsageError, match="render"):
            model(snapshot("<p>One"))


class TestFile:
    @pytest.mark.parametrize("member", ["card", "regions", "level1-0", "level2-2", ""])
    @pytest.mark.parametrize("content", [None, b"", b"tree\nversion=v4\n"])
    def test_damaged_member(self, model, member, content):
        data = repacked(model.to_bytes(), **{member: content}) if member else content or b"PK"
        with pytest.raises(ModelError, match="x is not a segment model of vclean, or is damaged: train one with"):
            from_bytes(data, "x")

    @pytest.mark.parametrize("change", [{"format": 0}, {"columns": ["words"]}])
    def test_other_version(self, model, change):
        card = json.dumps({**model.card, **change}).encode()
        with pytest.raises(ModelError, match="x is from another version of vclean: train one with"):
            from_bytes(repacked(model.to_bytes(), card=card), "x")


class TestShippedModel:
    def test_segments_a_page(self):
        page, _ = marked_page(3)
        assert 2 <= len(load()(page).at(MAIN).leaves) <= 8

    def test_card_lists_training_pages(self):
        assert load() is load(None)
        assert load().card["archive"] == "random.warc.gz"
        assert len(load().card["pages"]) > 70


class TestCrossValidated:
    @pytest.fixture(autouse=True)
    def three_folds(self, monkeypatch):
        quick(monkeypatch)
        monkeypatch.setattr("vclean.classify.training.regions.SEGMENT_FOLDS", 3)

    def test_models_exclude_the_page(self, rows):
        done = []
        models = cross_validate(rows, done=lambda: done.append(1))
        assert len(done) == 3
        for page in rows:
            fold_model = models(page.address)
            assert page.address not in fold_model.card["pages"]
            assert len(fold_model.card["pages"]) == COUNT - 2
        assert models("http://empty.example/").card["pages"]

    def test_pages_of_a_site_share_a_fold(self, rows):
        twins = []
        for number in range(COUNT):
            site, page = f"site{number // 2}.example", rows[number]
            roles = replace(page.roles, site=site)
            twins.append(replace(page, address=f"http://{site}/{number}", roles=roles))
        models = cross_validate(twins)
        for page in twins:
            sites = {address.split("/")[2] for address in models(page.address).card["pages"]}
            assert page.roles.site not in sites


HTML = """<body title="0 0 100 100"><div id=head title="0 0 100 20"><p title="0 0 100 10">One</p>
<p title="0 10 100 10">Two</p></div><h1 id=title title="0 20 100 10">Three</h1>
<div id=main title="0 30 100 70"><div id=left title="0 30 50 70"><p title="0 30 50 30">Four</p>
<p title="0 60 50 40">Five</p></div>Six<div id=right title="50 30 50 70"><p title="50 30 50 30">Seven</p>
<img title="50 60 50 40"></div>Eight</div></body>"""


@pytest.fixture
def page():
    return painted(HTML)


def segments(page, main, parts=None):
    """Build segments from containers by id: `main` are the main segments, `parts` those of the finer level."""
    regions = candidate_regions(PageContext(extract_blocks(page)))
    states = [_states(page, regions, names) for names in (main, main if parts is None else parts)]
    return build_segments(VisualPage(page), regions, *states)


def _states(page, regions, names):
    nodes = [by_id(page, name) for name in names]
    states = []
    for node in regions.node.tolist():
        inside = any(top < node < page.end[top] for top in nodes)
        states.append(State.AT if node in nodes else State.BELOW if inside else State.ABOVE)
    return np.array(states, dtype=np.int8)


def words(page_segments):
    return [page_segments.segment_text(leaf) for leaf in page_segments.leaves]


class TestBuildSegments:
    def test_siblings_of_segments_are_segments(self, page):
        assert words(segments(page, ["head"])) == ["One Two", "Three", "Four Five Six Seven Eight"]

    def test_hidden_text_is_in_no_segment(self):
        html = '<body title="0 0 9 9"><p id=a title="0 0 9 4">One</p><p lang=hidden>Two</p><p title="0 5 9 4">Three'
        assert words(segments(painted(html), ["a"])) == ["One", "Three"]
