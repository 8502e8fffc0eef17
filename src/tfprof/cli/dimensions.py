"""Options that make open sizes concrete, and say what is computed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.analyses.inference.sites import Given
    from tfprof.model.dims import Shape
    from tfprof.reports.shared.question import Question


def add_dimensions(parser: argparse.ArgumentParser) -> None:
    add_sizes(parser)
    part = parser.add_argument_group("what is computed (default: a training step if there is one)")
    part.add_argument("--mode", choices=["train", "inference"], help="a step or a prediction")
    part.add_argument("--train", dest="mode", action="store_const", const="train",
                      help="short for --mode train")  # fmt: skip
    part.add_argument("--inference", dest="mode", action="store_const", const="inference",
                      help="short for --mode inference")  # fmt: skip
    part.add_argument("--fetch", action="append", default=[], metavar="NODE",
                      help="what this node needs, and nothing else")  # fmt: skip


def add_sizes(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("sizes that the graph leaves open")
    group.add_argument("--batch", metavar="N", help="the batch size, B in formulas")
    group.add_argument(
        "--feed", action="append", default=[], metavar="NAME=B,224,224,3",
        help="the shape of an input; a letter is a symbol",
    )  # fmt: skip
    group.add_argument(
        "--dim", action="append", default=[], metavar="S=128", help="the size behind a symbol"
    )


def question_of(args: argparse.Namespace) -> Question:
    from tfprof.reports.shared.question import Question

    sizes, feeds = _sizes(args), dict(_feed(text) for text in args.feed)
    signature = getattr(args, "signature", None)
    return Question(sizes, feeds, args.mode, tuple(args.fetch), signature)


def given_of(args: argparse.Namespace) -> Given:
    from tfprof.analyses.inference.sites import Given

    return Given(_sizes(args), dict(_feed(text) for text in args.feed))


def _sizes(args: argparse.Namespace) -> dict[str, int]:
    from tfprof.model.dims import BATCH

    sizes = {}
    for text in args.dim:
        name, equals, size = text.partition("=")
        if not equals or not size.isdecimal() or int(size) < 1:
            raise UsageError(f"--dim takes NAME=SIZE, not {text!r}", hint="--dim S=128")
        sizes[name] = int(size)
    if args.batch is not None:
        sizes[BATCH] = whole(args.batch)
    return sizes


def whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--batch is a number from 1 on, not {text!r}", hint="--batch 32")
    return int(text)


def _feed(text: str) -> tuple[str, Shape]:
    from tfprof.model.dims import parsed

    name, equals, sizes = text.rpartition("=")
    try:
        shape = tuple(parsed(size) for size in sizes.split(",") if size)
    except ValueError:
        shape = ()
        equals = ""
    if not equals or not name:
        raise UsageError(f"--feed takes NAME=SIZES, not {text!r}", hint="--feed x=B,224,224,3")
    return name, shape
