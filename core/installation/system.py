"""Other programs on this machine: running one within bounds, and the package manager with what it calls our needs."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """How a program ended: its exit code, None when it could not be started or was stopped for its time."""

    code: int | None
    output: str

    @property
    def succeeded(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.code == 0

    @property
    def reason(self) -> str:
        """One line on the failure: the first that speaks of an error (others follow from it), or else the last."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower() or line.startswith("E:")]
        return [*errors[:1], *lines[-1:], f"exit code {self.code}"][0]


class Run(Protocol):
    """The type of `run`, for callers that take it as an argument."""

    def __call__(self, command: Sequence[str], *, timeout: float) -> CommandOutcome:
        """Run a command to its end or its time."""


def run(command: Sequence[str], *, timeout: float) -> CommandOutcome:
    """Run a command with no input and collect what it prints; never raises for what the command does.

    After `timeout` seconds, and on an interrupt, it is ended together with the processes it started.
    """
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "NO_COLOR": "1"}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        return CommandOutcome(None, f"{command[0]}: {error.strerror}")
    with process:
        return _collect(process, timeout)


@dataclass(frozen=True, slots=True)
class PackageManager:
    """A system's package manager: its commands, and its names for what vclean needs."""

    command: str
    prepare: tuple[str, ...]
    install: tuple[str, ...]
    browser: tuple[str, ...]
    fonts: tuple[str, ...]
    openmp: tuple[str, ...]
    atomic: tuple[str, ...]

    def command_line(self, packages: Sequence[str]) -> str:
        """The command that installs `packages`, as a user would type it."""
        sudo = [] if self.command == "brew" or is_root() else ["sudo"]
        steps = [step for step in (self.prepare, (*self.install, *packages)) if step]
        return " && ".join(shlex.join([*sudo, *step]) for step in steps)


MANAGERS = (
    PackageManager(
        "apt-get",
        ("apt-get", "update"),
        ("apt-get", "install", "-y", "--no-install-recommends"),
        ("chromium-headless-shell",),
        ("fonts-liberation", "fonts-dejavu-core"),
        ("libgomp1",),
        ("libatomic1",),
    ),
    PackageManager(
        "dnf",
        (),
        ("dnf", "install", "-y"),
        ("chromium-headless",),
        ("liberation-fonts", "dejavu-sans-fonts"),
        ("libgomp",),
        ("libatomic",),
    ),
    PackageManager(
        "pacman",
        (),
        ("pacman", "-Sy", "--noconfirm"),
        ("chromium",),
        ("ttf-liberation", "ttf-dejavu"),
        ("gcc-libs",),
        ("gcc-libs",),
    ),
    PackageManager("brew", (), ("brew", "install"), ("chromium",), (), ("libomp",), ()),
)


def package_manager() -> PackageManager | None:
    """The first known package manager on the PATH."""
    return next((manager for manager in MANAGERS if shutil.which(manager.command)), None)


def is_root() -> bool:
    """Whether this process may write to the system; never on Windows."""
    return sys.platform != "win32" and os.geteuid() == 0


def privilege(run: Run = run) -> list[str] | None:
    """What to put before a command to run it as root without being asked anything; None when that is impossible."""
    if is_root():
        return []
    if shutil.which("sudo") and run(["sudo", "-n", "true"], timeout=10).succeeded:
        return ["sudo", "-n"]
    return None


def _collect(process: subprocess.Popen[str], timeout: float) -> CommandOutcome:
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _end(process)
        return CommandOutcome(None, f"error: stopped after {timeout:.0f} s without an end")
    except BaseException:
        _end(process)
        raise
    return CommandOutcome(process.returncode, output)


def _end(process: subprocess.Popen[str]) -> None:
    """End the whole session: a grandchild that kept the pipe open would keep us waiting for its end."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
