"""The answers to other questions, for the rules to look at; what cannot be answered is None."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from tfprof.analyses.advice.known import CodeLine, FunctionTraces, Known
from tfprof.analyses.advice.memory import LARGE_STATE
from tfprof.analyses.graph.roles import Role
from tfprof.analyses.placement.requested import asked_names
from tfprof.analyses.traits.graph_traits import graph_traits
from tfprof.errors import InputMissing, UsageError
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.reports.advise.memory import batch_of, memory_traits
from tfprof.reports.advise.query import Query
from tfprof.reports.advise.tasks import JOBS, jobs_of, tasks_of
from tfprof.reports.shared.captured import capture_facts
from tfprof.reports.shared.digest import Digest
from tfprof.reports.shared.parameters import counts_of
from tfprof.results.capture_traits import CaptureTraits

if TYPE_CHECKING:
    from tfprof.results.graph_traits import GraphTraits
    from tfprof.results.input import InputResult
    from tfprof.results.kernels import KernelTime
    from tfprof.results.op_times import MeasuredTime
    from tfprof.results.placement import PlacementResult
    from tfprof.results.steps import StepsResult

T = TypeVar("T")
_THROUGH_ALL = 0.8
_HALF = 0.5
# steps from which on a median is the usual one
_ENOUGH = 3
_GRADIENT = "(gradient)"
# the job of a process that is in no cluster
_ALONE = "localhost"


def known_of(found: Digest, query: Query) -> Known:
    data = found.data
    data.hosts.prepare(tasks_of(data))
    ran = bool(data.hosts)
    graph = graph_known(found)
    # what share of a step its state takes is known of a batch that is known
    state = found.parameters.bytes_of(Role.OPTIMIZER) if batch_of(found) else 0
    zeros = graph.norms.zeros if graph is not None else frozenset()
    return Known(
        graph=graph,
        params=counts_of(found.parameters) if found.parameters.variables else None,
        memory=memory_traits(found, query, wanted=state >= LARGE_STATE, about=zeros),
        run=found.run,
        steps=_steps(data) if ran else None,
        input=_input(data) if ran else None,
        ops=_ops(data),
        kernels=_kernels(data) if data.hosts.captured else (),
        capture=_capture(found),
        placement=_placement(data) if ran and _names_places(data) else None,
        functions=tuple(_functions(data)),
        lines=tuple(_lines(data)),
        log=query.log,
        step_cpu_us=_step_cpu(data),
        of_session=data.recorded is not None,
    )


def _if_any(answer: Callable[[], T]) -> T | None:
    """What a profile is too little for has no answer."""
    try:
        return answer()
    except (InputMissing, UsageError):
        return None


# a summary needs no more modules than there is something to ask


def _input(data: ProfileData) -> InputResult | None:
    from tfprof.reports.input import Query as InputQuery
    from tfprof.reports.input import ask

    return _if_any(lambda: ask(data, InputQuery()).data)


def _names_places(data: ProfileData) -> bool:
    """Rules about placement speak of devices that a graph names, and of servers of a cluster."""
    told = data.hosts.each(JOBS.key, jobs_of)
    jobs = {job for some in told for job in some}
    return bool(asked_names(data)) or not jobs <= {None, _ALONE}


def _placement(data: ProfileData) -> PlacementResult | None:
    from tfprof.reports.placement.answer import ask
    from tfprof.reports.placement.query import Query as PlacementQuery

    return _if_any(lambda: ask(data, PlacementQuery()).data)


def _steps(data: ProfileData) -> StepsResult | None:
    from tfprof.reports import steps
    from tfprof.results.steps import StepsResult

    found = _if_any(lambda: steps.ask(data, steps.Query()).data)
    return found if isinstance(found, StepsResult) else None


def graph_known(found: Digest) -> GraphTraits | None:
    """None also of a graph that is too large to be gone through at once."""
    data, static = found.data, found.static
    if data.graph is None or static is None:
        return None
    sites = static.inferred.sites
    return graph_traits(data.graph, found.part, sites, found.parameters, found.inputs)


def _ops(data: ProfileData) -> MeasuredTime | None:
    if not data.hosts or not data.hosts.any_ops:
        return None
    from tfprof.analyses.runtime.host_times import OpTimesQuery, op_times_of

    return op_times_of(data, OpTimesQuery("op")).finish(None)


def _kernels(data: ProfileData) -> tuple[KernelTime, ...]:
    from tfprof.analyses.runtime.kernels import kernels_of

    return kernels_of(data.hosts).finish()


def _capture(found: Digest) -> CaptureTraits | None:
    facts = capture_facts(found)
    if facts is None:
        return None
    from tfprof.analyses.traits.capture_traits import called_functions

    functions = called_functions(found.data.hosts)
    return CaptureTraits(functions, facts.devices, facts.versions, facts.eager_share)


def _functions(data: ProfileData) -> Iterator[FunctionTraces]:
    first = data.record.first if data.record is not None else None
    for one in first.functions if first is not None else ():
        if one.calls is not None and one.traces is not None:
            yield FunctionTraces(one.name, one.calls, one.traces)


def _step_cpu(data: ProfileData) -> float | None:
    """Of the only process that was recorded."""
    record = data.record
    first = record.first if record is not None and len(record.processes) == 1 else None
    if first is None or first.steps is None or len(first.steps.untraced_cpu_us) < _ENOUGH:
        return None
    from statistics import median  # loads fractions and decimals, and few runs are recorded

    return median(first.steps.untraced_cpu_us) or None


def _lines(data: ProfileData) -> Iterator[CodeLine]:
    """The line that half of the time goes through, as deep as there is one."""
    if data.oplog is None or not data.oplog.has_code or data.graph is None or not data.trace:
        return
    from tfprof.reports.trees.prepared import Prepared

    options = Options(max_depth=100, min_micros=1, order_by="micros")
    rows = Prepared(data).tree("code", options).nodes
    whole = rows[0].total.micros if len(rows) else 0
    deepest = None
    for row in rows if whole else ():
        share = row.total.micros / whole
        # rows stand below the one that they are part of
        if _HALF <= share < _THROUGH_ALL and _GRADIENT not in row.name:
            deepest = CodeLine(row.name, share, float(row.total.micros))
    if deepest is not None:
        yield deepest
