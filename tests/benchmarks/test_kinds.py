from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from helpers.benchmarks import imported_benchmark
from helpers.synthetic import SITES, rows, train_quickly

from vclean.classify.training import kinds as training
from vclean.classify.training.dataset import TrainingTable
from vclean.labels import KINDS, Kind


@pytest.fixture(scope="module")
def kinds() -> Iterator[ModuleType]:
    with imported_benchmark("kinds") as module:
        yield module


def test_scores(kinds: ModuleType) -> None:
    """Take one of two titles for body text, and one body text for another block."""
    title, body, other = (KINDS.index(kind) for kind in (Kind.TITLE, Kind.BODY, Kind.OTHER))
    known = np.array([title, title, body, body, other])
    assert kinds.scores(np.array([title, body, body, other, other]), known) == [
        ("title", "2", "1.000", ".500", ".667"),
        ("body", "2", ".500", ".500", ".500"),
        ("other", "1", ".500", "1.000", ".667"),
    ]


def test_held_out_kinds(kinds: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content and boilerplate of the synthetic pages are easy to tell apart."""
    train_quickly(monkeypatch)
    body, other = KINDS.index(Kind.BODY), KINDS.index(Kind.OTHER)
    monkeypatch.setattr(training, "PARAMETERS", training.PARAMETERS | {"min_data_in_leaf": 1})
    pages = [
        replace(page, kind=np.where(page.content, body, other).astype(np.int8)) for page in map(rows, range(2 * SITES))
    ]
    predicted, known = kinds.held_out_kinds(TrainingTable.from_pages(pages))
    assert set(known.tolist()) == {body, other}
    assert np.mean(predicted == known) > 0.9
