"""What several test modules share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from vclean.render.browser import chromium

pytest_plugins = ["helpers.browser"]  # fixtures: renderer, scripting, snap, site

settings.register_profile("any machine", deadline=None)  # the first example loads models; others share the machine
settings.register_profile("fast", deadline=None, max_examples=20)
settings.load_profile("any machine")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in what a shell runs in the background: programs that tests start would ignore their interrupts too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow tests first: one that began last would have the other processes wait for it."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a Chromium; gives the only folder on its PATH, empty."""
    commands = tmp_path / "bin"
    commands.mkdir()
    monkeypatch.setenv("PATH", str(commands))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "ms-playwright"))
    monkeypatch.delenv("VCLEAN_CHROMIUM", raising=False)
    relative = tuple(name for name in chromium._HEADLESS_COMMANDS if not Path(name).is_absolute())
    monkeypatch.setattr(chromium, "_HEADLESS_COMMANDS", relative)
    monkeypatch.setattr(chromium, "_APPLICATIONS", {})
    return commands
