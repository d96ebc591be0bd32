"""The command line. `main` turns errors into messages and exit codes; `main_inner` raises them."""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Final

from vclean.compare.options import DiffOptions, ReportOptions
from vclean.corpus_options import EvaluateOptions, TrainOptions
from vclean.errors import OutputError, VcleanError
from vclean.evaluate_segments_options import EvaluateSegmentsOptions
from vclean.explain import unexpected
from vclean.farm.options import FarmOptions
from vclean.interrupts import INTERRUPTED, raised
from vclean.labelling.options import LabelOptions
from vclean.methods_options import CleanevalScoreOptions, MethodsOptions
from vclean.options import CleanOptions, DoctorOptions, SetupOptions, parse_args
from vclean.segment_options import SegmentOptions
from vclean.train_segments_options import TrainSegmentsOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vclean.options import Options

_COMMANDS: Final[dict[type[Options], str]] = {
    CleanOptions: "vclean.clean_command.clean_pages",
    CleanevalScoreOptions: "vclean.cleaneval_command.score_files",
    DiffOptions: "vclean.compare.diff_command.compare_pages",
    DoctorOptions: "vclean.commands.examine",
    EvaluateOptions: "vclean.corpus_commands.score_methods",
    EvaluateSegmentsOptions: "vclean.evaluate_segments_command.score_segmenters",
    FarmOptions: "vclean.farm.command.farm",
    LabelOptions: "vclean.labelling.command.label_pages",
    MethodsOptions: "vclean.methods_command.list_methods",
    ReportOptions: "vclean.compare.report_command.write_report",
    SegmentOptions: "vclean.segment_command.segment_pages",
    SetupOptions: "vclean.commands.set_up",
    TrainOptions: "vclean.corpus_commands.train_model",
    TrainSegmentsOptions: "vclean.train_segments_command.train_segments",
}
"""What runs each command."""

_log = logging.getLogger("vclean")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code; see `vclean.errors` for the table.

    A reader that closes the pipe early (`| head`) is no failure.
    """
    with _messages():
        try:
            return main_inner(list(sys.argv[1:] if arguments is None else arguments))
        except VcleanError as error:
            _log.error("%s", error)
            return error.exit_code
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            return 0
        except Exception as error:
            _log.error("%s", unexpected(error))
            _log.debug("", exc_info=True)
            return VcleanError.exit_code
        finally:
            _leave_stdout()


def main_inner(arguments: list[str]) -> int:
    """Run one command; the exit code.

    Raises:
        VcleanError: by what went wrong.
    """
    options = parse_args(arguments)
    if sys.stdout is None:
        raise OutputError("standard output is closed: open it, if only to /dev/null")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    return _run(options)


def _run(options: Options) -> int:
    """Each command is imported when it is called: `--help` must not wait for a model library."""
    if not isinstance(options, CleanevalScoreOptions | DoctorOptions | MethodsOptions | SetupOptions):
        _log.setLevel({-1: logging.ERROR, 0: logging.WARNING, 1: logging.DEBUG}[options.verbosity])
    module, _, name = _COMMANDS[type(options)].rpartition(".")
    command = getattr(import_module(module), name)
    with raised():
        return int(command(options))


@contextmanager
def _messages() -> Iterator[None]:
    """Send the package's log to standard error, one line a message, for as long as a command runs."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("vclean: %(message)s"))
    _log.addHandler(handler)
    level = _log.level
    try:
        yield
    finally:
        _log.setLevel(level)
        _log.removeHandler(handler)


def _leave_stdout() -> None:
    """Keep the interpreter from failing at exit on what a closed pipe or a full disk did not take.

    The way is that of the Python documentation (signal, SIGPIPE).
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
