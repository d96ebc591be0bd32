from __future__ import annotations

import errno
import io
import os
import stat
import sys
from pathlib import Path

import pytest

from vclean.errors import OutputError, UsageError
from vclean.files import AtomicFile, check_writable, folder_lock, home_folder, write_atomic, write_stream


@pytest.fixture
def full_disk(monkeypatch):
    def fail(self, target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", fail)


class TestWriteAtomic:
    @pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no such folder")
    def test_folder_without_new_files(self):
        # The operating system reports a missing file for `/proc`, not a missing permission.
        with pytest.raises(OutputError, match=r"write /proc/x: no file can be created in its folder; choose another"):
            write_atomic("/proc/x", b"")

    def test_bytes(self, tmp_path):
        write_atomic(tmp_path / "out.bin", b"\x00\xff")
        assert (tmp_path / "out.bin").read_bytes() == b"\x00\xff"

    def test_text_is_utf8_with_unchanged_line_ends(self, tmp_path):
        write_atomic(tmp_path / "out.txt", "žluť\nключ\n")
        assert (tmp_path / "out.txt").read_bytes() == "žluť\nключ\n".encode()

    def test_lone_surrogate_becomes_a_question_mark(self, tmp_path):
        write_atomic(tmp_path / "out.txt", "a\ud800b")
        assert (tmp_path / "out.txt").read_bytes() == b"a?b"

    def test_replaces_and_leaves_no_temporary_file(self, tmp_path):
        target = tmp_path / "out.txt"
        target.write_text("old")
        write_atomic(target, "new")
        assert target.read_text() == "new"
        assert list(tmp_path.iterdir()) == [target]

    def test_path_as_string(self, tmp_path):
        write_atomic(str(tmp_path / "out.txt"), "x")
        assert (tmp_path / "out.txt").read_text() == "x"

    def test_name_of_maximum_length(self, tmp_path):
        # The name of the temporary file is not longer than that of the target.
        target = tmp_path / ("n" * 250)
        write_atomic(target, "x")
        assert target.read_text() == "x"

    @pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
    def test_permissions_follow_the_umask(self, tmp_path):
        before = os.umask(0o027)
        try:
            write_atomic(tmp_path / "out.txt", "x")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640

    @pytest.mark.skipif(sys.platform == "win32", reason="POSIX symbolic links")
    def test_symbolic_link_is_followed(self, tmp_path):
        target, link = tmp_path / "real.txt", tmp_path / "link.txt"
        link.symlink_to(target)
        write_atomic(link, "x")
        assert link.is_symlink()
        assert target.read_text() == "x"

    @pytest.mark.skipif(not Path("/dev/null").exists(), reason="POSIX devices")
    def test_device_is_written_to_not_replaced(self):
        write_atomic("/dev/null", "x")
        assert Path("/dev/null").is_char_device()

    def test_disk_full_keeps_the_old_file(self, tmp_path, full_disk):
        target = tmp_path / "out.txt"
        target.write_text("old")
        with pytest.raises(OutputError, match="disk is full; free some space"):
            write_atomic(target, "new")
        assert target.read_text() == "old"
        assert list(tmp_path.iterdir()) == [target]

    def test_missing_folder(self, tmp_path):
        with pytest.raises(OutputError, match="folder does not exist; create"):
            write_atomic(tmp_path / "none" / "out.txt", "x")

    def test_folder_in_place_of_file(self, tmp_path):
        with pytest.raises(OutputError, match="it is a folder; name a file"):
            write_atomic(tmp_path, "x")

    def test_file_in_place_of_folder(self, tmp_path):
        (tmp_path / "file").write_text("x")
        with pytest.raises(OutputError, match="not a folder"):
            write_atomic(tmp_path / "file" / "out.txt", "x")

    def test_loop_of_links(self, tmp_path):
        (tmp_path / "a").symlink_to(tmp_path / "b")
        (tmp_path / "b").symlink_to(tmp_path / "a")
        with pytest.raises(OutputError, match="symbolic links"):
            write_atomic(tmp_path / "a" / "out.txt", "x")

    def test_message_is_one_line_and_names_the_path(self, tmp_path):
        path = tmp_path / "none" / "out.txt"
        with pytest.raises(OutputError) as caught:
            write_atomic(path, "x")
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


class TestAtomicFile:
    def test_no_file_before_the_end(self, tmp_path):
        with AtomicFile(tmp_path / "out.txt") as file:
            file.write("one ")
            file.write(b"two")
            assert not (tmp_path / "out.txt").exists()
        assert (tmp_path / "out.txt").read_text() == "one two"

    @pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, OSError])
    def test_error_in_block_changes_no_file(self, tmp_path, error):
        (tmp_path / "out.txt").write_text("old")

        def write_and_fail():
            with AtomicFile(tmp_path / "out.txt") as file:
                file.write("new")
                raise error

        with pytest.raises(error):
            write_and_fail()
        assert (tmp_path / "out.txt").read_text() == "old"
        assert len(list(tmp_path.iterdir())) == 1


class TestCheckWritable:
    @pytest.mark.parametrize(
        ("name", "message"),
        [("none/out.txt", "create the folder"), ("", "it is a folder"), ("file/out.txt", "not a folder")],
    )
    def test_rejects_unwritable_paths(self, tmp_path, name, message):
        (tmp_path / "file").touch()
        with pytest.raises(OutputError, match=message):
            check_writable(tmp_path / name)

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
    def test_a_folder_without_permission(self, tmp_path):
        tmp_path.chmod(0o500)
        with pytest.raises(OutputError, match="permission denied"):
            check_writable(tmp_path / "out.txt")

    @pytest.mark.skipif(not Path("/dev/null").exists(), reason="POSIX devices")
    def test_a_device(self):
        check_writable("/dev/null")
        assert Path("/dev/null").is_char_device()


class TestWriteStream:
    def test_flushes_text(self):
        stream = io.StringIO()
        write_stream(stream, "žluť")
        assert stream.getvalue() == "žluť"

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
    def test_a_full_disk(self):
        stream = Path("/dev/full").open("w")  # noqa: SIM115 - closing it fails, too
        with pytest.raises(OutputError, match="disk is full"):
            write_stream(stream, "x")
        with pytest.raises(OSError, match="No space"):
            stream.close()

    def test_closed_pipe(self):
        reading, writing = os.pipe()
        os.close(reading)
        stream = os.fdopen(writing, "w")
        with pytest.raises(BrokenPipeError):
            write_stream(stream, "x")
        with pytest.raises(BrokenPipeError):
            stream.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
class TestFolderLock:
    def test_only_one_holder(self, tmp_path):
        with (
            folder_lock(tmp_path, ".lock"),
            pytest.raises(UsageError, match="another run is writing"),
            folder_lock(tmp_path, ".lock"),
        ):
            pass
        with folder_lock(tmp_path, ".lock"):
            pass

    def test_other_names_are_independent(self, tmp_path):
        with folder_lock(tmp_path, ".lock-a"), folder_lock(tmp_path, ".lock-b"):
            assert sorted(path.name for path in tmp_path.iterdir()) == [".lock-a", ".lock-b"]


class TestHomeFolder:
    def test_home_of_user(self, monkeypatch) -> None:
        monkeypatch.setenv("HOME", "/home/anna")
        assert home_folder() == Path("/home/anna")

    def test_a_user_without_one(self, monkeypatch) -> None:
        # The path does not exist and cannot be created.

        def nowhere() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", nowhere)
        assert list((home_folder() / "cache").glob("*")) == []
        with pytest.raises(OSError, match="cache"):
            (home_folder() / "cache").mkdir(parents=True)
