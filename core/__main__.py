"""The command `vclean`, which is `python -m vclean`, too."""

from __future__ import annotations

import gc
import os
import sys

from vclean.cli.interrupts import end_at_once


def run() -> int:
    """Run the command line of the process and give its exit code: see `vclean.cli.main.main`."""
    end_at_once()
    # A page's matrices are small: a second thread of numpy's would only wait for them, a twentieth of the CPU.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # until a command runs: the command line is loaded faster without
    from vclean.cli.main import main

    try:
        return main()
    finally:
        gc.freeze()  # or the interpreter looks through all libraries for cycles before it ends: a tenth of a second


if __name__ == "__main__":
    sys.exit(run())
