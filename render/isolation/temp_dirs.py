"""Create temporary folders that this process locks, and remove the folders of processes that have ended.

Normally the process or the orphan reaper (see orphan_reaper.py) removes them, but both may be killed. When a process
ends, the kernel unlocks its folders.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from vclean.errors import OutputError
from vclean.files import output_errors
from vclean.render.isolation import orphan_reaper

if sys.platform != "win32":
    import fcntl

_PREFIX: Final = "vclean-"
_LOCK: Final = ".lock"

_locks: Final[dict[str, int]] = {}
"""File descriptors of the locks of this process by folder."""


def root() -> str:
    """Return the folder for temporary files.

    Raises:
        OutputError: there is none that this process may write to.
    """
    try:
        return tempfile.gettempdir()
    except FileNotFoundError as error:
        raise OutputError("there is no folder for temporary files: set TMPDIR to one that you may write to") from error


def create() -> str:
    """Create a private folder; once per process, first remove the folders of processes that have ended.

    Raises:
        OutputError: it cannot be created.
    """
    parent = root()
    _remove_orphans_once(parent)
    with output_errors(parent):
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
    if sys.platform != "win32":
        unready = Path(folder, "unlocked")
        with contextlib.suppress(OSError):  # a file system without locks: the folder is never an orphan
            _locks[folder] = os.open(unready, os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(_locks[folder], fcntl.LOCK_EX)
            unready.rename(Path(folder, _LOCK))  # other processes find no lock file before it is locked
    return folder


def remove(folder: str) -> None:
    """Remove a folder of this process as far as possible."""
    if folder in _locks:
        os.close(_locks.pop(folder))
    orphan_reaper.remove(folder)


def remove_orphans(parent: str) -> None:
    """Remove the folders in `parent` of processes that have ended.

    Folders of other users, and folders without a lock file, are kept.
    """
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and _is_orphan(entry.path):
                shutil.rmtree(entry.path, ignore_errors=True)


_remove_orphans_once = cache(remove_orphans)


def _is_orphan(path: str) -> bool:
    """Return whether `path` is a folder (not a link) that only this user can access, and that no process has locked."""
    if sys.platform == "win32":
        return False
    try:
        status = os.lstat(path)
        is_private = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
        if not (stat.S_ISDIR(status.st_mode) and is_private):
            return False
        with Path(path, _LOCK).open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, ValueError):
        return False
    return True
