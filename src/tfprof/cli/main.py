"""`tfprof`: finds the command, runs it, and is the only place that prints errors and exits."""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Protocol, cast

from tfprof.cli.config import settings_of, with_settings
from tfprof.cli.encoding import use_letters_it_has
from tfprof.cli.help import overview
from tfprof.cli.output import (
    check_target,
    deliver,
    emit,
    emit_to_stderr,
    name_target,
    tell_of,
    warn,
)
from tfprof.cli.own_process import alone
from tfprof.cli.parser import build_parser, values_of
from tfprof.cli.progress import progress_bar
from tfprof.cli.streams import give_up_lost_streams, talk, talk_wrapped, to_stdout
from tfprof.cli.words import divided, meant_by, normalised, paths_together, with_command
from tfprof.commands.command import Command, Files
from tfprof.commands.registry import command_called, commands
from tfprof.errors import InputUnreadable, InternalFault, Interrupted, TfprofError
from tfprof.stopwatch import ANALYSE, DRAW, WATCH, part

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.sources.find.load import ProgressOf

_HINTS = """\
tfprof: what a TensorFlow model costs, from its files, without TensorFlow.
  tfprof examples/unet                 one screen about a graph and a run
  tfprof doctor LOGDIR                 what is in a folder and what is missing
  tfprof summary saved_model --json    the same numbers for a script
`tfprof --help` lists the commands, `tfprof COMMAND --help` their options."""


_OBJECTS_BEFORE_A_SEARCH = 20_000_000
# who answers where that is not the command itself: a file of this folder each
_SURFACES = {
    "shell": "shell",
    "draw": "draw",
    "run": "run",
    "completion": "completion",
    "config": "config_told",
}


class Surface(Protocol):
    def run(
        self, args: argparse.Namespace, progress: ProgressOf | None
    ) -> Answered[object] | Callable[[], int]: ...


def main(argv: Sequence[str] | None = None) -> int:
    # a command makes many objects, keeps them all and ends: looking for cycles only takes time
    gc.set_threshold(_OBJECTS_BEFORE_A_SEARCH)
    try:
        for stream in (sys.stdout, sys.stderr):
            use_letters_it_has(stream)
        return _run(sys.argv[1:] if argv is None else argv)
    except TfprofError as fault:
        return _report(fault)
    except KeyboardInterrupt:
        return _report(Interrupted("interrupted"))
    except BrokenPipeError:
        # the reader has seen enough
        return 0
    except MemoryError:
        return _report(InputUnreadable("the machine has no memory for what the files say"))
    except Exception as fault:
        if os.environ.get("TFPROF_DEBUG"):
            raise
        return _report(
            InternalFault(
                f"tfprof failed: {type(fault).__name__}: {fault}",
                hint="Our fault. Please report it, with what TFPROF_DEBUG=1 tfprof ... prints.",
            )
        )
    finally:
        give_up_lost_streams()


def _run(argv: Sequence[str]) -> int:
    if not argv:
        to_stdout(_HINTS + "\n")
        return 0
    first = normalised(argv[:1])[0]
    if first == "help":  # the original's word for it
        argv = [*argv[1:2], "--help"]
        first = argv[0]
    if first in ("--help", "-h"):
        to_stdout(overview(commands().values()))
        return 0
    parser, valued = build_parser(meant_by(first))
    takers = {option for option, must in valued.items() if must}
    ours, script = divided(argv, takers)
    words = normalised(ours)
    if words[0] != "--version":
        words = with_command(words, takers)
        words = paths_together(words, valued)
    command = command_called(words[0])
    if command is not None:
        _set_defaults(parser, command)
    args = parser.parse_args(words)  # ends where there is no command
    assert command is not None  # noqa: S101
    args.script = script
    name_target(args)
    if command.name not in ("draw", "completion"):
        check_target(args, command)
    if getattr(args, "timing", False):
        WATCH.watch_imports()
    own = alone() if command.name != "run" else nullcontext()
    with progress_bar() as progress, own, part(ANALYSE):
        answered = _answered(command, args, progress)
    with part(DRAW):
        code = _shown(answered, args, command)
    for line in WATCH.lines() if getattr(args, "timing", False) else ():
        talk(line)
    return code


def _shown(
    answered: Answered[object] | Files | Callable[[], int],
    args: argparse.Namespace,
    command: Command,
) -> int:
    """The exit code."""
    if callable(answered):
        return answered()
    if isinstance(answered, Files):
        deliver(answered)
        tell_of(answered, args)
        return 0
    from tfprof.api.answer import Answer

    if command.tells_warnings:
        warn(answered.notes)
    emit(Answer(answered), args, command)
    return _ended(answered, command, args)


def _ended(answered: Answered[object], command: Command, args: argparse.Namespace) -> int:
    """The exit code; where the answer went into a file, why it is not 0 is said here, too."""
    from tfprof.api.answer import Answer

    code = 0 if command.exit_code is None else command.exit_code(answered)
    if code and args.output_file:
        emit_to_stderr(Answer(answered))
    return code


def _set_defaults(parser: argparse.ArgumentParser, command: Command) -> None:
    """What the environment and the project say holds where the call says nothing."""
    found = settings_of(command)
    (every,) = (it.choices for it in parser._actions if isinstance(it.choices, dict))  # noqa: SLF001
    every[command.name].set_defaults(**{key: one.value for key, one in found.items()})


def _answered(
    command: Command, args: argparse.Namespace, progress: ProgressOf | None
) -> Answered[object] | Files | Callable[[], int]:
    """Or what is left to do when all is read and the bar is gone: the prompt, a picture."""
    if command.answer is not None:
        return command.answer(with_settings(values_of(args), command.name), progress)
    surface = importlib.import_module(f"tfprof.cli.{_SURFACES[command.name]}")
    return cast("Surface", surface).run(args, progress)


def _report(fault: TfprofError) -> int:
    talk_wrapped(f"tfprof: {fault}")
    if fault.hint:
        talk_wrapped(f"  {fault.hint}")
    talk(f"  (more: tfprof explain {fault.slug})")
    return fault.exit_code
