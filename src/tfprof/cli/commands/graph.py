"""The command `tfprof graph PATH...`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.cli.dimensions import add_sizes
from tfprof.cli.inputs import add_inputs
from tfprof.cli.partitions import add_form
from tfprof.cli.view_command import run_view
from tfprof.cli.view_options import add_view_options

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "costs along the graph: a node and what it reads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_view_options(parser)
    add_sizes(parser)
    add_form(parser)


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result | None:
    return run_view("graph", args, progress)
