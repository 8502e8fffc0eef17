"""What rules look at: the answers to other questions, as far as there is anything to answer from.

None is what the profile does not tell. Rules that need it then have nothing to say.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from tfprof.frozen_dataclass import frozen_dataclass

if TYPE_CHECKING:
    from tfprof.model.run_log import RunLog
    from tfprof.results.capture_traits import CaptureTraits
    from tfprof.results.graph_traits import GraphTraits
    from tfprof.results.input import InputResult
    from tfprof.results.kernels import KernelTime
    from tfprof.results.memory_traits import MemoryTraits
    from tfprof.results.op_times import MeasuredTime
    from tfprof.results.parameters import ParamCounts
    from tfprof.results.placement import PlacementResult
    from tfprof.results.step_average import StepAverage
    from tfprof.results.steps import StepsResult


@frozen_dataclass
class CodeLine:
    """A line of Python and what the ops took that it made."""

    line: str
    share: float
    time_us: float


@frozen_dataclass
class FunctionTraces:
    """A tf.function as the record of a run has it: calls, and how often it was traced."""

    name: str
    calls: int
    traces: int


@frozen_dataclass
class Known:
    graph: GraphTraits | None = None
    params: ParamCounts | None = None
    memory: MemoryTraits | None = None
    run: StepAverage | None = None
    steps: StepsResult | None = None
    input: InputResult | None = None
    ops: MeasuredTime | None = None
    kernels: tuple[KernelTime, ...] = ()
    capture: CaptureTraits | None = None
    placement: PlacementResult | None = None
    functions: tuple[FunctionTraces, ...] = ()
    lines: tuple[CodeLine, ...] = ()
    log: RunLog | None = None
    # of a usual step without a profiler: what all threads of the process worked, in microseconds
    step_cpu_us: float | None = None
    # whether the run was one of sessions, which are fed
    of_session: bool = field(default=False)

    @property
    def tells_of_a_run(self) -> bool:
        found = (self.run, self.steps, self.input, self.ops, self.capture, self.placement)
        return any(one is not None for one in found) or bool(
            self.kernels or self.functions or self.lines
        )
