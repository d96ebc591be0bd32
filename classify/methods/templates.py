"""Templates by site: a folder of files of selectors, each called by the host that it is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from vclean.classify.methods.registry import get
from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from vclean.classify.methods.frame import Method

SUFFIX: Final = ".txt"
TEMPLATE: Final = "template"
"""The name of the method."""


@dataclass(frozen=True, slots=True)
class Templates:
    """Templates by host, in small letters."""

    by_host: Mapping[str, Method]

    @classmethod
    def of(cls, folder: Path) -> Templates:
        """Those of the files `HOST.txt` in `folder`.

        Raises:
            InputError: there is no such folder, it has no template, or one of them is wrong.
        """
        return cls({path.stem.lower(): get(TEMPLATE, path) for path in template_files(folder)})

    def for_url(self, url: str) -> Method | None:
        """The template of the host of `url`, or of the nearest domain above it that has one; None without any.

        A template `example.org` is for `www.example.org` too, unless there is one of that name.
        """
        host = _host(url)
        while host:
            if host in self.by_host:
                return self.by_host[host]
            host = host.partition(".")[2]
        return None


def template_files(folder: Path) -> list[Path]:
    """The templates in a folder, by name.

    Raises:
        InputError: there is no such folder, or it has no template.
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError as error:
        raise InputError(f"cannot read the folder of templates {folder}: {error.strerror or error}") from error
    if not files:
        raise InputError(f"no template in {folder}: call each by its host, as in example.org{SUFFIX}")
    return files


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""
