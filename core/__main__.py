"""The command `vclean`, which is `python -m vclean`, too."""

from __future__ import annotations

import gc
import sys

from vclean.interrupts import end_at_once


def run() -> int:
    """Run the command line of the process and give its exit code: see `vclean.cli.main`."""
    end_at_once()
    from vclean.cli import main

    try:
        return main()
    finally:
        gc.freeze()  # or the interpreter looks through all libraries for cycles before it ends: a tenth of a second


if __name__ == "__main__":
    sys.exit(run())
