"""Entry point of the command line. `main` converts errors to messages and exit codes; `main_inner` raises them."""

from __future__ import annotations

import gc
import io
import logging
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from vclean.cli import INTERRUPTED, raise_interrupts
from vclean.cli.command import Parser, usage_error
from vclean.errors import InputError, OutputError, UsageError, VcleanError
from vclean.runtime import log_to_stderr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

    from vclean.cli.command import Options


_MAIN: Final = ""
"""Name of the main command, `vclean PAGE...`."""
MAIN_TABLE: Final = "clean"
"""Name of the main command in a configuration file."""
_MAIN_PATH: Final = "vclean.cli.clean.CleanCommand"

COMMANDS: Final = {
    "segment": ("vclean.cli.segments.SegmentCommand", "split pages into visual segments"),
    "farm": ("vclean.farm.command.FarmCommand", "clean many pages, from archives and crawls, to Parquet"),
    "mcp": ("vclean.cli.environment.ServerCommand", "serve pages to agents over the Model Context Protocol"),
    "label": (
        "vclean.labelling.command.LabelCommand",
        "label pages by hand in the browser, to correct and train the model",
    ),
    "setup": ("vclean.cli.environment.SetupCommand", "find or install the Chromium that --render needs"),
    "doctor": ("vclean.cli.environment.DoctorCommand", "check the installation and suggest fixes"),
    "completion": ("vclean.cli.environment.CompletionCommand", "print the completion script for bash, zsh or fish"),
    "train": ("vclean.cli.evaluate.TrainCommand", "train a model on corpora"),
    "evaluate": ("vclean.cli.evaluate.EvaluateCommand", "score methods on corpora"),
    "methods": ("vclean.cli.environment.MethodsCommand", "list the methods and their requirements"),
    "cleaneval-score": (
        "vclean.cli.evaluate.CleanevalScoreCommand",
        "score clean text against gold text as in CleanEval 2007",
    ),
    "diff": ("vclean.cli.evaluate.DiffCommand", "show where two methods or models disagree on a page"),
    "report": ("vclean.cli.evaluate.ReportCommand", "score methods on corpora and write an HTML report"),
    "evaluate-segments": ("vclean.cli.segments.EvaluateSegmentsCommand", "score segmenters on pages marked by hand"),
    "train-segments": (
        "vclean.cli.segments.TrainSegmentsCommand",
        "train the learned segmenter on pages marked by hand",
    ),
}
"""Commands except the main command: the path of its class, and its help. Commands are imported when called."""

COMPLETE: Final = "_VCLEAN_COMPLETE"
"""Environment variable that a completion script sets to the name of its shell."""

_log = logging.getLogger("vclean")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; `vclean.errors` has the table of exit codes.

    If the reader of the output closes the pipe early (`| head`), the exit code is 0.

    Args:
        arguments: the arguments without the program name; those of the process if None.
    """
    with log_to_stderr():
        try:
            return main_inner(list(sys.argv[1:] if arguments is None else arguments))
        except VcleanError as error:
            _log.error("%s", error)
            return error.exit_code
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            return 0
        except Exception as error:  # a bug is one line with its exit code, not a traceback
            from vclean.cli.batch import describe_unexpected

            _log.error("%s", describe_unexpected(error))
            _log.debug("", exc_info=True)
            return VcleanError.exit_code
        finally:
            _discard_unwritten_output()


def main_inner(arguments: list[str]) -> int:
    """Run one command and return its exit code.

    Raises:
        VcleanError: the command failed; one of the subclasses in `vclean.errors`.
    """
    if instruction := os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(PROGRAM, {}, "vclean", COMPLETE, instruction)
    try:
        options = parse_args(arguments)
    except click.exceptions.Exit as end:
        return end.exit_code
    if sys.stdout is None:
        raise OutputError("standard output is closed: open it, if only to /dev/null")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    verbosity: int = getattr(options, "verbosity", 0)
    _log.setLevel({-1: logging.ERROR, 0: logging.WARNING, 1: logging.DEBUG}[verbosity])
    gc.enable()  # `vclean.__main__` disabled it for the imports
    with raise_interrupts():
        return options.execute()


def parse_args(arguments: list[str]) -> Options:
    """Parse the arguments of the command that the first argument names, or of the main command.

    Raises:
        UsageError: an option is unknown, or a value is missing or invalid.
        click.exceptions.Exit: the option `--help` or `--version` printed its text.
    """
    try:
        with PROGRAM.make_context("vclean", list(arguments)) as ctx:
            ctx.default_map = _defaults(arguments)
            return cast("Options", PROGRAM.invoke(ctx))
    except click.UsageError as error:
        raise usage_error(error) from None


def _import_command(name: str) -> Parser:
    """Import the command with this name, and return its parser."""
    module, _, options = (COMMANDS[name][0] if name else _MAIN_PATH).rpartition(".")
    return Parser(name or MAIN_TABLE, getattr(import_module(module), options))


class Program(click.Group):
    """Group of all commands, each imported when it is called; without a command name, the main command is called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Pass all arguments to the command.

        Raises:
            UsageError: a command is mistyped.
        """
        if args and not ctx.resilient_parsing and (command := _similar_command(args[0])):
            raise UsageError(f"there is neither a page nor a command {args[0]!r}: did you mean vclean {command}?")
        is_main = args[0] not in COMMANDS if args else not ctx.resilient_parsing
        return super().parse_args(ctx, ["--", *([_MAIN] if is_main else []), *args])

    def get_command(self, ctx: click.Context, cmd_name: str) -> Parser | None:  # noqa: ARG002 - the signature is click's
        """Import a command."""
        return _import_command(cmd_name) if cmd_name in (_MAIN, *COMMANDS) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """Write the names of all commands except the main command, without importing them."""
        with formatter.section("Other commands, each with its own --help"):
            formatter.write_dl([(f"vclean {name}", text) for name, (_, text) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the completions of the first argument: a command, a page, or an option of the main command."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            clean = _import_command(_MAIN)
            return clean.shell_complete(click.Context(clean, parent=ctx, resilient_parsing=True), incomplete)
        names = [name for name in COMMANDS if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=COMMANDS[name][1]) for name in names]
        return [CompletionItem(incomplete, type="file"), *commands]


PROGRAM: Final = Program(
    "vclean", context_settings={"help_option_names": ["-h", "--help"]}, add_help_option=False, no_args_is_help=False
)


def _similar_command(word: str) -> str | None:
    """Return the command most similar to a word that is no command, file or URL; None if none is similar."""
    if word in COMMANDS or not word[:1].isalpha() or not word.replace("-", "").isalpha() or os.path.lexists(word):
        return None
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), [*COMMANDS, "--help", "--version"], 1, cutoff=0.75)), None)


def _discard_unwritten_output() -> None:
    """Prevent an error of the interpreter at exit if standard output is a closed pipe or on a full disk.

    The method is from the Python documentation (module `signal`, note on SIGPIPE).
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


