"""Speed, side by side with other tools: one table.

    python benchmarks/bench.py [--rows 'scope load'] [--runs 5] [--write | --check] [--quick]

Prints a row when it is measured, and all of them in the end. `--write` keeps them in docs/, where
rows that were not asked for stay; `--check` compares with what is kept there, and exits with 1 if a
ratio fell by more than a third. A row that seems to have fallen is measured a second time first.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from _bench_files import QUICK, ROOT, Files, Sizes
from _bench_page import page, this_run
from _bench_rows import Row, rows
from _bench_table import Kept, Measured, table, verdict
from _bench_turns import Taken, Unmeasured, in_turns

KEPT, PAGE = ROOT / "docs/benchmarks.json", ROOT / "docs/benchmarks.md"
RUNS = 5


def main(words: list[str] | None = None) -> int:
    given = _arguments(words)
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as folder:
        every = rows(Files(Path(folder), QUICK if given.quick else Sizes()))
        try:
            chosen = choose(every, given.rows.split())
        except KeyError as fault:
            print(f"no row is called {fault}; there are: {', '.join(row.key for row in every)}")
            return 2
        if given.check:
            return check(chosen, Kept.read(KEPT), given.runs)
        run = this_run(given.runs)
        measured = measure(chosen, given.runs, run["date"])
    print(f"\n{table(chosen, measured)}")
    if given.write:
        kept = Kept.read(KEPT).with_run(run, measured, [row.key for row in every])
        KEPT.write_text(kept.text(), encoding="utf-8")
        PAGE.write_text(page(every, kept), encoding="utf-8")
        print(f"written: {PAGE.relative_to(ROOT)}, {KEPT.relative_to(ROOT)}")
    return 0


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", default="", help="some of them, with spaces between")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="turns of a row")
    ends = parser.add_mutually_exclusive_group()
    ends.add_argument("--write", action="store_true", help="keep it in docs/")
    ends.add_argument("--check", action="store_true", help="compare with what is kept there")
    ends.add_argument("--quick", action="store_true", help="small sizes, to try the script out")
    return parser.parse_args(words)


def choose(every: list[Row], names: list[str]) -> list[Row]:
    by_key = {row.key: row for row in every}
    return [by_key[name] for name in names] if names else every


def check(chosen: list[Row], before: Kept, runs: int) -> int:
    """1 if a row is slower than the table says, or if nobody can tell."""
    now = measure(chosen, runs, "now")
    fallen = [row for row in chosen if now[row.key].ratios and _is_bad(row, before, now)]
    if fallen:
        print("once more, as it may have been a busy moment:")
        now |= measure(fallen, runs, "now")
    found = [verdict(row.key, before, now) for row in chosen]
    said = [one for one in found if one is not None]
    bad = [one for one in said if one.is_bad]
    print("\n".join(one.text for one in said))
    print(f"{len(chosen) - len(said)} of {len(chosen)} rows are as committed, or better")
    return 1 if bad else 0


def _is_bad(row: Row, before: Kept, now: dict[str, Measured]) -> bool:
    found = verdict(row.key, before, now)
    return found is not None and found.is_bad


def measure(chosen: Iterable[Row], runs: int, date: str) -> dict[str, Measured]:
    found = {}
    for row in chosen:
        found[row.key] = measured(row, runs, date)
        print(table([row], found).splitlines()[-1], flush=True)
    return found


def measured(row: Row, runs: int, date: str) -> Measured:
    """In turns; where the other tool fails, ours alone."""
    try:
        turns = list(in_turns([row.ours, row.other], runs, together=row.together))
        ours, other = (list(column) for column in zip(*turns, strict=True))
        alone = [] if row.inside else [taken.alone for taken in other if taken.alone is not None]
        both = _seconds(row, ours), _seconds(row, other)
        return Measured(date, *both, alone, _peak(ours), _peak(other))
    except Unmeasured as fault:
        return _ours_alone(row, runs, date, str(fault))


def _ours_alone(row: Row, runs: int, date: str, why: str) -> Measured:
    try:
        ours = [taken for (taken,) in in_turns([row.ours], runs, together=row.together)]
        return Measured(date, _seconds(row, ours), peak=_peak(ours), why=why)
    except Unmeasured as fault:
        return Measured(date, [], why=str(fault))


def _seconds(row: Row, runs: list[Taken]) -> list[float]:
    found = [taken.alone if row.inside else taken.seconds for taken in runs]
    if None in found:
        raise Unmeasured("it does not say how long its work took")
    return [round(one, 6) for one in found if one is not None]


def _peak(runs: list[Taken]) -> int:
    return max(taken.peak for taken in runs)


if __name__ == "__main__":
    sys.exit(main())
