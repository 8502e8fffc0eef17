"""What `bench.py` measured: kept as JSON, shown as a table, compared with what was kept before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from _bench_rows import Row

# a ratio may fall so far before it counts: machines and their moods differ
FALLS = 1 / 3


@dataclass(frozen=True)
class Measured:
    """Seconds of each run, ours and the other's; `why` says what could not be measured.

    `alone` is what the other tool's work took without its imports, where it tells.
    """

    run: str
    ours: list[float]
    other: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    peak: int = 0
    other_peak: int = 0
    why: str = ""

    @property
    def ratios(self) -> list[float]:
        """How many times as fast we were, turn by turn."""
        return _ratios(self.ours, self.other)

    @property
    def alone_ratios(self) -> list[float]:
        return _ratios(self.ours, self.alone)


def _ratios(ours: list[float], theirs: list[float]) -> list[float]:
    return [their / our for our, their in zip(ours, theirs, strict=False)]


@dataclass(frozen=True)
class Kept:
    """`runs`: by date, what the rows of that run were measured on."""

    runs: dict[str, dict[str, str]] = field(default_factory=dict)
    rows: dict[str, Measured] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Kept:
        if not path.exists():
            return cls()
        said = json.loads(path.read_text(encoding="utf-8"))
        return cls(said["runs"], {key: Measured(**row) for key, row in said["rows"].items()})

    def with_run(
        self, run: dict[str, str], rows: dict[str, Measured], known: Iterable[str]
    ) -> Kept:
        """Rows that were measured anew take the place of the old ones; those unknown now go."""
        both = self.rows | rows
        joined = {key: both[key] for key in known if key in both}
        runs = self.runs | {run["date"]: run}
        used = {row.run for row in joined.values()}
        return Kept({date: one for date, one in runs.items() if date in used}, joined)

    def text(self) -> str:
        rows = {key: asdict(row) for key, row in self.rows.items()}
        return json.dumps({"runs": self.runs, "rows": rows}, indent=1) + "\n"


@dataclass(frozen=True)
class Verdict:
    """`is_bad`: it is slower than it was, or nobody can tell."""

    text: str
    is_bad: bool = True


def verdict(key: str, before: Kept, now: dict[str, Measured]) -> Verdict | None:
    """Of a row; None if it is as fast as the table says, or not far from it."""
    old, new = before.rows.get(key), now.get(key)
    if old is None or not old.ratios:
        return Verdict(f"{key}: the committed table has no ratio of it", is_bad=False)
    if new is None or not new.ratios:
        reason = "it was not run" if new is None else new.why
        return Verdict(f"{key}: not measured, so nobody knows: {reason}")
    was, is_now = median(old.ratios), median(new.ratios)
    if is_now >= was * (1 - FALLS):
        return None
    return Verdict(
        f"{key}: {_short(is_now)} times as fast, was {_short(was)}: more than a third less"
    )


# --- shown ----------------------------------------------------------------------------------------

HEAD = ("work", "tfprof", "other tool", "its time", "times as fast", "MB", "promised")


def table(rows: Iterable[Row], kept: dict[str, Measured]) -> str:
    """As Markdown that is aligned: for the terminal, too."""
    lines = [HEAD, *(_cells(row, kept[row.key]) for row in rows if row.key in kept)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    drawn = [
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    ]
    drawn.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(drawn) + "\n"


def _cells(row: Row, found: Measured) -> tuple[str, ...]:
    if not found.ours:
        return row.work, f"not measured: {found.why}", row.who, "", "", "", ""
    ours, memory = _times(found.ours), f"{found.peak / 1e6:,.0f}"
    if not found.other:
        their = f"not measured: {found.why}"
        return row.work, ours, row.who, their, "", memory, _promised(row, found)
    ratio = _spread(found.ratios)
    if row.goal.alone is not None and found.alone:
        ratio += f", alone {_spread(found.alone_ratios)}"
    memory += f", its {found.other_peak / 1e6:,.0f}"
    return row.work, ours, row.who, _times(found.other), ratio, memory, _promised(row, found)


def _promised(row: Row, found: Measured) -> str:
    goal, said = row.goal, []
    if goal.seconds is not None:
        said.append(_word(_plain_time(goal.seconds), median(found.ours) <= goal.seconds))
    for text, least, ratios in (
        ("{}×", goal.ratio, found.ratios),
        ("{}× alone", goal.alone, found.alone_ratios),
    ):
        if least is not None and ratios:
            said.append(_word(text.format(f"{least:g}"), median(ratios) >= least))
    if goal.bytes is not None:
        said.append(_word(f"{goal.bytes / 1e6:,.0f} MB", found.peak <= goal.bytes))
    if goal.less is not None and found.other_peak:
        kept = found.other_peak >= goal.less * found.peak
        said.append(_word(f"{goal.less:g}× less memory", kept))
    return ", ".join(said)


def _word(text: str, kept: bool) -> str:  # noqa: FBT001
    return f"{text} {'kept' if kept else 'missed'}"


def _times(times: list[float]) -> str:
    """The median, the shortest and the longest, in one unit."""
    factor, unit = (1, "s") if median(times) >= 0.1 else (1e3, "ms")
    return f"{_spread([factor * one for one in times], unit)}"


def _spread(values: list[float], unit: str = "") -> str:
    space = " " if unit else ""
    low, high = _short(min(values)), _short(max(values))
    return f"{_short(median(values))}{space}{unit} ({low}–{high})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _plain_time(value: float) -> str:
    return f"{value:g} s" if value >= 0.1 else f"{value * 1e3:g} ms"
