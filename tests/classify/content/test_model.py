from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from helpers.archives import repacked
from helpers.pages import snapshot
from helpers.synthetic import gold_page, quick_validation, region_forest, train_quickly

from vclean.classify.content import model as module
from vclean.classify.content import stacking
from vclean.classify.content.expected_f import Calibration, CalibrationMap
from vclean.classify.content.model import Model, from_bytes, load
from vclean.classify.training.train import train
from vclean.errors import ModelError
from vclean.features.blocks import extract_blocks
from vclean.labels import Label, Role
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    with pytest.MonkeyPatch.context() as patch:
        train_quickly(patch)
        yield train(quick_validation())


@pytest.fixture(scope="module")
def data(model: Model) -> bytes:
    return model.to_bytes()


@pytest.fixture
def blocks():
    return extract_blocks(snapshot(gold_page(42).html.decode()))


class Probabilities:
    """Stub of trees with fixed predictions."""

    def __init__(self, *values: object) -> None:
        self.values = np.array(values, dtype=float)

    def predict(self, x: np.ndarray, **_: object) -> np.ndarray:
        return self.values[: len(x)]


class TestDecide:
    def decide(self, model: Model, content: list[float], types: list[list[float]], **options):
        trees = replace(
            model,
            content=Probabilities(*content),
            types=Probabilities(*types),
            calibration=Calibration(CalibrationMap((0, 1), (0, 0.5)), CalibrationMap((0, 1), (0.75, 0.75 + 1e-9))),
        )
        x = np.zeros((len(content), len(stacking.COLUMNS)), dtype=np.float32)
        words, alone = np.full(len(x), 10, dtype=np.float32), np.full(len(x), -1, dtype=np.int32)
        return trees.decide(x, words, alone, alike=np.arange(len(x), dtype=np.int32), **options)

    def test_content_blocks_get_their_most_probable_type(self, model: Model) -> None:
        """Check that types are predicted for content blocks only, in document order."""
        prediction = self.decide(model, [0.9, 0.1, 0.8], [[0, 0, 0.9, 0.1], [0.7, 0.3, 0, 0]])
        assert prediction.labels == [Label.LIST_ITEM, Label.OTHER, Label.HEADING]

    @pytest.mark.parametrize(("beta", "count"), [(0.1, 1), (8, 3)])
    def test_applies_the_recall_weight(self, model: Model, beta: float, count: int) -> None:
        prediction = self.decide(model, [0.95, 0.5, 0.3], [[0, 1, 0, 0]] * 3, policy=Policy(recall_weight=beta))
        assert prediction.labels == [Label.PARAGRAPH] * count + [Label.OTHER] * (3 - count)

    @pytest.mark.parametrize(
        ("kind", "include", "count"), [("comments", True, 3), ("comments", False, 1), ("posts", False, 2)]
    )
    def test_applies_the_policy_for_comments(self, model: Model, kind: str, include: bool, count: int) -> None:
        options = {"policy": Policy(comments=include), "find_kinds": lambda _: {kind: np.array([False, True, True])}}
        prediction = self.decide(model, [0.95, 0.5, 0.4], [[0, 1, 0, 0]] * 3, **options)
        assert sum(label.is_content for label in prediction.labels) == count

    def test_page_without_blocks(self, model: Model) -> None:
        prediction = self.decide(model, [], [])
        assert (prediction.labels, len(prediction.probability), prediction.confidence) == ([], 0, 0)


class TestLabel:
    def test_no_roles_without_region_model(self, model: Model, blocks) -> None:
        assert model.label(blocks).roles == []

    def test_roles_with_region_model(self, model: Model, blocks) -> None:
        roles = replace(model, regions=region_forest()).label(blocks).roles
        assert len(roles) == len(blocks)
        assert Role.NAVIGATION in roles
        assert set(roles) <= {*Role, None}

    def test_no_roles_without_blocks(self, model: Model) -> None:
        assert replace(model, regions=region_forest()).label(extract_blocks(snapshot("<p>"))).roles == []


class TestBytes:
    def test_contains_the_region_model(self, model: Model, blocks) -> None:
        with_regions = replace(model, regions=region_forest())
        read = from_bytes(with_regions.to_bytes(), "it")
        assert [*read.label(blocks).roles] == [*with_regions.label(blocks).roles]
        assert read.to_bytes() == with_regions.to_bytes()
        assert read.version != from_bytes(model.to_bytes(), "it").version

    def test_writes_equal_bytes_again(self, data: bytes) -> None:
        assert from_bytes(data, "it").to_bytes() == data


class TestDamage:
    @pytest.mark.parametrize("share", [0, 0.01, 0.5])
    def test_truncated_file(self, data: bytes, share: float) -> None:
        with pytest.raises(ModelError, match="not a vclean model, or is damaged"):
            from_bytes(data[: int(len(data) * share)], "m.vclean")

    @pytest.mark.parametrize("change", [{"format": 99}, {"columns": ["words"]}])
    def test_other_version(self, data: bytes, change: dict[str, object]) -> None:
        card = json.loads(zipfile.ZipFile(io.BytesIO(data)).read("card.json"))
        card |= {**change, "versions": {"vclean": "9.9"}}
        with pytest.raises(ModelError, match=r"^m was trained with vclean 9\.9, whose models differ: train it again"):
            from_bytes(repacked(data, card=json.dumps(card).encode()), "m")


class TestLoad:
    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"cannot read the model .*m\.vclean: No such file"):
            load(tmp_path / "m.vclean")

    def test_loads_the_shipped_model_once(self) -> None:
        assert load() is load()

    def test_missing_shipped_model(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_SHIPPED", "nothing.vclean")
        with pytest.raises(ModelError, match="not in the installed package: install vclean again"):
            load()