VARIABLE: Final = "VCLEAN_CONFIG"
"""Environment variable with the path of the file; if it is empty, no file is read."""
FILE: Final = "vclean.toml"


def find_configuration(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """Return the nearest configuration file in a folder or above it, and its content; None if there is none.

    Raises:
        InputError: a file cannot be read, or is not TOML.
    """
    named = os.environ.get(VARIABLE)
    if named is not None:
        return (Path(named), _read(Path(named))) if named else None
    for parent in (folder, *folder.parents):
        if (path := parent / FILE).is_file():
            return path, _read(path)
        path = parent / "pyproject.toml"
        if path.is_file() and (table := _read(path).get("tool", {}).get("vclean")) is not None:
            return path, table
    return None


def _read(path: Path) -> dict[str, Any]:
    import tomllib  # most runs have no configuration

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): check the name and its rights") from error
    except ValueError as error:  # also wrong UTF-8
        raise InputError(f"{path} is not a TOML file: {error}") from error


def _defaults(arguments: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the defaults of the command from the configuration file, by the name of the command.

    Raises:
        UsageError: there is no such command, it has no such option, or the option takes no such value.
    """
    path, content = find_configuration(Path.cwd()) or (Path(), {})
    if not content:
        return {}
    command = arguments[0] if arguments and arguments[0] in COMMANDS else _MAIN
    name = command or MAIN_TABLE
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    shared = {key: value for key, value in content.items() if key not in tables}
    options = {each or MAIN_TABLE: _options(_import_command(each)) for each in (_MAIN, *COMMANDS)}
    if strange := sorted(set(tables) - set(options)):
        raise UsageError(f"{path}: there is no command {strange[0]!r}: tables have the names of commands")
    for each, table in {**tables, "": shared}.items():
        known = set(options[each]) if each else {option for names in options.values() for option in names}
        if unknown := sorted(set(table) - known):
            raise UsageError(f"{path}: there is no option --{unknown[0]}: see vclean {each} --help".replace("  ", " "))
    allowed = options[name]
    chosen: dict[str, Any] = {}
    for key, value in shared.items():
        takers = [each for each, names in options.items() if key in names and _takes(names[key], value)]
        if key in allowed and (name in takers or not takers):  # a value that only other commands take is theirs
            chosen[key] = value
    chosen |= tables.get(name, {})
    return {command: {str(allowed[key].name): _value(path, allowed[key], key, value) for key, value in chosen.items()}}


def _takes(option: click.Option, value: object) -> bool:
    """Return whether an option may have a value; its type checks values that are neither flags nor choices."""
    is_flag = isinstance(value, bool)
    return option.is_flag == is_flag and (not isinstance(option.type, click.Choice) or value in option.type.choices)


def _value(path: Path, option: click.Option, key: str, value: object) -> object:
    """Return the default of an option from its value in the file `path`.

    Raises:
        UsageError: an option without a value has one other than true and false, or another option has one of these.
    """
    if option.is_flag != isinstance(value, bool):
        allowed = "has to be true or false" if option.is_flag else "needs a value"
        raise UsageError(f"{path}: {key} {allowed}, not {value!r}")
    if option.multiple:
        return value if isinstance(value, list) else [value]
    if isinstance(value, str) and isinstance(option.type, click.Path):
        return str(path.parent / value)
    return value


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options that a file may set, by their long names."""
    options = [option for option in command.params if isinstance(option, click.Option) and not option.is_eager]
    return {name[2:]: option for option in options for name in option.opts if name.startswith("--")}
