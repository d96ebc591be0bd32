from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from vclean.render.isolation import temp_dirs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="users and groups")

DIES = """
from vclean.render.isolation import temp_dirs
import os, signal, sys, pathlib
folder = temp_dirs.create()
other = pathlib.Path(folder).with_name("profile-" + pathlib.Path(folder).name)
other.mkdir(mode=0o700)
(other / "file").touch()
temp_dirs.record_owner(folder, str(other))
print(folder, other, flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    temp_dirs._remove_orphans_once.cache_clear()
    return tmp_path


def left_by_the_dead() -> tuple[Path, Path]:
    """The folders of a process that was killed."""
    run = subprocess.run([sys.executable, "-c", DIES, "killed"], capture_output=True, text=True, check=False)
    folder, other = map(Path, run.stdout.split())
    assert folder.is_dir()
    return folder, other


def rewritten(folder: Path, **facts: object) -> None:
    """Changes what the note of a folder says of its process."""
    path = folder / ".owner.json"
    noted = json.loads(path.read_text())
    noted["process"] |= facts
    path.write_text(json.dumps(noted))


class TestMake:
    def test_it_is_this_user_s_alone(self, place: Path) -> None:
        folder = Path(temp_dirs.create())
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700

    def test_what_the_dead_left_is_removed_first(self) -> None:
        folder, other = left_by_the_dead()
        temp_dirs.create()
        assert not folder.exists()
        assert not other.exists()


class TestFolder:
    def test_it_is_gone_after_the_block(self) -> None:
        with temp_dirs.temporary_folder() as folder:
            (folder / "file").touch()
        assert not folder.exists()


class TestSweep:
    def test_folders_of_the_living_stay(self, place: Path) -> None:
        own = Path(temp_dirs.create())
        with subprocess.Popen(
            [sys.executable, "-c", DIES, "waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            others = list(map(Path, process.stdout.readline().split()))
            temp_dirs.remove_orphans(str(place))
            assert all(folder.is_dir() for folder in [own, *others])
            process.communicate()
        temp_dirs.remove_orphans(str(place))
        assert [folder.is_dir() for folder in [own, *others]] == [True, False, False]

    def test_a_number_that_is_another_s_by_now(self, place: Path) -> None:
        folder, _ = left_by_the_dead()
        rewritten(folder, pid=os.getpid())
        temp_dirs.remove_orphans(str(place))
        assert not folder.exists()

    def test_another_machine_or_container(self, place: Path) -> None:
        """Its processes cannot be seen from here."""
        folder, _ = left_by_the_dead()
        rewritten(folder, where=["elsewhere"])
        temp_dirs.remove_orphans(str(place))
        assert folder.exists()

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", "{}", '{"process": null, "others": []}', '{"process": {"pid": 1}}']
    )
    def test_a_note_that_says_nothing(self, place: Path, text: str) -> None:
        """It may be in the writing."""
        folder, _ = left_by_the_dead()
        (folder / ".owner.json").write_text(text)
        temp_dirs.remove_orphans(str(place))
        assert folder.exists()

    def test_without_a_note(self, place: Path) -> None:
        (place / "vclean-of-somebody").mkdir(mode=0o700)
        temp_dirs.remove_orphans(str(place))
        assert (place / "vclean-of-somebody").exists()

    def test_a_link_is_not_followed(self, place: Path) -> None:
        folder, _ = left_by_the_dead()
        kept = place / "kept"
        folder.rename(kept)
        folder.symlink_to(kept)
        temp_dirs.remove_orphans(str(place))
        assert (kept / ".owner.json").exists()

    def test_a_link_inside_is_not_followed(self, place: Path) -> None:
        folder, _ = left_by_the_dead()
        (place / "kept").mkdir()
        (place / "kept" / "file").touch()
        (folder / "link").symlink_to(place / "kept")
        temp_dirs.remove_orphans(str(place))
        assert not folder.exists()
        assert (place / "kept" / "file").exists()

    def test_what_others_may_enter_is_not_trusted(self, place: Path) -> None:
        folder, _ = left_by_the_dead()
        folder.chmod(0o755)
        temp_dirs.remove_orphans(str(place))
        assert folder.exists()

    def test_other_users_folders(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder, _ = left_by_the_dead()
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        temp_dirs.remove_orphans(str(place))
        assert folder.exists()

    def test_no_such_place(self, place: Path) -> None:
        temp_dirs.remove_orphans(str(place / "none"))
