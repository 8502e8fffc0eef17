"""What is said of a run before its script starts, and once it has ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tfprof.commands.run import RunOptions
from tfprof.live.run.run_record import signal_name
from tfprof.live.run.wanted import TRAINING
from tfprof.model.units import plural, size

_BY_TIME: Final = "--duration 5 captures by the clock, where there are no steps"


def bound_line(folder: str, options: RunOptions) -> str:
    """Where captures go, and how large they may get."""
    from tfprof.live.recording.plan import KEEP

    kept = f"; {KEEP + 1} are kept" if options.plan.every is not None else ""
    each = " of each process" if options.follow else ""
    return f"a capture has at most {size(options.max_bytes)}{kept}{each}: {folder}"


def found_lines(
    records: Sequence[Mapping[str, Any]], code: int, options: RunOptions
) -> Iterator[str]:
    """How the script ended if that was a signal, and what was captured, or why nothing was."""
    if code < 0:
        yield f"the script was ended by {signal_name(-code)}"
    known = [record for record in records if record]
    if not known:
        yield "the script did not get to TensorFlow: nothing was captured"
        if code == 0 and not options.follow:
            yield "  processes that it starts are captured with --follow"
        return
    several = len(known) > 1
    for record in known:
        who = f"rank {record.get('rank')}: " if several else ""
        if code < 0 and not record.get("captures"):
            yield f"{who}nothing had been captured by then"
        else:
            yield from (f"{who}{line}" for line in _of_process(record, options))


def _of_process(record: Mapping[str, Any], options: RunOptions) -> Iterator[str]:
    steps = record.get("steps") or {}
    count = steps.get("count") or 0
    captures = record.get("captures") or []
    word = "training" if options.what == TRAINING else options.what
    made = plural(count, f"{word} step")
    # the script has ended, and this could not be written: the disk is full
    unfinished = record.get("state") == "running"
    if captures:
        yield from _captured(captures, f"at least {made}" if unfinished else made)
    elif unfinished:
        yield "nothing was captured, and the record of the run is not finished"
    elif record.get("warnings"):
        yield "nothing was captured, for the reason above"
    elif count == 0:
        yield f"the script made no {word} step: nothing was captured"
        others = {kind: n for kind, n in (record.get("other_steps") or {}).items() if n}
        for kind, number in others.items():
            what = kind if kind in ("evaluate", "predict") else TRAINING
            yield f"  it made {number:,} steps of {kind}: --what {what} captures them"
        if not others:
            yield f"  {_BY_TIME}"
    else:
        yield f"the script made {made}, and none was captured"
        yield f"  {_which_steps(count, options)}"


def _captured(captures: Sequence[Mapping[str, Any]], made: str) -> Iterator[str]:
    for capture in captures:
        first, last = capture.get("first_step"), capture.get("last_step")
        held = size(capture.get("bytes") or 0)
        if first is None or last is None:
            seconds = capture.get("seconds")
            yield f"a capture of {held}" + ("" if seconds is None else f", {seconds:.3g} s")
            continue
        which = f"step {first}" if first == last else f"steps {first} to {last}"
        whole = "" if capture.get("complete") else ", fewer than planned"
        yield f"{which} of {made} captured, {held}{whole}"


def _which_steps(count: int, options: RunOptions) -> str:
    if options.plan.steps is not None and options.plan.steps[0] > count:
        return f"--steps {options.plan.steps[0]} was not reached; the last one was {count:,}"
    if count == 1:
        return "--steps 1 captures it, tracing included"
    return f"--steps 2..{count} captures all but the first, which traces"


def next_commands(path: str, records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A few of those that say more."""
    memory = any((record.get("options") or {}).get("memory") for record in records)
    asked = [
        ("steps", "where each step goes"),
        ("input", "which stage is slow"),
        ("layers", "what each layer costs"),
        *([("memory", "what lives at the peak")] if memory else []),
        ("timeline", "what ran when"),
    ]
    width = max(len(f"tfprof {name} {path}") for name, _ in asked)
    for name, about in asked:
        yield f"  {f'tfprof {name} {path}':<{width}}  {about}"
