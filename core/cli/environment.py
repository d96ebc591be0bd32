"""Commands `vclean setup`, `doctor`, `methods`, `completion` and `mcp`: the installation, and its use by programs."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.command import Options, argument, flag, option
from vclean.cli.options import MessageOptions, RenderOptions
from vclean.errors import UsageError
from vclean.files import write_stream
from vclean.settings import CleanerSettings, Policy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_JSON: Final = ("--json", "print a JSON array")
SHELLS: Final = ("bash", "zsh", "fish")

_COMPLETION_EPILOG: Final = """\
\b
For bash, add to ~/.bashrc:  eval "$(vclean completion bash)"
For zsh, add to ~/.zshrc:    eval "$(vclean completion zsh)"
For fish:  vclean completion fish > ~/.config/fish/completions/vclean.fish"""

_SERVER_EPILOG: Final = """\
The server speaks MCP on standard input and output; a client starts it. Tools: read_page, page_blocks, find_on_page,
explain_block, page_screenshot. Without --allow-folder, no local file can be read; --no-network needs it.
"""


class SetupCommand(Options):
    """Find or install a Chromium, and test it."""

    def execute(self) -> int:
        """Find or install Chromium; return the exit code."""
        from vclean.cli.installation import setup

        setup()
        return 0


class DoctorCommand(Options):
    """Check the installation and suggest fixes; the exit code is 1 if a check fails."""

    json: bool = flag(*_JSON)

    def execute(self) -> int:
        """Check the installation and return the exit code, 1 if a check fails."""
        from vclean.cli.installation import run_checks

        checks = list(run_checks())
        rows: list[tuple[str, ...]] = []
        for check in checks:
            rows.append((check.status, check.name, check.detail))
            if check.remedy:
                rows.append(("", "", f"-> {check.remedy}"))
        _print(list(map(asdict, checks)) if self.json else rows)
        return int(any(check.status == "FAIL" for check in checks))


class MethodsCommand(Options):
    """List the methods that label blocks, and their requirements."""

    json: bool = flag(*_JSON)

    def execute(self) -> int:
        """Print one line for each method, with its requirements and its description; return the exit code."""
        from vclean.classify.methods import all_method_infos, is_shipped

        records, rows = [], []
        for method in all_method_infos():
            ships = is_shipped(method)
            needs = [f"{need} (ships)" if need == "a model" and ships else need for need in method.needs]
            rows.append((method.name, ", ".join(needs) or "-", method.summary))
            facts = {"name": method.name, "description": method.summary, "rendered": method.rendered}
            facts |= {"trained": method.trained, "ships": ships if method.trained else None}
            records.append({**facts, "template": method.templated, "extra": "methods" if method.library else None})
        _print(records if self.json else rows)
        return 0


def _print(rows: Sequence[tuple[str, ...] | dict[str, Any]]) -> None:
    """Print a table of tuples, or a JSON array of dictionaries."""
    from tabulate import tabulate

    if isinstance(rows[0], dict):
        text = json.dumps(rows, ensure_ascii=False, indent=1)
    else:
        text = tabulate(rows, tablefmt="plain", disable_numparse=True)
    write_stream(sys.stdout, text + "\n")


class CompletionCommand(Options):
    """Print the script for completion of commands, options, values and files in a shell."""

    epilog = _COMPLETION_EPILOG

    shell: str = argument("SHELL", ", ".join(SHELLS[:-1]) + " or " + SHELLS[-1], type=click.Choice(SHELLS))

    def execute(self) -> int:
        """Print the script and return the exit code."""
        from click.shell_completion import get_completion_class

        from vclean.cli.main import COMPLETE, PROGRAM

        complete = get_completion_class(self.shell)
        assert complete is not None
        write_stream(sys.stdout, complete(PROGRAM, {}, "vclean", COMPLETE).source().strip() + "\n")
        return 0


class ServerCommand(RenderOptions, MessageOptions):
    """Serve pages to agents over the Model Context Protocol (MCP)."""

    epilog = _SERVER_EPILOG

    folders: list[Path] = option(
        "--allow-folder FOLDER", "allow to read the pages below this folder; repeatable (none)", multiple=True
    )
    no_network: bool = flag("--no-network", "refuse addresses; otherwise pages at public addresses are fetched")
    revealable: bool = flag("--revealable", "keep text that a reader can open, such as folded sections")

    def check(self) -> None:
        """Check that some page can be read."""
        if self.no_network and not self.folders:
            raise UsageError("with --no-network and no --allow-folder no page can be read: add --allow-folder FOLDER")
        super().check()

    def execute(self) -> int:
        """Serve until the client closes standard input, and return the exit code 0.

        Raises:
            UsageError: an allowed folder does not exist.
            ExtraMissingError: the MCP SDK is not installed.
        """
        for folder in self.folders:
            if not folder.is_dir():
                raise UsageError(f"{folder} is no folder: name a folder of pages")
        from vclean.adapters.mcp import serve

        policy = Policy(hidden="revealable" if self.revealable else "drop")
        cleaning = CleanerSettings(render=True, rendering=self.settings, policy=policy)
        serve(cleaning, self.folders, network=not self.no_network)
        return 0
