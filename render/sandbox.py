"""Which walls of the kernel can stand round the browser, for this user on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vclean.render import netns

_PROBE = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x30000000))"
"""Asks for a user and a process namespace (`CLONE_NEWUSER | CLONE_NEWPID`, unshare(2)), as Chromium does."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why the sandbox cannot be on, and what would change that."""

    reason: str
    remedy: str


@cache
def obstacle() -> Obstacle | None:
    """What keeps the sandbox from working, or None; asks the kernel once per process, on Linux only."""
    if sys.platform != "linux":
        return None
    if os.geteuid() == 0:
        return Obstacle("Chromium has no sandbox for root", "run vclean as an ordinary user")
    if subprocess.run([sys.executable, "-I", "-S", "-c", _PROBE], check=False).returncode == 0:
        return None
    return _denial()


@cache
def network_obstacle() -> str | None:
    """What keeps the browser from an empty network namespace, or None; asks the kernel once per process.

    Where the sandbox can be on, it has to work in there too.
    """
    if sys.platform != "linux":
        return "only Linux has network namespaces"
    probe = _PROBE if obstacle() is None else ""
    command = netns.command(sys.executable, "-I", "-S", "-c", probe)
    if subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0:
        return None
    return "this user or container may not make network namespaces"


def _denial() -> Obstacle:
    if _kernel_flag("kernel/apparmor_restrict_unprivileged_userns") == "1":
        remedy = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        return Obstacle("AppArmor keeps user namespaces from programs it does not know", remedy)
    if _kernel_flag("user/max_user_namespaces") == "0":
        return Obstacle("this system has no user namespaces", "sudo sysctl -w user.max_user_namespaces=15000")
    return Obstacle(
        "this container allows no user namespaces",
        "start it with a seccomp profile that allows clone and unshare, or trust the container to be the sandbox",
    )


def _kernel_flag(name: str) -> str:
    try:
        return (Path("/proc/sys") / name).read_text().strip()
    except OSError:
        return ""
