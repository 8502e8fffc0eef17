"""`tfprof capture HOST:PORT...`: samples running processes that opened a profiler server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.amounts import bytes_of, seconds_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.remote.addresses import Address
    from tfprof.remote.sampling import Sampling
    from tfprof.results.answered import Answered
    from tfprof.results.capture import CaptureResult
    from tfprof.sources.find.load import ProgressOf

_SHORTEST_S: Final = 0.001
_LONGEST_S: Final = 600.0
_OPTIONS = OptionSection(
    "",
    (
        Option("addresses", "processes that called tf.profiler.experimental.server.start(PORT); "
               "several with commas", Takes.PATHS, "HOST:PORT"),
        Option("--duration", "how long they are sampled (default: 2s)", metavar="2s",
               default="2s"),
        Option("--logdir", "where the folder of the run goes (default: tfprof-runs)",
               metavar="DIR"),
        Option("--remote-logdir", "where a process may write whose TensorFlow is too old to send",
               metavar="DIR"),
        Option("--max-size", "the largest capture of a process (default: 256MiB)", metavar="256MiB",
               default="256MiB"),
    ),
)  # fmt: skip


def _sampling(values: Values) -> Sampling:
    from tfprof.remote.addresses import addresses_in
    from tfprof.remote.asking import Limits
    from tfprof.remote.sampled_run import DEFAULT_LOGDIR
    from tfprof.remote.sampling import Sampling

    addresses = addresses_in(values.texts("addresses"))
    seconds, most = (
        seconds_of(values.text("duration") or ""),
        bytes_of(values.text("max_size") or ""),
    )
    if not _SHORTEST_S <= seconds <= _LONGEST_S:
        raise UsageError("--duration is from 1ms to 10min", hint="--duration 2s")
    if most < 1:
        raise UsageError("--max-size leaves no room for a capture", hint="--max-size 256MiB")
    logdir, remote = values.text("logdir"), values.text("remote_logdir")
    if "" in (logdir, remote):
        raise UsageError("the name of a folder is empty")
    place = DEFAULT_LOGDIR if logdir is None else Path(logdir)
    return Sampling(addresses, seconds, Limits(most), place, remote)


def _answer(values: Values, progress: ProgressOf | None) -> Answered[CaptureResult]:
    from tfprof.remote.sampling import sample
    from tfprof.reports.capture import captured

    asked = _sampling(values)
    heard, ticks = _told(asked, progress)
    found = sample(asked, heard, ticks)
    return captured(
        [(str(address), path) for address, path in found.files],
        [(str(address), path) for address, path in found.remote],
        found.left_out,
        asked.seconds,
        progress,
    )


def _told(
    asked: Sampling, progress: ProgressOf | None
) -> tuple[Callable[[Address], None], Callable[[float], None]]:
    """Who hears that a process answered, and how the time goes by: a bar for each."""
    whole = round(asked.seconds * 1000)
    bars = {one: progress(Path(str(one)), whole) for one in asked.addresses if progress is not None}

    def heard(address: Address) -> None:
        if address in bars:
            bars.pop(address)(whole)

    def ticks(seconds: float) -> None:
        # what is left is for the reply
        for bar in bars.values():
            bar(min(round(seconds * 1000), whole * 95 // 100))

    return heard, ticks


COMMAND = Command(
    "capture",
    HelpGroup.WHILE,
    "samples processes that opened a profiler server",
    "tfprof capture localhost:6009 --duration 2s",
    "a profiler server in each process, and grpcio",
    (_OPTIONS,),
    "capture",
    _answer,
)
