import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vclean.render.isolation import orphan_reaper

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses process groups")


MARK = "61.25"


def start_sleeper(mark: str = MARK) -> subprocess.Popen[bytes]:
    """Start a process, with `mark` in its command line and a child, in a new process group."""
    process = subprocess.Popen(["sh", "-c", "sleep 61 & sleep 61", mark], start_new_session=True)
    time.sleep(0.1)  # the kernel sets the command line a moment after the start
    return process


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        return process.wait(5) != 0
    except subprocess.TimeoutExpired:
        return False


class TestKillTree:
    def test_kills_process_group(self) -> None:
        process = start_sleeper()
        orphan_reaper.kill_tree(process.pid, MARK)
        assert has_ended(process)

    def test_ignores_ended_process(self) -> None:
        process = subprocess.Popen(["true"], start_new_session=True)
        process.wait()
        assert orphan_reaper.kill_tree(process.pid, MARK) is None

    @pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
    def test_spares_another_process_with_the_same_id(self) -> None:
        process = start_sleeper()
        orphan_reaper.kill_tree(process.pid, "another")
        time.sleep(0.2)
        assert process.poll() is None
        orphan_reaper.kill_tree(process.pid, MARK)
        assert has_ended(process)

    def test_spares_group_of_the_caller(self) -> None:
        # Of a process in the group of the caller, only the process is killed.
        process = subprocess.Popen(["sleep", MARK])
        time.sleep(0.1)
        orphan_reaper.kill_tree(process.pid, MARK)
        assert has_ended(process)


class TestRemove:
    def test_removes_tree_and_ignores_missing_folder(self, tmp_path: Path) -> None:
        folder = tmp_path / "profile"
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "file").write_text("x")
        for _ in range(2):
            started = time.monotonic()
            orphan_reaper.remove(str(folder))
            assert not folder.exists()
        assert time.monotonic() - started < 0.5


class TestMain:
    def start_reaper(self, browser: int, folder: Path, parent: int) -> subprocess.Popen[bytes]:
        script = [sys.executable, "-I", "-S", orphan_reaper.__file__]
        return subprocess.Popen([*script, str(parent), str(browser), str(folder)], stdin=subprocess.PIPE)

    def test_acts_when_the_pipe_closes(self, tmp_path: Path) -> None:
        folder = tmp_path / "profile"
        folder.mkdir()
        browser = start_sleeper(f"{folder}/profile")
        reaper = self.start_reaper(browser.pid, folder, os.getpid())
        time.sleep(0.3)
        assert browser.poll() is None
        reaper.communicate(timeout=5)
        assert has_ended(browser)
        assert not folder.exists()

    def test_acts_when_the_parent_ends(self, tmp_path: Path) -> None:
        # The pipe may still be open in a forked child of the parent.
        browser = start_sleeper(str(tmp_path))
        reaper = self.start_reaper(browser.pid, tmp_path, parent=1)
        assert reaper.wait(5) == 0
        reaper.stdin.close()
        assert has_ended(browser)
