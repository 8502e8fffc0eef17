"""`make bench` and `make bench-check`: with small programs in place of the tools."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
DOCS = Path(__file__).parents[2] / "docs"
# seconds that our program sleeps, and the other one
FAST, SLOW = 0.0, 0.4


@pytest.fixture(scope="module")
def bench():
    """The scripts are no package."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import bench
    finally:
        sys.path.remove(str(BENCHMARKS))
    return bench


@pytest.fixture
def row(bench):
    def make(key="nap", ours="", other="", **more):
        return bench.Row(key, f"a {key}", program(ours), "somebody", program(other), **more)

    return make


def program(code):
    return lambda _folder: [sys.executable, "-S", "-c", code]


def sleeps(seconds):
    return f"import time; time.sleep({seconds})"


def says(seconds):
    """As a program does that measures itself."""
    return f"print('some talk'); print({seconds!r})"


def kept(bench, **ratios):
    """A committed table with these ratios."""
    rows = {key: bench.Measured("then", [1.0], [ratio]) for key, ratio in ratios.items()}
    return bench.Kept({"then": {"date": "then"}}, rows)


def test_programs_run_in_turns_and_the_first_turn_is_not_counted(bench, row, tmp_path):
    told = tmp_path / "told"
    words = [f"open({str(told)!r}, 'a').write({who!r})" for who in "ab"]
    found = bench.measured(row("nap", *words), 3, "now")
    assert told.read_text() == "ab" * 4
    assert len(found.ours) == len(found.other) == len(found.ratios) == 3
    assert found.peak > 1_000_000


def test_ratio_is_the_other_time_through_ours(bench, row):
    found = bench.measured(row(ours=says(0.5), other=says(2.0), inside=True), 2, "now")
    assert found.ratios == [4.0, 4.0]
    assert found.alone == []


def test_whole_processes_are_timed_from_outside(bench, row):
    found = bench.measured(row(ours=sleeps(FAST), other=f"{sleeps(SLOW)}; print(1.5)"), 2, "now")
    assert all(SLOW <= seconds < 1.5 for seconds in found.other)
    assert found.alone == [1.5, 1.5]
    assert min(found.ratios) > 1


def test_other_tool_that_fails_leaves_our_time(bench, row, capsys):
    found = bench.measure([row(ours="", other="raise SystemExit('it is not installed')")], 2, "now")
    assert len(found["nap"].ours) == 2
    assert found["nap"].ratios == []
    assert "not measured: it is not installed" in capsys.readouterr().out


def test_our_failure_is_said(bench, row, capsys):
    found = bench.measure([row(ours="raise SystemExit('it fell over')")], 2, "now")
    assert found["nap"].ours == []
    assert "not measured: it fell over" in capsys.readouterr().out


def test_program_that_does_not_tell_its_time_is_not_measured(bench, row):
    found = bench.measured(row(ours=says(0.5), other="print('done')", inside=True), 1, "now")
    assert found.ours == [0.5]
    assert "does not say how long" in found.why


@pytest.mark.parametrize(("was", "code"), [(5.9, 0), (6.1, 1), (1.0, 0)])
def test_check_fails_when_a_ratio_falls_by_more_than_a_third(bench, row, capsys, was, code):
    rows = [row(ours=says(0.5), other=says(2.0), inside=True)]
    assert bench.check(rows, kept(bench, nap=was), 1) == code
    out = capsys.readouterr().out
    assert ("more than a third less" in out) == bool(code)
    assert ("once more" in out) == bool(code)


def test_check_says_what_the_committed_table_has_not(bench, row, capsys):
    rows = [row(key, says(0.5), says(2.0), inside=True) for key in ("nap", "new")]
    assert bench.check(rows, kept(bench, nap=4.0), 1) == 0
    out = capsys.readouterr().out
    assert "new: the committed table has no ratio of it" in out
    assert "1 of 2 rows are as committed" in out


def test_check_fails_when_a_row_cannot_be_measured(bench, row, capsys):
    rows = [row(ours=says(0.5), other="raise SystemExit('gone')", inside=True)]
    assert bench.check(rows, kept(bench, nap=4.0), 1) == 1
    assert "nap: not measured, so nobody knows: gone" in capsys.readouterr().out


def test_rows_that_were_not_asked_for_stay_in_the_table(bench):
    before = kept(bench, nap=4.0, walk=2.0, forgotten=1.0)
    now = {"nap": bench.Measured("now", [1.0], [5.0])}
    joined = before.with_run({"date": "now"}, now, ["nap", "walk"])
    assert {key: row.ratios for key, row in joined.rows.items()} == {"nap": [5.0], "walk": [2.0]}
    assert set(joined.runs) == {"now", "then"}
    again = joined.with_run({"date": "later"}, {"walk": now["nap"]}, ["nap", "walk"])
    assert set(again.runs) == {"now"}


def test_table_that_was_kept_is_read_again(bench, tmp_path):
    path = tmp_path / "kept.json"
    path.write_text(kept(bench, nap=4.0).text())
    assert bench.Kept.read(path).rows["nap"].ratios == [4.0]
    assert bench.Kept.read(tmp_path / "none.json").rows == {}


def test_promises_are_judged_by_medians(bench, row):
    from _bench_rows import Goal

    found = bench.Measured("now", [1.0, 2.0, 9.0], [20.0, 20.0, 90.0], [6.0] * 3, 5_000_000, 1)
    shown = bench.table([row(goal=Goal(2.0, 11, 3, 4e6))], {"nap": found})
    assert "2 s kept, 11× missed, 3× alone kept, 4 MB missed" in shown
    assert "2.00 s (1.00–9.00)" in shown


def test_row_that_nobody_knows(bench, capsys):
    assert bench.main(["--rows", "scope nonsense", "--quick"]) == 2
    said = capsys.readouterr().out
    assert "'nonsense'" in said
    assert "scope" in said


def test_page_is_made_of_what_is_kept(bench, tmp_path):
    """The committed page, from the committed numbers; every row of them is one that is known."""
    every = bench.rows(bench.Files(tmp_path))
    committed = bench.Kept.read(DOCS / "benchmarks.json")
    assert set(committed.rows) <= {row.key for row in every}
    assert bench.page(every, committed) == (DOCS / "benchmarks.md").read_text(encoding="utf-8")


def test_small_row_from_end_to_end(bench, capsys):
    """Our own command beside what it is compared with, or why not."""
    assert bench.main(["--rows", "saved", "--quick", "--runs", "1"]) == 0
    assert "| the same from a `.tfprof` | " in capsys.readouterr().out


def test_committed_numbers_are_whole():
    """At least five turns, each with its machine and versions."""
    said = json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8"))
    for key, row in said["rows"].items():
        assert len(row["ours"]) >= 5, key
        assert len(row["other"]) in (0, len(row["ours"])), key
        assert row["run"] in said["runs"], key
