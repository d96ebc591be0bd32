import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import pytest
from helpers.browser import group_of, processes
from helpers.waiting import assert_eventually

from vclean.errors import BrowserError, DeadlineError
from vclean.page import Page
from vclean.render.browser import cdp, reading
from vclean.render.browser import renderer as browser
from vclean.render.browser.renderer import AsyncRenderer, Renderer
from vclean.render.decode import Document
from vclean.settings import RenderSettings

pytestmark = [pytest.mark.browser, pytest.mark.skipif(sys.platform == "win32", reason="uses /proc and signals")]


def children(parent: int) -> list[int]:
    """Return the ids of the direct children of a process."""
    listed = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(pid) for tasks in listed for pid in tasks.read_text().split()]


class TestRenderer:
    def test_returns_snapshot_and_screenshot(self, renderer: Renderer) -> None:
        rendering = renderer.render(Page(content="<title> A &nbsp; b </title><p>Text"), screenshot=True)
        assert rendering.snapshot.title == "A b"
        assert rendering.snapshot.rendered
        assert "Chrome/" in rendering.snapshot.build
        assert rendering.screenshot.startswith(b"\x89PNG")
        assert rendering.snapshot.timings["render"] > 0

    def test_is_deterministic(self, renderer: Renderer) -> None:
        style = "<style>p { transition: all 1s; animation: a 9s infinite }</style>"
        first, second = (renderer.render(Page(content=style + "<p>Text <b>b</b>" * 99)) for _ in range(2))
        assert first.screenshot is None
        assert first.snapshot.box.tobytes() == second.snapshot.box.tobytes()
        assert first.snapshot.line_box.tobytes() == second.snapshot.line_box.tobytes()
        assert first.snapshot.styles == second.snapshot.styles

    def test_works_inside_a_running_loop(self, renderer: Renderer) -> None:
        async def notebook() -> list[str]:
            return list(renderer.render(Page(content="<p>Cell.")).snapshot.texts)

        assert asyncio.run(notebook()) == ["Cell."]

    def test_restarts_after_close(self) -> None:
        renderer = Renderer()
        for text in ("One.", "Two."):
            assert renderer.render(Page(content=f"<p>{text}")).snapshot.texts == [text]
            renderer.close()

    def test_close_leaves_no_process_and_no_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with Renderer() as renderer:
            renderer.render(Page(content="<p>Text"))
            group = group_of(renderer)
            assert processes(group)
        assert_eventually(lambda: not processes(group))
        assert_eventually(lambda: not list(tmp_path.iterdir()))


