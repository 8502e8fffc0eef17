"""What hosts tell about their input, put together and made into an answer."""

from __future__ import annotations

from dataclasses import replace

from tfprof.analyses.advice.of_runs.input_bound import changes
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.reports.input.words import verdict
from tfprof.reports.shared.input_bound import is_input_bound
from tfprof.results.input import HostInput, InputPipeline, InputResult, InputWork, Waited
from tfprof.results.partial import together

_NOBODY = HostInput(0, "", None, None, None, (), 0, 0)


@frozen_dataclass
class InputPartial:
    """The hosts by rank and name; `level` is the lowest at which any host was traced, if told."""

    hosts: tuple[HostInput, ...] = ()
    level: int | None = None

    def merge(self, other: InputPartial) -> InputPartial:
        levels = [level for level in (self.level, other.level) if level is not None]
        return InputPartial(together(self.hosts, other.hosts), min(levels, default=None))

    def finish(self) -> InputResult:
        found = [(host, pipeline) for host in self.hosts for pipeline in host.pipelines]
        pipelines = tuple(
            _numbered(number, one, advised=_is_held_up(host))
            for number, (host, one) in enumerate(found)
        )
        shown = max(self.hosts, key=_held_up, default=_NOBODY)
        slow = (one.bottleneck for one in shown.pipelines if one.bottleneck is not None)
        return InputResult(
            tuple(stage for one in pipelines for stage in one.stages),
            # of several pipelines, that of the one the model waits for most
            next(slow, None),
            Waited.of(shown.waiting),
            shown.hidden.waited if shown.hidden is not None else None,
            verdict(shown.waiting.share) if shown.waiting is not None else None,
            shown.marker_rule,
            pipelines,
            self._work(),
            sum(host.device_side for host in self.hosts),
            self.hosts,
            tuple(one for host in self.hosts for one in host.fetches) or None,
            shown.host if len(self.hosts) > 1 else None,
        )

    def _work(self) -> dict[InputWork, int]:
        """Self times by kind of work; what is copied to devices is put there for a step."""
        if not self.hosts or any(host.fetches and not host.pipelines for host in self.hosts):
            return {}
        work = dict.fromkeys(InputWork, 0)
        for host in self.hosts:
            for stage in (stage for one in host.pipelines for stage in one.stages):
                work[stage.work] += stage.self_time
            work[InputWork.ENQUEUE] += host.copying
        return work


def _held_up(host: HostInput) -> tuple[float, bool]:
    """How much it waits; of hosts that wait alike, one with stages that tell of it."""
    share = -1.0 if host.waiting is None else host.waiting.share
    return share, any(one.bottleneck is not None for one in host.pipelines)


def _is_held_up(host: HostInput) -> bool:
    """Whether it is worth to change anything; unknown without anything to compare with."""
    return host.waiting is None or is_input_bound(host.waiting.share)


def _numbered(number: int, one: InputPipeline, *, advised: bool) -> InputPipeline:
    """With its place among the pipelines of all hosts, and what to change about it."""
    stages = tuple(replace(stage, pipeline=number) for stage in one.stages)
    return replace(one, number=number, stages=stages, advice=_advice(one) if advised else ())


def _advice(one: InputPipeline) -> tuple[str, ...]:
    return tuple(change.advice for change in changes(one))
