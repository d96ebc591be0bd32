from __future__ import annotations

import asyncio

import pytest

from vclean.farm import process
from vclean.farm.settings import CleaningSettings, RunSettings


class _StartedError(Exception):
    """In place of a worker."""


class TestStart:
    @pytest.fixture
    def environment(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
        """What a worker would be started with; filled by `start`."""
        found: dict[str, str] = {}

        async def start(*_command: str, env: dict[str, str], **_options: object) -> None:
            found.update(env)
            raise _StartedError

        monkeypatch.setattr(process.asyncio, "create_subprocess_exec", start)
        return found

    @staticmethod
    def start() -> None:
        with pytest.raises(_StartedError):
            asyncio.run(process.WorkerProcess(CleaningSettings(), RunSettings()).start())

    def test_a_worker_computes_in_one_thread(self, environment, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
        self.start()
        assert (environment["OMP_NUM_THREADS"], environment["OPENBLAS_NUM_THREADS"]) == ("1", "1")

    def test_unless_it_is_told_otherwise(self, environment, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
        self.start()
        assert environment["OMP_NUM_THREADS"] == "3"

    def test_the_rest_of_the_environment_is_handed_on(self, environment, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VCLEAN_CHROMIUM", "/somewhere/else")
        self.start()
        assert environment["VCLEAN_CHROMIUM"] == "/somewhere/else"
