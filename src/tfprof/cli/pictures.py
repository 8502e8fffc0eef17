"""Where a picture goes: a file whose suffix picks the format, or standard output as SVG."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from tfprof.cli.output import talk, to_stdout
from tfprof.errors import UsageError


def add_picture_outputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output-file", metavar="FILE.svg", help="write there; .png needs tfprof[plot]"
    )
    group.add_argument("--force", action="store_true", help="replace an existing file")


def picture_writer(args: argparse.Namespace) -> Callable[[str], None]:
    """What takes the SVG. A place that cannot do is refused before anything is worked out."""
    if not args.output_file:
        if sys.stdout.isatty():
            raise UsageError(
                "a terminal shows no picture", hint=f"-o {args.subject}.svg writes it to a file."
            )
        return lambda picture: to_stdout(lambda: sys.stdout.write(picture))
    path = Path(args.output_file)
    encode = _encoder(path)

    def write(picture: str) -> None:
        from tfprof.commands.writing import write_file

        write_file(path, encode(picture), force=args.force)
        talk(f"Wrote {path}")

    return write


def _encoder(path: Path) -> Callable[[str], str | bytes]:
    suffix = path.suffix.lower()
    if suffix == ".svg":
        return lambda picture: picture
    if suffix == ".png":
        from tfprof.renderers import png

        return png.converter()
    raise UsageError(f"the suffix of {path.name!r} names no picture", hint="Use .svg or .png.")