@pytest.mark.slow
class TestRecovery:
    def test_recovers_from_killed_browser(self) -> None:
        with Renderer() as renderer:
            renderer.render(Page(content="<p>One."))
            os.killpg(group_of(renderer), signal.SIGKILL)
            try:
                texts = renderer.render(Page(content="<p>Two.")).snapshot.texts
            except BrowserError:
                texts = ["Two."]
            assert texts == ["Two."]
            assert renderer.render(Page(content="<p>Three.")).snapshot.texts == ["Three."]

    def test_recovers_from_browser_killed_while_rendering(self) -> None:
        with Renderer(RenderSettings(scripts="on")) as renderer:
            renderer.render(Page(content="<p>One."))
            group = group_of(renderer)
            killer = subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -9 -{group}"])
            with pytest.raises(BrowserError, match="crashed"):
                renderer.render(Page(content="<script>for (;;);</script>"))
            assert killer.wait() == 0
            assert renderer.render(Page(content="<p>Two.")).snapshot.texts == ["Two."]

    def test_recovers_from_killed_driver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Playwright's driver process is between this process and the browser; both are replaced.
        monkeypatch.setattr(cdp, "IS_SUPPORTED", False)
        others = children(os.getpid())
        with Renderer() as renderer:
            renderer.render(Page(content="<p>One."))
            group = group_of(renderer)
            for pid in set(children(os.getpid())) - set(others):
                if b"run-driver" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(BrowserError):
                renderer.render(Page(content="<p>Two."))
            assert renderer.render(Page(content="<p>Three.")).snapshot.texts == ["Three."]
            assert_eventually(lambda: not processes(group))

    def test_recovers_from_crashed_tab(self) -> None:
        # Only the process of the tab ends; the crash is detected at once, not at the deadline.
        with Renderer(RenderSettings(deadline=60)) as renderer:
            renderer.render(Page(content="<p>One."))
            for process in processes(group_of(renderer)):
                if b"--type=renderer" in (process / "cmdline").read_bytes():
                    os.kill(int(process.name), signal.SIGKILL)
            started = time.monotonic()
            with contextlib.suppress(BrowserError):
                renderer.render(Page(content="<p>Two."))
            assert time.monotonic() - started < 40
            assert renderer.render(Page(content="<p>Three.")).snapshot.texts == ["Three."]

    def test_recovers_from_blocked_event_loop(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # The blocked event loop is abandoned, and the next page gets a new one.
        threads = threading.active_count()
        with Renderer(RenderSettings(deadline=2)) as renderer:
            renderer.render(Page(content="<p>One."))
            group = group_of(renderer)
            released = threading.Event()
            with monkeypatch.context() as patch:
                patch.setattr(browser, "_GRACE_SECONDS", 0.2)
                patch.setattr(reading, "read_document", lambda *_, **__: released.wait(60) and Document(""))
                with pytest.raises(DeadlineError):
                    renderer.render(Page(content="<p>Two."))
            released.set()
            assert renderer.render(Page(content="<p>Three.")).snapshot.texts == ["Three."]
            assert_eventually(lambda: not processes(group))
        assert_eventually(lambda: threading.active_count() <= threads)

    def test_replaces_browser_after_many_pages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(browser, "_PAGES_PER_BROWSER", 2)
        with Renderer() as renderer:
            groups = []
            for _ in range(3):
                renderer.render(Page(content="<p>Text"))
                groups.append(group_of(renderer))
            assert groups[0] == groups[1] != groups[2]
            assert not processes(groups[0])

    def test_replaces_browser_over_memory_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(browser, "_PAGES_PER_MEMORY_CHECK", 1)
        monkeypatch.setattr(browser, "_MAX_MEMORY", 2**20)
        with Renderer() as renderer:
            renderer.render(Page(content="<p>Text"))
            group = group_of(renderer)
            renderer.render(Page(content="<p>Text"))
            assert group_of(renderer) != group


@pytest.mark.slow
class TestParentDeath:
    SCRIPT = textwrap.dedent("""
        import os, sys, time
        from vclean.page import Page
        from vclean.render.browser.renderer import Renderer
        from vclean.settings import RenderSettings
        with Renderer(RenderSettings(scripts="on")) as renderer:
            renderer.render(Page(content="<p>One."))
            print(os.getpgid(renderer._worker.renderer._process.pid), flush=True)
            {then}
    """)

    IDLE = "time.sleep(60)"
    BUSY = "renderer.render(Page(content='<script>for (;;);</script>'))"

    @pytest.mark.parametrize(
        ("then", "sign"),
        [
            (IDLE, signal.SIGKILL),
            (IDLE, signal.SIGINT),
            (IDLE, signal.SIGTERM),
            (BUSY, signal.SIGKILL),
            (BUSY, signal.SIGINT),
        ],
    )
    def test_ends_browser_with_its_parent(self, then: str, sign: signal.Signals, tmp_path: Path) -> None:
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        command = [sys.executable, "-c", self.SCRIPT.format(then=then)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, start_new_session=True
        ) as parent:
            group = int(parent.stdout.readline())
            assert processes(group)
            time.sleep(0.3)
            # Ctrl-C reaches the whole foreground group, the driver included.
            if sign == signal.SIGINT:
                os.killpg(parent.pid, sign)
            else:
                parent.send_signal(sign)
            parent.wait(15)
        assert_eventually(lambda: not processes(group))
        assert_eventually(lambda: not processes(parent.pid))
        assert_eventually(lambda: not list(tmp_path.iterdir()))


class TestAsyncRenderer:
    def test_runs_two_browsers_in_one_loop(self) -> None:
        async def farm() -> list[str]:
            async with AsyncRenderer() as first, AsyncRenderer() as second:
                pages = [renderer.render(Page(content=f"<p>{n}")) for n, renderer in enumerate((first, second, first))]
                return [rendering.snapshot.texts[0] for rendering in await asyncio.gather(*pages)]

        assert asyncio.run(farm()) == ["0", "1", "2"]

    def test_replaces_browser_after_a_cancelled_page(self) -> None:
        async def farm() -> list[str]:
            async with AsyncRenderer(RenderSettings(scripts="on")) as renderer:
                await renderer.render(Page(content="<p>First."))
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(renderer.render(Page(content="<script>for (;;);</script>")), 0.5)
                return list((await renderer.render(Page(content="<p>Next."))).snapshot.texts)

        assert asyncio.run(farm()) == ["Next."]
