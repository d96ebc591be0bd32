import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vclean.render.isolation import orphan_reaper

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")


MARK = "61.25"


def sleeper() -> subprocess.Popen[bytes]:
    """A process with a child, in a group of its own."""
    process = subprocess.Popen(["sh", "-c", f"sleep {MARK} & sleep {MARK}"], start_new_session=True)
    time.sleep(0.1)  # the kernel sets the command line a moment after the start
    return process


def ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        return process.wait(5) != 0
    except subprocess.TimeoutExpired:
        return False


class TestKillTree:
    def test_whole_group(self) -> None:
        process = sleeper()
        orphan_reaper.kill_tree(process.pid, MARK)
        assert ended(process)

    def test_gone_already(self) -> None:
        process = subprocess.Popen(["true"], start_new_session=True)
        process.wait()
        assert orphan_reaper.kill_tree(process.pid, MARK) is None

    @pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
    def test_another_process_of_that_number(self) -> None:
        process = sleeper()
        orphan_reaper.kill_tree(process.pid, "another")
        time.sleep(0.2)
        assert process.poll() is None
        orphan_reaper.kill_tree(process.pid, MARK)
        assert ended(process)

    def test_own_group_is_spared(self) -> None:
        """A process that shares our group is ended alone."""
        process = subprocess.Popen(["sleep", MARK])
        time.sleep(0.1)
        orphan_reaper.kill_tree(process.pid, MARK)
        assert ended(process)


class TestRemove:
    def test_tree(self, tmp_path: Path) -> None:
        folder = tmp_path / "profile"
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "file").write_text("x")
        orphan_reaper.remove(str(folder))
        assert not folder.exists()

    def test_missing(self, tmp_path: Path) -> None:
        started = time.monotonic()
        orphan_reaper.remove(str(tmp_path / "none"))
        assert time.monotonic() - started < 0.5


class TestMain:
    def start(self, browser: int, folder: Path, parent: int) -> subprocess.Popen[bytes]:
        script = [sys.executable, "-I", "-S", orphan_reaper.__file__]
        return subprocess.Popen([*script, str(parent), str(browser), MARK, str(folder)], stdin=subprocess.PIPE)

    def test_end_of_the_pipe(self, tmp_path: Path) -> None:
        browser = sleeper()
        dog = self.start(browser.pid, tmp_path / "profile", os.getpid())
        (tmp_path / "profile").mkdir()
        time.sleep(0.3)
        assert browser.poll() is None
        dog.communicate(timeout=5)
        assert ended(browser)
        assert not (tmp_path / "profile").exists()

    def test_death_of_the_parent(self, tmp_path: Path) -> None:
        """The pipe may still be open in a child that the parent has forked."""
        browser = sleeper()
        dog = self.start(browser.pid, tmp_path, parent=1)
        assert dog.wait(5) == 0
        dog.stdin.close()
        assert ended(browser)
