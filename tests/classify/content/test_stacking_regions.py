from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.stacking import REGION_COLUMNS, block_roles, highest_role_probability, region_columns
from vclean.classify.regions.model import CLASSES, NONE, inherit_roles
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.regions.candidates import RegionLayout, candidate_regions
from vclean.labels import Role

ROLES = list(Role)
NAV, ARTICLE = ROLES.index(Role.NAVIGATION), ROLES.index(Role.ARTICLE)


def posteriors(*rows):
    """Return one row per candidate from probabilities by class; the last class gets the rest."""
    array = np.zeros((len(rows), CLASSES), dtype=np.float32)
    for row, known in zip(array, rows, strict=True):
        row[list(known)] = list(known.values())
        row[NONE] += 1 - row.sum()
    return array


def parents(*numbers):
    return np.array(numbers, dtype=np.int32)


class TestInheritRoles:
    def test_nearest_region_is_itself_or_inherited(self):
        nearest = inherit_roles(posteriors({ARTICLE: 0.8}, {NAV: 0.25}), parents(-1, 0))[0]
        assert nearest[1, NAV] == pytest.approx(0.25)
        assert nearest[1, ARTICLE] == pytest.approx(0.75 * 0.8)
        assert nearest[1, NONE] == pytest.approx(0.75 * 0.2)

    def test_highest_probability_of_each_role(self):
        within = inherit_roles(posteriors({NAV: 0.6}, {NAV: 0.1, ARTICLE: 0.3}), parents(-1, 0))[1]
        assert within[1, [NAV, ARTICLE]].tolist() == pytest.approx([0.6, 0.3])

    def test_most_probable_region_prefers_the_innermost(self):
        rows = posteriors({NAV: 0.5}, {NAV: 0.7}, {ARTICLE: 0.7}, {NAV: 0.1})
        assert inherit_roles(rows, parents(-1, 0, 1, 2))[2].tolist() == [0, 1, 2, 2]

    @given(st.integers(1, 12), st.integers(0, 1000))
    def test_equals_a_simple_loop(self, count, seed):
        rng = np.random.default_rng(seed)
        rows = rng.dirichlet(np.ones(CLASSES), count).astype(np.float32)
        parent = parents(-1, *(int(rng.integers(0, i)) for i in range(1, count)))
        nearest = inherit_roles(rows, parent)[0]
        assert nearest.sum(axis=1) == pytest.approx(np.ones(count), abs=1e-4)
        for node in range(1, count):
            assert nearest[node, NAV] == pytest.approx(
                rows[node, NAV] + rows[node, NONE] * nearest[parent[node], NAV], abs=1e-5
            )

    def test_no_candidates(self):
        assert all(len(array) == 0 for array in inherit_roles(posteriors(), parents()))


class TestRegionColumns:
    def test_block_has_the_row_of_its_innermost_candidate(self):
        layout = RegionLayout(parents(-1, 0), parents(1, 0), np.array([[0, 0, 1, 1], [0, 0.5, 0.2, 0.1]], np.float32))
        rows = posteriors({ARTICLE: 0.5}, {NAV: 0.9})
        columns = region_columns(rows, layout)
        by_name = {column.name: columns[:, at].tolist() for at, column in enumerate(REGION_COLUMNS)}
        assert columns.shape == (2, len(REGION_COLUMNS))
        assert columns.dtype == np.float32
        assert by_name["region_navigation"] == pytest.approx([0.9, 0])
        assert by_name["nearest_article"] == pytest.approx([0.05, 0.5])
        assert by_name["within_article"] == pytest.approx([0.5, 0.5])
        assert by_name["nearest_is_content"] == pytest.approx([0.05, 0.5])
        assert by_name["within_boilerplate"] == pytest.approx([0.9, 0])
        assert by_name["region_y"] == pytest.approx([0.5, 0])
        assert by_name["region_width"] == pytest.approx([0.2, 1])

    def test_names_are_unique(self):
        assert len({column.name for column in REGION_COLUMNS}) == len(REGION_COLUMNS)

    def test_page_without_blocks(self):
        layout = RegionLayout(parents(), parents(), np.zeros((0, 4), dtype=np.float32))
        assert region_columns(posteriors(), layout).shape == (0, len(REGION_COLUMNS))


class TestBlockRoles:
    def test_most_probable_role_or_none(self):
        layout = RegionLayout(parents(-1, 0, 0), parents(0, 1, 2), np.zeros((3, 4), dtype=np.float32))
        rows = posteriors({ARTICLE: 0.2}, {NAV: 0.7}, {})
        columns = region_columns(rows, layout)
        assert block_roles(columns) == [None, Role.NAVIGATION, None]
        np.testing.assert_array_equal(
            highest_role_probability(columns, Role.NAVIGATION), np.array([0, 0.7, 0], dtype=np.float32)
        )


class TestRegionLayout:
    def test_boxes_are_relative_to_the_page(self):
        layout = RegionLayout.from_regions(
            candidate_regions(PageContext(extract_blocks(laid_out("<p>one</p><p>two</p>"))))
        )
        assert layout.box[0].tolist() == [0, 0, 1, 1]
        assert layout.parent.tolist() == [-1, 0, 0]
        assert layout.block_region.tolist() == [1, 2]

    def test_boxes_of_unrendered_pages_are_nan(self):
        assert np.isnan(
            RegionLayout.from_regions(candidate_regions(PageContext(extract_blocks(snapshot("<p>one</p>"))))).box
        ).all()
