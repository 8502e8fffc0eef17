"""`tfprof run SCRIPT`: the script has stdout and the exit code, what we say goes to stderr."""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tfprof.cli.output import emit, emit_to_stderr
from tfprof.cli.parser import values_of
from tfprof.cli.streams import talk
from tfprof.cli.words import MODULE
from tfprof.commands.run import RunOptions, options_of
from tfprof.errors import (
    ExtraMissing,
    InputMissing,
    OutputNotWritable,
    PathNotFound,
    TfprofError,
    UsageError,
)

if TYPE_CHECKING:
    from tfprof.live.run.process import Ended
    from tfprof.live.run.run_record import RunFolder
    from tfprof.live.run.wanted import Wanted
    from tfprof.sources.find.load import ProgressOf

_PIPED: Final = "-"


def run(args: argparse.Namespace, _progress: ProgressOf | None) -> Callable[[], int]:
    """What starts the script; all that is wrong with the call is told before."""
    words: list[str] = args.script
    if not words or words == [MODULE]:
        raise UsageError("no script given", hint="tfprof run train.py, or tfprof run -m package")
    if (args.json or args.format) and not args.output_file:
        raise UsageError("stdout is the script's alone", hint="-o run.json writes the summary.")
    options = options_of(values_of(args))
    _check_script(words)
    _check_tensorflow()
    return lambda: _ran(words, options, args)


def _check_script(words: Sequence[str]) -> None:
    if words[0] == MODULE:
        package = words[1].partition(".")[0]
        places = [os.getcwd(), *sys.path]  # noqa: PTH109  (as Python puts it there)
        if importlib.machinery.PathFinder.find_spec(package, places) is None:
            raise InputMissing(f"there is no module {words[1]}", hint="tfprof run -m package.train")
    elif words[0] != _PIPED and not os.path.exists(words[0]):  # noqa: PTH110  (fails on odd names)
        raise PathNotFound("there is no such script", where=words[0])


def _check_tensorflow() -> None:
    found = importlib.util.find_spec("tensorflow")
    if found is None or found.origin is None:  # a folder of that name is no package
        raise ExtraMissing(
            "the script runs with the Python of tfprof, which has no TensorFlow",
            where=sys.executable,
            hint="pip install tensorflow, beside tfprof.",
        )


def _ran(words: Sequence[str], options: RunOptions, args: argparse.Namespace) -> int:
    from tfprof.cli.run_told import bound_line
    from tfprof.live.run.process import SITE, end_like, run_script
    from tfprof.live.run.run_record import RunFolder

    wanted = _wanted(words, options)
    try:
        folder = RunFolder.made(Path(options.logdir), wanted)
    except OutputNotWritable as fault:
        talk(f"tfprof: {fault}")
        talk("tfprof: the script runs, and nothing is recorded; --logdir names another folder")
        return end_like(run_script(words, dict(os.environ)).code)
    talk(f"tfprof: {bound_line(os.path.relpath(folder.path), options)}")
    wanted = wanted.into(str(folder.path.absolute()))
    how = run_script(words, wanted.environment(str(SITE), os.environ))
    try:
        _tell(folder, how, args)
    except TfprofError as fault:
        talk(f"tfprof: {fault}")
    except KeyboardInterrupt:
        pass
    except Exception as fault:  # whatever is wrong with us, the code is the script's
        if os.environ.get("TFPROF_DEBUG"):
            raise
        talk(f"tfprof: no summary: {type(fault).__name__}: {fault}")
    return end_like(how.code)


def _wanted(words: Sequence[str], options: RunOptions) -> Wanted:
    from tfprof.live.recording.run_folder import masked
    from tfprof.live.run.wanted import Wanted

    is_module = words[0] == MODULE
    return Wanted(
        folder="",
        parent=os.getpid(),
        script=None if is_module else words[0],
        module=words[1] if is_module else None,
        arguments=tuple(masked(words[2 if is_module else 1 :])),
        what=options.what,
        steps=options.plan.steps,
        every=options.plan.every,
        delay=options.plan.delay,
        duration=options.plan.duration,
        memory=options.memory,
        max_bytes=options.max_bytes,
        every_op=options.every_op,
        follow=options.follow,
        search=os.environ.get("PYTHONPATH"),
    )


def _tell(folder: RunFolder, how: Ended, args: argparse.Namespace) -> None:
    """After the script: how it went, the summary, and what to ask next."""
    from tfprof.cli.run_told import found_lines, next_commands

    records = folder.ended(how)
    for line in found_lines(records, how.code, options_of(values_of(args))):
        talk(f"tfprof: {line}")
    shown = os.path.relpath(folder.path)
    if not any(record.get("captures") for record in records):
        if args.output_file:
            talk(f"tfprof: {args.output_file} is not written")
        return
    talk(f"tfprof: {shown}")
    _summarise(shown, args)
    for line in ["", "Next:", *next_commands(shown, records)]:
        talk(line)


def _summarise(path: str, args: argparse.Namespace) -> None:
    from tfprof.api.answer import Answer
    from tfprof.commands.options.option import Values
    from tfprof.commands.registry import commands
    from tfprof.results.answered import Answered

    answer = commands()["summary"].answer
    answered = None if answer is None else answer(Values({"paths": [path]}), None)
    if isinstance(answered, Answered):
        emit_to_stderr(Answer(answered))
        if args.output_file:
            emit(Answer(answered), args, commands()["summary"])
