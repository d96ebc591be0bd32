"""Settings and fixtures shared by test modules."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from vclean.render.browser import chromium

pytest_plugins = ["helpers.browser"]  # fixtures: renderer, scripting, snap, site

settings.register_profile("any machine", deadline=None)  # the first example loads models; the machine may be busy
settings.register_profile("fast", deadline=None, max_examples=20)
settings.load_profile("any machine")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell ignores SIGINT for background jobs; programs that tests start would inherit this.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow tests first: the other processes would have to wait for a slow test that starts last."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hide all installations of Chromium. Return the only folder on PATH, which is empty."""
    commands = tmp_path / "bin"
    commands.mkdir()
    monkeypatch.setenv("PATH", str(commands))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "ms-playwright"))
    monkeypatch.delenv("VCLEAN_CHROMIUM", raising=False)
    relative = tuple(name for name in chromium._HEADLESS_COMMANDS if not Path(name).is_absolute())
    monkeypatch.setattr(chromium, "_HEADLESS_COMMANDS", relative)
    monkeypatch.setattr(chromium, "_APPLICATIONS", {})
    return commands
