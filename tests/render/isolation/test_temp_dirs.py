from __future__ import annotations

import json
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


def change_record(folder: Path, **changes: object) -> None:
    """Change the data of the process in the record of a folder."""
    path = folder / ".owner.json"
    record = json.loads(path.read_text())
    record["process"] |= changes
    path.write_text(json.dumps(record))


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


class TestTemporaryFolder:
    def test_is_deleted_after_the_block(self) -> None:
        with temp_dirs.temporary_folder() as folder:
            (folder / "file").touch()
        assert not folder.exists()


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

    def test_removes_folder_if_the_process_id_was_reused(self, temp_root: Path) -> None:
        folder = create_orphan()
        change_record(folder, pid=os.getpid())
        temp_dirs.remove_orphans(str(temp_root))
        assert not folder.exists()

    def test_keeps_folder_of_another_machine_or_container(self, temp_root: Path) -> None:
        # The processes of another machine are not visible.
        folder = create_orphan()
        change_record(folder, where=["elsewhere"])
        temp_dirs.remove_orphans(str(temp_root))
        assert folder.exists()

    @pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"process": null}', '{"process": {"pid": 1}}'])
    def test_keeps_folder_with_invalid_record(self, temp_root: Path, text: str) -> None:
        # The record may be incomplete because it is being written.
        folder = create_orphan()
        (folder / ".owner.json").write_text(text)
        temp_dirs.remove_orphans(str(temp_root))
        assert folder.exists()

    def test_keeps_folder_without_record(self, temp_root: Path) -> None:
        (temp_root / "vclean-without-record").mkdir(mode=0o700)
        temp_dirs.remove_orphans(str(temp_root))
        assert (temp_root / "vclean-without-record").exists()

    def test_does_not_follow_links(self, temp_root: Path) -> None:
        folder = create_orphan()
        target = temp_root / "kept"
        folder.rename(target)
        folder.symlink_to(target)
        temp_dirs.remove_orphans(str(temp_root))
        assert (target / ".owner.json").exists()

    def test_does_not_follow_links_inside(self, temp_root: Path) -> None:
        folder = create_orphan()
        (temp_root / "kept").mkdir()
        (temp_root / "kept" / "file").touch()
        (folder / "link").symlink_to(temp_root / "kept")
        temp_dirs.remove_orphans(str(temp_root))
        assert not folder.exists()
        assert (temp_root / "kept" / "file").exists()

    def test_ignores_folder_that_others_can_access(self, temp_root: Path) -> None:
        folder = create_orphan()
        folder.chmod(0o755)
        temp_dirs.remove_orphans(str(temp_root))
        assert folder.exists()

    def test_keeps_folders_of_other_users(self, temp_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = create_orphan()
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        temp_dirs.remove_orphans(str(temp_root))
        assert folder.exists()

    def test_ignores_missing_parent(self, temp_root: Path) -> None:
        temp_dirs.remove_orphans(str(temp_root / "none"))
        assert not (temp_root / "none").exists()
