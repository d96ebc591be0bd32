"""Read data files; write output files atomically: to a temporary file that is renamed when it is complete.

What writes raises an `OutputError` if it cannot; the message has the reason and what to do.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Self

from vclean.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

_REMEDIES = {
    errno.ENOENT: "its folder does not exist; create the folder first",
    errno.EEXIST: "it is a file, not a folder; choose another path",
    errno.ENOTDIR: "a part of its path is a file, not a folder; choose another path",
    errno.EISDIR: "it is a folder; name a file in it",
    errno.EACCES: "permission denied; choose a folder you may write to",
    errno.EPERM: "permission denied; choose a folder you may write to",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.ENOSPC: "the disk is full; free some space or choose another disk",
    errno.EDQUOT: "the disk quota is used up; free some space or choose another disk",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}

ZIP_ERRORS: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, LookupError, TypeError, ValueError,
)  # fmt: skip
"""Exceptions for damaged zip and gzip files, and what is in them; RuntimeError where a wrong bit means encryption or an
unknown compression method."""


def read_table(module: str, name: str) -> Iterator[list[str]]:
    """Read the rows of a data file: UTF-8, tab-separated, with a comment in the first line.

    Args:
        module: the path of the module that uses the file; the file is in the folder `data` beside the module.
        name: the file name.

    Yields:
        The fields of each row.
    """
    with Path(module).parent.joinpath("data", name).open(encoding="utf-8", newline="\n") as file:
        next(file)
        for line in file:
            yield line.rstrip("\n").split("\t")


def write_atomic(path: str | Path, data: bytes | str) -> None:
    """Replace the file `path` by `data`; on an error the old file is unchanged. See `AtomicFile`.

    Raises:
        OutputError: the file could not be written; the message has the reason and what to do.
    """
    with AtomicFile(path) as file:
        file.write(data)


class AtomicFile:
    """Output file that replaces `path` at the end of its `with` block, unless the block raises an error.

    Text is encoded as UTF-8, with unchanged line ends; characters that UTF-8 cannot encode (lone surrogates) become
    `?`. Symbolic links are followed. Devices and pipes cannot be replaced; they are written to directly.

    Every method raises:
        OutputError: the file could not be written; the message has the reason and what to do.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        with output_errors(path):
            self._target = Path(path).resolve()

    def __enter__(self) -> Self:
        """Open the temporary file."""
        with output_errors(self._path):
            special = _is_special(self._target)
            self._temporary = None if special else temporary_path(self._target)
            self._file = (self._temporary or self._target).open("wb")
        return self

    def write(self, data: bytes | str) -> None:
        """Append `data`."""
        with output_errors(self._path):
            self._file.write(data.encode("utf-8", errors="replace") if isinstance(data, str) else data)

    def __exit__(self, kind: object = None, *_: object) -> None:
        """Rename the temporary file to its target; delete it if the block raised an error."""
        with output_errors(self._path):
            try:
                self._file.close()
                if self._temporary and kind is None:
                    self._temporary.replace(self._target)
            finally:
                if self._temporary:
                    self._temporary.unlink(missing_ok=True)


def check_writable(path: str | Path) -> None:
    """Check before a long computation that `write_atomic` can write to `path`; no file is changed.

    Raises:
        OutputError: the file cannot be written now; the message has the reason and what to do.
    """
    with output_errors(path):
        target = Path(path).resolve()
        if not _is_special(target):
            temporary = temporary_path(target)
            temporary.touch(exist_ok=False)
            temporary.unlink()
        elif not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "permission denied")


def write_stream(stream: IO[str], text: str) -> None:
    """Write `text` to a stream and flush it.

    Raises:
        OutputError: the stream cannot be written; the message has the reason and what to do.
        BrokenPipeError: the reader closed the pipe.
    """
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write the output: {_reason(error)}") from error


def _is_special(target: Path) -> bool:
    """Return whether `target` is a device or a pipe, which cannot be replaced; a folder is an `OSError`."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    return target.exists() and not target.is_file()


def temporary_path(target: Path) -> Path:
    """Return an unused path in the folder of `target`, for a temporary file that will replace `target`."""
    return target.with_name(f".vclean-{os.urandom(8).hex()}.tmp")


def stale_temporary_files(folder: Path) -> Iterator[Path]:
    """Return the temporary files in a folder; a killed process left them, if no process writes there now."""
    return folder.glob(".vclean-*.tmp")


def replace_durably(temporary: Path, target: Path) -> None:
    """Rename a temporary file to `target` and sync both file and folder, so the file survives a power failure.

    Raises:
        OutputError: it cannot be renamed; the message has the reason and what to do.
    """
    with output_errors(target):
        _sync(temporary)
        temporary.replace(target)
        if os.name == "posix":
            _sync(target.parent)


@contextmanager
def folder_lock(folder: Path, name: str) -> Iterator[None]:
    """Lock a folder against other processes during the block, by a lock on its file `name`.

    There is no lock on systems without `fcntl` (Windows).

    Raises:
        UsageError: another process has the lock.
    """
    if fcntl is None:
        yield
        return
    with output_errors(folder / name), (folder / name).open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"another run is writing to {folder}: wait for its end, or name another folder") from error
        yield


def home_folder() -> Path:
    """Return the home folder of the user; a path that cannot exist for users without one, as in some containers."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull, "home")


def cache_folder() -> Path:
    """Return the user's cache folder, for files that can be created again."""
    if sys.platform == "darwin":
        return home_folder() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home_folder() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or home_folder() / ".cache")


def _sync(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def output_errors(path: str | Path) -> Iterator[None]:
    """Convert errors of the operating system inside the block to an `OutputError` about `path`.

    Raises:
        OutputError: the block raised such an error; the message has the reason and what to do.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = _reason(error)
        if isinstance(error, FileNotFoundError) and Path(path).absolute().parent.is_dir():  # such as /proc
            reason = "no file can be created in its folder; choose another one"
        raise OutputError(f"cannot write {path}: {reason}") from error


def _reason(error: OSError | RuntimeError) -> str:
    """Return the reason in one line; Python before 3.13 reports a loop of symbolic links as a RuntimeError."""
    if isinstance(error, RuntimeError):
        return "its path is a loop of symbolic links; choose another path"
    return _REMEDIES.get(error.errno or 0, error.strerror or str(error))


def make_folder(folder: Path) -> Path:
    """Create a folder and its parents if they do not exist; return it.

    Raises:
        OutputError: it cannot be created.
    """
    with output_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder
