"""Command `vclean mcp`: serve pages to agents over the Model Context Protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vclean.cli.command import command
from vclean.cli.options import (
    flag,
    option,
    page_limits,
    path,
    scripts_options,
    take_scripts,
    take_settings,
    take_verbosity,
    verbosity,
)
from vclean.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.settings import CleanerSettings

_EPILOG = """\
The server speaks MCP on standard input and output; a client starts it. Tools: read_page, page_blocks, find_on_page,
explain_block, page_screenshot. Without --allow-folder, no local file can be read; --no-network needs it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Options of `vclean mcp`.

    Attributes:
        cleaning: the settings that determine the result of a page.
        folders: the folders with the files that may be read.
        network: whether pages may be fetched from public addresses.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    cleaning: CleanerSettings
    folders: list[Path]
    network: bool
    verbosity: int


def _options(*, revealable: bool, no_network: bool, **values: Any) -> ServerOptions:
    from vclean.settings import CleanerSettings, Policy

    if no_network and not values["folders"]:
        raise UsageError("with --no-network and no --allow-folder no page can be read: add --allow-folder FOLDER")
    policy = Policy(hidden="revealable" if revealable else "drop")
    cleaning = CleanerSettings(
        render=True, rendering=take_settings(values, scripts=take_scripts(values)), policy=policy
    )
    return ServerOptions(
        cleaning=cleaning, network=not no_network, verbosity=take_verbosity(values), folders=values["folders"]
    )


@command("mcp", _options, help="Serve pages to agents over the Model Context Protocol (MCP).", epilog=_EPILOG)
@option(
    "--allow-folder",
    "folders",
    multiple=True,
    type=path,
    metavar="FOLDER",
    help="allow to read the pages below this folder; repeatable (none)",
)
@flag("--no-network", help="refuse addresses; otherwise pages at public addresses are fetched")
@scripts_options()
@flag("--revealable", help="keep text that a reader can open, such as folded sections")
@page_limits()
@verbosity()
def serve_pages(options: ServerOptions) -> int:
    """Serve until the client closes standard input, and return the exit code 0.

    Raises:
        UsageError: an allowed folder does not exist.
        ExtraMissingError: the MCP SDK is not installed.
    """
    for folder in options.folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder: name a folder of pages")
    from vclean.adapters.mcp import serve

    serve(options.cleaning, options.folders, network=options.network)
    return 0
