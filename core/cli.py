"""The command line. `main` turns errors into messages and exit codes; `main_inner` raises them."""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from vclean.errors import OutputError, VcleanError
from vclean.explain import unexpected
from vclean.interrupts import INTERRUPTED, raised
from vclean.options import named, parse_args

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vclean.options import Options

_COMMANDS: Final = {
    "CleanOptions": "vclean.clean_command.clean_pages",
    "CleanevalScoreOptions": "vclean.cleaneval_command.score_files",
    "DiffOptions": "vclean.compare.diff_command.compare_pages",
    "DoctorOptions": "vclean.commands.examine",
    "EvaluateOptions": "vclean.corpus_commands.score_methods",
    "EvaluateSegmentsOptions": "vclean.evaluate_segments_command.score_segmenters",
    "FarmOptions": "vclean.farm.command.farm",
    "LabelOptions": "vclean.labelling.command.label_pages",
    "MethodsOptions": "vclean.methods_command.list_methods",
    "ReportOptions": "vclean.compare.report_command.write_report",
    "SegmentOptions": "vclean.segment_command.segment_pages",
    "SetupOptions": "vclean.commands.set_up",
    "TrainOptions": "vclean.corpus_commands.train_model",
    "TrainSegmentsOptions": "vclean.train_segments_command.train_segments",
}
"""What runs each command, by the type of its options; imported when it is called."""

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
    verbosity: int = getattr(options, "verbosity", 0)
    _log.setLevel({-1: logging.ERROR, 0: logging.WARNING, 1: logging.DEBUG}[verbosity])
    command = named(_COMMANDS[type(options).__name__])
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
