"""Read defaults of options from a configuration file: `vclean.toml`, or `[tool.vclean]` in `pyproject.toml`.

Keys are the names of options without the hyphens in front. Keys outside of a table apply to all commands whose option
takes the value, keys in a table to the command that has its name. An option on the command line wins.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VARIABLE: Final = "VCLEAN_CONFIG"
"""Environment variable with the path of the file; if it is empty, no file is read."""
FILE: Final = "vclean.toml"
_PROJECT: Final = "pyproject.toml"
_NEVER: Final = frozenset({"help", "version"})


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
        if (path := parent / _PROJECT).is_file():
            table = _read(path).get("tool", {}).get("vclean")
            if table is not None:
                return path, table
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): check the name and its rights") from error
    except ValueError as error:  # also wrong UTF-8
        raise InputError(f"{path} is not a TOML file: {error}") from error


def defaults(
    path: Path, content: Mapping[str, Any], name: str, commands: Callable[[], Mapping[str, click.Command]]
) -> dict[str, Any]:
    """Return the defaults of one command by the names of its parameters, for `click.Context.default_map`.

    Args:
        path: the file. Relative paths in it are relative to its folder.
        content: its content.
        name: the name of the command.
        commands: returns all commands by name.

    Raises:
        UsageError: there is no such command, it has no such option, or the option takes no such value.
    """
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    shared = {key: value for key, value in content.items() if key not in tables}
    options = {each: _options(command) for each, command in commands().items()}
    if strange := sorted(set(tables) - set(options)):
        raise UsageError(f"{path}: there is no command {strange[0]!r}: tables have the names of commands")
    for each, table in {**tables, "": shared}.items():
        known = set(options[each]) if each else {option for names in options.values() for option in names}
        if unknown := sorted(set(table) - known):
            raise UsageError(f"{path}: there is no option --{unknown[0]}: see vclean {each} --help".replace("  ", " "))
    allowed = options[name]
    general = {key: value for key, value in shared.items() if key in allowed and _applies(key, value, name, options)}
    chosen = {**general, **tables.get(name, {})}
    return {str(allowed[key].name): _value(path, allowed[key], key, value) for key, value in chosen.items()}


def _applies(key: str, value: object, name: str, options: Mapping[str, Mapping[str, click.Option]]) -> bool:
    """Return whether a value outside of a table is for the command: not if only options of other commands take it."""
    return _takes(options[name][key], value) or not any(
        _takes(names[key], value) for names in options.values() if key in names
    )


def _takes(option: click.Option, value: object) -> bool:
    """Return whether an option may have a value; its type checks values that are neither flags nor choices."""
    if option.is_flag:
        return isinstance(value, bool)
    return not isinstance(option.type, click.Choice) or value in option.type.choices


def _value(path: Path, option: click.Option, key: str, value: object) -> object:
    """Return the default of an option from its value in the file `path`.

    Raises:
        UsageError: an option without a value has one other than true and false.
    """
    if option.is_flag and not _takes(option, value):
        raise UsageError(f"{path}: {key} has to be true or false, not {value!r}")
    if option.multiple:
        return value if isinstance(value, list) else [value]
    if isinstance(value, str) and getattr(option.type, "func", None) is Path:
        return str(path.parent / value)
    return value


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options that a file may set, by their long names."""
    options = [option for option in command.params if isinstance(option, click.Option) and option.name not in _NEVER]
    return {name[2:]: option for option in options for name in option.opts if name.startswith("--")}
