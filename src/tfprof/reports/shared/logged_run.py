"""What a program logged about its own run, and how it is said."""

from __future__ import annotations

from tfprof.analyses.steps.logged_run import logged_run
from tfprof.model import units
from tfprof.model.profile import ProfileData
from tfprof.results.logged_run import LoggedLoss, LoggedRun, LoggedSaving, LoggedTracing

# a capture of more steps than this is no few steps among many
_MOST_CAPTURED = 100_000
_NOTICED = 0.001


def logged_of(data: ProfileData) -> LoggedRun | None:
    return logged_run(data.logs, _traced_steps(data), data.saves) if data.logs else None


def _traced_steps(data: ProfileData) -> set[int]:
    """By the record of the run, and by the names of its run metadata."""
    steps = set(data.sessions[0].steps) if data.sessions else set[int]()
    first = data.record.first if data.record is not None else None
    for one in first.captures if first is not None else ():
        if one.first_step is not None and one.last_step is not None:
            begin, end = one.first_step, min(one.last_step, one.first_step + _MOST_CAPTURED)
            steps |= {*range(begin, end + 1)}
    return steps


def not_numbers(found: LoggedRun | None) -> list[str]:
    """Why a value is null."""
    loss = found.loss if found is not None else None
    named = {} if loss is None else {"first": loss.first, "last": loss.last}
    return [
        f"logged.loss.{key}: the value that was logged is not a finite number"
        for key, value in named.items()
        if value is None
    ]


def logged_text(found: LoggedRun) -> str:
    """In one line."""
    said = [f"{_each(found)} over {units.plural(found.last_step - found.first_step, found.counts)}"]
    said += [_values(found.loss)] if found.loss is not None else []
    said += [f"saving takes {_saving(found.saving)}"] if found.saving is not None else []
    return ", ".join(said)


def logged_facts(found: LoggedRun) -> list[tuple[str, str]]:
    facts = [("Logged", rate_text(found))]
    if found.tracing is not None:
        facts.append(("Traced", _tracing(found.tracing)))
    if found.saving is not None:
        count = units.plural(found.saving.checkpoints, "checkpoint")
        facts.append(("Saving", f"{_saving(found.saving)} each, by the gaps in the log at {count}"))
    if found.loss is not None:
        facts.append(("Loss", loss_text(found.loss)))
    return facts


def rate_text(found: LoggedRun) -> str:
    count = found.last_step - found.first_step
    over = f"over {units.plural(count, found.counts)} in {units.duration(found.time_us)}"
    again = f", {found.sessions} sessions" if found.sessions > 1 else ""
    return f"{_each(found)} {over}{again} (by {found.found_by})"


def _each(found: LoggedRun) -> str:
    rate = found.per_second.number or 0.0
    if rate >= 1:
        return f"{units.number(rate)} {found.counts}s a second"
    return f"{units.duration(1e6 / rate)} a {found.counts}" if rate else "no rate"


def _tracing(found: LoggedTracing) -> str:
    share = found.share.number or 0.0
    more = f"~{share:.1%} longer" if share >= _NOTICED else "no longer"
    places = "at one place" if found.stretches == 1 else f"at {found.stretches:,} places"
    return (
        f"{units.duration(found.traced_us)} a step where the log passes traced ones, {places}; "
        f"{more} than the {units.duration(found.untraced_us)} elsewhere"
    )


def _saving(found: LoggedSaving) -> str:
    return f"~{units.duration(found.each_us.number or 0)}"


def loss_text(found: LoggedLoss) -> str:
    return f"{_values(found)} (steps {found.first_step:,} to {found.last_step:,})"


def _values(found: LoggedLoss) -> str:
    first, last = (
        "not a number" if one is None else units.number(one) for one in (found.first, found.last)
    )
    return f"{found.tag} {first} → {last}"
