"""Run other programs with a time limit; package managers and their names of the packages that vclean needs."""

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
    """Outcome of a program.

    Attributes:
        code: the exit code; None if the program could not be started or reached its time limit.
        output: standard output and standard error.
    """

    code: int | None
    output: str

    @property
    def succeeded(self) -> bool:
        """Return whether the program ended with exit code 0."""
        return self.code == 0

    @property
    def reason(self) -> str:
        """Return one line of the output about the failure: the first with an error, or else the last."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower() or line.startswith("E:")]
        return [*errors[:1], *lines[-1:], f"exit code {self.code}"][0]


class Run(Protocol):
    """Type of the function `run`, for functions with such a parameter."""

    def __call__(self, command: Sequence[str], *, timeout: float) -> CommandOutcome:
        """Run a command until it ends, for at most `timeout` seconds."""


def run(command: Sequence[str], *, timeout: float) -> CommandOutcome:
    """Run a command without input and return its exit code and output; a failure of the command raises no error.

    After `timeout` seconds, and on an interrupt, the command and its child processes are terminated.
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
    """Package manager of a system.

    Attributes:
        command: the program name.
        prepare: the command that updates the package lists; empty if not needed.
        install: the command that installs packages, without their names.
        browser: the packages of Chromium.
        fonts: the packages of fonts.
        openmp: the packages of the OpenMP library.
        atomic: the packages of libatomic.
    """

    command: str
    prepare: tuple[str, ...]
    install: tuple[str, ...]
    browser: tuple[str, ...]
    fonts: tuple[str, ...]
    openmp: tuple[str, ...]
    atomic: tuple[str, ...]

    def command_line(self, packages: Sequence[str]) -> str:
        """Return the command that installs `packages`, for the user to type."""
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
    """Return the first known package manager on the PATH; None if there is none."""
    return next((manager for manager in MANAGERS if shutil.which(manager.command)), None)


def is_root() -> bool:
    """Return whether this process runs as root; always False on Windows."""
    return sys.platform != "win32" and os.geteuid() == 0


def privilege(run: Run = run) -> list[str] | None:
    """Return the prefix of a command that runs it as root without a password; None if that is impossible."""
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
        return CommandOutcome(None, f"error: stopped after {timeout:.0f} s, before it ended")
    except BaseException:
        _end(process)
        raise
    return CommandOutcome(process.returncode, output)


def _end(process: subprocess.Popen[str]) -> None:
    """Terminate all processes of the session: a grandchild with the open pipe would block `communicate`."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
