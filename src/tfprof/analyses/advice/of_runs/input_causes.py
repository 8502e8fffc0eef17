"""The causes of a wait for a tf.data pipeline: a small function each, told as one finding."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

from tfprof.analyses.advice.rule import AdviceRule, add
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.advice import Change
from tfprof.results.input import InputPipeline, InputStage, StageKind

AUTOTUNE = "num_parallel_calls=tf.data.AUTOTUNE"
_PYTHON_OPS = ("PyFunc", "PyFuncStateless", "EagerPyFunc")
_BATCH = "AndBatch"
# from this share of a function on, that it is Python is worth a sentence
MUCH = 0.3


@frozen_dataclass
class InputCase:
    """A pipeline that is waited for, and the place of its slow stage."""

    pipeline: InputPipeline
    at: int

    @property
    def stage(self) -> InputStage:
        return self.pipeline.stages[self.at]

    @property
    def kind(self) -> StageKind:
        return self.stage.kind

    def above(self) -> Iterator[InputStage]:
        """The stages that what the slow one yields goes through, the nearest first."""
        stages = self.pipeline.stages
        places = {one.name: place for place, one in enumerate(stages)}
        seen = {self.at}
        parent = self.stage.parent
        while parent is not None and (place := places.get(parent, self.at)) not in seen:
            seen.add(place)
            yield stages[place]
            parent = stages[place].parent

    def below(self) -> Iterator[InputStage]:
        """The stages that the slow one reads from."""
        names = {self.stage.name}
        for one in self.pipeline.stages[self.at + 1 :]:
            if one.parent in names:
                names.add(one.name)
                yield one

    @property
    def is_batched_later(self) -> bool:
        """Whether the stage yields single elements, which are put into batches behind it."""
        return _BATCH in self.stage.label or any(
            one.kind is StageKind.BATCH or _BATCH in one.label for one in self.above()
        )

    @property
    def python_share(self) -> float:
        return self.share_of(*_PYTHON_OPS)

    def share_of(self, *ops: str) -> float:
        """Of the functions of the stage, what these types of op take."""
        mine = [op for op in self.pipeline.functions if op.at == self.at]
        whole = sum(op.self_time for op in mine)
        return sum(op.self_time for op in mine if op.op in ops) / whole if whole else 0.0

    @property
    def threads(self) -> int | None:
        return self.pipeline.budget.cpu or self.pipeline.budget.threads

    @property
    def is_prefetched(self) -> bool:
        last = [one for one in self.pipeline.stages if one.depth <= 1]
        return any(one.kind is StageKind.PREFETCH for one in last)


Cause = Callable[[InputCase], Iterator[Change]]
CAUSES: list[Cause] = []


def input_cause(name: str) -> Callable[[Cause], Cause]:
    """Registers a cause as a rule; they are asked in the order in which they stand."""

    def registered(cause: Cause) -> Cause:
        add(AdviceRule(name, "XPlane capture", inspect.getdoc(cause) or ""))
        CAUSES.append(cause)
        return cause

    return registered
