"""Check which kernel isolation is available to the browser, for this user on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vclean.render.isolation import network_namespace

_PROBE = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x30000000))"
"""Creates a user and a process namespace (`CLONE_NEWUSER | CLONE_NEWPID`, unshare(2)), as Chromium does."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Reason why the sandbox is not available, and the remedy."""

    reason: str
    remedy: str


@cache
def sandbox_obstacle() -> Obstacle | None:
    """Return the obstacle to the sandbox, or None; the check runs once per process, on Linux only."""
    if sys.platform != "linux":
        return None
    if os.geteuid() == 0:
        return Obstacle("Chromium has no sandbox for root", "run vclean as an ordinary user")
    if subprocess.run([sys.executable, "-I", "-S", "-c", _PROBE], check=False).returncode == 0:
        return None
    return _denial()


@cache
def network_obstacle() -> str | None:
    """Return the obstacle to an empty network namespace, or None; the check runs once per process.

    If the sandbox is available, it must also work inside the namespace.
    """
    if sys.platform != "linux":
        return "only Linux has network namespaces"
    probe = _PROBE if sandbox_obstacle() is None else ""
    command = network_namespace.command(sys.executable, "-I", "-S", "-c", probe)
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
