"""Options that make open sizes concrete, and say what is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.analyses.inference.sites import Given
    from tfprof.model.dims import Shape
    from tfprof.reports.shared.question import Question

SIZES = OptionSection(
    "sizes that the graph leaves open",
    (
        Option("--batch", "the batch size, B in formulas", metavar="N"),
        Option("--feed", "the shape of an input; a letter is a symbol", Takes.MANY,
               "NAME=B,224,224,3"),
        Option("--dim", "the size behind a symbol", Takes.MANY, "S=128"),
    ),
)  # fmt: skip
COMPUTED = OptionSection(
    "what is computed (default: a training step if there is one)",
    (
        Option("--mode", "a step or a prediction", choices=("train", "inference")),
        Option("--train", "short for --mode train", Takes.FLAG, key="mode", sets="train"),
        Option("--inference", "short for --mode inference", Takes.FLAG, key="mode",
               sets="inference"),
        Option("--fetch", "what this node needs, and nothing else", Takes.MANY, "NODE"),
    ),
)  # fmt: skip
DIMENSIONS = (SIZES, COMPUTED)
_MOST_DIGITS = 40
_SHOWN = 80


def question_of(values: Values) -> Question:
    from tfprof.reports.shared.question import Question

    mode, fetch = values.text("mode"), values.texts("fetch")
    return Question(sizes_of(values), feeds_of(values), mode, fetch, values.text("signature"))


def given_of(values: Values) -> Given:
    from tfprof.analyses.inference.sites import Given

    return Given(sizes_of(values), feeds_of(values))


def feeds_of(values: Values) -> dict[str, Shape]:
    return dict(_feed(text) for text in values.texts("feed"))


def sizes_of(values: Values) -> dict[str, int]:
    from tfprof.model.dims import BATCH

    sizes = {}
    for text in values.texts("dim"):
        name, equals, size = text.partition("=")
        number = counted(size)
        if not equals or number is None or number < 1:
            raise UsageError(f"--dim takes NAME=SIZE, not {text!r}", hint="--dim S=128")
        sizes[name] = number
    batch = values.text("batch")
    if batch is not None:
        sizes[BATCH] = _whole(batch)
    return sizes


def _whole(text: str) -> int:
    number = counted(text)
    if number is None or number < 1:
        raise UsageError(f"--batch is a number from 1 on, not {text!r}", hint="--batch 32")
    return number


def counted(text: str) -> int | None:
    """A whole number of a length that anybody could mean."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def _feed(text: str) -> tuple[str, Shape]:
    from tfprof.model.dims import parsed

    name, equals, sizes = text.rpartition("=")
    why = ""
    try:
        shape = tuple(parsed(size) for size in sizes.split(",") if size)
    except ValueError as fault:
        why = f": {fault}"
    if why or not equals or not name:
        hint = "--feed x=B,224,224,3"
        raise UsageError(f"--feed takes NAME=SIZES, not {text[:_SHOWN]!r}{why}", hint=hint)
    return name, shape
