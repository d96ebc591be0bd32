"""Writing output files: aside first, then renamed, so that no reader ever sees half a file."""

from __future__ import annotations

import errno
import secrets
from pathlib import Path

from vclean.errors import OutputError

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


def write_atomic(path: str | Path, data: bytes | str) -> None:
    """Write `data` to `path`, replacing what is there, or leave everything as it was.

    Text is written as UTF-8, with line ends as they are; what UTF-8 cannot hold (lone surrogates) becomes
    `?`. A symbolic link is followed. Devices and pipes, which cannot be replaced, are written to directly.

    Raises:
        OutputError: the file could not be written; the text says why and what to do.
    """
    content = data.encode("utf-8", errors="replace") if isinstance(data, str) else data
    try:
        _write(Path(path).resolve(), content)
    except (OSError, RuntimeError) as error:
        raise OutputError(f"cannot write {path}: {_reason(error)}") from error


def _write(target: Path, content: bytes) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    aside = target.with_name(f".vclean-{secrets.token_hex(8)}.tmp")
    try:
        with aside.open("xb") as file:
            file.write(content)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def _reason(error: OSError | RuntimeError) -> str:
    """The one-line reason; Python before 3.13 reports a loop of symbolic links as a RuntimeError."""
    if isinstance(error, RuntimeError):
        return "its path is a loop of symbolic links; choose another path"
    return _REMEDIES.get(error.errno or 0, error.strerror or str(error))
