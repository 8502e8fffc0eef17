"""`tfprof placement PATH...`: which op runs where, and what goes from device to device."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.sizes import SIZES, feeds_of, sizes_of
from tfprof.commands.options.which_graph import PARTITION

if TYPE_CHECKING:
    from tfprof.model.placement_log import PlacementLog
    from tfprof.reports.placement import Query
    from tfprof.results.answered import Answered
    from tfprof.results.placement import PlacementResult
    from tfprof.sources.find.load import ProgressOf

_PLACEMENT = OptionSection(
    "placement",
    (
        Option("--placement-log", "what log_device_placement wrote, in any log", metavar="FILE"),
        Option("--nodes", "the graph that each device executes, node by node", Takes.FLAG),
    ),
)
# what a log needs no other file beside
_MODEL = ("paths", "graph_path", "run_meta_path", "profile_path")


def query_of(values: Values) -> Query:
    return _query(values, _log(values))


def _query(values: Values, log: PlacementLog | None) -> Query:
    from tfprof.reports.placement import Query

    partition, nodes = values.text("partition"), values.flag("nodes")
    return Query(sizes_of(values), feeds_of(values), log, partition, nodes)


def _log(values: Values) -> PlacementLog | None:
    from tfprof.sources.run.placement_log import read_placement_log

    path = values.text("placement_log")
    return read_placement_log(Path(path)) if path else None


def _answer(values: Values, progress: ProgressOf | None) -> Answered[PlacementResult]:
    from tfprof.model.profile import ProfileData
    from tfprof.reports.placement import ask
    from tfprof.sources.find.load import read_one

    log = _log(values)
    if log is not None and not any(values.flag(key) for key in _MODEL):
        data = ProfileData(values.text("placement_log") or "")
    else:
        data = read_one(request_of(values, "placement"), progress)
    return ask(data, _query(values, log))


COMMAND = Command(
    "placement",
    HelpGroup.WHILE,
    "which op runs where; copies between devices; soft placement",
    "tfprof placement examples/unet --nodes",
    "graph or trace",
    (*INPUTS, SIZES, OptionSection("", (PARTITION,)), _PLACEMENT),
    "placement",
    _answer,
    query=query_of,
)
