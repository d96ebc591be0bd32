import pickle
import zipfile
from functools import cache
from importlib import resources

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vclean.classify.forest import DamagedTreesError, Forest
from vclean.errors import ModelError

# A root with a leaf on the left and a split with two leaves on the right; then a tree without splits.
TEXT = """tree
num_tree_per_iteration=1
max_feature_idx=5

Tree=0
num_leaves=3
split_feature=4 2
threshold=0.5 -1e-3
decision_type=2 8
left_child=-1 -2
right_child=1 -3
leaf_value=0.1 0.2 0.3

Tree=1
num_leaves=1
split_feature=
threshold=
decision_type=
left_child=
right_child=
leaf_value=7

end of trees

num_leaves=99
"""


class TestDamage:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("num_leaves=3", "num_leaves=4"),
            ("num_leaves=3", "num_leaves=x"),
            ("num_leaves=1", "num_leaves=0"),
            ("num_leaves=1\n", ""),
            ("threshold=0.5 -1e-3", "threshold=0.5"),
            ("threshold=0.5 -1e-3", "threshold=0.5 low"),
            ("leaf_value=7", "leaf_value="),
            ("right_child=1 -3", "right_child=2 -3"),
            ("right_child=1 -3", "right_child=0 -3"),
            ("right_child=1 -3", "right_child=1 -4"),
            ("left_child=-1 -2", "left_child=-1 1"),
            ("right_child=1 -3", "right_child=1 -2"),
            ("left_child=-1 -2", "left_child=1 -2"),
        ],
    )
    def test_damaged_text(self, old: str, new: str) -> None:
        assert old in TEXT
        assert Forest(TEXT).columns == 6
        with pytest.raises(DamagedTreesError):
            Forest(TEXT.replace(old, new, 1))


PARAMETERS = {"num_leaves": 15, "min_data_in_leaf": 3, "num_threads": 1, "verbosity": -1, "seed": 1}
OBJECTIVES = [{"objective": "binary"}, {"objective": "multiclass", "num_class": 3}]
EXTREME = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 0.1, 3.4e38, -3.4e38]


