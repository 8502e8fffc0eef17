"""A calibration from captures that were read, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.analyses.cost.op_costs import OpCosts, op_costs
from tfprof.analyses.graph.subgraph import subgraph
from tfprof.analyses.inference.run_sizes import sizes_of_run
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.runtime.calibration import Observed, calibration, observed
from tfprof.analyses.runtime.op_clock import OpClock
from tfprof.errors import InputMissing, WrongKind
from tfprof.model.profile import ProfileData
from tfprof.reports.shared.device_rates import device_of
from tfprof.results.calibration import Calibration

_WHAT = (
    "A capture for --calibrate is a folder with the graph of a step and its run: an .xplane.pb "
    "or run metadata."
)

_INSTRUCTION = "hlo_op"


def calibration_of(captures: Sequence[ProfileData]) -> Calibration:
    return calibration([_observed(data) for data in captures])


def clock_of(device: str | None, found: Calibration | None, otherwise: str) -> OpClock:
    """Of the device that is said or the captures; without both of the one that is usual."""
    if device is None and found is None:
        device = otherwise
    return OpClock(device_of(device) if device is not None else None, found)


def said_of_clock(device: str | None, found: Calibration | None, otherwise: str) -> str:
    if found is None:
        return device or otherwise
    machine = f"the machine of {', '.join(found.sources)}"
    return f"{machine}, at most {device}" if device is not None else machine


def _observed(data: ProfileData) -> Observed:
    if not data.hosts:
        raise WrongKind("nothing ran here: there are no times of ops", where=data.title, hint=_WHAT)
    if not data.hosts.any_ops:
        raise InputMissing("the run has no ops with times", where=data.title, hint=_WHAT)
    if data.graph is None:
        raise InputMissing(
            "the run has no graph beside it: nothing tells the sizes of its ops",
            where=data.title,
            hint=_WHAT,
        )
    if any(plane.has_stat(_INSTRUCTION) for space in data.hosts.spaces for plane in space.planes):
        # fitted to its own ops, the few that have times would stand for all of them
        raise WrongKind(
            "XLA compiled what ran here: its instructions are not the ops of the graph",
            where=data.title,
            hint="Record a run without jit_compile: that tells how long ops take.",
        )
    found = observed(data, data.graph, _costs(data))
    if found is None:
        raise InputMissing(
            "no op that ran has a time and a known size: are graph and run of one model, "
            "and is its batch size fixed?",
            where=data.title,
            hint=_WHAT,
        )
    return found


def _costs(data: ProfileData) -> OpCosts:
    """At the sizes that the run had, where its records tell them."""
    part = subgraph(data)
    costs = op_costs(data, part)
    sizes = sizes_of_run(data, costs.inferred.sites) if costs.symbols else {}
    return op_costs(data, part, Given(sizes)) if sizes else costs
