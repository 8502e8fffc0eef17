"""`tfprof draw SUBJECT PATH...`: the answer to a question as a picture."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.cli.output import add_timing
from tfprof.cli.parser import add_options, values_of
from tfprof.cli.streams import talk, to_stdout
from tfprof.commands.command import Command
from tfprof.commands.registry import commands
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.sources.find.load import ProgressOf


def add_subjects(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """A subject for every command that has a picture; the parsers of all of them."""
    drawings = {name: command.drawing for name, command in subjects_of_pictures().items()}
    subjects = parser.add_subparsers(
        dest="subject", metavar="SUBJECT", required=True, help=", ".join(drawings)
    )
    made = []
    for name, drawing in drawings.items():
        assert drawing is not None  # noqa: S101  (it is why the subject is there)
        sub = subjects.add_parser(
            name, help=drawing.help, description=drawing.help, allow_abbrev=False
        )
        add_options(sub, drawing.options)
        _add_outputs(sub)
        made.append(sub)
    return made


def subjects_of_pictures() -> dict[str, Command]:
    drawn = (one for one in commands().values() if one.drawing is not None)
    return {(one.drawing and one.drawing.subject) or one.name: one for one in drawn}


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    """There is no JSON of a picture."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output-file", metavar="FILE.svg", help="write there; .png needs tfprof[plot]"
    )
    group.add_argument("--force", action="store_true", help="replace an existing file")
    add_timing(group)


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Callable[[], int]:
    """Who writes the picture."""
    from tfprof.renderers.picture import to_svg

    write = _writer(args)
    command = subjects_of_pictures()[args.subject]
    if command.drawing is None:
        raise UsageError(f"there is no picture of {args.subject}")
    answered = command.drawing.answer(values_of(args), progress)

    def written() -> int:
        write(to_svg.render(command.picture(answered)), answered.files_read)
        return 0

    return written


def _writer(args: argparse.Namespace) -> Callable[[str, Collection[Path]], None]:
    """What takes the SVG and the files it is made from.

    A place that cannot do is refused before anything is worked out.
    """
    if not args.output_file:
        if sys.stdout is not None and sys.stdout.isatty():
            raise UsageError(
                "a terminal shows no picture", hint=f"-o {args.subject}.svg writes it to a file."
            )
        return lambda picture, _: to_stdout(picture)
    path = Path(args.output_file)
    encode = _encoder(path)

    def write(picture: str, inputs: Collection[Path]) -> None:
        from tfprof.commands.writing import write_file

        write_file(path, encode(picture), force=args.force, inputs=inputs)
        talk(f"Wrote {path}")

    return write


def _encoder(path: Path) -> Callable[[str], str | bytes]:
    suffix = path.suffix.lower()
    if suffix == ".svg":
        return lambda picture: picture
    if suffix == ".png":
        from tfprof.renderers.picture import png

        return png.converter()
    raise UsageError(f"the suffix of {str(path)!r} names no picture", hint="Use .svg or .png.")
