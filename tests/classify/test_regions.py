from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.regions import CLASSES, NONE, block_roles, inherit_roles
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.regions import candidate_regions
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
        nearest = inherit_roles(posteriors({ARTICLE: 0.8}, {NAV: 0.25}), parents(-1, 0))
        assert nearest[1, NAV] == pytest.approx(0.25)
        assert nearest[1, ARTICLE] == pytest.approx(0.75 * 0.8)
        assert nearest[1, NONE] == pytest.approx(0.75 * 0.2)

    @given(st.integers(1, 12), st.integers(0, 1000))
    def test_equals_a_simple_loop(self, count, seed):
        rng = np.random.default_rng(seed)
        rows = rng.dirichlet(np.ones(CLASSES), count).astype(np.float32)
        parent = parents(-1, *(int(rng.integers(0, i)) for i in range(1, count)))
        nearest = inherit_roles(rows, parent)
        assert nearest.sum(axis=1) == pytest.approx(np.ones(count), abs=1e-4)
        for node in range(1, count):
            assert nearest[node, NAV] == pytest.approx(
                rows[node, NAV] + rows[node, NONE] * nearest[parent[node], NAV], abs=1e-5
            )


class TestBlockRoles:
    def test_most_probable_role_or_none(self):
        context = PageContext(extract_blocks(snapshot("<p>one<div><p>two</div><div><p>three<p>four</div>")))
        regions = candidate_regions(context)
        rows = [{ARTICLE: 0.2}, *({NAV: 0.7} for _ in range(len(regions) - 1))]
        trees = SimpleNamespace(predict=lambda x: posteriors(*rows[: len(x)]))
        assert block_roles(trees, context) == [Role.NAVIGATION] * 4
