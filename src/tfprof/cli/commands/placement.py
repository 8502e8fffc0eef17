"""`tfprof placement PATH...`: which op runs where, and what goes from device to device."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.cli.dimensions import add_sizes, given_of
from tfprof.cli.inputs import add_inputs, request_of
from tfprof.cli.partitions import add_partition

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "which op runs where; copies between devices; soft placement"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_sizes(parser)
    add_partition(parser)
    group = parser.add_argument_group("placement")
    group.add_argument(
        "--placement-log", metavar="FILE", help="what log_device_placement wrote, in any log"
    )
    group.add_argument(
        "--nodes", action="store_true", help="the graph that each device executes, node by node"
    )


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.answers.placement import placement_answer
    from tfprof.model.profile import ProfileData
    from tfprof.sources.load import read_one
    from tfprof.sources.placement_log import read_placement_log

    log = read_placement_log(Path(args.placement_log)) if args.placement_log else None
    if log is not None and not args.paths and not any(_named(args)):
        data = ProfileData(args.placement_log)
    else:
        data = read_one(request_of(args), progress)
    return placement_answer(data, log, given_of(args), partition=args.partition, nodes=args.nodes)


def _named(args: argparse.Namespace) -> list[str | None]:
    return [args.graph_path, args.run_meta_path, args.profile_path]
