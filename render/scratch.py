"""Folders for temporary files, each with a note of whose it is, so that a later run can remove what a killed one left.

Mostly they are removed by who made them, or by the watchdog (see watchdog.py); both may be killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX: Final = "vclean-"
_NOTE: Final = ".owner.json"
_SAME_START: Final = 1.0
"""Seconds by which two readings of the time when a process started may differ."""


def make() -> str:
    """A new folder, this user's alone; those of processes that are gone are removed first, once a process."""
    _sweep_once()
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    note(folder)
    return folder


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A new folder, which is removed at the end of the block."""
    made = make()
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def note(folder: str, *others: str) -> None:
    """Write down that a folder, and others that somebody else made for it, are this process's; best effort."""
    with contextlib.suppress(OSError):
        facts = {"process": _process(os.getpid()), "others": others}
        Path(folder, _NOTE).write_text(json.dumps(facts), encoding="utf-8")


def sweep(place: str) -> None:
    """Remove the folders at a place whose process is gone; not those of other users, and none without a note."""
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and _is_ours(entry.path) and (facts := _left(entry.path)) is not None:
                for path in [*filter(_is_ours, facts), entry.path]:
                    shutil.rmtree(path, ignore_errors=True)


@cache
def _sweep_once() -> None:
    sweep(tempfile.gettempdir())


def _left(folder: str) -> list[str] | None:
    """The other folders of one whose process is gone; None where it is there, or nobody can tell."""
    try:
        facts = json.loads(Path(folder, _NOTE).read_bytes())
        return [str(path) for path in facts["others"]] if _is_gone(facts["process"]) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_ours(path: str) -> bool:
    """Whether it is a folder, no link to one, that this user alone may enter: then nobody else can have changed it."""
    if os.name != "posix":
        return False
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077


def _process(pid: int) -> dict[str, Any] | None:
    """What tells a process from all others, of its number too; None if there is none."""
    try:
        return {"pid": pid, "started": _started(pid), "where": _where()}
    except (FileNotFoundError, ProcessLookupError):
        return None


def _is_gone(process: dict[str, Any]) -> bool:
    """Whether a process of this machine has ended; one that can be seen from elsewhere alone is taken to live."""
    if process["where"] != _where():
        return False
    now = _process(process["pid"])
    return now is None or abs(now["started"] - process["started"]) > _SAME_START


def _started(pid: int) -> float:
    """When a process started, in seconds; on Linux since the boot, for there the clock may be set."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except FileNotFoundError:
        return _created(pid)
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _created(pid: int) -> float:
    """When a process started, by the clock.

    Raises:
        ProcessLookupError: there is none.
        OSError: it is another user's.
    """
    import psutil  # a browser starts without it on Linux

    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        raise ProcessLookupError(pid) from None
    except psutil.Error as error:
        raise OSError(str(error)) from error


def _where() -> list[str]:
    """The machine since its start, and the space that numbers of processes are of: containers may share a folder."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return [platform.node(), boot, str(Path("/proc/self/ns/pid").readlink())]
    except OSError:
        return [platform.node()]
