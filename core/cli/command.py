"""Extend click: one frozen dataclass of options per command, one-line errors, help in sections."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_NUMBER: Final = re.compile(r"-\d+|-\d*\.\d+")


@dataclass(frozen=True, slots=True)
class Call:
    """Parsed command line.

    Attributes:
        run: the function of the command; it returns the exit code.
        options: the argument of `run`, a dataclass of options.
    """

    run: Callable[[Any], int]
    options: Any


class Option(click.Option):
    """Option with the section of the help that lists it."""

    def __init__(self, *args: Any, section: str = "Options", **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.section = section


class Argument(click.Argument):
    """Positional argument with a description in the help."""

    section: Final = "Arguments"

    def __init__(self, *args: Any, description: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._description = description

    def get_help_record(self, _: click.Context) -> tuple[str, str]:
        """Return the name and the description."""
        return str(self.metavar), self._description


class Command(click.Command):
    """Command that parses its arguments into a `Call` without running it.

    Args:
        bundle: a function from the values by name to the dataclass of options; values of several words are lists. It
            checks combinations of options.
        common: names of the options that the help lists first.
    """

    allow_extra_args = True  # `parse_args` rejects them

    def __init__(self, *args: Any, bundle: Callable[..., Any], common: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._bundle = bundle
        self._common = common

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments into `ctx.params`.

        Raises:
            click.UsageError: an option is unknown, or a value is missing or invalid.
        """
        if ctx.resilient_parsing:  # for shell completion
            return super().parse_args(ctx, args)
        args = self._join_words(args)
        self._check_values(ctx, args)
        if rest := super().parse_args(ctx, args):
            raise click.UsageError(f"unrecognized arguments: {' '.join(rest)}", ctx)
        return rest

    def invoke(self, ctx: click.Context) -> Call:
        """Return the function of the command with its options."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in ctx.params.items()}
        try:
            options = self._bundle(**values)
        except click.UsageError as error:
            error.ctx = ctx
            raise
        assert self.callback is not None
        return Call(self.callback, options)

    def _join_words(self, args: Iterable[str]) -> list[str]:
        """Join the words of a flag of two, such as `--render auto`, which the command declares as `--render-auto`."""
        flags = {
            name for param in self.params if isinstance(param, click.Option) and param.hidden for name in param.opts
        }
        joined: list[str] = []
        for word in args:
            if joined and "--" not in joined and f"{joined[-1]}-{word}" in flags:
                joined[-1] += f"-{word}"
            else:
                joined.append(word)
        return joined

    def _check_values(self, ctx: click.Context, args: Iterable[str]) -> None:
        """Reject an option in the position of a value, which click would accept as the value."""
        options = [param for param in self.params if isinstance(param, click.Option) and not param.is_flag]
        by_name = {name: option for option in options for name in option.opts}
        words = takewhile("--".__ne__, args)
        for word in words:
            if option := by_name.get(word):
                values = [next(words, None) for _ in range(option.nargs)]
                if any(value is None or _is_option(value) for value in values):
                    raise click.UsageError(f"argument {'/'.join(option.opts)}: expected {_arguments(option)}", ctx)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option --help, with a callback that ignores errors of the output, such as a full disk."""
        option = super().get_help_option(ctx)
        if option:
            option.help = "print this help"
            option.callback = _print_help
        return option

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage line; the name of the main command is empty, and its space is removed."""
        formatter.write_usage(ctx.command_path.strip(), " ".join(self.collect_usage_pieces(ctx)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options by section, the common options first."""
        sections: dict[str, list[tuple[str, str]]] = {}
        by_name = {name: param for param in self.get_params(ctx) for name in param.opts}
        common = [by_name[name] for name in self._common]
        arguments = [param for param in self.get_params(ctx) if isinstance(param, Argument)]
        for param in dict.fromkeys((*arguments, *common, *self.get_params(ctx))):
            section = "Common options" if param in common else getattr(param, "section", "Options")
            if record := param.get_help_record(ctx):
                sections.setdefault(section, []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog; for the main command also the list of the other commands."""
        if ctx.parent and not ctx.info_name and isinstance(ctx.parent.command, click.Group):
            ctx.parent.command.format_commands(ctx.parent, formatter)
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text(self.epilog)


def command(name: str, bundle: Callable[..., Any], **attributes: Any) -> Callable[[Callable[..., int]], Command]:
    """Return a decorator that makes a command of a function from options to the exit code; see `Command`."""
    return click.command(name, cls=Command, bundle=bundle, **attributes)


def usage_error(error: click.UsageError) -> UsageError:
    """Convert an error of click to a one-line error that ends with the command for the help."""
    command_path = error.ctx.command_path.strip() if error.ctx else "vclean"
    return UsageError(f"{_reason(error)} (see {command_path} --help)")


def _reason(error: click.UsageError) -> str:
    if isinstance(error, click.MissingParameter) and error.param:
        return f"an argument is required: {_name(error.param)}"
    if isinstance(error, click.BadParameter) and error.param:
        origin = " in the configuration file" if _is_configured(error) else ""
        return f"argument {_name(error.param)}{origin}: {error.message.removesuffix('.')}"
    if isinstance(error, click.NoSuchOption):
        similar = f"; did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return f"unrecognized arguments: {error.option_name}{similar}"
    if isinstance(error, click.BadOptionUsage):
        return f"argument {error.option_name}: takes no value"
    return error.format_message().removesuffix(".")


def _is_configured(error: click.BadParameter) -> bool:
    if not (error.ctx and error.param and error.param.name):
        return False
    return error.ctx.get_parameter_source(error.param.name) is ParameterSource.DEFAULT_MAP


def _name(param: click.Parameter) -> str:
    return (
        "/".join(param.opts) if isinstance(param, click.Option) else str(param.metavar).removesuffix("...").strip("[]")
    )


def _arguments(option: click.Option) -> str:
    """Describe the values of an option."""
    if isinstance(option.type, click.Choice):
        return f"one argument of {', '.join(option.type.choices)}"
    return "one argument" if option.nargs == 1 else f"{option.nargs} arguments"


def _is_option(value: str) -> bool:
    return value.startswith("-") and value != "-" and " " not in value and not _NUMBER.fullmatch(value)


def _print_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        with suppress(OSError):
            click.echo(ctx.get_help())
        ctx.exit()
