"""The command `vclean`, which is `python -m vclean`, too."""

from __future__ import annotations

import sys

from vclean.interrupts import end_at_once


def run() -> int:
    """Run the command line of the process and give its exit code: see `vclean.cli.main`."""
    end_at_once()
    from vclean.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
