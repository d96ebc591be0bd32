"""End a browser when its parent ends, for any reason. Run as a script, standard library only.

    python -I -S orphan_reaper.py PARENT BROWSER FOLDER

Standard input is a pipe from the parent. When it closes, or the parent ends, the script kills the process group of the
browser and removes its folder.
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
"""Seconds between checks of the parent; a forked child of the parent may keep the pipe open after its end."""

_ATTEMPTS = 20
"""Number of attempts to remove a folder; the last processes of the group may still write for a moment."""


def kill_tree(pid: int, mark: str) -> None:
    """End a process and its process group at once; do nothing if it has ended.

    Args:
        pid: the process.
        mark: part of its command line, checked if `/proc` exists; the id may have been reused by another process.
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
    """Remove a folder as far as possible."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(0.05)


def main(arguments: list[str]) -> None:
    """Wait for the end of the parent, then end the browser and remove its folder."""
    parent, browser, folder = arguments
    if sys.platform == "win32":
        sys.stdin.read()
    else:
        while os.getppid() == int(parent) and not select.select([sys.stdin], [], [], _POLL)[0]:
            pass
    kill_tree(int(browser), folder)
    remove(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
