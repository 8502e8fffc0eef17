"""The index of a history: what was written comes back, and what was not is not believed."""

import json
import random
from datetime import UTC, datetime

import pytest

from tfprof.model.dims import symbol
from tfprof.model.hosts import LeftOut
from tfprof.model.known_run import Fact, KnownRun, Moment, TimeSource, not_read
from tfprof.model.quantity import Quantity
from tfprof.sources.history.entries import without_floors
from tfprof.sources.history.index_file import Entry, decoded, encoded

STAMP = "0123456789abcdef" * 2
RUN = KnownRun(
    "runs/a",
    "run folder",
    Moment(datetime(2026, 11, 17, 20, 48, 12, tzinfo=UTC), TimeSource.RECORD),
    Quantity.derived(117184),
    Quantity.derived(symbol("B") * 3 + symbol("B") * symbol("S") * 7),
    Quantity.measured(32017.68),
    Quantity.unknown("no steps"),
    Quantity.at_least(52, "blocks of 256 KiB and more"),
    (31000.5, 32017.68, 33000.25),
    {"input": 12.5},
    {"parameters": Fact(117184, "117.2 k"), "devices": Fact("1 CPU", "1 CPU")},
    {"MatMul": (12, 0.5)},
    "ended",
    left_out=(LeftOut("worker-2", "no capture of it"),),
)
ODD = not_read("b\udc80\x1b", "capture", "the file is damaged")


def _written(*runs):
    return b"".join(encoded({"runs/a": Entry(STAMP, runs)}, "1.0"))


def test_what_was_written_comes_back():
    found = decoded(_written(RUN, ODD), "1.0")
    assert (found.damaged, found.why) == (0, "")
    assert found.entries == {"runs/a": Entry(STAMP, (RUN, ODD))}


def test_a_formula_with_a_rounding_in_it_is_not_kept():
    rounded = Quantity.derived(symbol("S") // 2)
    assert without_floors(rounded) == Quantity.unknown("it depends on S")


def test_another_version_counts_otherwise():
    found = decoded(_written(RUN), "1.1")
    assert not found.entries
    assert found.why == "another version of tfprof wrote the index"


@pytest.mark.parametrize("data", [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"schema": "tfprof-log/99"}',
    b'{"schema": ' + b"9" * 5000 + b"}", _written(RUN)[:-5], b"1e999",
])  # fmt: skip
def test_what_is_no_index_is_told(data):
    found = decoded(data, "1.0")
    assert not found.entries
    assert found.why.startswith("the index is damaged")


def _changed(change):
    """An index whose first run is another one."""
    whole = json.loads(_written(RUN, RUN))
    change(whole["places"]["runs/a"], whole["places"]["runs/a"]["runs"][0])
    return decoded(json.dumps(whole).encode(), "1.0")


ODD_VALUES = (None, True, -1, 1e400, float("nan"), "", "x" * 5000, [], {}, [[]], "9" * 400)


@pytest.mark.parametrize("key", [
    "path", "kind", "when", "when_from", "params", "flops", "step_us", "periods_us", "ops",
    "facts", "breakdown_us", "state", "why",
])  # fmt: skip
@pytest.mark.parametrize("value", ODD_VALUES, ids=range(len(ODD_VALUES)))
def test_an_odd_value_never_becomes_a_number(key, value):
    """The whole place is read again, or the value is one that we could have written."""
    found = _changed(lambda _, run: run.update({key: value}))
    if found.damaged:
        assert not found.entries
    else:
        (entry,) = found.entries.values()
        again = decoded(b"".join(encoded({"a": entry}, "1.0")), "1.0")
        assert again.entries["a"] == entry


@pytest.mark.parametrize("change", [
    lambda place, _: place.update(stamp="short"),
    lambda place, _: place.update(runs={}),
    lambda _, run: run.update(periods_us=[1.0] * 1001),
    lambda _, run: run.update(ops={str(at): [1, 0.1] for at in range(301)}),
    lambda _, run: run.update(path="../../etc/passwd"),
    lambda _, run: run.update(path="/etc/passwd"),
    lambda _, run: run.update(flops={"value": [[1, {"B": 65}]], "kind": "derived"}),
    lambda _, run: run.update(flops={"value": [[1, {"a b": 1}]], "kind": "derived"}),
    lambda _, run: run.update(flops={"value": 1, "kind": "unknown"}),
    lambda _, run: run.update(when=1e30),
    lambda _, run: run.update(step_us={"value": -1.0, "kind": "measured"}),
])  # fmt: skip
def test_a_place_with_something_odd_in_it_is_left_out(change):
    found = _changed(change)
    assert (found.entries, found.damaged) == ({}, 1)


def test_a_place_outside_of_the_folder_is_left_out():
    whole = json.loads(_written(RUN))
    whole["places"] = {"../x": whole["places"]["runs/a"], "/x": whole["places"]["runs/a"]}
    assert decoded(json.dumps(whole).encode(), "1.0").damaged == 2


def test_damaged_bytes_are_no_fault_of_ours():
    data = _written(RUN, ODD)
    chance = random.Random(5)  # noqa: S311
    for _ in range(2_000):
        broken = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        decoded(bytes(broken), "1.0")
