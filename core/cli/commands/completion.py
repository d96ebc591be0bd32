"""Command `vclean completion`: print the script for completion of commands, options, values and files in a shell."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

import click

from vclean.cli.command import Argument, command

SHELLS: Final = ("bash", "zsh", "fish")

_EPILOG: Final = """\
\b
For bash, add to ~/.bashrc:  eval "$(vclean completion bash)"
For zsh, add to ~/.zshrc:    eval "$(vclean completion zsh)"
For fish:  vclean completion fish > ~/.config/fish/completions/vclean.fish"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionOptions:
    """Options of `vclean completion`; `shell` is one of `SHELLS`."""

    shell: str


@command(
    "completion",
    CompletionOptions,
    help="Print the script for completion of commands, options, values and files in a shell.",
    epilog=_EPILOG,
)
@click.argument(
    "shell",
    cls=Argument,
    type=click.Choice(SHELLS),
    metavar="SHELL",
    description=", ".join(SHELLS[:-1]) + " or " + SHELLS[-1],
)
def print_script(options: CompletionOptions) -> int:
    """Print the script and return the exit code."""
    from click.shell_completion import get_completion_class

    from vclean.cli.main import COMPLETE, PROGRAM
    from vclean.files import write_stream

    complete = get_completion_class(options.shell)
    assert complete is not None
    write_stream(sys.stdout, complete(PROGRAM, {}, "vclean", COMPLETE).source().strip() + "\n")
    return 0
