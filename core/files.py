"""Read data files; write output files aside and rename them, so that no reader ever sees half a file."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from vclean.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

_REMEDIES = {
    errno.ENOENT: "its folder does not exist; create the folder first",
    errno.ENOTDIR: "a part of its path is a file, not a folder; choose another path",
    errno.EISDIR: "it is a folder; name a file in it",
    errno.EACCES: "permission denied; choose a folder you may write to",
    errno.EPERM: "permission denied; choose a folder you may write to",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.ENOSPC: "the disk is full; free some space or choose another disk",
    errno.EDQUOT: "the disk quota is used up; free some space or choose another disk",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}

_UNMAKEABLE = "no file can be made in its folder; choose another one"


def read_table(module: str, name: str) -> Iterator[list[str]]:
    """Read the rows of a data file: UTF-8, tab-separated, the first line is a comment on source and meaning.

    Args:
        module: the path of the module that uses the file, which is in the folder `data` beside it.
        name: of the file.
    """
    with Path(module).parent.joinpath("data", name).open(encoding="utf-8", newline="\n") as file:
        next(file)
        for line in file:
            yield line.rstrip("\n").split("\t")


def write_atomic(path: str | Path, data: bytes | str) -> None:
    """Write `data` to `path`, replacing what is there, or leave everything as it was: see `Replacement`.

    Raises:
        OutputError: the file could not be written; the text says why and what to do.
    """
    with Replacement(path) as file:
        file.write(data)


class Replacement:
    """A file that takes the place of `path` at the end of its `with` block, unless the block raises.

    Text is written as UTF-8, with line ends as they are; what UTF-8 cannot hold (lone surrogates) becomes `?`.
    A symbolic link is followed. Devices and pipes, which cannot be replaced, are written to directly.

    Every method raises:
        OutputError: the file could not be written; the text says why and what to do.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        with explained(path):
            self._target = Path(path).resolve()

    def __enter__(self) -> Self:
        """Open the file, aside."""
        with explained(self._path):
            special = _is_special(self._target)
            self._aside = None if special else beside(self._target)
            self._file = (self._aside or self._target).open("wb")
        return self

    def write(self, data: bytes | str) -> None:
        """Add `data`."""
        with explained(self._path):
            self._file.write(data.encode("utf-8", errors="replace") if isinstance(data, str) else data)

    def __exit__(self, kind: object = None, *_: object) -> None:
        """Put the file in its place, or away if the block raised."""
        with explained(self._path):
            try:
                self._file.close()
                if self._aside and kind is None:
                    self._aside.replace(self._target)
            finally:
                if self._aside:
                    self._aside.unlink(missing_ok=True)


def check_writable(path: str | Path) -> None:
    """Make sure, before the work, that `write_atomic` can write to `path`; nothing is changed.

    Raises:
        OutputError: it cannot, by what is known now; the text says why and what to do.
    """
    with explained(path):
        target = Path(path).resolve()
        if not _is_special(target):
            aside = beside(target)
            aside.touch(exist_ok=False)
            aside.unlink()
        elif not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "permission denied")


def write_stream(stream: IO[str], text: str) -> None:
    """Write `text` to a stream and flush it.

    Raises:
        OutputError: the stream takes no more; the text says why and what to do.
        BrokenPipeError: its reader is gone.
    """
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write the output: {_reason(error)}") from error


def _is_special(target: Path) -> bool:
    """Whether there is a device or a pipe, which cannot be replaced.

    Raises:
        OSError: the path is a folder, or cannot be looked at.
    """
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    return target.exists() and not target.is_file()


def beside(target: Path) -> Path:
    """A name that is free, in the folder of `target`, for a file that is to take its place."""
    return target.with_name(f".vclean-{os.urandom(8).hex()}.tmp")


def leftovers(folder: Path) -> Iterator[Path]:
    """The files in a folder that were written aside by a process that was killed, if no other one writes there."""
    return folder.glob(".vclean-*.tmp")


def put_in_place(aside: Path, target: Path) -> None:
    """Rename a file that was written aside; then it is there, whole, whenever the machine stops.

    Raises:
        OutputError: it cannot be renamed; the text says why and what to do.
    """
    with explained(target):
        _sync(aside)
        aside.replace(target)
        if os.name == "posix":
            _sync(target.parent)


@contextmanager
def locked(folder: Path, name: str) -> Iterator[None]:
    """Keep other processes out of a folder, by its file `name`, as long as this one lives.

    Raises:
        UsageError: another one is there.
        OutputError: the file cannot be made.
    """
    if fcntl is None:
        yield
        return
    with explained(folder / name), (folder / name).open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"another run is writing to {folder}: wait for its end, or name another folder") from error
        yield


def home() -> Path:
    """The user's folder; where there is none, as for users that containers make up, a place that cannot be."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull, "home")


def _sync(path: Path) -> None:
    """Wait until a file, or what a folder lists, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def explained(path: str | Path) -> Iterator[None]:
    """Turn what goes wrong with writing to `path` inside the block into an `OutputError` that says why."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = _UNMAKEABLE if _is_refused(path, error) else _reason(error)
        raise OutputError(f"cannot write {path}: {reason}") from error


def _is_refused(path: str | Path, error: OSError | RuntimeError) -> bool:
    """Whether a file is said to be missing though its folder is there: some, such as `/proc`, take no new ones."""
    return isinstance(error, FileNotFoundError) and Path(path).absolute().parent.is_dir()


def _reason(error: OSError | RuntimeError) -> str:
    """The one-line reason; Python before 3.13 reports a loop of symbolic links as a RuntimeError."""
    if isinstance(error, RuntimeError):
        return "its path is a loop of symbolic links; choose another path"
    return _REMEDIES.get(error.errno or 0, error.strerror or str(error))


def make_folder(folder: Path) -> Path:
    """Create a folder, and those above it, unless it exists; return it.

    Raises:
        OutputError: it cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise OutputError(f"{folder} is a file, and a folder is wanted: name another one") from error
    except OSError as error:
        raise OutputError(f"the folder {folder} cannot be made ({error.strerror}): name another one") from error
    return folder
