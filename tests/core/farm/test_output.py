from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.outcomes import CLEANING, RUN, done, key, lost, task

from vclean.errors import DeadlineError, InputError, OutputError, UsageError
from vclean.farm.output import open_output, summarize_parts
from vclean.farm.parts import PartWriter, part_paths
from vclean.farm.rows import failed_outcome, log_entry, settings_digest
from vclean.farm.stats import Stats
from vclean.settings import CleanerSettings, Policy, RenderSettings


@pytest.fixture
def out(tmp_path):
    return tmp_path / "deep" / "out"


def opened(out, *, resume=False, cleaning=CLEANING, run=RUN, **facts):
    return open_output(out, cleaning, run, resume=resume, covers=bool, **{"stats": Stats(), **facts})


def written(out, *outcomes, **facts):
    """Write a run with these outcomes and return its folder."""
    with opened(out, **facts) as output:
        for outcome in outcomes:
            output.write(outcome)
    return out


def lines(out):
    return [json.loads(line) for line in (out / "pages.jsonl").read_text(encoding="utf-8").splitlines()]


def summary(out):
    return json.loads((out / "summary.json").read_bytes())


def ids(out):
    return sorted(name for path in part_paths(out) for name in pq.read_table(path)["id"].to_pylist())


class TestNewRun:
    def test_makes_folder(self, out):
        files = {path.name for path in written(out, done(1)).iterdir()}
        assert files == {".lock", "pages.jsonl", "parts", "run.json", "snapshots", "summary.json"}

    def test_writes_run_json(self, out):
        facts = json.loads((written(out) / "run.json").read_bytes())
        assert facts["digest"] == settings_digest(CLEANING)
        assert facts["settings"]["render"] is False
        assert facts["versions"]["vclean"]
        assert facts["created"].endswith("+00:00")

    @pytest.mark.parametrize("resume", [True, False])
    def test_accepts_empty_folder(self, out, resume):
        out.mkdir(parents=True)
        assert ids(written(out, done(1), resume=resume)) == ["p1"]

    @pytest.mark.parametrize("resume", [True, False])
    def test_rejects_folder_with_other_files(self, tmp_path, resume):
        (tmp_path / "thesis.tex").touch()
        with pytest.raises(UsageError, match="contains other files: name a new folder"):
            written(tmp_path, resume=resume)
        assert not (tmp_path / "summary.json").exists()

    def test_rejects_file(self, tmp_path):
        (tmp_path / "out").touch()
        with pytest.raises(OutputError, match="not a folder"):
            written(tmp_path / "out")


class TestWrite:
    def test_writes_row_snapshot_and_flushed_log_line(self, out):
        with opened(out) as output:
            output.write(done(1))
            output.write(lost(2))
            assert lines(out) == [log_entry(each.record) for each in (done(1), lost(2))]
        assert ids(out) == ["p1", "p2"]
        assert len(list((out / "snapshots").iterdir())) == 1

    def test_writes_texts_as_wet(self, out):
        written(out, done(1), lost(2), done(3), run=replace(RUN, wet=True))
        (path,) = (out / "wet").iterdir()
        types = re.findall(r"^WARC-Type: (\w+)", gzip.decompress(path.read_bytes()).decode(), re.MULTILINE)
        assert types == ["warcinfo", "conversion", "conversion"]

    def test_logs_the_first_three_failures(self, out, caplog):
        written(out, done(0), *map(lost, range(1, 6)))
        assert [record.message.partition(":")[0] for record in caplog.records] == ["p1", "p2", "p3"]

    def test_commits_when_interrupted(self, out):
        with suppress(KeyboardInterrupt), opened(out) as output:
            output.write(done(1))
            raise KeyboardInterrupt
        assert (ids(out), summary(out)["state"]) == (["p1"], "interrupted")
        assert summary(written(out, resume=True))["state"] == "complete"


