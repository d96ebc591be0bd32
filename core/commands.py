"""The commands about the installation: setup, doctor."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vclean.options import DoctorOptions, SetupOptions


def set_up(_: SetupOptions) -> int:
    """Find or install Chromium; the exit code."""
    from vclean.setup import setup

    setup(sys.stdout)
    return 0


def examine(options: DoctorOptions) -> int:
    """Check the installation; the exit code, 1 if anything does not work."""
    from vclean.doctor import doctor

    return doctor(sys.stdout, as_json=options.json)
