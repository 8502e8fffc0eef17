"""`tfprof`: finds the command, runs it, and is the only place that prints errors and exits."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tfprof import __version__
from tfprof.cli import completion, config_told, draw, run, shell
from tfprof.cli.config import settings_of, with_settings
from tfprof.cli.encoding import use_letters_it_has
from tfprof.cli.help import epilog, overview
from tfprof.cli.output import (
    add_outputs,
    check_target,
    deliver,
    emit,
    emit_to_stderr,
    tell_of,
    warn,
)
from tfprof.cli.parser import Parser, add_options, values_of
from tfprof.cli.progress import progress_bar
from tfprof.cli.streams import give_up_lost_streams, talk, to_stdout
from tfprof.cli.words import normalised, paths_together, with_command
from tfprof.commands.command import Command, Files
from tfprof.commands.registry import commands
from tfprof.errors import InputUnreadable, InternalFault, Interrupted, TfprofError

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


def build_parser() -> tuple[argparse.ArgumentParser, dict[str, bool]]:
    """The parser, and the options that take a value: whether they have to."""
    parser = Parser(prog="tfprof", usage="tfprof COMMAND PATH... [options]", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"tfprof {__version__}")
    subparsers = parser.add_subparsers(
        dest="command", prog="tfprof", metavar="COMMAND", required=True
    )
    valued: dict[str, bool] = {}
    for name, command in commands().items():
        sub = subparsers.add_parser(
            name, description=command.help, epilog=epilog(command), allow_abbrev=False
        )
        add_options(sub, command.options)
        parsers: list[argparse.ArgumentParser] = [sub]
        if name == draw.NAME:
            parsers += draw.add_subjects(sub)
        elif name != completion.NAME:
            add_outputs(sub, command)
        if name == run.NAME:
            sub.usage = run.USAGE
        for one in parsers:
            parser.known_options.update(one._option_string_actions)  # noqa: SLF001
            takers = [it for it in one._actions if it.nargs in (None, "?")]  # noqa: SLF001
            valued |= {o: it.nargs is None for it in takers for o in it.option_strings}
    return parser, valued


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
    parser, valued = build_parser()
    ours, script = run.divided(argv, {option for option, must in valued.items() if must})
    words = normalised(ours)
    if words[0] == "help":  # the original's word for it
        words = [*words[1:2], "--help"]
    if words[0] in ("--help", "-h"):
        to_stdout(overview(commands().values()))
        return 0
    if words[0] != "--version":
        words = with_command(words, commands(), {option for option, must in valued.items() if must})
        words = paths_together(words, valued)
    _set_defaults(parser, words[0])
    args = parser.parse_args(words)
    args.script = script
    command = commands()[args.command]
    if args.command not in (draw.NAME, completion.NAME):
        check_target(args, command)
    with progress_bar() as progress:
        answered = _answered(args, progress)
    code = 0
    if callable(answered):
        code = answered()
    elif isinstance(answered, Files):
        deliver(answered)
        tell_of(answered, args)
    else:
        from tfprof.api.answer import Answer

        if command.tells_warnings:
            warn(answered.notes)
        emit(Answer(answered), args, command)
        code = _ended(answered, command, args)
    return code


def _ended(answered: Answered[object], command: Command, args: argparse.Namespace) -> int:
    """The exit code; where the answer went into a file, why it is not 0 is said here, too."""
    from tfprof.api.answer import Answer

    code = 0 if command.exit_code is None else command.exit_code(answered)
    if code and args.output_file:
        emit_to_stderr(Answer(answered))
    return code


def _set_defaults(parser: argparse.ArgumentParser, command: str) -> None:
    """What the environment and the project say holds where the call says nothing."""
    if command in commands():
        found = settings_of(commands()[command])
        (every,) = (it.choices for it in parser._actions if isinstance(it.choices, dict))  # noqa: SLF001
        every[command].set_defaults(**{key: one.value for key, one in found.items()})


def _answered(
    args: argparse.Namespace, progress: ProgressOf | None
) -> Answered[object] | Files | Callable[[], int]:
    """Or what is left to do when all is read and the bar is gone: the prompt, a picture."""
    answer = commands()[args.command].answer
    if answer is not None:
        return answer(with_settings(values_of(args), args.command), progress)
    own: dict[str, Callable[..., Answered[object] | Callable[[], int]]] = {
        "shell": shell.run,
        draw.NAME: draw.run,
        run.NAME: run.run,
        completion.NAME: completion.run,
        config_told.NAME: config_told.run,
    }
    return own[args.command](args, progress)


def _report(fault: TfprofError) -> int:
    talk(f"tfprof: {fault}")
    if fault.hint:
        talk(f"  {fault.hint}")
    talk(f"  (more: tfprof explain {fault.slug})")
    return fault.exit_code
