"""Starts a program in a network namespace of its own, with nothing in it. Run as a script, standard library only.

    python -I -S netns.py PROGRAM ARGUMENT...

The loopback interface is there and down: no address is reached, this machine's own included (network_namespaces(7)).
Chromium needs none, for it is driven over a pipe and every request of a page is answered from there (see guard.py).
"""

from __future__ import annotations

import ctypes
import os
import sys

_NEW_USER = 0x10000000
_NEW_NET = 0x40000000
"""`CLONE_NEWUSER` and `CLONE_NEWNET` of unshare(2); `os.unshare` is in Python 3.12 and later."""


def command(*program: str) -> list[str]:
    """The command that runs `program`, a path and its arguments, without a network."""
    return [sys.executable, "-I", "-S", __file__, *program]


def enter() -> None:
    """Move this process, of one thread, to an empty network namespace; its user stays who he is.

    Raises:
        OSError: the kernel refuses.
    """
    try:
        _unshare(_NEW_NET)  # the right of root, where no container took it away
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        _unshare(_NEW_USER | _NEW_NET)
        # An ordinary user maps himself alone, and his group only without setgroups(2) (user_namespaces(7)).
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")


def _unshare(flags: int) -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def _write(path: str, text: str) -> None:
    """One call, as the kernel wants it; pathlib would double the time this script takes to start."""
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text.encode("ascii"))
    finally:
        os.close(file)


def main(arguments: list[str]) -> None:
    """Become the program that is named, without a network."""
    try:
        enter()
        os.execv(arguments[0], arguments)
    except OSError as error:
        sys.exit(f"error while loading {arguments[0]} without a network: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1:])