def table(count, *, missing=0.0, seed=3):
    """Return rows of four columns with missing values, and classes 0 to 2 that depend on them."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(count, 4)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(int) + (x[:, 3] > 1)
    x[generator.random(x.shape) < missing] = np.nan
    return x, y


def trained(objective, *, missing=0.0, rounds=12, data=None, **parameters):
    x, y = table(400, missing=missing)
    y = np.minimum(y, 1) if objective["objective"] == "binary" else y
    booster = lightgbm.train(PARAMETERS | objective | parameters, lightgbm.Dataset(x, y, **data or {}), rounds)
    return Forest(booster.model_to_string())


@cache
def _with_missing_values():
    return trained({"objective": "binary"}, missing=0.2)


def shipped(name):
    path = resources.files("vclean.classify").joinpath("data", "default.vclean")
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        return Forest(archive.read(name).decode())


def by_lightgbm(forest, x, **options):
    return forest.booster.predict(x, num_threads=1, **options)


class TestCompiled:
    """Predictions of the C extension equal those of LightGBM bit by bit."""

    @pytest.mark.parametrize("name", ["content.txt", "types.txt", "regions.txt"])
    @pytest.mark.parametrize("rows", [1, 7, 8, 9, 100])
    def test_shipped_trees(self, name: str, rows: int) -> None:
        forest = shipped(name)
        generator = np.random.default_rng(rows)
        x = generator.normal(scale=3, size=(rows, forest.columns)).astype(np.float32).round(1)
        x[generator.random(x.shape) < 0.2] = np.nan
        x[generator.random(x.shape) < 0.2] = 0
        predictions = forest.predict(x)
        assert "booster" not in vars(forest)
        np.testing.assert_array_equal(predictions, by_lightgbm(forest, x))

    @pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective["objective"])
    @pytest.mark.parametrize("missing", [0.0, 0.2])
    @pytest.mark.parametrize(("leaves", "rows"), [(2, 3), (5, 3), (63, 3), (63, 400)], ids=str)
    def test_small_and_deep_trees(self, objective, missing: float, leaves: int, rows: int) -> None:
        """Check also trees without splits: their leaves would need all rows."""
        forest = trained(objective, missing=missing, num_leaves=leaves, min_data_in_leaf=rows)
        x, _ = table(100, missing=0.3, seed=8)
        np.testing.assert_array_equal(forest.predict(x), by_lightgbm(forest, x))

    @settings(max_examples=60, deadline=None)
    @given(arrays(np.float32, st.tuples(st.integers(1, 20), st.just(4)), elements=st.sampled_from(EXTREME)))
    def test_extreme_values(self, x) -> None:
        forest = _with_missing_values()
        np.testing.assert_array_equal(forest.predict(x), by_lightgbm(forest, x))

    def test_values_at_a_threshold(self) -> None:
        """Check the float32 values next to thresholds, which are float64."""
        forest = trained({"objective": "binary"})
        x, _ = table(400)
        for towards in (-np.inf, np.inf):
            near = np.nextafter(x, np.float32(towards))
            np.testing.assert_array_equal(forest.predict(near), by_lightgbm(forest, near))

    def test_early_stop(self) -> None:
        """Check rows that stop after 20 rounds, after 40 rounds, and never."""
        forest = trained({"objective": "binary"}, rounds=110, learning_rate=0.3)
        x, _ = table(300, seed=5)
        predictions = forest.predict(x, early_stop=True)
        options = {"pred_early_stop": True, "pred_early_stop_freq": 20, "pred_early_stop_margin": 10.0}
        np.testing.assert_array_equal(predictions, by_lightgbm(forest, x, **options))
        assert 0 < (predictions != forest.predict(x)).sum() < len(x)

    def test_early_stop_is_for_binary_models(self) -> None:
        forest = trained(OBJECTIVES[1], rounds=60, learning_rate=0.5)
        x, _ = table(50, seed=5)
        np.testing.assert_array_equal(forest.predict(x, early_stop=True), forest.predict(x))

    def test_non_contiguous_rows(self) -> None:
        forest = trained({"objective": "binary"})
        wide = np.asfortranarray(np.hstack([table(30)[0]] * 2))
        np.testing.assert_array_equal(forest.predict(wide[::2, :4]), by_lightgbm(forest, table(30)[0][::2]))


class TestForest:
    @pytest.mark.parametrize("rows", [0, 1, 5])
    def test_shape_and_type(self, rows: int) -> None:
        x, _ = table(rows)
        for objective, shape in zip(OBJECTIVES, [(rows,), (rows, 3)], strict=True):
            predictions = trained(objective, rounds=2).predict(x)
            assert (predictions.shape, predictions.dtype) == (shape, np.float64)

    def test_rejects_other_numbers_of_columns(self) -> None:
        with pytest.raises(ValueError, match="the trees were trained on 4 columns, not 3"):
            trained(OBJECTIVES[0], rounds=2).predict(np.zeros((2, 3), dtype=np.float32))

    def test_pickles(self) -> None:
        forest, (x, _) = trained(OBJECTIVES[0], rounds=2), table(20)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(forest)).predict(x), forest.predict(x))

    def test_rejects_categorical_splits(self) -> None:
        """They are for LightGBM alone, see the method `wcc-tree`."""
        x, _ = table(100)
        x[:, 0] = np.arange(100) % 5
        data = lightgbm.Dataset(x, x[:, 0] == 1, categorical_feature=[0], params={"min_data_per_group": 1})
        text = lightgbm.train(PARAMETERS | OBJECTIVES[0] | {"min_data_per_group": 1}, data, 2).model_to_string()
        with pytest.raises(DamagedTreesError):
            Forest(text)
        assert Forest(text, is_rare=True).booster.num_trees() == 2

    @pytest.mark.parametrize("text", ["", "tree\n\nend of trees\n", "tree\nmax_feature_idx=3\n"])
    def test_damaged_text(self, text: str) -> None:
        with pytest.raises(ValueError, match="damaged trees"):
            Forest(text)

    def test_truncated_text(self) -> None:
        text = trained(OBJECTIVES[0], rounds=2).text
        for at in (len(text) // 4, len(text) // 3, text.index("right_child=") + 14):
            with pytest.raises(ValueError, match="damaged trees"):
                Forest(text[:at])

    def test_rare_trees_are_parsed_on_use(self) -> None:
        text, (x, _) = trained(OBJECTIVES[0], rounds=2).text, table(20)
        np.testing.assert_array_equal(Forest(text, is_rare=True).predict(x), Forest(text).predict(x))
        damaged = Forest(text[: len(text) // 2], is_rare=True)
        for use in (lambda: damaged.predict(x), lambda: damaged.booster):
            with pytest.raises(ModelError, match="damaged trees"):
                use()


class TestContributions:
    def test_mean_and_values_add_up_to_the_predictions(self) -> None:
        trees, x = trained(OBJECTIVES[0], missing=0.2), table(40, missing=0.3, seed=8)[0]
        mean, columns = trees.contributions(x)
        assert columns.shape == x.shape
        np.testing.assert_allclose(mean + columns.sum(axis=1), trees.booster.predict(x, raw_score=True), atol=1e-9)
