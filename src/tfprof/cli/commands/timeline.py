"""`tfprof timeline PATH...`: what ran when, drawn here or written for a trace viewer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.cli.inputs import add_inputs, request_of
from tfprof.cli.output import talk
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.answers.timeline_asked import TimelineQuestion
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "what ran when: lanes and critical path; a trace for Perfetto"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    group = parser.add_argument_group("timeline (-o FILE.trace.json[.gz] writes a trace)")
    group.add_argument("--step", type=int, metavar="N", help="this step")
    group.add_argument("--from", dest="begin", type=float, metavar="MS",
                       help="from this time on, in ms from the first event")  # fmt: skip
    group.add_argument("--to", dest="end", type=float, metavar="MS", help="up to this time")
    group.add_argument("--thread", metavar="REGEX", help="threads or streams called so")
    group.add_argument("--min-duration", type=float, default=0, metavar="US",
                       help="events of at least so many microseconds")  # fmt: skip
    group.add_argument("--all", dest="everything", action="store_true",
                       help="with what thread pools note about themselves")  # fmt: skip
    group.add_argument("--args", dest="all_args", action="store_true",
                       help="write all that is known of each event")  # fmt: skip


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result | None:
    from tfprof.answers.timeline import timeline
    from tfprof.sources.load import read_one

    question = _question(args)
    target = Path(args.output_file) if args.output_file else None
    if target is None or not _is_trace(target, args):
        return timeline(read_one(request_of(args), progress), question)
    from tfprof.api.timeline import refuse_existing, write_trace

    refuse_existing(target, force=args.force)
    data = read_one(request_of(args), progress)
    for warning in data.warnings:
        talk(f"warning: {warning}")
    write_trace(data, question, target, force=args.force)
    talk(f"Wrote {target}; open it in https://ui.perfetto.dev or chrome://tracing")
    return None


def _is_trace(target: Path, args: argparse.Namespace) -> bool:
    from tfprof.api.timeline import TRACE_SUFFIXES

    if args.json or args.format:
        return False
    name = target.name.lower()
    if name.endswith((".json.gz", ".gz")) and not name.endswith(TRACE_SUFFIXES):
        raise UsageError(
            f"the suffix of {target.name!r} names no format",
            hint=f"A trace is called {' or '.join(TRACE_SUFFIXES)}.",
        )
    return name.endswith(TRACE_SUFFIXES)


def _question(args: argparse.Namespace) -> TimelineQuestion:
    from tfprof.answers.timeline_asked import TimelineQuestion

    if args.min_duration < 0:
        raise UsageError(f"--min-duration takes microseconds, not {args.min_duration:g}")
    return TimelineQuestion(
        step=args.step,
        begin_ms=args.begin,
        end_ms=args.end,
        thread=args.thread,
        min_duration_us=args.min_duration,
        everything=args.everything,
        all_args=args.all_args,
    )
