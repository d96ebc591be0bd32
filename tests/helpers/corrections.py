"""Words and text of pages for tests of corrections."""

from __future__ import annotations

PLACES = ["ferry", "bridge", "market", "school", "mill", "library"]


APPEAL = "Our reporters read every letter"
