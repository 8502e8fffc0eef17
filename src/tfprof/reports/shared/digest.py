"""Everything the summary needs to know about a profile, computed once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tfprof.analyses.cost.op_costs import OpCosts
from tfprof.analyses.cost.params import Parameters, count_parameters
from tfprof.analyses.graph.inputs import data_ops, model_inputs
from tfprof.analyses.graph.reach import Extent, extent
from tfprof.analyses.memory.peaks import (
    ExpectedPeak,
    expected_peaks,
    guess_from,
    pieces,
    with_inputs,
)
from tfprof.analyses.memory.program import Program, program
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import BATCH, symbol
from tfprof.model.profile import ProfileData, TensorSpec
from tfprof.model.remembered import remembering
from tfprof.reports.shared.kernels_of_run import memory_model_of_run
from tfprof.reports.shared.logged_flops import LoggedFlops, logged_flops
from tfprof.reports.shared.missing_sizes import missing_sizes
from tfprof.reports.shared.model_costs import costs_of
from tfprof.reports.shared.parameters import parameters_of
from tfprof.reports.shared.question import Question
from tfprof.reports.shared.recorded_run import with_batch_of_run
from tfprof.reports.shared.whole_hosts import with_whole_hosts
from tfprof.results.step_average import StepAverage

if TYPE_CHECKING:
    from tfprof.analyses.keras.keras_costs import KerasCosts
    from tfprof.analyses.memory_trace.devices import DevicePeak
    from tfprof.analyses.step_time.breakdown import Breakdown
    from tfprof.model.hosts import Hosts
    from tfprof.results.host_steps import HostSteps

# a summary answers at once: going through more nodes than this takes longer
LARGEST_IN_A_SECOND = 20_000
LARGEST_TWICE = 8_000
_SCHEDULE_BATCH = 8
# bytes of memory that a summary takes for common
COMMON_DEVICE = 16 * 10**9


@frozen_dataclass
class StepPeaks:
    """Peaks by device, estimated, and the batch that fits a common device.

    `is_open`: nothing says the batch, and one sample was taken. `missing` says of which sizes
    nothing is known: then no batch is known to fit.
    """

    peaks: dict[str, ExpectedPeak]
    is_open: bool
    missing: str
    fits: int | None = None

    @property
    def highest(self) -> ExpectedPeak:
        return max(self.peaks.values(), key=lambda one: one.expected)


@frozen_dataclass
class Digest:
    data: ProfileData
    part: Extent
    parameters: Parameters
    inputs: list[TensorSpec]
    data_ops: list[str]
    op_counts: dict[str, int]
    run: StepAverage | None
    logged: LoggedFlops | None
    static: OpCosts | None
    memory: StepPeaks | None
    # what a trace tells of the memory of each device
    measured: list[DevicePeak]
    # what the time of the steps of a capture went to
    steps: Breakdown | HostSteps | None
    keras: KerasCosts | None
    question: Question


@remembering()
def digest(
    data: ProfileData,
    question: Question | None = None,
    *,
    memory: bool | None = True,
    brief: bool = False,
) -> Digest:
    """`question` asks for what is computed as well; a list of models does without.

    Without `memory`, whoever wants it asks for `step_peaks` later; None asks for it where nothing
    was measured. A `brief` one has neither the batch that fits nor what the time of steps went to.
    """
    if data.keras is not None:
        from tfprof.analyses.cost.keras_weights import with_weights

        data = replace(data, keras=with_weights(data.keras))
    part = extent(data, question.signature if question is not None else None)
    every = data.hosts.on_one_clock
    data = with_whole_hosts(data)
    graph, hosts = data.graph, data.hosts.on_one_clock
    static = _static(data, question) if question is not None else None
    if static is not None and question is not None:
        as_run = with_batch_of_run(data, question, static.symbols)
        if as_run != question:
            question, static = as_run, _static(data, as_run)
    measured = _measured(data.sessions or every) if question is not None else []
    estimates = memory or (memory is None and not measured)
    return Digest(
        data,
        part,
        parameters_of(data, part),
        model_inputs(graph, part) if graph is not None else [],
        data_ops(graph) if graph is not None else [],
        _op_counts(data, part),
        _average(hosts) if hosts.any_ops else None,
        logged_flops(data),
        static,
        _memory(data, part, static, question, fits=not brief) if estimates else None,
        measured,
        _steps(data) if question is not None and hosts.captured and not brief else None,
        _layers(data, question or Question()),
        question or Question(),
    )


# what only a run, a capture or a Keras file has is loaded where there is one


def _average(hosts: Hosts) -> StepAverage:
    from tfprof.analyses.runtime.step_average import average_of_hosts

    return average_of_hosts(hosts)


def _measured(hosts: Hosts) -> list[DevicePeak]:
    if not hosts:
        return []
    from tfprof.analyses.memory_trace.devices import peaks_of_hosts

    return peaks_of_hosts(hosts)


def _layers(data: ProfileData, question: Question) -> KerasCosts | None:
    if data.keras is None or data.graph is not None:
        return None
    from tfprof.reports.shared.keras_costs import costs_of_layers

    return costs_of_layers(data.keras, question)


def _static(data: ProfileData, question: Question) -> OpCosts | None:
    if data.graph is None or len(data.graph) > LARGEST_IN_A_SECOND:
        return None
    return costs_of(data, question)


def step_peaks(found: Digest) -> StepPeaks | None:
    return found.memory or _memory(found.data, found.part, found.static, found.question)


def _memory(
    data: ProfileData,
    part: Extent,
    static: OpCosts | None,
    question: Question | None,
    *,
    fits: bool = True,
) -> StepPeaks | None:
    """Of one sample unless a batch is given; None if more than the batch is open."""
    if static is None or data.graph is None or set(static.symbols) - {BATCH}:
        return None
    if static.cut:
        return None
    asked, is_open = question or Question(), BATCH in static.symbols
    batch, large = asked.sizes.get(BATCH, 1), len(data.graph) > LARGEST_TWICE
    # what kernels need while they run is no line over the batch
    exact = costs_of(data, asked, {BATCH: batch}) if is_open else static
    model = memory_model_of_run(data)
    made = program(exact, data.graph, model)
    found = expected_peaks(made, batch)
    parameters = count_parameters(data, part)
    missing = missing_sizes(made, variables=parameters.total.reason)
    if missing or large or len(found) > 1 or not fits:
        return StepPeaks(found, is_open, missing)
    # said as a symbol, the batch is open even where a run tells its size
    costs = static if is_open else costs_of(data, asked, {BATCH: symbol(BATCH)})
    most = _fits(program(costs, data.graph, model), costs, COMMON_DEVICE - parameters.bytes)
    return StepPeaks(found, is_open, missing, most)


def _fits(made: Program, costs: OpCosts, budget: int) -> int | None:
    """The batch that fits, by the formula over the batch; None where there is none."""
    if costs.symbols != [BATCH] or made.unknown:
        return None
    (lines, *_) = pieces(made, _SCHEDULE_BATCH).values()
    return guess_from(with_inputs(lines, made.inputs[0]), budget)


def _steps(data: ProfileData) -> Breakdown | HostSteps | None:
    """Of the first host that has any."""
    if len(data.hosts) > 1:
        from tfprof.reports.steps import steps_of_hosts

        return steps_of_hosts(data.hosts).first
    from tfprof.analyses.step_time.breakdown import breakdowns

    return next((one for space in data.hosts.spaces for one in breakdowns(space)), None)


def _op_counts(data: ProfileData, part: Extent) -> dict[str, int]:
    """Nodes by op type, in the model and in the functions it calls, most first."""
    if data.graph is None:
        return {}
    counts: Counter[str] = Counter()
    codes = np.bincount(data.graph.ops.codes[part.rows], minlength=len(data.graph.ops.table))
    counts.update(dict(zip(data.graph.ops.table, codes.tolist(), strict=True)))
    for function in part.functions.values():
        counts.update(function.body.ops.counts())
    del counts["_Arg"]
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {op: count for op, count in ordered if count}
