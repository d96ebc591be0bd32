"""Find the fonts of this machine.

Without fonts, text has no boxes. Without a font for its script, its boxes are those of replacement glyphs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from vclean.files import home_folder

SUFFIXES = frozenset({".ttf", ".otf", ".ttc", ".otc", ".pfb", ".dfont"})

SCRIPTS = {
    "Arabic": "ar",
    "Bengali": "bn",
    "Chinese": "zh-cn",
    "Hebrew": "he",
    "Hindi": "hi",
    "Japanese": "ja",
    "Korean": "ko",
    "Tamil": "ta",
    "Thai": "th",
}
"""Scripts with their fontconfig language tags, without Latin, Greek and Cyrillic, which all basic fonts cover."""


def font_folders() -> list[Path]:
    """Return the folders that the system searches for fonts; some may not exist."""
    user = home_folder()
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), user / "Library" / "Fonts"]
    if sys.platform == "win32":
        return [Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts"]
    data = Path(os.environ.get("XDG_DATA_HOME") or user / ".local" / "share")
    return [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), data / "fonts", user / ".fonts"]


def has_fonts() -> bool:
    """Return whether any font file is installed."""
    return any(
        path.suffix.lower() in SUFFIXES for folder in font_folders() if folder.is_dir() for path in folder.rglob("*")
    )


def uncovered_scripts() -> list[str]:
    """Return the names in `SCRIPTS` that no font covers; empty if fontconfig (`fc-list`) is missing."""
    if shutil.which("fc-list") is None:
        return []
    listing = subprocess.run(["fc-list", ":", "lang"], capture_output=True, text=True, timeout=30, check=False)
    if listing.returncode:
        return []
    covered = {tag for line in listing.stdout.splitlines() for tag in line.removeprefix(":lang=").split("|")}
    return [name for name, tag in SCRIPTS.items() if tag not in covered]
