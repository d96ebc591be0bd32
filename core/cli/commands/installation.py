"""Commands `vclean setup` and `vclean doctor`: install Chromium, check the installation."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from vclean.cli.command import command
from vclean.cli.options import flag


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupOptions:
    """Options of `vclean setup`, which has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """Options of `vclean doctor`; `json` prints a JSON array."""

    json: bool


@command("setup", SetupOptions, help="Find or install a Chromium, and test it.")
def set_up(_: SetupOptions) -> int:
    """Find or install Chromium; return the exit code."""
    from vclean.installation.setup import setup

    setup(sys.stdout)
    return 0


@command("doctor", DoctorOptions, help="Check the installation and suggest fixes; the exit code is 1 if a check fails.")
@flag("--json", help="print a JSON array")
def check_installation(options: DoctorOptions) -> int:
    """Check the installation and return the exit code, 1 if a check fails."""
    from vclean.installation.doctor import doctor

    return doctor(sys.stdout, as_json=options.json)
