"""`python -m vclean` is `vclean`."""

from __future__ import annotations

import sys

from vclean.cli import main

if __name__ == "__main__":
    sys.exit(main())
