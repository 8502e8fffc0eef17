"""`tfprof layers PATH...`: what each layer computes, before it runs, and took, once it has."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.cli.dimensions import add_dimensions, question_of
from tfprof.cli.inputs import add_inputs, request_of
from tfprof.cli.partitions import add_form, as_asked

if TYPE_CHECKING:
    from tfprof.analyses.roofline import Device
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "shape, parameters, FLOPs, activations and time of each layer"
# as in answers/measured_time.py, which is slow to import
_BY = ["layer", "op", "scope", "node", "device", "thread", "kernel"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_dimensions(parser)
    add_form(parser)
    parser.add_argument("--signature", metavar="NAME", help="of a SavedModel")
    group = parser.add_argument_group("time, measured or estimated")
    group.add_argument(
        "--device", metavar="cpu|gpu:FLOPS,BYTES", help="a device's best: gpu:19.5T,1555G"
    )
    group.add_argument(
        "--by", choices=_BY, default="layer", help="a row each; from node on, a trace is needed"
    )


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.api.layers_of import layers_of
    from tfprof.sources.load import read_one

    question = question_of(args)
    device = _device(args.device) if args.device else None
    data = as_asked(read_one(request_of(args), progress), args)
    return layers_of(data, question, device, args.by)


def _device(text: str) -> Device:
    from tfprof.answers.estimated_time import device_of

    return device_of(text)
