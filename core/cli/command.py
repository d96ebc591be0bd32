"""Extend click: define a command by a dataclass of its options, and report errors in one line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, dataclass_transform

import click
from click.core import ParameterSource, augment_usage_errors

from vclean.characters import format_count
from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_NUMBER: Final = re.compile(r"-\d+|-\d*\.\d+")
AnyValue = Any
"""Declaration of a field, which type checkers accept for a field of any type."""

POSITIVE: Final = click.IntRange(1)
PATH: Final = click.Path(path_type=Path, readable=False)
_TYPES: Final = {
    **dict.fromkeys(("ARCHIVE", "CORPUS", "FILE", "FOLDER", "GOLD", "MODEL", "OUT", "PREDICTED"), PATH),
    **dict.fromkeys(("INPUT", "PAGE"), click.Path(readable=False)),
    **dict.fromkeys(("N", "PX"), POSITIVE),
}
"""Types of values by their names in the help; others are strings, or have the type of the default."""
_OWN_SECTION: Final = "Options"
_PARAMETER: Final = "parameter"


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Options:
    """Options of a command: each field is declared by `option`, `flag` or `argument`.

    Subclasses are frozen dataclasses. That of a command has the first paragraph of its help as docstring.

    Attributes:
        section: the heading of the options of this class in the help.
        sections: other headings of the help for those of the options.
        common: names of the options that the help lists first.
        epilog: the end of the help.
    """

    section: ClassVar[str] = _OWN_SECTION
    sections: ClassVar[Mapping[str, str]] = {}
    common: ClassVar[Sequence[str]] = ()
    epilog: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    def check(self) -> None:
        """Check combinations of values.

        Raises:
            UsageError, click.UsageError: a combination is not allowed.
        """

    def execute(self) -> int:
        """Run the command and return its exit code.

        Raises:
            VcleanError: the command failed.
        """
        raise NotImplementedError


def option(usage: str, text: str = "", *, default: AnyValue = None, **attributes: Any) -> AnyValue:
    """Declare a field of `Options` as an option.

    Args:
        usage: names and value as in the help: `-o, --out FILE` or `--scripts auto|on|off`. The value determines
            the type, see `_TYPES`.
        text: the help; `{default}` in it is replaced by the default.
        default: the value without the option.
        attributes: other arguments of `Option`.
    """
    words = usage.split()
    names = [word.rstrip(",") for word in words if word.startswith("-")]
    value = "" if words[-1] in names else words[-1]
    if "|" in value:
        attributes = {"type": click.Choice(value.split("|")), **attributes}
    elif value:
        attributes = {"type": _TYPES.get(value), "metavar": value, **attributes}
    attributes["help"] = (text or attributes.get("help", "")).format(default=default)
    if attributes.get("multiple"):
        default = default or ()
    if attributes.get("required"):
        return field(metadata={_PARAMETER: (Option, names, attributes)})
    return field(default=default, metadata={_PARAMETER: (Option, names, {**attributes, "default": default})})


def flag(usage: str, text: str = "", **attributes: Any) -> AnyValue:
    """Declare a field of `Options` as an option without a value."""
    return option(usage, text, default=False, is_flag=True, **attributes)


def argument(metavar: str, description: str, **attributes: Any) -> AnyValue:
    """Declare a field of `Options` as a positional argument; see `click.argument`.

    Args:
        metavar: its name in the help, such as `CORPUS...` for several values, or `[CORPUS]...` if there may be none.
        description: the help.
        attributes: other arguments of `Argument`.
    """
    several = {"nargs": -1, "required": not metavar.startswith("[")} if metavar.endswith("...") else {}
    values = {"metavar": metavar, "description": description, "type": _TYPES.get(metavar.strip("[].")), **several}
    return field(metadata={_PARAMETER: (Argument, (), {**values, **attributes})})


class Option(click.Option):
    """Option with its relations to others.

    Attributes:
        section: the heading in the help; in a declaration, empty for that of the class.
        excludes: the field that must not have a value together with this one.
        needs: the field that must have a value if this one is on the command line.
        implied: the value of an option of choices that is given without one.
    """

    def __init__(
        self, *args: Any, section: str, excludes: str = "", needs: str = "", implied: str = "", **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.section = section
        self.excludes = excludes
        self.needs = needs
        self.implied = implied


class Argument(click.Argument):
    """Positional argument with a description in the help."""

    def __init__(self, *args: Any, description: str, section: str, **attributes: Any) -> None:  # noqa: ARG002
        super().__init__(*args, **attributes)
        self.section = "Arguments"
        self._description = description

    def get_help_record(self, _: click.Context) -> tuple[str, str]:
        """Return the name and the description."""
        return str(self.metavar), self._description


def _parameters(options: type[Options]) -> Iterator[click.Parameter]:
    """Yield the parameters that a class declares: first its own fields, then those of its bases."""
    declared = {each.name: each for each in fields(options)}  # type: ignore[arg-type] # subclasses are dataclasses
    names = [name for base in options.__mro__ for name in vars(base).get("__annotations__", {}) if name in declared]
    owners = {name: base for base in reversed(options.__mro__) for name in vars(base).get("__annotations__", {})}
    for name in dict.fromkeys(names):
        kind, words, attributes = declared[name].metadata[_PARAMETER]
        section = attributes.get("section") or vars(owners[name]).get("section", _OWN_SECTION)
        yield kind([*words, name], **{**attributes, "section": options.sections.get(section, section)})


class Parser(click.Command):
    """Parser of the arguments of a command into its options.

    Args:
        name: the name of the command.
        options: the class of its options; values of several words are lists.
    """

    allow_extra_args = True  # `parse_args` rejects them

    def __init__(self, name: str, options: type[Options]) -> None:
        text = (options.__doc__ or "").partition("\n\n")[0]
        super().__init__(name, params=list(_parameters(options)), help=text, epilog=options.epilog)
        self._options = options

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

    def invoke(self, ctx: click.Context) -> Options:
        """Return the options."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in ctx.params.items()}
        with augment_usage_errors(ctx):
            self._check_relations(values)
            options = self._options(**values)
            options.check()
        return options

    def _join_words(self, args: Iterable[str]) -> list[str]:
        """Join the words of a flag of two, such as `--render auto`, which the command declares as `--render-auto`.

        An option with an implied value gets it where no value follows.
        """
        flags = {
            name for param in self.params if isinstance(param, click.Option) and param.hidden for name in param.opts
        }
        implied = {
            name: param for param in self.params if isinstance(param, Option) and param.implied for name in param.opts
        }
        joined: list[str] = []
        for word in (*args, "--"):
            option = implied.get(joined[-1]) if joined and "--" not in joined else None
            if option and isinstance(option.type, click.Choice) and word not in option.type.choices:
                joined.append(option.implied)
            if joined and "--" not in joined and f"{joined[-1]}-{word}" in flags:
                joined[-1] += f"-{word}"
            else:
                joined.append(word)
        return joined[:-1]

    def _check_values(self, ctx: click.Context, args: Iterable[str]) -> None:
        """Reject an option in the position of a value, which click would accept as the value."""
        options = [param for param in self.params if isinstance(param, click.Option) and not param.is_flag]
        by_name = {name: option for option in options for name in option.opts}
        words = takewhile("--".__ne__, args)
        for word in words:
            if option := by_name.get(word):
                values = [next(words, None) for _ in range(option.nargs)]
                if any(value is None or _is_option(value) for value in values):
                    raise click.UsageError(
                        f"argument {'/'.join(option.opts)}: expected {format_count(option.nargs, 'argument')}", ctx
                    )

    def _check_relations(self, values: dict[str, Any]) -> None:
        """Check which options are given together.

        An option on the command line replaces one that it excludes if that is a default from the configuration file.

        Raises:
            click.UsageError: an option excludes another, or lacks one.
        """
        by_name = {param.name: param for param in self.params}
        for param in self.params:
            if isinstance(param, Option) and param.excludes and values[param.excludes] and values[param.name or ""]:
                pair = [by_name[param.excludes], param]
                if len(configured := [each for each in pair if not is_on_command_line(str(each.name))]) != 1:
                    first, second = map(_name, pair)
                    raise click.UsageError(f"argument {second}: not allowed with argument {first}")
                values[str(configured[0].name)] = False if getattr(configured[0], "is_flag", False) else None
            if isinstance(param, Option) and param.needs and not values[param.needs]:
                other = by_name[param.needs]
                if is_on_command_line(str(param.name)):
                    name = f"{other.opts[-1]} {other.metavar}" if isinstance(other, Option) else _name(other)
                    raise click.UsageError(f"argument {_name(param)}: needs {name}")

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage line; the name of the main command is empty, and its space is removed."""
        formatter.write_usage(ctx.command_path.strip(), " ".join(self.collect_usage_pieces(ctx)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options by section, the common options first."""
        sections: dict[str, list[tuple[str, str]]] = {}
        by_name = {name: param for param in self.get_params(ctx) for name in param.opts}
        common = [by_name[name] for name in self._options.common]
        arguments = [param for param in self.get_params(ctx) if isinstance(param, Argument)]
        for param in dict.fromkeys((*arguments, *common, *self.get_params(ctx))):
            section = "Common options" if param in common else getattr(param, "section", _OWN_SECTION)
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


