"""What there is to know first, in a sentence; and which section a finding is about."""

from __future__ import annotations

from tfprof.model import units
from tfprof.reports.shared.words import FRAGMENT
from tfprof.results.advice import Finding, Severity
from tfprof.results.input import InputResult
from tfprof.results.page_overview import PageVerdict
from tfprof.results.steps import Bound, StepsResult
from tfprof.results.summary import NodeTime, SummaryResult

_SAYS = {
    Bound.COMPUTE: "a step computes {share} of its time",
    Bound.INPUT: "{share} of a step waits for input",
    Bound.LAUNCH: "{share} of a step the devices wait for the host to launch work",
    Bound.COPIES: "{share} of a step waits for copies",
    Bound.COMMUNICATION: "{share} of a step devices exchange data, and compute nothing meanwhile",
    Bound.HOST: "{share} of a step goes to the host while devices wait",
    Bound.COMPILATION: "{share} of a step goes to tracing and compiling",
}
# by the beginning of a rule's name; what is not here is about ops
_SECTIONS = {
    "input": "input",
    "memory": "memory",
    "optimizer-memory": "memory",
    "embedding-memory": "memory",
    "larger-batch": "memory",
    "open-batch": "memory",
    "accelerator-idle": "steps",
    "launch-bound": "steps",
    "exposed": "steps",
    "stragglers": "steps",
    "retracing": "steps",
    "python-between": "steps",
    "first-batch": "steps",
    "expensive-scope": "flame",
    "big-constants": "graph",
    "repeated-constants": "graph",
    "unfrozen": "graph",
    "unfused": "graph",
    "training-ops": "graph",
    "soft-placed": "graph",
}
_OPS = "ops"


def section_of(rule: str) -> str:
    return next((to for start, to in _SECTIONS.items() if rule.startswith(start)), _OPS)


def verdict(
    found: SummaryResult,
    steps: StepsResult | None,
    fed: InputResult | None,
    first: Finding | None,
) -> PageVerdict | None:
    """Of a run what its steps are bound by, else what to change, else what takes most.

    Of a part of a run nothing of this is sure: that comes first.
    """
    if steps is not None and steps.missing:
        return PageVerdict(FRAGMENT.format("; ".join(steps.missing)), "hint", "steps")
    if steps is not None and steps.verdict.name is Bound.UNKNOWN:
        share = units.share(steps.verdict.share, 1)
        return PageVerdict(f"{share} of a step was not recorded.", "hint", "steps")
    if steps is not None and steps.verdict.name in _SAYS:
        return _of_steps(steps, fed)
    if first is not None and first.severity is Severity.PROBLEM:
        return PageVerdict(f"{first.says}.", "problem", section_of(first.rule))
    return _of_ops(found) or _of_model(found)


def _of_steps(steps: StepsResult, fed: InputResult | None) -> PageVerdict:
    name = steps.verdict.name
    said = _SAYS[name].format(share=units.share(steps.verdict.share, 1))
    stage = fed.bottleneck if fed is not None and name is Bound.INPUT else None
    label = next((one.label for one in fed.stages if one.name == stage), None) if fed else None
    if label is not None:
        said += f", most of it for {label}"
    tone = "problem" if name.is_wait else "fine"
    section = "input" if name is Bound.INPUT else "steps"
    return PageVerdict(f"{name.value.capitalize()}: {said}.", tone, section)


def _of_ops(found: SummaryResult) -> PageVerdict | None:
    nodes = [row for row in found.costliest if isinstance(row, NodeTime)]
    sums: dict[str, float] = {}
    for node in nodes:
        if node.op:
            sums[node.op] = sums.get(node.op, 0.0) + node.time_us - node.copy_us
    whole = sum(node.time_us - node.copy_us for node in nodes)
    if not sums or whole <= 0:
        return None
    most = max(sums, key=sums.__getitem__)
    took = units.duration(whole)
    text = f"{most} takes {units.share(sums[most], whole)} of the op time, {took} in all."
    return PageVerdict(text, "fine", "ops")


def _of_model(found: SummaryResult) -> PageVerdict | None:
    """Of what did not run."""
    params = found.params.trainable if found.params.trainable.known else found.params.total
    macs = found.costs.macs
    if not params.number:
        return None
    text = f"{units.count(params.number)} parameters"
    if macs.number:
        text += f"; {found.costs.computed or 'it'} computes {units.count(macs.number)}MACs"
    return PageVerdict(f"{text}. Nothing was run.", "fine", "flame")
