"""vclean renders a web page, cuts it into visual blocks and says of every block what it is."""

from __future__ import annotations
