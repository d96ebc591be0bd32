from __future__ import annotations

import numpy as np
import pytest
from helpers.outcomes import done, lost
from hypothesis import given
from hypothesis import strategies as st

from vclean.farm.output import SecondsHistogram, summarize_parts
from vclean.farm.parts import PartWriter, part_paths


def histogram(*seconds):
    merged = SecondsHistogram()
    merged.add(np.array(seconds, dtype=np.float32))
    return merged.to_dict()


class TestSecondsHistogram:
    def test_nothing_counted(self):
        assert histogram() is None

    def test_one_value(self):
        assert histogram(0.5) == {"mean": 0.5, "p50": pytest.approx(0.5, rel=0.01)} | {
            "p90": pytest.approx(0.5, rel=0.01),
            "p99": pytest.approx(0.5, rel=0.01),
            "max": 0.5,
        }

    @given(st.lists(st.floats(0.001, 100), min_size=1, max_size=50))
    def test_percentiles_within_one_percent(self, seconds):
        result = histogram(*seconds)
        for percent in (50, 90, 99):
            exact = np.percentile(np.float32(seconds), percent, method="inverted_cdf")
            assert result[f"p{percent}"] == pytest.approx(exact, rel=0.011, abs=1e-5)

    @pytest.mark.parametrize("second", [0.0, -1.0, 1e9])
    def test_values_out_of_range(self, second):
        assert histogram(second, 1.0)["max"] == max(second, 1.0)

    def test_several_additions(self):
        merged = SecondsHistogram()
        for second in (1.0, 2.0, 3.0):
            merged.add(np.array([second], dtype=np.float32))
        assert merged.to_dict() == histogram(1, 2, 3)


class TestSummarizeParts:
    def test_no_parts(self):
        facts = summarize_parts([])
        assert (facts["pages"], facts["ok"], facts["failed"], facts["retries"], facts["parts"]) == (0, 0, {}, 0, 0)
        assert facts["seconds"]["render"] is None

    def test_counts_over_all_parts(self, tmp_path):
        with PartWriter(tmp_path, rows=2) as writer:
            for outcome in (done(1), done(2, attempt=3), lost(3), lost(4, attempt=2), done(5)):
                writer.write(outcome.record)
        facts = summarize_parts(part_paths(tmp_path))
        assert (facts["pages"], facts["ok"], facts["failed"]) == (5, 3, {"DeadlineError": 2})
        assert (facts["retries"], facts["parts"]) == (3, 3)
        assert (facts["block_count"], facts["kept_count"], facts["characters"]) == (9, 6, 3 * 15)
        assert facts["bytes"] == sum(path.stat().st_size for path in tmp_path.rglob("*.parquet"))
        assert facts["seconds"]["render"]["max"] == 0.5
        assert facts["seconds"]["read"]["mean"] == 1.0
