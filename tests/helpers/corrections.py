"""Name what pages of corrections are about."""

from __future__ import annotations

PLACES = ["ferry", "bridge", "market", "school", "mill", "library"]


APPEAL = "Our reporters read every letter"
