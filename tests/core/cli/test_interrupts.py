from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import weakref

import pytest
from helpers.waiting import assert_eventually

from vclean import cli
from vclean.cli import INTERRUPTED, exit_on_interrupt, raise_interrupts

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
from vclean.cli import INTERRUPTED, exit_on_interrupt, raise_interrupts

def run():
    try:
        with raise_interrupts():
            exec("signal.raise_signal(signal.SIGINT)")
    except KeyboardInterrupt:
        return INTERRUPTED

exit_on_interrupt()
sys.exit(run())
"""


RENDERING = """
import signal
import sys
from vclean.page import Page
from vclean.render.browser.renderer import Renderer
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in what a shell runs in the background
print("started", flush=True)
try:
    with Renderer() as renderer:
        while True:
            renderer.render(Page(content="<p>Text"))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture(autouse=True)
def handler():
    """Set the handler of Python, as if no shell ignored interrupts, and restore that of the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def started(*arguments, **options):
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True, **options)


class TestExitOnInterrupt:
    @pytest.mark.slow
    @pytest.mark.parametrize("module", ["vclean.cli.main", "click", "vclean.cli.clean", "vclean.pipeline"])
    def test_during_import(self, module):
        with started("-c", LOADING.format(module=module)) as process:
            assert process.stdout.readline() == "loading\n"
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=20)
        assert (process.returncode, stderr) == (INTERRUPTED, "")

    @pytest.mark.slow
    @pytest.mark.parametrize("seconds", [0, 0.05, 0.2, 0.5, 1])
    def test_at_any_time(self, seconds):
        """Handle interrupts from the first module of vclean on, not during the start of Python."""
        with started("-X", "importtime", "-m", "vclean", "-") as process:
            assert any("vclean.errors" in line for line in process.stderr)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=20)
        assert process.returncode == INTERRUPTED
        assert [line for line in stderr.splitlines() if not line.startswith("import time:")] == []

    def test_not_where_it_is_ignored(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        exit_on_interrupt()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


class TestRaiseInterrupts:
    def test_only_inside_block(self):
        exit_on_interrupt()
        assert signal.getsignal(signal.SIGINT) is cli._end
        with pytest.raises(KeyboardInterrupt), raise_interrupts():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is cli._end

    def test_replaces_errors_that_the_interrupt_caused(self):
        # A library that is interrupted during import raises an error about a damaged installation.
        def partially_imported():
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise ImportError("broken") from None

        exit_on_interrupt()
        with pytest.raises(KeyboardInterrupt), raise_interrupts():
            partially_imported()

    def test_callback_at_the_end_of_an_import(self, monkeypatch):
        """Send the signal inside a callback: Python prints and ignores its exceptions."""
        ignored = []
        monkeypatch.setattr("sys.unraisablehook", ignored.append)
        exit_on_interrupt()
        source = "def cb(_):\n    signal.raise_signal(signal.SIGINT)\n    called.append(1)"
        names = {"signal": signal, "called": []}
        exec(compile(source, "<frozen importlib._bootstrap>", "exec"), names)
        with pytest.raises(KeyboardInterrupt), raise_interrupts():
            lose_and_wait(names["cb"])
        assert (names["called"], ignored) == ([1], [])

    def test_inside_exec_of_text(self, tmp_path, monkeypatch):
        # The exit code is that of the program, also with `python -m`.
        monkeypatch.chdir(tmp_path)
        (tmp_path / "executed.py").write_text(EXECUTED)
        with started("-m", "executed") as process:
            _, stderr = process.communicate(timeout=20)
        assert (process.returncode, stderr) == (INTERRUPTED, "")

    def test_raises_other_errors(self):
        exit_on_interrupt()
        with pytest.raises(ImportError, match="broken"), raise_interrupts():
            raise ImportError("broken")

    def test_keeps_signal_handler_of_caller(self):
        # The handler of a program that calls `main` is kept as well.
        heard = []
        signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
        with raise_interrupts():
            signal.raise_signal(signal.SIGINT)
        assert heard == [signal.SIGINT]


def lose_and_wait(callback):
    lost = set[int]()
    reference = weakref.ref(lost, callback)
    del lost
    time.sleep(5)
    assert reference() is None


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("group", [True, False], ids=["terminal", "kill"])
@pytest.mark.parametrize("seconds", [0.1, 0.35, 0.7])
def test_while_the_browser_starts(seconds, group, tmp_path):
    """Print no traceback, and leave no processes or files."""
    # A terminal interrupts the driver too; `kill -INT` does not.
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with started("-c", RENDERING, env=environment, start_new_session=True) as process:
        assert process.stdout.readline() == "started\n"
        time.sleep(seconds)
        (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
        try:
            _, stderr = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    # An interrupt between the creation of a coroutine and its start makes Python itself warn at the end.
    expected = ("sandbox is off", "was never awaited", "Enable tracemalloc")
    assert [line for line in stderr.splitlines() if not any(text in line for text in expected)] == []
    assert_eventually(lambda: not list(tmp_path.iterdir()))
