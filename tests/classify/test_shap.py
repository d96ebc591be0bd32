from __future__ import annotations

import lightgbm
import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify import forest as module
from vclean.classify.content.model import load_default
from vclean.classify.content.stacking import add_columns
from vclean.classify.forest import Forest, contributions
from vclean.features.blocks import extract_blocks


@pytest.fixture(scope="module")
def x():
    html = "<nav><a>Home</a><a>News</a></nav>" + "<p>It rained for a week, and nobody in town was surprised.</p>" * 3
    decision = load_default().label(extract_blocks(snapshot(html))).decision
    assert decision is not None
    return add_columns(decision.x, decision.convention)


def rows(count, *, missing=0.0, seed=3):
    """Return rows of four columns with missing values, and classes that depend on them."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(count, 4)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(int)
    x[generator.random(x.shape) < missing] = np.nan
    return x, y


def trained(x, y, *, data=None, **parameters):
    settings = {"objective": "binary", "num_leaves": 15, "min_data_in_leaf": 3, "num_threads": 1, "verbosity": -1}
    return Forest.from_booster(lightgbm.train(settings | parameters, lightgbm.Dataset(x, y, **data or {}), 8))


def assert_equal_to_lightgbm(trees, x):
    base, columns = contributions(trees, x)
    predictions = trees.booster.predict(x, pred_contrib=True, num_threads=1)
    np.testing.assert_allclose(columns, predictions[:, :-1], atol=1e-9)
    assert base == pytest.approx(predictions[0, -1])


class TestContributions:
    def test_equals_lightgbm(self, x) -> None:
        assert_equal_to_lightgbm(load_default().content, x)

    @pytest.mark.parametrize("missing", [0.0, 0.2])
    @pytest.mark.parametrize("leaves", [2, 3, 31])
    def test_small_and_deep_trees(self, missing: float, leaves: int) -> None:
        """Check repeated columns on a path, splits on missing values, and NaN that did not occur in training."""
        trees = trained(*rows(400, missing=missing), num_leaves=leaves)
        assert_equal_to_lightgbm(trees, rows(40, missing=0.3, seed=8)[0])

    def test_values_at_a_threshold(self) -> None:
        x, y = rows(400)
        x = x.round()
        assert_equal_to_lightgbm(trained(x, y), x[:50])

    def test_trees_without_splits(self) -> None:
        x, y = rows(50)
        assert_equal_to_lightgbm(trained(x, y, min_data_in_leaf=50), x)

    def test_batches_give_equal_values(self, x, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 3)
        assert_equal_to_lightgbm(load_default().content, x)

    def test_no_rows(self) -> None:
        trees = load_default().content
        _, columns = contributions(trees, np.zeros((0, trees.columns), dtype=np.float32))
        assert columns.shape == (0, trees.columns)
