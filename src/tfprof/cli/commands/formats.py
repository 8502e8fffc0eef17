"""The command `tfprof formats`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "the files tfprof knows and how it tells them apart"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none of its own."""


def run(_args: argparse.Namespace, _progress: ProgressOf | None) -> Result:
    from tfprof.api.ask import ask_formats

    return ask_formats()
