from __future__ import annotations

import numpy as np
import pytest

from vclean.classify.content.kinds import kind_probability
from vclean.classify.training import kinds
from vclean.labels import KINDS, LEARNED_KINDS, UNKNOWN, Kind

TITLE, OTHER = KINDS.index(Kind.TITLE), KINDS.index(Kind.OTHER)


class TestKnownRows:
    def test_sample_of_others(self) -> None:
        kind = np.array([TITLE, *[OTHER] * 90, UNKNOWN, TITLE], dtype=np.int8)
        rows = kinds.known_rows(kind)
        assert (kind[rows] == TITLE).sum() == 2
        assert (kind[rows] == OTHER).sum() == 2 * kinds.OTHERS_PER_BLOCK
        assert (np.diff(rows) > 0).all()


class TestFitKinds:
    def test_learns_the_kinds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kinds, "PARAMETERS", kinds.PARAMETERS | {"min_data_in_leaf": 2, "feature_fraction": 1.0})
        kind = np.tile(np.array([TITLE, OTHER, OTHER], dtype=np.int8), 20)
        x = (kind == TITLE).astype(np.float32)[:, None]
        forest = kinds.fit_kinds(x, kind, np.repeat(np.arange(20), 3))
        assert forest is not None
        predicted = kind_probability(forest, x[:3]).argmax(axis=1)
        assert [LEARNED_KINDS[code] for code in predicted] == [Kind.TITLE, Kind.OTHER, Kind.OTHER]

    def test_one_kind_is_none(self) -> None:
        kind = np.full(3, OTHER, dtype=np.int8)
        assert kinds.fit_kinds(np.zeros((3, 1), dtype=np.float32), kind, np.zeros(3, dtype=np.int64)) is None
