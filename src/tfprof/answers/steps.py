"""Was the device waiting? What the time of each step went to, and which steps were slow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfprof.analyses.overlap.found import overlap
from tfprof.analyses.step_time.breakdown import Breakdown, breakdowns
from tfprof.analyses.step_time.categories import Category
from tfprof.analyses.step_time.codes import CATEGORIES
from tfprof.analyses.step_time.evidence import Behind, events_behind
from tfprof.analyses.step_time.slow import slow_steps
from tfprof.analyses.steps.windows import StepWindow
from tfprof.answers.common import recognised, shell_path, used_inputs, written_by
from tfprof.answers.overlap import (
    device_names,
    devices_table,
    gaps_table,
    overlap_data,
    overlap_facts,
)
from tfprof.answers.slow_steps import slow_data, slow_notes, slow_texts
from tfprof.answers.spaces import run_in_time
from tfprof.answers.step_parts import (
    NO_OPS,
    NO_STEPS,
    PS,
    average_table,
    bars,
    behind_data,
    behind_table,
    by_category,
    hosts_data,
    hosts_table,
    input_verdict,
    is_input_bound,
    one_step_table,
    one_step_text,
    periods_text,
    steps_data,
)
from tfprof.errors import UsageError
from tfprof.model.profile import ProfileData
from tfprof.views.result import Result
from tfprof.views.shapes import Facts, Notes, Part, Report, without_empty

_MARK = "Mark them: with tf.profiler.experimental.Trace('train', step_num=step, _r=1): ..."
_EVENTS_SHOWN, _GAPS_SHOWN = 15, 12
_SLICES_SHOWN, _EVENTS_A_SLICE = 3, 4


@dataclass(frozen=True, slots=True)
class StepsQuestion:
    """One step alone; the events behind a category; the gaps; with only one of the devices."""

    step: int | None = None
    events: str | None = None
    gaps: bool = False
    device: str | None = None

    @property
    def category(self) -> Category | None:
        if self.events is None:
            return None
        word = self.events.lower().replace("-", "_")
        for category in Category:
            if word in (category.value, category.label.lower()):
                return category
        known = ", ".join(one.value for one in Category)
        raise UsageError(f"--events {self.events!r} is no category", hint=f"There are {known}.")


def steps(data: ProfileData, question: StepsQuestion) -> Result:
    category = question.category
    hosts = list(breakdowns(run_in_time(data, "steps are parts of one").space))
    if not hosts:
        return _without_steps(data)
    asked = StepsAsked(hosts, question)
    parts: list[Part]
    if category is not None:
        parts = asked.events_of(category)
    elif question.gaps:
        parts = [Facts(asked.facts()), gaps_table(asked.overlaps[0], _GAPS_SHOWN)]
    elif question.step is not None:
        parts = asked.one_step()
    else:
        parts = asked.all_steps()
    parts.append(Notes([*data.warnings[:1], *asked.left_out(), *_next(data, asked)]))
    report = Report(data.title, recognised(data.inputs) + written_by(data), without_empty(parts))
    warnings = list(data.warnings)
    if asked.found.input_share is None:
        warnings.append(f"input_bound: {NO_OPS}")
    return Result("steps", used_inputs(data), warnings, asked.data, report)


def _without_steps(data: ProfileData) -> Result:
    nothing: dict[str, Any] = {
        "steps": [], "average": None, "period": None, "input_bound": None, "marker_rule": None,
        "dropped": [],
    }  # fmt: skip
    warnings = [*data.warnings, NO_STEPS]
    subtitle = recognised(data.inputs) + written_by(data)
    report = Report(data.title, subtitle, [Notes([*warnings, _MARK])])
    return Result("steps", used_inputs(data), warnings, nothing, report)


def _next(data: ProfileData, asked: StepsAsked) -> list[str]:
    if _waits_for_tf_data(asked.found) and asked.question == StepsQuestion():
        return [f"`tfprof input {shell_path(data.title)}` shows which stage is slow."]
    return []


def _waits_for_tf_data(found: Breakdown) -> bool:
    """Not for the infeed of a device, of which no more is known."""
    threads = (one for one in found.planes if not one.is_device)
    return is_input_bound(found) and any(len(one.rows(Category.INPUT)) for one in threads)


class StepsAsked:
    """The steps of a run and what is asked about them."""

    def __init__(self, hosts: Sequence[Breakdown], question: StepsQuestion) -> None:
        self.hosts, self.question = hosts, question
        self.overlaps = [overlap(one.host, one.planes, one.steps) for one in hosts]
        self.found = hosts[0] if question.device is None else self._with_one(question.device)
        found = self.found
        self.slow = slow_steps(found.steps.windows, found.time, found.planes)

    def _with_one(self, device: str) -> Breakdown:
        found = self.hosts[0]
        short = device_names(self.overlaps[0])
        for name in found.devices:
            if device in (name, short[name]):
                return found.with_only(name)
        known = ", ".join(sorted(short[name] for name in found.devices))
        hint = f"There are {known}." if known else "Nothing but the CPU was recorded."
        raise UsageError(f"--device {device!r} is none of the devices", hint=hint)

    def facts(self) -> list[tuple[str, str]]:
        windows = self.found.steps.windows
        which = "one" if len(windows) == 1 else str(len(windows))
        if len(windows) > 1:
            which += f", numbered {windows[0].number} to {windows[-1].number}"
        host = [("Host", f"{self.found.host}, of {len(self.hosts)}")] if len(self.hosts) > 1 else []
        return [
            *host,
            ("Steps", f"{which}: {self.found.steps.about}"),
            ("Period", periods_text(self.found)),
            ("Input", input_verdict(self.found)),
            *overlap_facts(self.overlaps),
        ]

    def all_steps(self) -> list[Part]:
        several = [devices_table(self.overlaps[0])] if len(self.found.devices) > 1 else []
        return [
            Facts(self.facts()),
            bars(self.found, slow_notes(self.slow)),
            average_table(self.found),
            *several,
            *([hosts_table(self.hosts)] if len(self.hosts) > 1 else []),
        ]

    def one_step(self) -> list[Part]:
        window = self._window()
        slow = [one for one in self.slow if one.window is window]
        said = [("Slow", text) for text in slow_texts(slow)]
        return [
            Facts([*self.facts(), ("Shown", one_step_text(self.found, window)), *said]),
            one_step_table(self.found, window),
            *self._largest_behind(window),
        ]

    def _window(self) -> StepWindow:
        windows = self.found.steps.windows
        for window in windows:
            if window.number == self.question.step:
                return window
        raise UsageError(
            f"there is no step {self.question.step}",
            hint=f"Steps are {windows[0].number} to {windows[-1].number}.",
        )

    def _windows(self) -> Sequence[StepWindow]:
        """The one asked for, else those an average is made of."""
        if self.question.step is not None:
            return [self._window()]
        return self.found.steps.windows[self.found.averaged]

    def events_of(self, category: Category) -> list[Part]:
        windows = self._windows()
        where = f"step {windows[0].number}" if len(windows) == 1 else f"{len(windows)} steps"
        table = behind_table(
            self.behind(category), len(windows), _EVENTS_SHOWN, f"Behind it in {where}"
        )
        return [
            Facts([*self.facts(), ("Shown", f"{category.label}: {category.meaning}")]),
            table,
        ]

    def behind(self, category: Category) -> list[Behind]:
        return events_behind(self.found, category, self._windows())

    def _largest_behind(self, window: StepWindow) -> list[Part]:
        """What the largest slices of a step are made of."""
        times = self.found.time[self.found.steps.windows.index(window)]
        largest = [CATEGORIES[place] for place in np.argsort(-times, kind="stable").tolist()]
        return [
            behind_table(self.behind(category), 1, _EVENTS_A_SLICE, f"Behind {category.label}")
            for category in largest[:_SLICES_SHOWN]
        ]

    def left_out(self) -> list[str]:
        found = self.found
        said = [f"Not counted: {one.what} ({one.why})." for one in found.steps.dropped]
        averaged = found.steps.windows[found.averaged]
        if len(averaged) < len(found.steps.windows):
            said.append(
                f"Averages are of {len(averaged)} steps: the profiler starts in the first, and the "
                "last has no known period."
            )
        return said

    def data(self) -> dict[str, Any]:
        found, category = self.found, self.question.category
        known = found.known_periods / PS
        average = found.average()
        content = {
            "steps": steps_data(found),
            "average": {
                "period_us": sum(average.values()) / PS,
                "breakdown": by_category(average.values()),
                "with_overlaps": by_category(found.average_of(found.gross).values()),
                "events": {c.value: n for c, n in found.average_of(found.count).items()},
                "steps": len(found.steps.windows[found.averaged]),
            },
            "period": {
                "median_us": float(np.median(known)),
                "mean_us": float(known.mean()),
                "min_us": float(known.min()),
                "max_us": float(known.max()),
                "median_deviation_us": float(np.median(np.abs(known - np.median(known)))),
            },
            "input_bound": found.input_share,
            "marker_rule": found.steps.rule,
            "marked_by": found.steps.about,
            "dropped": [{"what": one.what, "why": one.why} for one in found.steps.dropped],
            "slow_steps": slow_data(self.slow),
            **overlap_data(self.overlaps),
            "hosts": hosts_data(self.hosts),
        }
        devices = self.hosts[0].devices
        short = device_names(self.overlaps[0])
        for name, time in devices.items():
            shares = by_category(found.average_of(time).values())
            content["devices"][short[name]]["breakdown"] = shares
        if category is not None:
            content["events"] = behind_data(self.behind(category))
        return content