def is_on_command_line(name: str) -> bool:
    """Return whether the value of a parameter is on the command line, and not in the configuration file."""
    context = click.get_current_context(silent=True)
    return context is not None and context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def usage_error(error: click.UsageError) -> UsageError:
    """Convert an error of click to a one-line error that ends with the command for the help."""
    command_path = error.ctx.command_path.strip() if error.ctx else "vclean"
    return UsageError(f"{_reason(error)} (see {command_path} --help)")


def _reason(error: click.UsageError) -> str:
    if isinstance(error, click.MissingParameter) and error.param:
        return f"an argument is required: {_name(error.param)}"
    if isinstance(error, click.BadParameter) and error.param:
        source = error.ctx.get_parameter_source(str(error.param.name)) if error.ctx else None
        origin = " in the configuration file" if source is ParameterSource.DEFAULT_MAP else ""
        return f"argument {_name(error.param)}{origin}: {error.message.removesuffix('.').removesuffix(' range')}"
    if isinstance(error, click.NoSuchOption):
        similar = f"; did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return f"unrecognized arguments: {error.option_name}{similar}"
    if isinstance(error, click.BadOptionUsage):
        return f"argument {error.option_name}: takes no value"
    return error.format_message().removesuffix(".")


def _name(param: click.Parameter) -> str:
    if isinstance(param, click.Option):
        return "/".join(param.opts)
    return str(param.metavar).removesuffix("...").strip("[]")


def _is_option(value: str) -> bool:
    return value.startswith("-") and value != "-" and " " not in value and not _NUMBER.fullmatch(value)
