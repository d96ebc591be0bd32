"""Run a program in an empty network namespace. Run as a script, standard library only.

    python -I -S network_namespace.py PROGRAM ARGUMENT...

The loopback interface is down, so no address can be reached, not even 127.0.0.1 (network_namespaces(7)). Chromium
needs no network: CDP messages use file descriptors, and `vclean.render.browser.interception` answers all requests.
"""

from __future__ import annotations

import ctypes
import os
import sys

_NEW_USER = 0x10000000
_NEW_NET = 0x40000000
"""`CLONE_NEWUSER` and `CLONE_NEWNET` of unshare(2); `os.unshare` requires Python 3.12."""


def command(*program: str) -> list[str]:
    """Return the command that runs `program`, a path and its arguments, without a network."""
    return [sys.executable, "-I", "-S", __file__, *program]


def enter() -> None:
    """Move this single-threaded process to an empty network namespace; its user does not change.

    Raises:
        OSError: the kernel refuses.
    """
    try:
        _unshare(_NEW_NET)  # allowed for root, unless a container removed this capability
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        _unshare(_NEW_USER | _NEW_NET)
        # A user without privileges may map only its user id, and its group id only after denying setgroups(2)
        # (user_namespaces(7)).
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")


def _unshare(flags: int) -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def _write(path: str, text: str) -> None:
    """Write in one call, as the kernel requires. Importing pathlib would double the start time of this script."""
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text.encode("ascii"))
    finally:
        os.close(file)


def main(arguments: list[str]) -> None:
    """Replace this process by a program without a network."""
    try:
        enter()
        os.execv(arguments[0], arguments)
    except OSError as error:
        sys.exit(f"error while loading {arguments[0]} without a network: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1:])
