"""Of several hosts: which one a number of the summary is of."""

from __future__ import annotations

from tfprof.analyses.steps.host_clock import steps_of_hosts as marked_steps
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.model.hosts import Hosts
from tfprof.reports.shared.digest import Digest
from tfprof.reports.shared.input_bound import input_bound, is_input_bound
from tfprof.results.input_bound import MATTERS
from tfprof.results.partial import file_of


@frozen_dataclass
class Whose:
    """`counted` is the host by whose steps all are counted, `shown` that of the average step.

    `waits` waits longest for input, `share` of its step. `stands_out`: by so much longer than the
    one shown that the stage it waits for is told; `rank` is that of the file of the one or the
    other. Where there is one host only, it need not be named.
    """

    counted: str | None = None
    shown: str | None = None
    waits: str | None = None
    share: float | None = None
    stands_out: bool = False
    rank: int = 0

    def input_text(self, stage: str) -> str:
        """With the stage it waits for; empty where the step that is shown tells it."""
        if self.share is None or not self.stands_out:
            return ""
        share, word = units.share(self.share, 1), input_bound(self.share)
        behind = f"; for {stage}" if stage else ""
        return f"{self.waits} waits longest, {share} of its step: {word}{behind}"


def whose(known: Digest) -> Whose:
    hosts, steps = known.data.hosts, known.steps
    if steps is None or not _are_several(hosts):
        return Whose(share=None if steps is None else steps.input_share)
    from tfprof.reports.steps import steps_of_hosts

    best = marked_steps(hosts).best
    told = steps_of_hosts(hosts).hosts
    shown, waits = told[0], max(told, key=lambda one: _known(one.input_share))
    stands_out = _stands_out(_known(waits.input_share), _known(shown.input_share))
    rank = file_of((waits if stands_out else shown).rank)
    counted = None if best is None else best.host
    return Whose(counted, shown.host, waits.host, waits.input_share, stands_out, rank)


def _are_several(hosts: Hosts) -> bool:
    """A capture may be of several, too."""
    return len(hosts) > 1 or any(len(space.hosts) > 1 for space in hosts.spaces)


def _known(share: float | None) -> float:
    """Who tells nothing comes behind who does not wait."""
    return -1.0 if share is None else share


def _stands_out(share: float, shown: float) -> bool:
    longer = not is_input_bound(shown) or share - shown >= MATTERS
    return is_input_bound(share) and longer
