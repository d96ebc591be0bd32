"""Create temporary folders that record their process, and remove folders of processes that have ended.

Normally the process or the orphan reaper (see orphan_reaper.py) removes them, but both may be killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import OutputError
from vclean.files import output_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX: Final = "vclean-"
_OWNER_FILE: Final = ".owner.json"
_SAME_START: Final = 1.0
"""Seconds by which two readings of the start time of a process may differ."""


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
    with contextlib.suppress(OSError):
        record = {"process": _process(os.getpid())}
        Path(folder, _OWNER_FILE).write_text(json.dumps(record), encoding="utf-8")
    return folder


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder, and remove it at the end of the block."""
    created = create()
    try:
        yield Path(created)
    finally:
        shutil.rmtree(created, ignore_errors=True)


def remove_orphans(parent: str) -> None:
    """Remove the folders in `parent` of processes that have ended.

    Folders of other users, and folders without a record of their process, are kept.
    """
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and _is_ours(entry.path) and _is_orphaned(entry.path):
                shutil.rmtree(entry.path, ignore_errors=True)


_remove_orphans_once = cache(remove_orphans)


def _is_orphaned(folder: str) -> bool:
    """Return whether the process in the record of `folder` has ended; False if it is unknown.

    A process of another machine or container is assumed to run.
    """
    try:
        process = json.loads(Path(folder, _OWNER_FILE).read_bytes())["process"]
        if process["where"] != _process_id_scope():
            return False
        current = _process(process["pid"])
        return current is None or abs(current["started"] - process["started"]) > _SAME_START
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _is_ours(path: str) -> bool:
    """Return whether `path` is a folder (not a link) that only this user can access; no other user can modify it."""
    if os.name != "posix":
        return False
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077


def _process(pid: int) -> dict[str, Any] | None:
    """Return data that identifies a process even if its id is reused; None if the process does not exist."""
    try:
        return {"pid": pid, "started": _started(pid), "where": _process_id_scope()}
    except (FileNotFoundError, ProcessLookupError):
        return None


def _started(pid: int) -> float:
    """Return the start time of a process in seconds; on Linux since boot, because the clock may be changed."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except FileNotFoundError:
        if sys.platform == "linux":
            raise ProcessLookupError(pid) from None
        return _created(pid)
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _created(pid: int) -> float:
    """Return the start time of a process in seconds since the epoch.

    Raises:
        ProcessLookupError: the process does not exist.
        OSError: the process belongs to another user.
    """
    import psutil  # not a dependency on Linux

    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        raise ProcessLookupError(pid) from None
    except psutil.Error as error:
        raise OSError(str(error)) from error


def _process_id_scope() -> list[str]:
    """Return the machine, its boot and the PID namespace; containers may share a folder."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return [platform.node(), boot, str(Path("/proc/self/ns/pid").readlink())]
    except OSError:
        return [platform.node()]
