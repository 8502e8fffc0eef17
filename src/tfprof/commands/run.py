"""`tfprof run SCRIPT`: its steps captured while it runs; the command line itself starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern

if TYPE_CHECKING:
    from tfprof.live.recording.plan import Plan

_WHAT: Final = ("train", "evaluate", "predict")
_SECONDS: Final = late_pattern(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|min|m|h)?")
_UNITS: Final = {"ms": 0.001, "s": 1.0, "": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
FOLDER: Final = "tfprof-runs"

_STEPS = OptionSection(
    "which steps (default: five, once warm-up and tracing are over)",
    (
        Option("--steps", "these, counted from 1 over the whole script", metavar="A..B"),
        Option("--every", "again and again, each so many steps", Takes.WHOLE, "N"),
        Option("--what", "the steps that count (default: train)", choices=_WHAT, default="train",
               metavar="|".join(_WHAT)),
        Option("--duration", "for so long, where there are no steps", metavar="S"),
        Option("--delay", "nothing before this time", metavar="S"),
    ),
)  # fmt: skip
_RECORDED = OptionSection(
    "what is recorded, and where",
    (
        Option("--memory", "allocations on a CPU, too", Takes.FLAG),
        Option("--every-op", "cheap ops of late steps, too", Takes.FLAG),
        Option("--follow", "processes that the script starts, too", Takes.FLAG),
        Option("--logdir", f"the runs are put there (default: {FOLDER})", metavar="DIR"),
        Option("--max-size", "of one capture (default: 256MiB)", metavar="BYTES"),
    ),
)


@frozen_dataclass
class RunOptions:
    """What was said before the script."""

    plan: Plan
    what: str
    memory: bool
    every_op: bool
    follow: bool
    logdir: str
    max_bytes: int


def options_of(values: Values) -> RunOptions:
    """A slip is told here, before the script begins."""
    from tfprof.live.recording.plan import MAX_BYTES, plan_of, size_of

    delay, duration = _seconds(values, "delay"), _seconds(values, "duration")
    size = values.text("max_size")
    what = values.text("what") or _WHAT[0]
    return RunOptions(
        plan_of(
            values.text("steps"),
            values.whole("every"),
            delay=delay,
            duration=duration,
            evaluation=what != _WHAT[0],
        ),
        what,
        values.flag("memory"),
        values.flag("every_op"),
        values.flag("follow"),
        values.text("logdir") or FOLDER,
        MAX_BYTES if size is None else size_of(int(size) if size.isdecimal() else size),
    )


def _seconds(values: Values, key: str) -> float | None:
    text = values.text(key)
    if text is None:
        return None
    found = _SECONDS.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--{key} is a time, not {text!r}", hint=f"--{key} 2s")
    return float(found[1]) * _UNITS[found[2] or ""]


COMMAND = Command(
    "run",
    HelpGroup.START,
    "a training script as it is, some of its steps captured",
    "tfprof run train.py --epochs 3",
    "tensorflow",
    (_STEPS, _RECORDED),
    usage="tfprof run [options] train.py|-m module [arguments]",
)
