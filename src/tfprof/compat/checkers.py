"""The original's three checkers: accelerator use, ops with faster relatives, expensive places."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping

from tfprof.compat.protos import AdviceProto, Checker
from tfprof.compat.results import MultiGraphNodeProto, code_result
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import holds_kernels
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.printable import printable
from tfprof.renderers.text.original_numbers import ORIGINAL
from tfprof.reports.advise.answer import has_unfused_batch_norm
from tfprof.reports.trees import Prepared
from tfprof.reports.trees.original import Nodes, kept_executions
from tfprof.results.trees import Costs

ALL_ADVICE: dict[str, dict[str, object]] = {
    "AcceleratorUtilizationChecker": {},
    "ExpensiveOperationChecker": {},
    "JobChecker": {},  # of no effect outside of Google
    "OperationChecker": {},
}
_LOW_USE = 0.5
_TOP = 3
_LEVELS, _LEAST_MICROS = 4, 1000


@frozen_dataclass(slots=False)
class _Case:
    """What the checkers look at."""

    prepared: Prepared
    nodes: Nodes
    compat: bool

    @property
    def data(self) -> ProfileData:
        return self.prepared.data

    @property
    def runs(self) -> bool:
        return self.data.trace is not None and bool(self.data.trace.steps)

    def options(self, max_depth: int, min_micros: int) -> Options:
        return Options(
            max_depth=max_depth, min_micros=min_micros, order_by="micros", compat=self.compat
        )


def advise_on(
    data: ProfileData, options: Mapping[str, object] | None = None, *, compat: bool = False
) -> AdviceProto:
    """Run the checkers that are named, in order of their names; print and return the reports."""
    advice = advice_of(data, options, compat=compat)
    sys.stdout.write(advice.text())
    return advice


def advice_of(
    data: ProfileData, options: Mapping[str, object] | None = None, *, compat: bool = False
) -> AdviceProto:
    wanted = ALL_ADVICE if options is None else options
    prepared = Prepared(data)
    case = _Case(prepared, prepared.nodes(Options(compat=compat)), compat)
    advice = AdviceProto()
    for name in sorted(set(wanted) & set(_CHECKERS)):
        advice.checkers[name] = Checker(list(_CHECKERS[name](case)))
    return advice


def _accelerator_use(case: _Case) -> Iterator[str]:
    """Time on each accelerator by the time from the first start to the last end."""
    for device, (start, end, busy) in sorted(_spans(case).items()):
        if end - start > 0:
            use = busy / (end - start)
            low = "low " if use < _LOW_USE else ""
            yield printable(f"device: {device} {low}utilization: {use:.2f}")


def _spans(case: _Case) -> dict[str, tuple[int, int, int]]:
    """By accelerator: first start, last end, busy time, of the last step of each of its nodes."""
    if case.data.trace is None:
        return {}
    devices, runs = case.nodes.devices, case.data.trace.executions
    kept = [one for one in kept_executions(case.nodes, case.data.trace) if "gpu" in devices[one[1]]]
    last: dict[int, int] = {}
    for at, row, _, _ in kept:
        last[row] = max(last.get(row, 0), int(runs.step[at]))
    found: dict[str, tuple[int, int, int]] = {}
    for at, row, device, _ in kept:
        start, took = int(runs.start[at]), int(runs.op_end_rel[at]) or 1
        if start > 0 and int(runs.step[at]) == last[row]:
            known = found.get(devices[row], (start, start + took, 0))
            busy = known[2] + took * holds_kernels(device)
            found[devices[row]] = min(known[0], start), max(known[1], start + took), busy
    return found


def _faster_relatives(case: _Case) -> Iterator[str]:
    fused = {"FusedBatchNorm"} if case.compat else _FUSED
    types = {
        *case.nodes.ops.table,
        *(kind for kinds in case.nodes.types.values() for kind in kinds),
    }
    named = any("BatchNorm" in name for name in case.nodes.names) and not types & fused
    if named or (not case.compat and has_unfused_batch_norm(case.data)):
        yield "A batch norm is built of small ops: the fused batch norm is faster."
    if any(_is_slow_layout(case.nodes, row) for row in range(len(case.nodes))):
        yield "An op on a GPU uses data_format NHWC: NCHW may be faster there."


_FUSED = {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}


def _is_slow_layout(nodes: Nodes, row: int) -> bool:
    at = int(nodes.graph_row[row])
    if nodes.graph is None or at < 0 or "gpu" not in nodes.devices[row]:
        return False
    layout = nodes.graph.attributes.of(at).get("data_format")
    return layout is not None and layout.s == b"NHWC"


def _expensive(case: _Case) -> Iterator[str]:
    if not case.runs:
        sys.stderr.write("ExpensiveOperationChecker needs run metadata.\n")
        return
    for report in (_expensive_ops, _expensive_scopes, _expensive_code):
        lines = list(report(case))
        if lines:
            yield "\n".join(map(printable, lines))


def _expensive_ops(case: _Case) -> Iterator[str]:
    found = case.prepared.ops(case.options(max_depth=3, min_micros=1))
    whole = found.total.micros
    for place, row in enumerate(found.rows[:_TOP], 1):
        share = 100.0 * row.own.micros / (whole + 1e-10)  # to the original's last digit
        yield f"top {place} operation type: {row.op}, {_times(row.own)} ({share:.2f}%)"


def _expensive_scopes(case: _Case) -> Iterator[str]:
    """The original shows a scope's own time, which is 0; ours what the scope took."""
    found = case.prepared.tree("scope", case.options(max_depth=100, min_micros=100))
    top = [row for row in found.nodes if row.parent == 0]
    for place, row in enumerate(top[:_TOP], 1):
        costs = row.own if case.compat else row.total
        yield f"top {place} graph node: {row.name}, {_times(costs)}"


def _expensive_code(case: _Case) -> Iterator[str]:
    """Lines of code from the first fork on: up to three a level, four levels deep."""
    if case.data.oplog is None or not case.data.oplog.has_code:
        sys.stderr.write("ExpensiveOperationChecker needs an op log with code lines for code.\n")
        return
    fork = code_result(case.prepared.tree("code", case.options(max_depth=100, min_micros=1)))
    while len(fork.children) == 1:
        fork = fork.children[0]
    stack = [(node, 0) for node in reversed(_forked(fork))]
    if case.compat and stack and fork.children[0].total_exec_micros < _LEAST_MICROS:
        yield ""  # the original reports on code also where it has nothing to say
    while stack:
        node, level = stack.pop()
        if node.total_exec_micros < _LEAST_MICROS:
            continue
        totals = (node.total_cpu_exec_micros, node.total_accelerator_exec_micros)
        yield f"{'  ' * level}{node.name}, {_written(*totals, node.total_exec_micros)}"
        if level + 1 < _LEVELS:
            stack.extend((child, level + 1) for child in reversed(_forked(node)))


def _forked(node: MultiGraphNodeProto) -> list[MultiGraphNodeProto]:
    """The first children, where there is a choice at all."""
    children = node.children
    return children[:_TOP] if len(children) > 1 else []


def _times(costs: Costs) -> str:
    return _written(costs.cpu_micros, costs.accelerator_micros, costs.micros)


def _written(cpu: int, accelerator: int, total: int) -> str:
    time = ORIGINAL.time
    return f"cpu: {time(cpu)}, accelerator: {time(accelerator)}, total: {time(total)}"


_CHECKERS: Mapping[str, Callable[[_Case], Iterator[str]]] = {
    "AcceleratorUtilizationChecker": _accelerator_use,
    "ExpensiveOperationChecker": _expensive,
    "OperationChecker": _faster_relatives,
}
