"""The commands about the installation: setup, doctor."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from vclean.cli.command import command
from vclean.cli.options import flag


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupOptions:
    """Options of `vclean setup`: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """Options of `vclean doctor`: `json` for a machine-readable report."""

    json: bool


@command("setup", SetupOptions, help="Find a usable Chromium, or install one, and try it.")
def set_up(_: SetupOptions) -> int:
    """Find or install Chromium; return the exit code."""
    from vclean.installation.setup import setup

    setup(sys.stdout)
    return 0


@command(
    "doctor", DoctorOptions, help="Check the installation and suggest fixes; exit code 1 if something does not work."
)
@flag("--json", help="print a JSON array")
def examine(options: DoctorOptions) -> int:
    """Check the installation; return the exit code, 1 if anything does not work."""
    from vclean.installation.doctor import doctor

    return doctor(sys.stdout, as_json=options.json)
