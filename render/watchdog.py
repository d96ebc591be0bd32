"""Ends a browser when its parent is gone, however the parent died. Run as a script of its own, standard library only.

    python -I -S watchdog.py PARENT BROWSER PROFILE FOLDER...

Standard input is a pipe that the parent holds open: its end, or the parent's death, ends the browser's process
group, and then removes the folders the browser left.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

_POLL = 1.0
"""Seconds between looks at the parent: a forked child of the parent may hold the pipe open after its death."""

_ATTEMPTS = 20
"""Removals of a folder: the last processes of the group may still write for a moment."""


def kill_tree(pid: int, mark: str) -> None:
    """End a process and all it started at once; one that is gone already is no error.

    Args:
        pid: the process.
        mark: part of its command line, where that can be read (`/proc`): by now the number may be another's.
    """
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
        return
    with contextlib.suppress(ProcessLookupError):
        group = os.getpgid(pid)
        if not _has_mark(pid, mark):
            return
        if group == os.getpgid(0):
            os.kill(pid, signal.SIGKILL)
        else:
            os.killpg(group, signal.SIGKILL)


def _has_mark(pid: int, mark: str) -> bool:
    try:
        return os.fsencode(mark) in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return sys.platform != "linux"


def remove(folder: str) -> None:
    """Remove a folder; what cannot be removed stays."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(0.05)


def main(arguments: list[str]) -> None:
    """Wait for the parent's end, then clean up after it."""
    parent, browser, folders = int(arguments[0]), int(arguments[1]), arguments[2:]
    _wait(parent)
    kill_tree(browser, folders[0])
    for folder in folders:
        remove(folder)


def _wait(parent: int) -> None:
    if sys.platform == "win32":
        sys.stdin.read()
        return
    while os.getppid() == parent and not select.select([sys.stdin], [], [], _POLL)[0]:
        pass


if __name__ == "__main__":
    main(sys.argv[1:])
