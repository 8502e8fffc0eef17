"""The kernels of GPUs in a line of a summary."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.kernels import kernels
from tfprof.model import units
from tfprof.model.trace import Trace


def kernel_facts(trace: Trace) -> Iterator[tuple[str, str]]:
    """One line of a summary, if a GPU ran anything."""
    found = kernels(trace.space).finish() if trace.space is not None else ()
    if not found:
        return
    whole = sum(one.total_us for one in found)
    launches = units.plural(sum(one.runs for one in found), "run")
    names = units.plural(len({one.kernel for one in found}), "kernel")
    text = f"{units.duration(whole)} in {launches} of {names}"
    idle = sum(
        one.total_us
        for one in found
        if one.launch.could_use_tensor_cores and not one.launch.uses_tensor_cores
    )
    if idle:
        text += f"; {units.share(idle, whole)} could use tensor cores and does not"
    yield "Kernels", f"{text}: `tfprof layers --by kernel`"
