"""`tfprof scope PATH...`: costs by name scope; `tfprof draw flame` draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Drawing
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Values
from tfprof.commands.options.sizes import SIZES, given_of
from tfprof.commands.view import view_command
from tfprof.frozen_dataclass import replace

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.sources.find.load import ProgressOf

_FLAME = OptionSection(
    "flames",
    (
        Option("--by", "what stands under what", default="scope", choices=("scope", "code")),
        Option("--metric", "what is as wide as its part (default: time of a run, else FLOPs)",
               choices=("micros", "float_ops", "params", "bytes", "accelerator_micros")),
    ),
)  # fmt: skip
_EVERY_LEVEL = 1_000


def _flame(values: Values, progress: ProgressOf | None) -> Answered[object]:
    from tfprof.model.options import Options
    from tfprof.reports.trees import Prepared, Query
    from tfprof.sources.find.load import read_one

    data = read_one(request_of(values, "draw flame"), progress)
    metric = values.text("metric") or ("micros" if data.hosts else "float_ops")
    options = Options(max_depth=_EVERY_LEVEL, select=(metric,), order_by=metric)
    query = Query(values.text("by") or "scope", options, given_of(values))
    return Prepared(data).ask(query)


COMMAND = replace(
    view_command(
        "scope",
        "costs by name scope",
        "tfprof scope examples/unet -max_depth 3 -select params",
    ),
    drawing=Drawing(
        "what scopes or lines of code cost, as flames", (*INPUTS, _FLAME, SIZES), _flame, "flame"
    ),
)
