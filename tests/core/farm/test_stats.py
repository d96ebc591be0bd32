from __future__ import annotations

import json
import time

import pytest

from vclean.farm.stats import Stats
from vclean.farm.tasks import TaskOutcome


def outcome(error: str = "", **seconds: float) -> TaskOutcome:
    return TaskOutcome(record=None, error=error, seconds=seconds)  # type: ignore[arg-type]  # not read in this test


class TestCount:
    def test_results_and_failures(self) -> None:
        stats = Stats()
        for error in ("", "", "DeadlineError", "BrowserError", "DeadlineError"):
            stats.count(outcome(error))
        assert (stats.ok, stats.done) == (2, 5)
        assert stats.failed == {"DeadlineError": 2, "BrowserError": 1}

    def test_seconds_add_up_by_stage(self) -> None:
        stats = Stats()
        stats.count(outcome(render=1.0, extract=0.5))
        stats.count(outcome("DeadlineError", render=2.0))
        assert stats.seconds == {"render": 3.0, "extract": 0.5}


class TestRemainingSeconds:
    def running(self, **facts: int) -> Stats:
        return Stats(started=time.monotonic() - 100, **facts)

    def test_uses_rate_of_this_run(self) -> None:
        """Exclude pages of an earlier run from the rate."""
        assert self.running(total=1000, skipped=500, ok=50).remaining_seconds == pytest.approx(900, rel=0.01)

    @pytest.mark.parametrize("facts", [{"ok": 50}, {"total": 100}])
    def test_unknown(self, facts: dict[str, int]) -> None:
        assert self.running(**facts).remaining_seconds is None

    def test_is_never_negative(self) -> None:
        assert self.running(total=10, ok=50).remaining_seconds == 0


class TestToDict:
    def test_is_serializable(self) -> None:
        stats = Stats(skipped=3)
        stats.count(outcome("DeadlineError", render=1.23456))
        stats.restarts["crash"] += 1
        facts = json.loads(json.dumps(stats.to_dict()))
        assert facts["failed"] == {"DeadlineError": 1}
        assert facts["restarts"] == {"crash": 1}
        assert facts["stage_seconds"] == {"render": 1.235}
        assert (facts["ok"], facts["skipped"]) == (0, 3)


class TestAdd:
    def test_adds_counts_of_other_processes(self) -> None:
        mine = Stats(skipped=1, ok=2, retried=3, working=4)
        mine.failed["LimitError"] = 1
        theirs = Stats(skipped=10, ok=20, retried=30, working=40)
        theirs.failed.update({"LimitError": 1, "InputError": 2})
        theirs.restarts["crash"] = 1
        theirs.seconds["render"] = 0.5
        mine.add(theirs)
        assert (mine.skipped, mine.ok, mine.retried, mine.working) == (11, 22, 33, 4)
        assert mine.failed == {"LimitError": 2, "InputError": 2}
        assert (mine.restarts, mine.seconds) == ({"crash": 1}, {"render": 0.5})
