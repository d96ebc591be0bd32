"""What several test modules share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from vclean.render import chromium

settings.register_profile("any machine", deadline=None)  # the first example loads models; others share the machine
settings.load_profile("any machine")


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
