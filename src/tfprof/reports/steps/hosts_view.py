"""Hosts beside each other: sentences, a table, and the map of hosts and steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.reports.steps.overlap_words import straggler_texts
from tfprof.results.between_hosts import BetweenHosts, HostBeside, HostDifference, InputSpread
from tfprof.results.steps import StepsResult
from tfprof.views.shapes import Column, Facts, Fold, HeatMap, HeatRow, Part, Table, Unit, Value

ONE_HOST = "there is one host only: nothing to hold it against"
_SHOWN, _NAMED = 12, 3
# of what hosts usually take: what is gained by less is not worth a word
_WORTH_TELLING = 0.01


def hosts_parts(found: StepsResult) -> list[Part]:
    between = found.between
    if between is None:
        return [Facts([("Hosts", f"? {ONE_HOST}")])]
    parts: list[Part] = [Facts(_facts(found, between)), _table(between)]
    heat = heat_map(between)
    return [*parts, heat] if heat is not None else parts


def slowest_first(between: BetweenHosts) -> list[HostBeside]:
    """By the mean over steps, so that who is slow now and then comes up, too."""
    return sorted(between.hosts, key=lambda one: (-_mean(one), one.host))


def _mean(one: HostBeside) -> float:
    known = [time for time in one.own_by_step if time is not None]
    return sum(known) / len(known) if known else -1.0


def heat_map(between: BetweenHosts) -> HeatMap | None:
    """None where steps cannot be compared."""
    if not between.usual or not between.steps:
        return None
    rows = [one for one in slowest_first(between) if one.own is not None]
    columns = [
        Column("host", "host"),
        *(Column(f"step_{number}_us", str(number), Unit.MICROS) for number in between.steps),
    ]
    cells: list[list[Value]] = [
        [one.host, *(None if time is None else as_micros(time) for time in one.own_by_step)]
        for one in rows
    ]
    usual = between.usual
    return HeatMap(
        "host",
        "step",
        [str(number) for number in between.steps],
        [
            HeatRow(one.host, [None if time is None else time / usual for time in one.own_by_step])
            for one in rows
        ],
        units.duration_ps(usual),
        Table(columns, cells),
        _SHOWN,
    )


def _facts(found: StepsResult, between: BetweenHosts) -> list[tuple[str, str]]:
    steps = between.steps
    compared = sum(one.own is not None for one in between.hosts)
    which = f"{len(between.hosts):,}"
    if between.why_not is None:
        all_of = "" if compared == len(between.hosts) else f"{compared:,} of them "
        which += f", {all_of}compared in {units.plural(len(steps), 'step')}"
        which += f", {steps[0]} to {steps[-1]}" if len(steps) > 1 else ""
    else:
        which += f"; ? {between.why_not}"
    return [
        ("Hosts", which),
        *_usual(between),
        *(("Slow", text) for text in _some(straggler_texts(found, "host"))),
        *_slow_everywhere(between),
        *(("Waiting", text) for text in _waiting(between)),
        ("Clocks", _clocks(between)),
        *_starts(between),
        *([("Input", _input(between.input_wait))] if between.input_wait is not None else []),
        *(("Unlike", text) for text in _some([_unlike(one) for one in between.differences])),
    ]


def _some(texts: Sequence[str]) -> Iterator[str]:
    yield from texts[:_NAMED]
    if len(texts) > _NAMED:
        yield f"and {len(texts) - _NAMED:,} more; --json has all of them"


def _usual(between: BetweenHosts) -> Iterator[tuple[str, str]]:
    if between.usual is not None and between.deviation is not None:
        what = "takes a host {} without waiting for others" if between.meet else "takes a host {}"
        usually = what.format(units.duration_ps(between.usual))
        spread = units.duration_ps(between.deviation)
        yield "A step", f"{usually}; hosts differ by {spread} (median deviation)"


def _slow_everywhere(between: BetweenHosts) -> Iterator[tuple[str, str]]:
    slow = between.slow_everywhere
    if slow:
        named = ", ".join(map(str, slow[:8])) + (", ..." if len(slow) > 8 else "")
        word = "step" if len(slow) == 1 else "steps"
        yield "Everywhere", f"{word} {named} took longer on most hosts"


def _waiting(between: BetweenHosts) -> Iterator[str]:
    if between.why_no_waits is not None:
        yield f"? who waits for whom is not known: {between.why_no_waits}"
        return
    blamed = [
        one
        for one in sorted(between.hosts, key=lambda one: (-(one.gain or 0), one.host))
        if (one.gain or 0) >= _WORTH_TELLING * (between.usual or 0)
    ]
    if not blamed:
        yield "nobody keeps the others waiting for much"
        return
    others = len(between.hosts) - 1
    for one in blamed[:_NAMED]:
        of_steps = units.plural(len(between.steps), "step")
        yield (
            f"{one.host} comes last in {one.last_steps} of {of_steps}: the others wait "
            f"{units.duration_ps((one.caused or 0) / others)} a step for it; steps would end "
            f"{units.duration_ps(one.gain or 0)} sooner if it came with the next"
        )


def _clocks(between: BetweenHosts) -> str:
    if between.reference is None:
        return f"? how far clocks are apart is not known: {between.why_no_clocks}"
    known = [one for one in between.hosts if one.clock.offset.number is not None]
    low = min(known, key=_offset)
    high = max(known, key=_offset)
    within = max(one.clock.within or 0 for one in known)
    some = "" if len(known) == len(between.hosts) else f"{len(known):,} of them known, "
    return (
        f"{some}{signed(_offset(low))} ({low.host}) to {signed(_offset(high))} ({high.host}) "
        f"against {between.reference}, within {units.duration_ps(within)}"
    )


def _offset(one: HostBeside) -> float:
    number = one.clock.offset.number
    return 0.0 if number is None else float(number)


def signed(micros: float) -> str:
    return f"{'-' if micros < 0 else '+'}{units.duration(abs(micros))}"


def _starts(between: BetweenHosts) -> Iterator[tuple[str, str]]:
    starts = between.starts
    if starts is None:
        return
    text = f"steps begin within {units.duration_ps(starts.median)} of each other (median)"
    if starts.median <= starts.within:
        text += f", which is not more than clocks are known by ({units.duration_ps(starts.within)})"
    else:
        known = [one for one in between.hosts if one.starts_after is not None]
        late = max(known, key=lambda one: one.starts_after or 0.0)
        text += f", known within {units.duration_ps(starts.within)}; {late.host} usually last"
    yield "Starts", text


def _input(spread: InputSpread) -> str:
    share = units.share(spread.median, 1)
    if not spread.unlike:
        low, high = units.share(spread.lowest, 1), units.share(spread.highest, 1)
        across = share if low == high else f"{low} to {high}"
        return f"{across} of a step waits for input, alike on all hosts"
    named = ", ".join(spread.unlike[:_NAMED]) + (", ..." if len(spread.unlike) > _NAMED else "")
    return (
        f"{share} of a step waits for input on most hosts, not on {named}: from "
        f"{units.share(spread.lowest, 1)} ({spread.lowest_host}) to "
        f"{units.share(spread.highest, 1)} ({spread.highest_host})"
    )


def _unlike(one: HostDifference) -> str:
    named = ", ".join(one.hosts[:_NAMED]) + (
        f" and {len(one.hosts) - _NAMED:,} more" if len(one.hosts) > _NAMED else ""
    )
    return f"{named}: {one.what} {one.has}; on the others {one.usual}"


def _table(between: BetweenHosts) -> Table:
    """Times are of a step."""
    met, timed = between.why_no_waits is None, between.reference is not None
    columns = [
        Column("host", "host"),
        Column("own_us", "own step", Unit.MICROS),
        Column("slow_steps", "slow in", Unit.COUNT),
        *(
            [
                Column("waited_us", "waits", Unit.MICROS),
                Column("waits_for", "for"),
                Column("others_wait_us", "they wait", Unit.MICROS),
            ]
            if met
            else []
        ),
        *(
            [
                Column("clock_offset_us", "clock", Unit.MICROS),
                Column("clock_within_us", "within", Unit.MICROS),
            ]
            if timed
            else []
        ),
    ]
    rows: list[list[Value]] = [
        [
            one.host,
            _micros(one.own),
            one.slow_steps,
            *([_micros(one.waited), one.waits_for or "", _others(one, between)] if met else []),
            *([one.clock.offset, _micros(one.clock.within)] if timed else []),
        ]
        for one in slowest_first(between)
    ]
    return Table(columns, rows, fold=Fold(_SHOWN))


def _others(one: HostBeside, between: BetweenHosts) -> Value:
    """What each of them waits for it."""
    return None if one.caused is None else as_micros(one.caused / (len(between.hosts) - 1))


def _micros(time: float | None) -> Value:
    return None if time is None else as_micros(time)
