"""Ctrl-C while the browser starts: no traceback, no processes or files are left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(sys.platform == "win32", reason="sends signals"),
]

SCRIPT = """
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


@pytest.mark.parametrize("group", [True, False], ids=["terminal", "kill"])
@pytest.mark.parametrize("seconds", [0.1, 0.35, 0.7])
def test_silent_end(seconds: float, group: bool, tmp_path: Path) -> None:
    # A terminal interrupts the driver too; `kill -INT` does not.
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        start_new_session=True,
    ) as process:
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
    end = time.monotonic() + 10
    while list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []
