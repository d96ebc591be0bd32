"""Create temporary folders that record their process, and remove those of processes that have ended.

Usually the process itself or the orphan reaper (see orphan_reaper.py) removes them; both may be killed.
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

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX: Final = "vclean-"
_OWNER_FILE: Final = ".owner.json"
_SAME_START: Final = 1.0
"""Seconds by which two readings of the start time of a process may differ."""


def create() -> str:
    """Create a private folder; once per process, first remove the folders of processes that have ended."""
    _remove_orphans_once()
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    record_owner(folder)
    return folder


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder, and remove it at the end of the block."""
    created = create()
    try:
        yield Path(created)
    finally:
        shutil.rmtree(created, ignore_errors=True)


def record_owner(folder: str, *others: str) -> None:
    """Record that a folder, and other folders, belong to this process; best effort."""
    with contextlib.suppress(OSError):
        facts = {"process": _process(os.getpid()), "others": others}
        Path(folder, _OWNER_FILE).write_text(json.dumps(facts), encoding="utf-8")


def remove_orphans(place: str) -> None:
    """Remove the folders in `place` whose process has ended, but no folders of other users or without a record."""
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and _is_ours(entry.path) and (facts := _orphaned(entry.path)) is not None:
                for path in [*filter(_is_ours, facts), entry.path]:
                    shutil.rmtree(path, ignore_errors=True)


@cache
def _remove_orphans_once() -> None:
    remove_orphans(tempfile.gettempdir())


def _orphaned(folder: str) -> list[str] | None:
    """Return the other folders of a folder whose process has ended; None if it runs, or that is unknown."""
    try:
        facts = json.loads(Path(folder, _OWNER_FILE).read_bytes())
        return [str(path) for path in facts["others"]] if _is_gone(facts["process"]) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_ours(path: str) -> bool:
    """Return whether `path` is a folder, no link, that only this user may enter: then no other user changed it."""
    if os.name != "posix":
        return False
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077


def _process(pid: int) -> dict[str, Any] | None:
    """Return what identifies a process, also among others with the same id; None if there is none."""
    try:
        return {"pid": pid, "started": _started(pid), "where": _process_id_scope()}
    except (FileNotFoundError, ProcessLookupError):
        return None


def _is_gone(process: dict[str, Any]) -> bool:
    """Return whether a process has ended; a process of another machine or container is assumed to run."""
    if process["where"] != _process_id_scope():
        return False
    now = _process(process["pid"])
    return now is None or abs(now["started"] - process["started"]) > _SAME_START


def _started(pid: int) -> float:
    """Return the start time of a process in seconds; on Linux since boot, because the clock may be set."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except FileNotFoundError:
        if sys.platform == "linux":
            raise ProcessLookupError(pid) from None
        return _created(pid)
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _created(pid: int) -> float:
    """Return the start time of a process by the clock.

    Raises:
        ProcessLookupError: there is no such process.
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
    """Return the machine, its boot, and the namespace of process ids: containers may share a folder."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return [platform.node(), boot, str(Path("/proc/self/ns/pid").readlink())]
    except OSError:
        return [platform.node()]
