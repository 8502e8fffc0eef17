"""Where an answer goes: the terminal, a pipe, or a file that is never half-written."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from tfprof.cli.encoding import JSON, use_letters_it_has
from tfprof.cli.pager import paged
from tfprof.cli.streams import talk, write_stdout
from tfprof.errors import UsageError
from tfprof.renderers.registry import format_of, output_formats, rendered, suffixes

if TYPE_CHECKING:
    from pathlib import Path

    from tfprof.api.answer import Answer
    from tfprof.commands.command import Command, Files

_TRACES = (".trace.json", ".trace.json.gz")
# options that name what is read beside the paths
_READ_TOO = ("baseline", "calibrate", "against")
# suffixes of formats that answers are not written in, and who writes them
_OTHERS = {
    (".svg", ".png"): "`tfprof draw` makes pictures.",
    _TRACES: "`tfprof timeline` writes traces.",
    (".speedscope.json",): "`tfprof scope`, `graph` and `code` write for speedscope, which also "
    "opens the .trace.json of `tfprof timeline`.",
    (".tfprof",): "`tfprof save` writes it.",
    (".xml",): "`tfprof check` writes for JUnit.",
    (".pb.gz",): "`tfprof code -output pprof:outfile=FILE` writes for pprof.",
}
_WIDEST = 120
_NARROWEST = 40
_UNKNOWN = 80


def add_outputs(parser: argparse.ArgumentParser, command: Command) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="the answer as JSON")
    group.add_argument(
        "-o", "--output-file", metavar="FILE", help="write there; the suffix picks the format"
    )
    group.add_argument(
        "--format",
        choices=sorted(output_formats(command.formats)),
        help="the format, whatever the suffix",
    )
    group.add_argument("--force", action="store_true", help="replace an existing file")
    add_timing(group)


def add_timing(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--timing", action="store_true", help="say on stderr where the time of the command went"
    )


def name_target(args: argparse.Namespace) -> None:
    """Before anybody looks at where the answer goes: an address loses its secrets."""
    said = getattr(args, "output_file", None)
    if said:
        from tfprof.commands.writing import target_of

        args.output_file = str(target_of(said))


def check_target(args: argparse.Namespace, command: Command) -> None:
    """A file that cannot do is refused before anything is read."""
    if not args.output_file:
        return
    from pathlib import Path

    from tfprof.commands.writing import check_free

    path = Path(args.output_file)
    is_named = args.json or args.format
    if is_named or not path.name.lower().endswith(command.suffixes):
        _format_for(path, args, command)
    check_free(path, force=args.force, inputs=_named(args))


def _named(args: argparse.Namespace) -> list[Path]:
    """The files of the call, whether or not anything in them was of use."""
    from tfprof.commands.options.inputs import BY_KIND
    from tfprof.commands.writing import target_of

    by_kind = (getattr(args, one.dest, None) for one in BY_KIND.options)
    said = (getattr(args, dest, None) or () for dest in _READ_TOO)
    more = [one for words in said for one in ([words] if isinstance(words, str) else words)]
    words = [*(getattr(args, "paths", None) or ()), *by_kind, *more]
    return [target_of(one) for one in words if isinstance(one, str) and one]


def emit(answer: Answer, args: argparse.Namespace, command: Command) -> None:
    if args.output_file:
        from pathlib import Path

        from tfprof.commands.writing import write_file

        path = Path(args.output_file)
        content = rendered(answer, _format_for(path, args, command), width())
        write_file(path, content, force=args.force, inputs=answer.result.files_read)
        talk(f"Wrote {path}")
        return
    chosen = "json" if args.json else args.format
    if not paged(lambda out: _print(answer, chosen, out)):
        write_stdout(lambda out: _print(answer, chosen, out))


def emit_to_stderr(answer: Answer) -> None:
    """For people, where stdout belongs to somebody else."""
    if sys.stderr is None:
        return
    try:
        if sys.stderr.isatty() and not os.environ.get("NO_COLOR"):
            from tfprof.renderers.text import terminal

            terminal.render(answer.view, sys.stderr, width())
        else:
            from tfprof.renderers.text import plain

            sys.stderr.write(plain.render(answer.view, width()))
        sys.stderr.flush()
    except OSError:  # nobody listens
        return


def _print(answer: Answer, chosen: str | None, out: TextIO) -> None:
    if chosen is None and wants_colour():
        from tfprof.renderers.text import terminal

        terminal.render(answer.view, out, width())
    else:
        if chosen == "json":
            use_letters_it_has(out, JSON)
        content = rendered(answer, chosen or "txt", width())
        if isinstance(content, bytes):
            raise UsageError(f"{chosen} is no text", hint=f"-o FILE.{chosen} writes it.")
        out.write(content)


def _format_for(path: Path, args: argparse.Namespace, command: Command) -> str:
    if args.json or args.format:
        return "json" if args.json else str(args.format)
    found, name = format_of(path.name, command.formats), path.name.lower()
    if found is None or name.endswith(_TRACES):
        known = [*suffixes(command.formats), *command.suffixes]
        elsewhere = [who for ends, who in _OTHERS.items() if name.endswith(ends)]
        raise UsageError(
            f"the suffix of {str(path)!r} names no format of this answer",
            hint=" ".join([f"Use one of {', '.join(known)}, or --format.", *elsewhere]),
        )
    return found


def deliver(files: Files) -> None:
    """Into files; each is written whole or not at all."""
    from tfprof.commands.writing import write_chunks

    warn(files.warnings)
    for path, content in files.contents.items():
        write_chunks(path, content, force=files.replace, inputs=files.inputs)
        talk(f"Wrote {path}{files.then}")
    if files.after is not None:
        files.after()


def tell_of(files: Files, args: argparse.Namespace) -> None:
    """What was written, for whoever asks for it as data."""
    from tfprof.api.answer import Answer

    if files.told is not None and (args.json or args.format):
        answer, chosen = Answer(files.told()), "json" if args.json else args.format
        write_stdout(lambda out: _print(answer, chosen, out))


def warn(warnings: Iterable[str]) -> None:
    """What an answer that goes elsewhere has no place for."""
    for warning in warnings:
        talk(f"warning: {warning}")


def wants_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def width() -> int:
    """The terminal's or COLUMNS; 80 in a pipe. Very wide lines are hard to read."""
    return max(_NARROWEST, min(_WIDEST, columns()))


def columns() -> int:
    """As shutil has it, which loads every way to pack files."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _UNKNOWN  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # no terminal, or nothing at all
        return _UNKNOWN
