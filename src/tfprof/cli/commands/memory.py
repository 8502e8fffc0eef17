"""`tfprof memory PATH...`: how much memory a step needs, and the batch that fits."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.cli.dimensions import add_dimensions, question_of
from tfprof.cli.inputs import add_inputs, request_of
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "peak memory before it runs, for any batch; the batch that fits"

_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_MOST_BATCHES = 256
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMGT]?i?)B?")
_SCALES = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
           "Ki": 2**10, "ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_dimensions(parser)
    parser.add_argument("--signature", metavar="NAME", help="of a SavedModel")
    group = parser.add_argument_group("memory")
    group.add_argument("--model", default="cpu-tf", metavar="NAME",
                       help="how a device allocates: cpu-tf, gpu-bfc, ideal")  # fmt: skip
    group.add_argument("--as", dest="form", choices=["written", "executed"], default="written",
                       help="the graph of the file, or the one a run holds")  # fmt: skip
    group.add_argument("--against", metavar="PATH", help="another model: a curve each")
    group.add_argument("--dtype", choices=["float16", "bfloat16"],
                       help="what if activations and gradients were half as wide")  # fmt: skip
    group.add_argument("--device-memory", metavar="16GB", help="find the batch that fits in it")
    group.add_argument("--margin", type=float, default=5.0, metavar="PERCENT",
                       help="what the safe batch leaves free (default: 5)")  # fmt: skip


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.answers.memory import MemoryQuestion, against, memory
    from tfprof.sources.load import Request, read_one

    batches = batches_of(args.batch) if args.batch else ()
    args.batch = str(batches[0]) if batches else None
    if args.dtype and args.form == "executed":
        raise UsageError("what was executed has its types: --dtype goes with the written graph")
    budget = bytes_of(args.device_memory) if args.device_memory else None
    asked = MemoryQuestion(
        question_of(args),
        batches,
        args.model,
        budget,
        args.margin / 100,
        executed=args.form == "executed",
        dtype=args.dtype,
    )
    data = read_one(request_of(args), progress)
    if args.against:
        return against(data, read_one(Request([Path(args.against)]), progress), asked)
    return memory(data, asked)


def batches_of(text: str) -> tuple[int, ...]:
    """`8`, `1,8,32` or `1..32`."""
    found: list[int] = []
    for part in text.split(","):
        span = _RANGE.fullmatch(part.strip())
        if span:
            found += range(int(span[1]), int(span[2]) + 1)
        elif part.strip().isdecimal():
            found.append(int(part))
        else:
            raise UsageError(f"--batch does not take {text!r}", hint="8, or 1,8,32, or 1..32")
    if not found or min(found) < 1 or len(found) > _MOST_BATCHES:
        raise UsageError(
            f"--batch takes 1 to {_MOST_BATCHES} sizes from 1 on, not {text!r}", hint="1..32"
        )
    return tuple(found)


def bytes_of(text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    if match is None or match[2] not in _SCALES:
        raise UsageError(f"{text!r} is no size", hint="16GB, 16GiB, 500MB")
    return int(float(match[1]) * _SCALES[match[2]])
