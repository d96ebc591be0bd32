"""Entry point of `vclean` and of `python -m vclean`."""

from __future__ import annotations

import gc
import os
import sys

from vclean.cli import exit_on_interrupt


def run() -> int:
    """Run the command line with the arguments of the process and return its exit code; see `vclean.cli.main.main`."""
    exit_on_interrupt()
    # The matrices of a page are small: a second thread of NumPy would busy-wait, for a twentieth of the CPU time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # `main_inner` enables it again: imports are faster without garbage collection
    from vclean.cli.main import main

    try:
        return main()
    finally:
        gc.freeze()  # or the interpreter searches all loaded libraries for cycles at exit: a tenth of a second


if __name__ == "__main__":
    sys.exit(run())