class TestResume:
    def test_requires_resume_option(self, out):
        written(out, done(1))
        with pytest.raises(UsageError, match="contains a run already: add --resume, or name another folder"):
            written(out, done(2))
        assert ids(out) == ["p1"]

    def test_skips_failures_unless_retried(self, out):
        written(out, done(1), lost(2))
        for retry_failed, due in ((False, False), (True, True)):
            with opened(out, resume=True, retry_failed=retry_failed) as output:
                assert output.is_done(key(1), "p1")
                assert output.is_done(key(2), "p2") is not due
        assert ids(out) == ["p1"]
        assert [line["id"] for line in lines(out)] == ["p1"]

    def test_a_row_counts_for_one_page(self, out):
        written(out, done(1), done(1))
        with opened(out, resume=True) as output:
            assert [output.is_done(key(1), "p1") for _ in range(4)] == [True, True, False, False]

    @pytest.mark.parametrize(
        ("cleaning", "message"),
        [
            (replace(CLEANING, render=True), r"\(render was False and is True\)"),
            (replace(CLEANING, rendering=RenderSettings(deadline=9)), r"\(deadline was 30.0 and is 9\)"),
            (
                CleanerSettings(render=False, method="text", policy=Policy(recall_weight=2)),
                r"\(method was 'vclean' and is 'text'; recall_weight was 1.0 and is 2\)",
            ),
            (CLEANING, r"\(gone was 7 and is None\)"),
        ],
    )
    def test_rejects_other_settings_by_name(self, out, cleaning, message):
        written(out, done(1))
        if cleaning == CLEANING:  # as after an update of vclean
            facts = json.loads((out / "run.json").read_bytes())
            facts["settings"]["gone"] = 7
            (out / "run.json").write_text(json.dumps(facts), encoding="utf-8")
        with pytest.raises(UsageError, match=message):
            written(out, cleaning=cleaning, resume=True)

    def test_accepts_other_run_settings(self, out):
        written(out, done(1))
        assert ids(written(out, done(2), resume=True, run=replace(RUN, part_rows=1, snapshots=False))) == ["p1", "p2"]

    @pytest.mark.parametrize("content", ["", "{}", "[]", '{"schema": 1, "digest": "", "settings": 1}', "\0"])
    def test_rejects_damaged_run_json(self, out, content):
        written(out, done(1))
        (out / "run.json").write_text(content, encoding="utf-8")
        with pytest.raises(UsageError, match=r"cannot be resumed|other settings"):
            written(out, resume=True)

    def test_rejects_damaged_part(self, out):
        written(out, done(1))
        part_paths(out)[0].write_bytes(b"PAR1")
        with pytest.raises(InputError, match=r"is damaged .*: delete it, and --resume cleans its pages again"):
            written(out, resume=True)

    def test_rewrites_log_from_parts(self, out):
        """Remove pages from the log that were in no part when a run was killed."""
        written(out, done(1), lost(2))
        with (out / "pages.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(log_entry(done(3).record)) + '\n{"id": "hal')
        written(out, resume=True)
        assert lines(out) == [log_entry(done(1).record), log_entry(lost(2).record)]

    def test_after_kill(self, out):
        """Check that committed parts are complete, nothing else is left, and the lock is released."""
        code = (
            "import os, signal; from pathlib import Path; from helpers.outcomes import *\n"
            "from vclean.farm.output import open_output\n"
            "from vclean.farm.stats import Stats\n"
            f"opened = open_output(Path({str(out)!r}), CLEANING, RUN, resume=False, covers=bool, stats=Stats())\n"
            "output = opened.__enter__()\n"
            "for number in range(6): output.write(done(number))\n"
            "os.kill(os.getpid(), signal.SIGKILL)"
        )
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}, check=False)
        assert len(lines(out)) == 6
        with opened(out, resume=True) as output:
            left = [n for n in range(6) if not output.is_done(key(n), f"p{n}")]
            assert left == [4, 5]
            for number in left:
                output.write(done(number))
        assert ids(out) == [f"p{number}" for number in range(6)]
        assert sorted(line["id"] for line in lines(out)) == ids(out)
        assert not list(out.rglob(".vclean-*"))


class TestLock:
    def test_rejects_second_run(self, out):
        with opened(out), pytest.raises(UsageError, match="another run is writing to"):
            written(out, resume=True)
        written(out, done(1), resume=True)
        assert ids(out) == ["p1"]


class TestSummary:
    def test_counts_all_parts_and_last_run(self, out):
        written(out, done(1), lost(2))
        stats = Stats(skipped=2)
        stats.count(done(3))
        facts = summary(written(out, done(3), resume=True, stats=stats))
        assert (facts["pages"], facts["ok"], facts["failed"]) == (3, 2, {"DeadlineError": 1})
        assert (facts["run"]["ok"], facts["run"]["skipped"], facts["state"]) == (1, 2, "complete")
        assert facts["digest"] == settings_digest(CLEANING)

    def test_written_when_output_fails(self, out, monkeypatch):
        monkeypatch.setattr("vclean.farm.parts.replace_durably", _refuse)
        with pytest.raises(OutputError, match="no room"):
            written(out, done(1))
        assert (summary(out)["pages"], summary(out)["state"]) == (0, "interrupted")


def _refuse(*_):
    raise OutputError("no room")


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

    def test_percentiles_of_seconds(self, tmp_path):
        """Sort the seconds of all parts: p50 of 1 to 10 is 5."""
        with PartWriter(tmp_path, rows=3) as writer:
            for second in (3, 1, 2, 10, 4, 6, 5, 9, 8, 7):
                writer.write(failed_outcome(task(second), DeadlineError("late"), {"read": float(second)}).record)
        facts = summarize_parts(part_paths(tmp_path))["seconds"]
        assert facts["read"] == {"mean": 5.5, "p50": 5.0, "p90": 9.0, "p99": 10.0, "max": 10.0}
        assert facts["render"] is None

    def test_counts_pages_that_rendering_changed(self, tmp_path):
        record = done(1).record
        place = record.schema.get_field_index("render_change")
        with PartWriter(tmp_path) as writer:
            for share in (None, 0.04, 0.06, 0.5):
                writer.write(record.set_column(place, record.schema.field(place), pa.array([share], pa.float32())))
        assert summarize_parts(part_paths(tmp_path))["changed_by_rendering"] == 2
