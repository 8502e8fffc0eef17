from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.results.fields import (
    AMONG,
    IF_KNOWN,
    INSIDE,
    ROW_KEY,
    JsonPlace,
    Key,
    plan_of,
    row_key_of,
)


@dataclass(frozen=True, slots=True)
class Part:
    depth: int


@dataclass(frozen=True, slots=True)
class Row:
    name: Annotated[str, ROW_KEY]
    kind: Annotated[str, ROW_KEY, Key("class")]
    part: Annotated[Part, AMONG]
    extra: Annotated[int | None, IF_KNOWN] = None
    hint: Annotated[str, INSIDE] = ""
    time_us: float = 0.0


def test_a_field_is_told_by_its_name_unless_it_says_otherwise():
    plans = {plan.name: plan for plan in plan_of(Row)}
    assert list(plans) == ["name", "kind", "part", "extra", "hint", "time_us"]
    assert [plan.key for plan in plans.values()] == [
        "name", "class", "part", "extra", "hint", "time_us",
    ]  # fmt: skip
    assert plans["part"].place is JsonPlace.AMONG
    assert plans["extra"].place is JsonPlace.IF_KNOWN
    assert plans["hint"].place is JsonPlace.INSIDE
    assert plans["time_us"].place is JsonPlace.OWN


def test_a_row_is_told_from_others_by_its_key():
    assert row_key_of(Row("dense", "Dense", Part(1), time_us=3.0)) == ("dense", "Dense")
