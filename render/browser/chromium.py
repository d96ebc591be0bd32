"""Find a Chromium executable, by files alone and without starting a process, and the fonts of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from vclean.errors import BrowserMissingError
from vclean.files import cache_folder, home_folder

if TYPE_CHECKING:
    from collections.abc import Iterator


OVERRIDE = "VCLEAN_CHROMIUM"
"""Environment variable with the path of the browser, which takes precedence over all others."""

_HEADLESS_COMMANDS = (
    # The binary that Debian's wrapper script starts; the script would not forward signals.
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib64/chromium-browser/headless_shell",  # Fedora's chromium-headless, which has no command
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
)
_FULL_COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
_APPLICATIONS = {
    "darwin": (
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
        r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
        r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
        r"%LocalAppData%\Chromium\Application\chrome.exe",
        r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
        r"%ProgramFiles%\Microsoft\Edge\Application\msedge.exe",
    ),
}

_DOWNLOADED_SHELLS = (
    "chromium_headless_shell-*/*/*headless[-_]shell",
    "chromium_headless_shell-*/*/*headless[-_]shell.exe",
)
_DOWNLOADED_BROWSERS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-win*/chrome.exe",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)


@dataclass(frozen=True, slots=True)
class Chromium:
    """Chromium on this machine.

    Attributes:
        path: the executable.
        source: description of its origin for the user.
    """

    path: Path
    source: str


def find_chromium() -> Chromium:
    """Find the Chromium to use: the override, Playwright's download, a headless shell, any Chrome or Chromium.

    It takes about a millisecond and does not test the browser; `vclean.cli.installation` does.

    Raises:
        BrowserMissingError: no browser was found, or `VCLEAN_CHROMIUM` is not an executable file.
    """
    override = os.environ.get(OVERRIDE)
    if not override:
        for chromium in candidates():
            return chromium
        raise BrowserMissingError("no usable Chromium: run `vclean setup`, or set VCLEAN_CHROMIUM to one")
    executable = shutil.which(Path(override).expanduser())
    if executable is None:
        raise BrowserMissingError(
            f"{OVERRIDE} is {override!r}, which is no executable file: correct it, or unset it and run `vclean setup`"
        )
    return Chromium(Path(executable), OVERRIDE)


def candidates() -> Iterator[Chromium]:
    """Yield all installed Chromiums except the override, in order of preference."""
    full = (*_FULL_COMMANDS, *_APPLICATIONS.get(sys.platform, ()))
    for downloads, commands in ((_DOWNLOADED_SHELLS, _HEADLESS_COMMANDS), (_DOWNLOADED_BROWSERS, full)):
        for path in _downloaded(downloads):
            yield Chromium(path, "Playwright's download")
        for command in commands:
            if executable := shutil.which(os.path.expandvars(command)):
                yield Chromium(Path(executable), "the system")


def playwright_folder() -> Path:
    """Return the folder of Playwright's downloads, as its registry derives it from environment and platform."""
    location = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if location == "0":
        return Path(str(files("playwright")), "driver", "package", ".local-browsers")
    return Path(location) if location else cache_folder() / "ms-playwright"


def _downloaded(patterns: tuple[str, ...]) -> list[Path]:
    """Return the complete downloads, newest revision first."""
    folder = playwright_folder()
    complete: list[tuple[int, Path]] = []
    for path in chain.from_iterable(folder.glob(pattern) for pattern in patterns):
        download = path.relative_to(folder).parts[0]
        # Playwright writes this marker last.
        if (folder / download / "INSTALLATION_COMPLETE").exists() and os.access(path, os.X_OK):
            revision = download.rpartition("-")[2]
            complete.append((int(revision) if revision.isdigit() else 0, path))
    return [path for _, path in sorted(complete, reverse=True)]


_FONT_FILES = frozenset({".ttf", ".otf", ".ttc", ".otc", ".pfb", ".dfont"})

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
    """Return the folders that Linux searches for fonts; some may not exist."""
    user = home_folder()
    data = Path(os.environ.get("XDG_DATA_HOME") or user / ".local" / "share")
    return [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), data / "fonts", user / ".fonts"]


def has_fonts() -> bool:
    """Return whether any font file is installed, as on every system but Linux."""
    return sys.platform != "linux" or any(
        path.suffix.lower() in _FONT_FILES for folder in font_folders() if folder.is_dir() for path in folder.rglob("*")
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
