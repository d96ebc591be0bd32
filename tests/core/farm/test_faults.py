"""Tests of faults during a run: no page is lost or duplicated, and the run continues."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from helpers.archives import record, response
from helpers.farming import content, html, kill, wait_until

from vclean.cli.main import main
from vclean.farm import workers
from vclean.render.browser.chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from helpers.farming import Farm, Run

pytestmark = [pytest.mark.slow, pytest.mark.browser]

SLOW = html("slow") + "<script>const end = Date.now() + 3000; while (Date.now() < end);</script>"
"""Page that keeps its renderer busy for three seconds if scripts run."""

ALLOCATING = "<script>const kept = []; for (;;) kept.push(new Uint8Array(1 << 26).fill(1));</script>"

LOOPING = "<script>for (;;);</script>"
HAS_BOMB = "<style>:has(:has(*)) :has(* *) { color: red }</style>" + "<div>" * 300 + "<p>x</p>" * 3000
NESTED = "<div>" * 100_000 + "deep"
MANY_NODES = "<i></i>" * 151_000
BUSY = """<script>
for (let i = 0; i < 50; i++) { window.open("https://a.example/" + i); history.pushState(0, "", "?" + i); }
alert(1); confirm(2); prompt(3); print();
const link = document.createElement("a"); link.href = "data:application/zip,x"; link.download = "x.zip"; link.click();
addEventListener("beforeunload", (event) => event.preventDefault());
</script>"""
REFRESHING = '<meta http-equiv=refresh content="0;url=https://a.example/again">'
REDIRECTING = "<script>setTimeout(() => location = location.href + 'x', 1)</script>"


def names(count: int, *others: str) -> list[str]:
    return sorted([*(f"p{number:03}" for number in range(count)), *others])


def wait_for_work(run: Run, done: int) -> None:
    """Wait until the page after the first `done` ones has been in its browser for a while."""
    run.wait_for_pages(done)
    time.sleep(1)


class TestLostProcesses:
    def test_retries_page_in_progress(self, farm: Farm) -> None:
        """Kill the browser, its renderer, and the worker, each during another page."""
        victims = [("headless", "--headless"), ("--type=renderer",), ("farm.worker",)]
        slow = {f"slow{number}": SLOW for number in range(len(victims))}
        run = farm.start(farm.crawl(1, **slow, z="<p>The last page of all."), "--js")
        for number, victim in enumerate(victims):
            wait_for_work(run, number + 1)
            killed = run.descendants(*victim)
            assert killed
            kill(killed)
        assert run.end() == (0, "")
        assert farm.ids() == ["p000", *slow, "z"]
        assert [row["attempts"] for row in farm.rows()] == [1, 2, 2, 2, 1]
        assert {row["status"] for row in farm.rows()} == {"ok"}
        assert farm.summary()["run"]["restarts"] == {"browser": 2, "crash": 1}
        assert farm.summary()["run"]["retried"] == 3

    def test_browser_that_always_crashes_ends_run_without_failure_rows(
        self, farm: Farm, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        # The browser starts once, for the check before the run.
        broken = farm.folder / "chromium-headless-shell"
        broken.write_text(f'#!/bin/sh\nmkdir "$0.started" && exec "{find_chromium().path}" "$@"\nexit 1\n')
        broken.chmod(0o755)
        monkeypatch.setattr(workers, "_MAX_CRASHES", 4)
        monkeypatch.setenv("VCLEAN_CHROMIUM", str(broken))
        arguments = [str(farm.crawl(6)), "--retries", "0", "--workers", "1", "-o", str(farm.folder / "out")]
        assert main(["farm", *arguments]) == 8
        assert "4 pages in a row were lost" in capsys.readouterr().err
        assert farm.ids() == []
        monkeypatch.undo()
        assert farm.run(farm.crawl(6), "--retries", 0, "--resume") == (0, "")
        assert farm.ids() == names(6)


class TestEndlessPages:
    def test_each_fails_and_others_are_cleaned(self, farm: Farm) -> None:
        pages = farm.crawl(1, has=HAS_BOMB, many=MANY_NODES, nested=NESTED, z="<p>The last page of all.")
        large = farm.folder / "large.html"
        large.write_bytes(b"<p>" + b"x" * 50 * 2**20)
        code, _ = farm.run(pages, large, "--timeout", 8)  # time to count nodes on a busy machine
        assert code == 1
        errors = {row["id"]: row["error"] for row in farm.rows()}
        assert (errors["many"], errors[str(large)]) == ("LimitError", "LimitError")
        assert errors["nested"] in ("DeadlineError", None)
        assert errors["has"] in ("DeadlineError", None)
        assert (errors["p000"], errors["z"]) == (None, None)
        assert len(errors) == 6

    def test_endless_script(self, farm: Farm) -> None:
        others = {"busy": BUSY, "loop": LOOPING, "redirects": REDIRECTING, "refresh": REFRESHING}
        pages = farm.crawl(1, **{name: html(name) + page for name, page in others.items()}, z="<p>The last of all.")
        code, _ = farm.run(pages, "--js", "--timeout", 6)
        assert code in (0, 1)
        errors = {row["id"]: row["error"] for row in farm.rows()}
        assert errors["loop"] == "DeadlineError"
        assert (errors["p000"], errors["busy"], errors["refresh"], errors["z"]) == (None, None, None, None)
        assert "End of busy" in {row["id"]: row for row in farm.rows()}["busy"]["blocks"][-1]["text"]


class TestMemory:
    def test_page_over_memory_limit_fails(self, farm: Farm) -> None:
        """Limit an attempt that would take four gigabytes until its renderer dies."""
        pages = farm.crawl(1, eats=ALLOCATING, z="<p>The last page of all.")
        code, _ = farm.run(pages, "--js", "--max-memory", "1200M", "--timeout", 60)
        assert code == 1
        rows = {row["id"]: row for row in farm.rows()}
        assert rows["eats"]["error"] == "LimitError"
        assert "1,200 MB of memory" in rows["eats"]["message"]
        assert rows["eats"]["attempts"] == 1
        assert rows["z"]["status"] == "ok"
        assert farm.summary()["run"]["restarts"] == {"memory": 1}


def test_damaged_archives_lose_no_other_page(farm: Farm) -> None:
    """Read an archive that is cut off, one with a damaged record, and two with a record of a wrong length."""
    http = response(html("thing").encode())
    intact = {"cut": (0, 1, 2), "bad": (0, 1, 3), "short": (0, 2, 3), "long": (0, 2, 3)}
    records = {name: [record(f"http://{name}.example/{number}", http) for number in range(4)] for name in intact}
    length = b"Content-Length: %d\r\n"
    for name, shift in (("short", -400), ("long", 400)):
        records[name][1] = records[name][1].replace(length % len(http), length % (len(http) + shift))
    members = {name: list(map(gzip.compress, each)) for name, each in records.items()}
    members["cut"][3] = members["cut"][3][:-150]
    members["bad"][2] = members["bad"][2][:20] + bytes(40) + members["bad"][2][60:]
    paths = {name: farm.folder / f"{name}.warc.gz" for name in intact}
    for name, path in paths.items():
        path.write_bytes(b"".join(members[name]))
    code, _ = farm.run(*paths.values(), farm.crawl(1), "--no-render")
    statuses = {row["id"]: row["error"] or row["status"] for row in farm.rows()}
    assert code == 1
    assert statuses[str(paths["cut"])] == "InputError"
    assert statuses["p000"] == "ok"
    for name, numbers in intact.items():
        assert all(statuses[f"http://{name}.example/{number}"] == "ok" for number in numbers), name


class TestSignals:
    def test_finishes_pages_in_progress_and_can_be_resumed(self, farm: Farm) -> None:
        pages = farm.crawl(120)
        before = 0
        for number, resume in ((signal.SIGINT, ()), (signal.SIGTERM, ("--resume",))):
            run = farm.start(pages, "--no-render", *resume)
            wait_until(lambda run=run, enough=before + 5: len(run.lines()) >= enough or run.process.poll() is not None)
            run.process.send_signal(number)
            code, output = run.end()
            assert code == 128 + number
            assert "--resume continues" in output
            assert output.count("\n") == 1
            assert before + 5 <= len(farm.ids()) < 120
            assert farm.summary()["state"] == "interrupted"
            before = len(farm.ids())
        assert farm.run(pages, "--no-render", "--resume") == (0, "")
        assert farm.ids() == names(120)
        assert farm.summary()["run"]["skipped"] == before

    def test_second_signal_drops_page_in_progress(self, farm: Farm) -> None:
        run = farm.start(farm.crawl(1, slow=html("slow") + LOOPING), "--js", "--timeout", 60)
        wait_for_work(run, 1)
        start = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        run.process.send_signal(signal.SIGINT)
        code, _ = run.end()
        assert code == 130
        assert time.monotonic() - start < 10
        assert farm.ids() == ["p000"]

    def test_signal_at_start(self, farm: Farm) -> None:
        run = farm.start(farm.crawl(3))
        wait_until((run.out / "run.json").exists)
        run.process.send_signal(signal.SIGINT)
        code, output = run.end()
        assert code == 130
        assert "Traceback" not in output


class TestKilledDriver:
    def test_run_resumes_and_leaves_no_processes_or_files(self, farm: Farm) -> None:
        """Clean the pages of the unfinished part again, which is lost with the driver."""
        pages = farm.crawl(16)
        run = farm.start(pages, "--workers", 2, "--part-rows", 3)
        run.wait_for_pages(6)
        family = [each.pid for each in run.family]
        run.process.kill()
        run.end()
        assert len(family) > 5
        wait_until(lambda: not farm.left())
        done = farm.ids()
        assert len(done) == len(set(done))
        assert farm.run(pages, "--resume") == (0, "")
        assert farm.ids() == names(16)
        assert sorted(line["id"] for line in farm.runs[-1].lines()) == names(16)
        assert farm.run(pages, out="whole") == (0, "")
        assert content(farm.rows()) == content(farm.rows("whole"))


class TestFullDisk:
    @pytest.fixture
    def small(self, farm: Farm) -> Iterator[Path]:
        """Mount a disk of 1 MB at the output folder of the farm."""
        folder = farm.folder / "out"
        folder.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=False)
        if mounted.returncode:
            pytest.skip("only root can make a small disk here")
        yield folder
        subprocess.run(["umount", "--lazy", folder], check=True)

    def test_run_ends_and_resumes_when_disk_has_space(self, farm: Farm, small: Path) -> None:
        pages = farm.crawl(10, **{f"x{number:03}": f"<p>{os.urandom(60_000).hex()}" for number in range(20)})
        code, output = farm.run(pages, "--no-render", "--part-rows", 4)
        assert code == 12
        assert "disk is full" in output
        assert output.count("\n") == 1
        assert not [path for path in small.rglob("*") if path.name.startswith(".") and path.name != ".lock"]
        done = farm.ids()
        assert done
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        assert farm.run(pages, "--no-render", "--part-rows", 4, "--resume") == (0, "")
        assert len(farm.ids()) == 30
        assert set(done) <= set(farm.ids())
