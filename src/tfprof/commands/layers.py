"""`tfprof layers PATH...`: what each layer computes, before it runs, and took, once it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.calibrate import CALIBRATE, calibration_in
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Values
from tfprof.commands.options.sizes import DIMENSIONS, question_of
from tfprof.commands.options.which_graph import WHICH_GRAPH, as_asked

if TYPE_CHECKING:
    from tfprof.reports.layers import Query
    from tfprof.results.answered import Answered
    from tfprof.results.layers import LayersResult
    from tfprof.sources.find.load import ProgressOf

_TIME = OptionSection(
    "time, measured or estimated",
    (
        Option("--device", "a device's best: gpu:19.5T,1555G", metavar="cpu|gpu:FLOPS,BYTES"),
        CALIBRATE,
        Option("--by", "a row each; from device on, a trace is needed", default="layer",
               choices=("layer", "op", "scope", "node", "device", "thread", "kernel")),
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
    )


def _answer(values: Values, progress: ProgressOf | None) -> Answered[LayersResult]:
    from tfprof.reports.layers import ask
    from tfprof.sources.find.load import read_one

    query = query_of(values)
    data = read_one(request_of(values, "layers"), progress)
    return ask(as_asked(data, values), query)


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
    ),
    "layers",
    _answer,
    query=query_of,
)
