"""`tfprof layers PATH...`: what each layer computes, before it runs, and took, once it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Drawing, HelpGroup
from tfprof.commands.options.calibrate import CALIBRATE, calibration_in
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.scheduler import SCHEDULER, host_work
from tfprof.commands.options.sizes import DIMENSIONS, question_of
from tfprof.commands.options.which_graph import WHICH_GRAPH, as_asked

if TYPE_CHECKING:
    from tfprof.model.host_work import HostTask
    from tfprof.reports.layers import Query
    from tfprof.results.answered import Answered
    from tfprof.results.layers import LayersResult
    from tfprof.sources.find.load import ProgressOf

_DEVICE = Option(
    "--device", "a device's best: gpu:19.5T,1555G, A100", metavar="cpu|gpu:FLOPS,BYTES|NAME"
)
_TIME = OptionSection(
    "time, measured or estimated",
    (
        _DEVICE,
        CALIBRATE,
        Option("--by", "a row each; from device on, a trace is needed", default="layer",
               choices=("layer", "op", "scope", "node", "device", "thread", "kernel", "phase",
                        "category", "source")),
        Option("--wide", "whole names of kernels, their memory and grids", Takes.FLAG),
    ),
)  # fmt: skip


_ROOF = OptionSection(
    "the roof",
    (
        _DEVICE,
        Option("--by", "a dot each", default="op", choices=("layer", "op", "scope", "node")),
    ),
)  # fmt: skip


def query_of(values: Values) -> Query:
    from tfprof.reports.layers import Query
    from tfprof.reports.shared.device_rates import device_of

    question, device = question_of(values), values.text("device")
    return Query(
        question,
        device_of(device) if device else None,
        values.text("by") or "layer",
        calibration_in(values),
        values.flag("wide"),
    )


def _tasks(query: Query) -> tuple[HostTask, ...]:
    from tfprof.reports.layers.tasks import tasks_of

    return tasks_of(query)


def _answer(values: Values, progress: ProgressOf | None) -> Answered[LayersResult]:
    from tfprof.reports.layers import ask
    from tfprof.sources.find.load import read_one

    query = query_of(values)
    with host_work(values, lambda: _tasks(query)) as work:
        data = read_one(request_of(values, "layers"), progress, work)
        return ask(as_asked(data, values), query)


def _drawn(values: Values, progress: ProgressOf | None) -> Answered[LayersResult]:
    """Ops by their type, unless something else is asked for."""
    from tfprof.reports.layers import Query, ask
    from tfprof.reports.shared.device_rates import device_of
    from tfprof.sources.find.load import read_one

    device = values.text("device")
    data = read_one(request_of(values, "draw roofline"), progress)
    by = values.text("by") or "op"
    return ask(data, Query(device=device_of(device) if device else None, by=by))


COMMAND = Command(
    "layers",
    HelpGroup.BEFORE,
    "shape, parameters, FLOPs, activations and time of each layer",
    "tfprof layers examples/unet --by op",
    "graph or trace",
    (
        *INPUTS,
        *DIMENSIONS,
        WHICH_GRAPH,
        OptionSection("", (Option("--signature", "of a SavedModel", metavar="NAME"),)),
        _TIME,
        SCHEDULER,
    ),
    "layers",
    _answer,
    Drawing("ops of a run against what their device can do", (*INPUTS, _ROOF), _drawn, "roofline"),
    query_of,
)
