from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from vclean.errors import OutputError
from vclean.render.isolation import temp_dirs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses POSIX users and permissions")

DIES = """
from vclean.render.isolation import temp_dirs
import os, signal, sys, pathlib
folder = temp_dirs.create()
pathlib.Path(folder, "profile").mkdir()
print(folder, flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temp_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set and return the folder of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    temp_dirs._remove_orphans_once.cache_clear()
    return tmp_path


def create_orphan() -> Path:
    """Create the folder of a process that is killed."""
    run = subprocess.run([sys.executable, "-c", DIES, "killed"], capture_output=True, text=True, check=False)
    folder = Path(run.stdout.strip())
    assert (folder / "profile").is_dir()
    return folder


class TestCreate:
    def test_is_accessible_only_to_this_user(self, temp_root: Path) -> None:
        folder = Path(temp_dirs.create())
        assert folder.parent == temp_root
        assert folder.stat().st_mode & 0o777 == 0o700

    def test_removes_orphans_first(self) -> None:
        folder = create_orphan()
        temp_dirs.create()
        assert not folder.exists()

    @pytest.mark.parametrize("name", ["none", "file"])
    def test_reports_unusable_parent(self, name: str, temp_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (temp_root / "file").touch()
        monkeypatch.setattr(tempfile, "tempdir", str(temp_root / name))
        with pytest.raises(OutputError, match=f"cannot write {temp_root / name}: "):
            temp_dirs.create()

    def test_reports_that_no_folder_can_be_written(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tempfile, "tempdir", None)
        monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc"])
        with pytest.raises(OutputError, match="set TMPDIR to one that you may write to"):
            temp_dirs.create()


class TestRemoveOrphans:
    def test_keeps_folders_of_running_processes(self, temp_root: Path) -> None:
        folder_of_this_process = Path(temp_dirs.create())
        with subprocess.Popen(
            [sys.executable, "-c", DIES, "waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            folders = [folder_of_this_process, Path(process.stdout.readline().strip())]
            temp_dirs.remove_orphans(str(temp_root))
            assert [folder.is_dir() for folder in folders] == [True, True]
            process.communicate()
        temp_dirs.remove_orphans(str(temp_root))
        assert [folder.is_dir() for folder in folders] == [True, False]

    def test_keeps_folder_without_lock_file(self, temp_root: Path) -> None:
        # It may be of a process that has not locked it yet.
        folder = temp_root / "vclean-of-somebody"
        folder.mkdir(mode=0o700)
        temp_dirs.remove_orphans(str(temp_root))
        assert folder.exists()

    def test_does_not_follow_links(self, temp_root: Path) -> None:
        # Neither to an orphaned folder, nor inside of one.
        target, linked = temp_root / "kept", create_orphan()
        linked.rename(target)
        linked.symlink_to(target)
        folder = create_orphan()
        (folder / "link").symlink_to(target)
        temp_dirs.remove_orphans(str(temp_root))
        assert not folder.exists()
        assert (target / "profile").exists()

    @pytest.mark.parametrize(("mode", "user"), [(0o755, None), (0o700, 12345)])
    def test_keeps_folders_that_others_own_or_can_access(
        self, mode: int, user: int | None, temp_root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = create_orphan()
        folder.chmod(mode)
        if user is not None:
            monkeypatch.setattr(os, "geteuid", lambda: user)
        temp_dirs.remove_orphans(str(temp_root))
        assert folder.exists()

    def test_ignores_missing_parent(self, temp_root: Path) -> None:
        temp_dirs.remove_orphans(str(temp_root / "none"))
        assert not (temp_root / "none").exists()
