"""The options that put the graph that ran in place of the one that was written."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfprof.model.profile import ProfileData


def add_form(parser: argparse.ArgumentParser) -> None:
    """Both options, as one group."""
    group = parser.add_argument_group("which graph")
    group.add_argument("--as", dest="form", choices=["written", "executed"], default="written",
                       help="the graph of the file, or the one a run holds")  # fmt: skip
    add_partition(group)


def add_partition(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument("--partition", metavar="DEVICE",
                        help="only the graph that ran on this device: /gpu:0")  # fmt: skip


def as_asked(data: ProfileData, args: argparse.Namespace) -> ProfileData:
    """The graph as it ran, on all devices or on one."""
    if args.partition is None and args.form == "written":
        return data
    from tfprof.analyses.executed import executed

    return executed(data, args.partition)


def on_partition(data: ProfileData, args: argparse.Namespace) -> ProfileData:
    """The same for commands with a meaning of their own for `--as`, or with none."""
    if args.partition is None:
        return data
    from tfprof.analyses.executed import executed

    return executed(data, args.partition)
