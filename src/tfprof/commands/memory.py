"""`tfprof memory PATH...`: how much memory a step needs or took, and the batch that fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Drawing, HelpGroup
from tfprof.commands.options.amounts import bytes_of
from tfprof.commands.options.calibrate import CALIBRATE, calibration_in
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.scheduler import SCHEDULER, host_work
from tfprof.commands.options.sizes import DIMENSIONS, counted, question_of
from tfprof.commands.options.which_graph import PARTITION, on_partition
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.model.host_work import HostTask, HostWork
    from tfprof.model.profile import ProfileData
    from tfprof.reports.memory import MemoryResult, Query, WhatIfQuery
    from tfprof.results.answered import Answered
    from tfprof.sources.find.load import ProgressOf

_MOST_BATCHES = 256
_FORMS = ("written", "optimised", "executed")

_OPTIONS = (
    *INPUTS,
    *DIMENSIONS,
    OptionSection("", (Option("--signature", "of a SavedModel", metavar="NAME"),)),
    OptionSection(
        "memory",
        (
            Option("--model", "how a device allocates: cpu-tf, cpu-onednn, gpu-bfc, ideal",
                   metavar="NAME"),
            Option("--estimate", "from the graph, also where a run was measured", Takes.FLAG),
            Option("--workspace", "of a convolution while it runs, with --model gpu-bfc",
                   metavar="32MiB"),
            Option("--last-cache", "of the CPU: gradients of Conv3D fill it (default: 256MiB)",
                   metavar="32MiB"),
            Option("--as", "the graph of the file, what Grappler makes of it, or what a run holds",
                   choices=_FORMS, key="form"),
            PARTITION,
            Option("--against", "another model: a curve each", metavar="PATH"),
            Option("--device-memory", "find the batch that fits in it", metavar="16GB"),
            Option("--margin", "what the safe batch leaves free (default: 5)", Takes.NUMBER,
                   "PERCENT", default=5.0),
            Option("--optimizer", "with --train, where a model only predicts (adam)",
                   choices=("adam", "sgd", "momentum"), default="adam"),
        ),
    ),
    OptionSection(
        "what if",
        (
            Option("--recompute", "activations were computed again: the best plan", Takes.FLAG),
            Option("--recompute-scopes", "those in these name scopes were computed again",
                   metavar="REGEX"),
            Option("--recompute-keep", "all but these tensors were computed again",
                   metavar="TENSOR,..."),
            Option("--more-flops", "what a plan may add (default: a forward pass)", Takes.NUMBER,
                   "PERCENT"),
            Option("--swap", "activations waited on the host; GB a second", Takes.NUMBER, "GBPS"),
            Option("--device", "how fast it computes meanwhile (gpu:10T,800G)",
                   metavar="gpu:FLOPS,BYTES"),
            CALIBRATE,
            Option("--dtype", "activations and gradients were narrower; int8: weights, too",
                   choices=("float16", "bfloat16", "int8")),
        ),
    ),
)  # fmt: skip


def query_of(values: Values) -> Query:
    from tfprof.reports.memory import Query

    batch, budget = values.text("batch"), values.text("device_memory")
    workspace, form = values.text("workspace"), values.text("form")
    cache = values.text("last_cache")
    estimate = values.flag("estimate")
    return Query(
        question_of(values.but(batch=None)),
        batches_of(batch) if batch else (),
        values.text("model"),
        bytes_of(budget) if budget else None,
        (values.number("margin") or 0) / 100,
        executed=form == "executed" or (values.text("partition") is not None and estimate),
        optimizer=values.text("optimizer") if values.text("mode") == "train" else None,
        workspace=bytes_of(workspace) if workspace else None,
        last_cache=bytes_of(cache) if cache else None,
        what_if=_what_if(values),
        # a graph or another model that is named cannot have been measured
        estimate=estimate or form is not None or values.text("against") is not None,
        optimised=form == "optimised",
    )


def _what_if(values: Values) -> WhatIfQuery:
    from tfprof.reports.memory.query import WhatIfQuery

    swap = values.number("swap")
    if swap is not None and swap <= 0:
        raise UsageError(f"--swap takes gigabytes a second, not {swap:g}", hint="--swap 16")
    return WhatIfQuery(
        values.text("recompute_scopes") or ("" if values.flag("recompute") else None),
        values.number("more_flops"),
        swap,
        values.text("device"),
        values.text("dtype"),
        tuple(one.strip() for one in (values.text("recompute_keep") or "").split(",") if one),
        calibration_in(values),
    )


def _answer(values: Values, progress: ProgressOf | None) -> Answered[MemoryResult]:
    from tfprof.reports.memory import against, ask

    query = query_of(values)
    with host_work(values, _tasks) as work:
        data, other = _read(values, "memory", progress, work)
        if other is not None:
            return against(data, other, query)
        return ask(data, query, _searching(progress))


def _tasks() -> tuple[HostTask, ...]:
    from tfprof.analyses.steps.host_clock import OWN_STEPS
    from tfprof.reports.memory.of_hosts import MEMORY

    return (OWN_STEPS, MEMORY)


def _to_draw(values: Values, progress: ProgressOf | None) -> Answered[MemoryResult]:
    from tfprof.reports.memory import to_draw

    query = query_of(values)
    if values.text("form") == "executed":
        raise UsageError("what was executed has the batch of its run: a point, not a curve")
    data, other = _read(values, "draw memory", progress)
    return to_draw(data, query, other, _searching(progress))


def _read(
    values: Values, command: str, progress: ProgressOf | None, work: HostWork | None = None
) -> tuple[ProfileData, ProfileData | None]:
    """The model, and the one it is held against."""
    from tfprof.sources.find.load import Request, read_one

    data = on_partition(read_one(request_of(values, command), progress, work), values)
    path = values.text("against")
    return data, read_one(Request([Path(path)]), progress) if path else None


def _searching(progress: ProgressOf | None) -> Callable[[int, int], None] | None:
    """Hears how many plans of how many were tried."""
    if progress is None:
        return None
    heard: list[Callable[[int], None]] = []

    def tried(done: int, of: int) -> None:
        if not heard:
            heard.append(progress(Path("recompute plans"), of))
        heard[0](done)

    return tried


def batches_of(text: str) -> tuple[int, ...]:
    """`8`, `1,8,32` or `1..32`."""
    found: list[int] = []
    for part in text.split(","):
        first, dots, last = part.strip().partition("..")
        begin, end = counted(first), counted(last if dots else first)
        if begin is not None and end is not None:
            # one more than can be is enough to know that it is too many
            found += range(begin, min(end, begin + _MOST_BATCHES) + 1)
        else:
            raise UsageError(f"--batch does not take {text!r}", hint="8, or 1,8,32, or 1..32")
    if not found or min(found) < 1 or len(found) > _MOST_BATCHES:
        raise UsageError(
            f"--batch takes 1 to {_MOST_BATCHES} sizes from 1 on, not {text!r}", hint="1..32"
        )
    return tuple(found)


COMMAND = Command(
    "memory",
    HelpGroup.BEFORE,
    "peak memory, measured or before it runs; the batch that fits",
    "tfprof memory examples/unet --device-memory 16GB",
    "graph (estimate) or trace (measured)",
    (*_OPTIONS, SCHEDULER),
    "memory",
    _answer,
    Drawing("peak memory over the batch or over time", _OPTIONS, _to_draw),
    query_of,
)
