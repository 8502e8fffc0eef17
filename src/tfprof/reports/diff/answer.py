"""Two sides or more, compared: what is exact first, then times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfprof.analyses.comparison.tensors import tensor_changes
from tfprof.errors import InputMissing, UsageError
from tfprof.model.dims import BATCH
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import remembering
from tfprof.reports.diff.common_sizes import common_sizes
from tfprof.reports.diff.exact import exact_rows
from tfprof.reports.diff.query import Query
from tfprof.reports.diff.same_work import likenesses, same_work
from tfprof.reports.diff.sides import PERIOD, Side
from tfprof.reports.diff.timed import noise_text, timed_rows
from tfprof.results.answered import SCHEMA, Answered, Subject, used_inputs
from tfprof.results.diff import DiffResult, DiffRow, DiffSummary, Likeness, RowKind


@remembering()
def compare(
    sides: Sequence[tuple[str, Sequence[ProfileData]]], query: Query
) -> Answered[DiffResult]:
    """Each side by name, with its repeats; the first and the last of several are compared."""
    if len(sides) < 2:
        raise UsageError("diff compares two sides or more", hint="tfprof diff BEFORE AFTER")
    made, taken = _at_common_sizes(sides, query)
    before, after = made[0], made[-1]
    alike = likenesses(before, after)
    rows = tuple(_rows(before, after, query))
    if all(None in (row.before, row.after) for row in rows):
        raise InputMissing(
            f"{before.name} and {after.name} have nothing in common that could be compared",
            hint="Compare two graphs, two runs or two checkpoints; `tfprof doctor` says what "
            "is there.",
        )
    result = DiffResult(
        _summary(rows, alike, noise_text(before, after)),
        tuple(side.row() for side in made),
        alike,
        rows,
    )
    used = tuple(one for side in made for run in side.runs for one in used_inputs(run))
    warnings = tuple(dict.fromkeys(w for side in made for run in side.runs for w in _warned(run)))
    hosts = [text for side in made for text in side.about_hosts()]
    said = (
        *taken,
        *hosts,
        *_notes(result),
        *_of_one_sample(before, after),
        *_of_two_kinds(before, after),
    )
    subject = Subject(" → ".join(short_names([before.name, after.name])))
    return Answered(
        SCHEMA, "diff", used, (*warnings, *said), result, subject, (*warnings[:1], *said)
    )


def _warned(run: ProfileData) -> Iterator[str]:
    """Who is left out is told with the run that it is left out of."""
    named = {str(one) for one in run.left_out}
    yield from (text for text in run.warnings if text not in named)


def _at_common_sizes(
    sides: Sequence[tuple[str, Sequence[ProfileData]]], query: Query
) -> tuple[list[Side], list[str]]:
    """With what was taken for sizes that only others tell, in words."""
    found = common_sizes([runs[0] for _, runs in sides], query.question.sizes)
    made, said = [], []
    for (name, runs), sizes in zip(sides, found, strict=True):
        question = replace(query.question, sizes={**query.question.sizes, **sizes})
        made.append(Side(name, runs, replace(query, question=question)))
        if sizes:
            letters = ", ".join(f"{letter} = {size}" for letter, size in sizes.items())
            short = name.rstrip("/").rpartition("/")[2]
            said.append(f"{short} leaves sizes open: {letters} taken, as the other is fed.")
    return made, said


def _rows(before: Side, after: Side, query: Query) -> Iterator[DiffRow]:
    yield from timed_rows(before, after)
    yield from exact_rows(before, after)
    one, other = before.first.checkpoint, after.first.checkpoint
    if one is not None and other is not None:
        for change in tensor_changes(one, other, values=query.values):
            name, was, is_now = change.name, change.before, change.after
            if was != is_now:
                yield DiffRow(RowKind.TENSOR, name, "tensor", was, is_now, None)
            else:
                for metric in ("relative_change", "largest_change"):
                    moved = getattr(change, metric)
                    yield DiffRow(RowKind.TENSOR, name, metric, 0.0, moved, moved)


def _summary(
    rows: Sequence[DiffRow], alike: tuple[Likeness, ...], noise: str | None
) -> DiffSummary:
    steps = [row for row in rows if row.kind is RowKind.STEP]
    step = next((row for row in steps if row.name == PERIOD), None)
    parts = [row for row in steps if row is not step and row.change]
    because = {row.name: row.change for row in parts if isinstance(row.change, float)}
    return DiffSummary(
        same_work(alike),
        _number(step.before) if step is not None else None,
        _number(step.after) if step is not None else None,
        step.significant if step is not None else None,
        because,
        noise,
        sum(row.significant is True for row in rows),
    )


def short_names(names: Sequence[str]) -> list[str]:
    """The last part of each path, if that tells them apart."""
    last = [name.rstrip("/").rpartition("/")[2] for name in names]
    return last if len({*last}) in (len(last), len({*names})) else [*names]


def _number(value: float | str | None) -> float | None:
    return None if isinstance(value, str) else value


def _of_one_sample(before: Side, after: Side) -> Iterator[str]:
    """Where the batch is open, memory is estimated for one."""
    sides = (before, after)
    said = [one.query.question.sizes.get(BATCH) for one in sides]
    if [one.summary.estimated_batch for one in sides] == [1, 1] and said == [None, None]:
        yield "Peak memory is estimated for one sample, B = 1; --batch says another."


def _of_two_kinds(before: Side, after: Side) -> Iterator[str]:
    one, other = before.layers, after.layers
    if one.costs and other.costs and one.are_classes != other.are_classes:
        yield (
            "A Keras file has layers and a graph has scopes, matched by their names: what is new "
            "or gone may be the same under another one."
        )


def _notes(result: DiffResult) -> Iterator[str]:
    if result.summary.noise is not None:
        yield f"Times: {result.summary.noise}."
    why = dict.fromkeys(row.why for row in result.rows if row.is_time and row.why)
    for reason in why:
        yield f"No difference of times is called a change: {reason}."
