"""`tfprof layers PATH...`: what each layer computes, before it runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.cli.dimensions import add_dimensions, question_of
from tfprof.cli.inputs import add_inputs, request_of

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "shape, parameters, FLOPs and activations of each layer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_dimensions(parser)
    parser.add_argument("--signature", metavar="NAME", help="of a SavedModel")
    group = parser.add_argument_group("estimated time")
    group.add_argument(
        "--device", metavar="cpu|gpu:FLOPS,BYTES", help="a device's best: gpu:19.5T,1555G"
    )
    group.add_argument("--by", choices=["layer", "op", "scope"], default="layer", help="a row each")


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.answers.estimated_time import device_of
    from tfprof.api.ask import layers_of
    from tfprof.sources.load import read_one

    question = question_of(args)
    device = device_of(args.device) if args.device else None
    return layers_of(read_one(request_of(args), progress), question, device, args.by)
