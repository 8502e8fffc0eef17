"""Running processes are asked for captures; what is one goes into the folder of a run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from tfprof.errors import InputMissing, InputUnreadable, NoHostAnswered
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.remote.addresses import Address
from tfprof.remote.asking import REFUSED, TOO_OLD, Heard, Limits, Ticks, ask_all, needed_grpc
from tfprof.remote.profiler_service import NoReply, ProfilerQuestion, reply_in
from tfprof.remote.run_records import options_of
from tfprof.remote.sampled_run import DEFAULT_LOGDIR, SampledRun
from tfprof.results.capture import HostLeftOut
from tfprof.sources.find.load import Request, read_one

_NOTHING_RAN: Final = "its capture is empty: nothing ran meanwhile"
_NO_CAPTURE: Final = "its reply is no capture"
_HINT: Final = "A program can be asked after tf.profiler.experimental.server.start(6009)."
_SAID: Final = 5


@frozen_dataclass
class Sampling:
    """What is asked of whom; `logdir` is where the folder of the run goes."""

    addresses: tuple[Address, ...]
    seconds: float
    limits: Limits
    logdir: Path = DEFAULT_LOGDIR
    remote_logdir: str | None = None


@dataclass(slots=True)
class Sampled:
    """`files` are here, `remote` ones on the disk of the process."""

    files: list[tuple[Address, Path]] = field(default_factory=list)
    remote: list[tuple[Address, str]] = field(default_factory=list)
    left_out: list[HostLeftOut] = field(default_factory=list)


class _LeftOut(Exception):
    """Why a reply is of no use."""


def sample(asked: Sampling, heard_one: Callable[[Address], None], ticks: Ticks) -> Sampled:
    """An error if there is no capture at all. What stays behind is a whole run, or nothing."""
    needed_grpc()

    def ask(question: ProfilerQuestion) -> Generator[Heard]:
        return ask_all(asked.addresses, question, asked.limits, ticks)

    return sampled(asked, ask, heard_one)


def sampled(
    asked: Sampling,
    ask: Callable[[ProfilerQuestion], Generator[Heard]],
    heard_one: Callable[[Address], None],
) -> Sampled:
    """The same, whoever it is that asks."""
    options = options_of(asked.seconds, asked.limits.max_bytes)
    run = SampledRun(asked.logdir, datetime.now().astimezone(), options)
    try:
        question = ProfilerQuestion(asked.seconds, run.session, asked.remote_logdir)
        remote: dict[Address, str] = {}
        reasons: dict[Address, str] = {}
        with closing(ask(question)) as replies:
            for heard in replies:
                try:
                    _take(heard, question, run, remote)
                except _LeftOut as fault:
                    reasons[heard.address] = str(fault)
                heard_one(heard.address)
        return _outcome(asked.addresses, run, remote, reasons)
    finally:
        run.discard()


def _outcome(
    addresses: Sequence[Address],
    run: SampledRun,
    remote: dict[Address, str],
    reasons: dict[Address, str],
) -> Sampled:
    """In the order of the addresses, whoever was first."""
    left_out = [HostLeftOut(str(one), reasons[one]) for one in addresses if one in reasons]
    if run.is_empty and not remote:
        raise _nobody(left_out)
    files = [] if run.is_empty else run.finish(addresses, left_out)
    return Sampled(files, [(one, remote[one]) for one in addresses if one in remote], left_out)


def _take(
    heard: Heard, question: ProfilerQuestion, run: SampledRun, remote: dict[Address, str]
) -> None:
    """Into the run, if it is a capture that can be read."""
    if heard.why_not:
        raise _LeftOut(heard.why_not)
    try:
        reply = reply_in(heard.reply)
    except NoReply:
        raise _LeftOut(_NO_CAPTURE) from None
    if reply.nothing_ran:
        raise _LeftOut(_NOTHING_RAN)
    if reply.capture:
        with run.placed(reply.capture, heard.address) as path:
            _check(path)
    elif question.remote_logdir is not None:
        remote[heard.address] = question.remote_path(heard.address)
    else:
        raise _LeftOut(TOO_OLD)


def _check(path: Path) -> None:
    try:
        data = read_one(Request([path]))
    except (InputUnreadable, InputMissing) as fault:
        raise _LeftOut(f"{_NO_CAPTURE}: {fault.what}") from None
    space = None if data.trace is None else data.trace.space
    if space is None:
        raise _LeftOut(_NO_CAPTURE)
    if not space.event_count:
        raise _LeftOut(_NOTHING_RAN)


def _nobody(left_out: Sequence[HostLeftOut]) -> NoHostAnswered:
    said = [f"{one.host}: {one.why}" for one in left_out[:_SAID]]
    more = len(left_out) - len(said)
    said += [f"and {more:,} more"] if more else []
    who = "the process" if len(left_out) == 1 else f"any of {len(left_out):,} processes"
    return NoHostAnswered(
        f"no capture of {who}: {'; '.join(said)}",
        hint=_HINT if any(REFUSED in one.why for one in left_out) else "",
    )
