from __future__ import annotations

import errno
import io
import os
import stat
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from vclean.errors import OutputError, UsageError
from vclean.files import AtomicFile, check_writable, folder_lock, home_folder, write_atomic, write_stream


class TestWriteAtomic:
    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (b"\x00\xff", b"\x00\xff"),
            ("žluť\nключ\n", "žluť\nключ\n".encode()),  # UTF-8 with unchanged line ends
            ("a\ud800b", b"a?b"),
        ],
    )
    def test_replaces_file_and_leaves_no_temporary_one(self, tmp_path, data, expected):
        target = tmp_path / "out.txt"
        target.write_text("old")
        write_atomic(str(target), data)
        assert target.read_bytes() == expected
        assert list(tmp_path.iterdir()) == [target]

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
        check_writable("/dev/null")
        write_atomic("/dev/null", "x")
        assert Path("/dev/null").is_char_device()

    def test_disk_full_keeps_the_old_file(self, tmp_path, monkeypatch):
        monkeypatch.setattr(Path, "replace", Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
        target = tmp_path / "out.txt"
        target.write_text("old")
        with pytest.raises(OutputError, match="disk is full; free some space"):
            write_atomic(target, "new")
        assert target.read_text() == "old"
        assert list(tmp_path.iterdir()) == [target]


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


class TestUnwritablePaths:
    @pytest.mark.parametrize("write", [check_writable, lambda path: write_atomic(path, "x")])
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("none/out.txt", "folder does not exist; create the folder"),
            ("", "it is a folder; name a file"),
            ("file/out.txt", "not a folder"),
            ("link", "symbolic links"),
            pytest.param(  # the operating system reports a missing file for `/proc`, not a missing permission
                "/proc/x", "no file can be created in its folder; choose another",
                marks=pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no such folder"),
            ),
        ],
    )  # fmt: skip
    def test_error_is_one_line_and_names_the_path(self, tmp_path, write, name, message):
        (tmp_path / "file").touch()
        (tmp_path / "link").symlink_to(tmp_path / "link")
        with pytest.raises(OutputError, match=message) as caught:
            write(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
    def test_a_folder_without_permission(self, tmp_path):
        tmp_path.chmod(0o500)
        with pytest.raises(OutputError, match="permission denied"):
            check_writable(tmp_path / "out.txt")


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
        with folder_lock(tmp_path, ".lock"), folder_lock(tmp_path, ".other"):
            assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", ".other"]


class TestHomeFolder:
    def test_home_of_user(self, monkeypatch) -> None:
        monkeypatch.setenv("HOME", "/home/anna")
        assert home_folder() == Path("/home/anna")

    def test_a_user_without_one(self, monkeypatch) -> None:
        # The path does not exist and cannot be created.
        monkeypatch.setattr(Path, "home", Mock(side_effect=RuntimeError("Could not determine home directory.")))
        assert list((home_folder() / "cache").glob("*")) == []
        with pytest.raises(OSError, match="cache"):
            (home_folder() / "cache").mkdir(parents=True)
