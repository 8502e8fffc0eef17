"""`tfprof rules ops`: which op types tfprof knows."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "the op types whose shapes and costs tfprof knows"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=["ops"], help="ops: shapes, FLOPs and memory of op types")


def run(_args: argparse.Namespace, _progress: ProgressOf | None) -> Result:
    from tfprof.answers.rules import op_rules

    return op_rules()
