from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from vclean.cli import interrupts
from vclean.cli.interrupts import INTERRUPTED, end_at_once, raised

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")

LOADING = """
import sys, time

class Slow:
    def find_spec(self, name, *_):
        if name == {module!r}:
            print("loading", flush=True)
            time.sleep(30)

sys.meta_path.insert(0, Slow())
sys.argv = ["vclean", "-"]
from vclean.__main__ import run
sys.exit(run())
"""

EXECUTED = """
import signal, sys
from vclean.cli.interrupts import INTERRUPTED, end_at_once, raised

def run():
    try:
        with raised():
            exec("signal.raise_signal(signal.SIGINT)")
    except KeyboardInterrupt:
        return INTERRUPTED

end_at_once()
sys.exit(run())
"""


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def started(*arguments: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


class TestEndAtOnce:
    @pytest.mark.parametrize("module", ["vclean.cli.main", "click", "vclean.cli.commands.clean", "vclean.pipeline"])
    def test_while_a_module_loads(self, module: str) -> None:
        with started("-c", LOADING.format(module=module)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "loading\n"
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=20)
        assert (process.returncode, said) == (INTERRUPTED, "")

    @pytest.mark.parametrize("seconds", [0, 0.05, 0.2, 0.5, 1])
    def test_whenever_it_comes(self, seconds: float) -> None:
        """From the first module of ours on; what Python does before that is its own."""
        with started("-X", "importtime", "-m", "vclean", "-") as process:
            assert process.stderr is not None
            assert any("vclean.errors" in line for line in process.stderr)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=20)
        assert process.returncode == INTERRUPTED
        assert [line for line in said.splitlines() if not line.startswith("import time:")] == []

    def test_not_where_it_is_ignored(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        end_at_once()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


class TestRaised:
    def test_inside_the_block_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_at_once()
        assert signal.getsignal(signal.SIGINT) is interrupts._end
        with pytest.raises(KeyboardInterrupt), raised():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is interrupts._end

    def test_what_comes_of_it_is_no_error(self) -> None:
        """A library that is interrupted while it loads says that it is broken."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_at_once()
        with pytest.raises(KeyboardInterrupt), raised():
            half_loaded()

    def test_inside_text_that_a_library_executes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The exit code stays that of the program, of `python -m` too."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "executed.py").write_text(EXECUTED)
        with started("-m", "executed") as process:
            _, said = process.communicate(timeout=20)
        assert (process.returncode, said) == (INTERRUPTED, "")

    def test_errors_of_their_own_are_raised(self) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_at_once()
        with pytest.raises(ImportError, match="broken"), raised():
            raise ImportError("broken")

    def test_a_caller_s_own_handler_stays(self) -> None:
        """So does that of a program that calls `main`."""
        heard: list[int] = []
        signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
        with raised():
            signal.raise_signal(signal.SIGINT)
        assert heard == [signal.SIGINT]


def half_loaded() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("broken") from None
