"""Check which kernel isolation is available to the browser, for this user on this machine."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vclean.render.isolation import network_namespace

_LOG = logging.getLogger("vclean")

_PROBE = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x30000000))"
"""Creates a user and a process namespace (`CLONE_NEWUSER | CLONE_NEWPID`, unshare(2)), as Chromium does."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Reason why a part of the isolation is off, and the remedy; it is empty if this system has none."""

    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Isolation:
    """Isolation of a browser from the machine.

    Attributes:
        sandbox: the obstacle to the sandbox of Chromium; None if it is on.
        network: the obstacle to an empty network namespace; None if the browser runs in one.
    """

    sandbox: Obstacle | None
    network: Obstacle | None

    def warn(self) -> None:
        """Log each part that is off, once per process: a warning if there is a remedy."""
        for part, obstacle in (("sandbox", self.sandbox), ("network namespace", self.network)):
            if obstacle is not None:
                _warn(part, obstacle)


@cache
def available_isolation() -> Isolation:
    """Return the isolation that this system offers; the check runs once per process."""
    if sys.platform != "linux":
        return Isolation(None, Obstacle("only Linux has network namespaces", ""))
    if os.geteuid() == 0:
        sandbox: Obstacle | None = Obstacle("Chromium has no sandbox for root", "run vclean as an ordinary user")
    else:
        sandbox = None if _succeeds([sys.executable, "-I", "-S", "-c", _PROBE]) else _denial()
    # If the sandbox is available, it must also work inside the network namespace.
    command = network_namespace.command(sys.executable, "-I", "-S", "-c", "" if sandbox else _PROBE)
    return Isolation(sandbox, None if _succeeds(command) else _denial())


def _succeeds(command: list[str]) -> bool:
    """Return whether a program ends without an error. It has its own session, so Ctrl-C is no failure of it."""
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL, start_new_session=True).returncode == 0


@cache
def _warn(part: str, obstacle: Obstacle) -> None:
    level = logging.WARNING if obstacle.remedy else logging.INFO
    _LOG.log(
        level, "Chromium's %s is off (%s): %s", part, obstacle.reason, obstacle.remedy or "its switches replace it"
    )


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
