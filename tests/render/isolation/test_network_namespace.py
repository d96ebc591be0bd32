"""Test starting a program in an empty network namespace."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from vclean.render.isolation import network_namespace, sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces")

needs_right = pytest.mark.skipif(
    sandbox.available_isolation().network is not None, reason="no network namespaces, see `vclean doctor`"
)

INTERFACES = ["-c", "print(*(line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]))"]
REACH = "import socket; print(socket.socket().connect_ex(('127.0.0.1', {port})))"
AS_NOBODY = """
import ctypes, os, runpy
enter = runpy.run_path({path!r})["enter"]
os.setgroups([]), os.setgid(65534), os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1)  # PR_SET_DUMPABLE: the process owns its /proc files, as after the next exec
enter()
print(os.getuid(), os.getgid(), len(open("/proc/net/dev").readlines()))
"""


def output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


@needs_right
class TestCommand:
    def test_has_only_loopback_which_is_down(self) -> None:
        # A listener that this process reaches cannot be reached from inside.
        assert output(network_namespace.command(sys.executable, *INTERFACES)) == "lo"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            command = [sys.executable, "-c", REACH.format(port=listener.getsockname()[1])]
            assert output(command) == "0"
            assert output(network_namespace.command(*command)) != "0"

    def test_keeps_user_arguments_and_open_files(self) -> None:
        # The pipe of the browser is such a file.
        program = "import os, sys; os.write(int(sys.argv[1]), f'{os.getuid()} {sys.argv[2:]}'.encode())"
        reader, writer = os.pipe()
        command = network_namespace.command(sys.executable, "-c", program, str(writer), "a b", "$c")
        subprocess.run(command, check=True, pass_fds=[writer])
        assert os.read(reader, 99).decode() == f"{os.getuid()} ['a b', '$c']"
        os.close(reader)
        os.close(writer)

    def test_replaces_process_by_program(self) -> None:
        # The parent can kill the program by its process id.
        with subprocess.Popen(network_namespace.command("/bin/sh", "-c", "echo $$"), stdout=subprocess.PIPE) as process:
            assert int(process.stdout.read()) == process.pid

    def test_reports_missing_program(self) -> None:
        run = subprocess.run(network_namespace.command("/nowhere"), capture_output=True, check=False, text=True)
        assert run.returncode == 1
        assert run.stderr == "error while loading /nowhere without a network: No such file or directory\n"


class TestEnter:
    @needs_right
    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
    def test_works_for_users_without_privileges(self) -> None:
        # Without privileges the namespace is created with a user namespace, and the user does not change.
        code = AS_NOBODY.format(path=network_namespace.__file__)
        assert output([sys.executable, "-I", "-S", "-c", code]) == "65534 65534 3"

    def test_reports_refusal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = []

        def refuse(flags: int) -> None:
            calls.append(flags)
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(network_namespace, "_unshare", refuse)
        with pytest.raises(SystemExit, match="without a network: Operation not permitted"):
            network_namespace.main(["/bin/true"])
        assert calls == [network_namespace._NEW_NET, network_namespace._NEW_USER | network_namespace._NEW_NET]

    def test_reports_invalid_flags(self) -> None:
        with pytest.raises(OSError, match="Invalid argument"):
            network_namespace._unshare(1)


def test_script_needs_no_site_packages() -> None:
    # The script runs isolated, and cannot import vclean.
    source = Path(network_namespace.__file__).read_text(encoding="utf-8")
    assert "vclean" not in source.partition("from __future__")[2]
