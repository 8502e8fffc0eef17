"""`tfprof memory PATH...`: how much memory a step needs or took, and the batch that fits."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.cli.dimensions import add_dimensions, question_of
from tfprof.cli.inputs import add_inputs, request_of
from tfprof.cli.partitions import add_partition, on_partition
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.answers.memory import MemoryQuestion
    from tfprof.answers.what_if import WhatIfQuestion
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "peak memory, measured or before it runs; the batch that fits"

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
    group.add_argument("--estimate", action="store_true",
                       help="from the graph, also where a run was measured")  # fmt: skip
    group.add_argument("--workspace", metavar="32MiB",
                       help="of a convolution while it runs, with --model gpu-bfc")  # fmt: skip
    group.add_argument("--as", dest="form", choices=["written", "executed"],
                       help="the graph of the file, or the one a run holds")  # fmt: skip
    add_partition(group)
    group.add_argument("--against", metavar="PATH", help="another model: a curve each")
    group.add_argument("--device-memory", metavar="16GB", help="find the batch that fits in it")
    group.add_argument("--margin", type=float, default=5.0, metavar="PERCENT",
                       help="what the safe batch leaves free (default: 5)")  # fmt: skip
    group.add_argument("--optimizer", choices=["adam", "sgd", "momentum"], default="adam",
                       help="with --train, where a model only predicts (adam)")  # fmt: skip
    asks = parser.add_argument_group("what if")
    asks.add_argument("--recompute", action="store_true",
                      help="activations were computed again: the best plan")  # fmt: skip
    asks.add_argument("--recompute-scopes", metavar="REGEX",
                      help="those in these name scopes were computed again")  # fmt: skip
    asks.add_argument("--more-flops", type=float, metavar="PERCENT",
                      help="what a plan may add (default: a forward pass)")  # fmt: skip
    asks.add_argument("--swap", type=float, metavar="GBPS",
                      help="activations waited on the host; GB a second")  # fmt: skip
    asks.add_argument("--device", metavar="gpu:FLOPS,BYTES",
                      help="how fast it computes meanwhile (gpu:10T,800G)")  # fmt: skip
    asks.add_argument("--dtype", choices=["float16", "bfloat16"],
                      help="activations and gradients were half as wide")  # fmt: skip


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.answers.measured_memory import memory_of
    from tfprof.answers.memory import against
    from tfprof.sources.load import Request, read_one

    asked = asked_of(args)
    data = on_partition(read_one(request_of(args), progress), args)
    if args.against:
        return against(data, read_one(Request([Path(args.against)]), progress), asked)
    estimate = wants_estimate(args)
    return memory_of(data, asked, estimate=estimate, progress=_searching(progress))


def wants_estimate(args: argparse.Namespace) -> bool:
    """Whether it is said that the question is about a graph."""
    return args.estimate or args.form is not None or args.against is not None


def asked_of(args: argparse.Namespace) -> MemoryQuestion:
    from tfprof.answers.memory import MemoryQuestion

    batches = batches_of(args.batch) if args.batch else ()
    args.batch = str(batches[0]) if batches else None
    budget = bytes_of(args.device_memory) if args.device_memory else None
    return MemoryQuestion(
        question_of(args),
        batches,
        args.model,
        budget,
        args.margin / 100,
        executed=args.form == "executed" or (args.partition is not None and args.estimate),
        optimizer=args.optimizer if args.mode == "train" else None,
        workspace=bytes_of(args.workspace) if args.workspace else None,
        what_if=_what_if(args),
    )


def _searching(progress: ProgressOf | None) -> Callable[[int, int], None] | None:
    """Hears how many plans of how many were tried."""
    if progress is None:
        return None
    heard: list[Callable[[int], None]] = []

    def tried(done: int, of: int) -> None:
        if not heard:
            heard.append(progress(Path("recompute plans"), of))
        heard[0](done)

    return tried


def _what_if(args: argparse.Namespace) -> WhatIfQuestion:
    from tfprof.answers.what_if import DEFAULT_DEVICE, WhatIfQuestion

    if args.swap is not None and args.swap <= 0:
        raise UsageError(f"--swap takes gigabytes a second, not {args.swap:g}", hint="--swap 16")
    recompute = args.recompute_scopes or ("" if args.recompute else None)
    return WhatIfQuestion(
        recompute, args.more_flops, args.swap, args.device or DEFAULT_DEVICE, args.dtype
    )


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
