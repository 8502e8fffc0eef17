"""Our time and memory beside another tool's, and whether the goals are kept."""

from __future__ import annotations

from _measure import Result


def compare(
    what: str, ours: Result, theirs: Result | None, times_faster: float, memory_share: float
) -> None:
    """The best of our times; the other tool runs once, for afterwards it has a cache."""
    best, peak = min(ours["times"]), ours["peak"]
    print(f"   {what}")
    print(f"   ours         {best:7.2f} s   {peak / 1e6:.0f} MB")
    if theirs is None:
        return
    slower, share = theirs["times"][0] / best, peak / theirs["peak"]
    print(f"   XProf        {theirs['times'][0]:7.2f} s   {theirs['peak'] / 1e6:.0f} MB")
    print(f"   {slower:.1f} times as fast  goal {times_faster:g}  {word(slower >= times_faster)}")
    print(f"   {share:.0%} of its memory  goal {memory_share:.0%}  {word(share <= memory_share)}")


def word(kept: bool) -> str:  # noqa: FBT001
    return "ok" if kept else "MISSED"
