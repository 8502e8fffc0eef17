"""What only several hosts can tell: who is slow, who waits for whom, whose clock is off."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import IF_KNOWN, ROW_KEY, Key, Micros


@frozen_dataclass
class ClockOffset:
    """How far a clock is ahead of the reference, in microseconds.

    `within` is how far off the estimate can be, `collectives` what it was made from; `reason`
    says why there is none.
    """

    offset: Annotated[Quantity, Key("offset_us")]
    within: Annotated[int | None, IF_KNOWN, Micros("within_us")] = None
    collectives: int = 0
    reason: Annotated[str | None, IF_KNOWN] = None


@frozen_dataclass
class HostBeside:
    """A host beside the others; times are of an average step, or a median over steps.

    `own` is what it takes of a step without waiting for others, `own_by_step` the same of every
    step, None where it has no such step; `slow_steps` is in how many it was behind the others.
    `waited` is how long it waited in collectives for hosts that came later, `waits_for` the one it
    waits for most. `caused` is what all others together waited for it, `last_steps` in how many
    steps that was more than for any other, `gain` how much sooner a step would end if it came with
    the one before it. `starts_after` is how long after the middle of the hosts it begins a step.
    """

    host: Annotated[str, ROW_KEY]
    own: Annotated[float | None, Micros("own_us")]
    slow_steps: int
    waited: Annotated[float | None, Micros("waited_us")]
    waits_for: str | None
    caused: Annotated[float | None, Micros("caused_us")]
    last_steps: int | None
    gain: Annotated[float | None, Micros("gain_us")]
    clock: ClockOffset
    starts_after: Annotated[float | None, Micros("starts_after_us")]
    input_bound: Quantity
    own_by_step: Annotated[tuple[int | None, ...], Micros("own_us_by_step")]


@frozen_dataclass
class StartSkew:
    """How far apart hosts began a step, by the clocks of all corrected."""

    step: Annotated[int, ROW_KEY]
    skew: Annotated[int, Micros("skew_us")]
    first: str
    last: str


@frozen_dataclass
class StartSkews:
    """`median` is of the steps, `hosts` how many were compared.

    `within` is how far off each may be, since clocks are only so well known.
    """

    median: Annotated[float, Micros("median_us")]
    within: Annotated[int, Micros("within_us")]
    hosts: int
    steps: tuple[StartSkew, ...]


@frozen_dataclass
class InputSpread:
    """What hosts wait for input, of an average step, 0 to 1; `unlike` are far from the others."""

    median: float
    median_deviation: float
    lowest: float
    lowest_host: str
    highest: float
    highest_host: str
    hosts: int
    unlike: tuple[str, ...]


@frozen_dataclass
class HostDifference:
    """Hosts that are not like most: in `what`, what they have, and what the most have."""

    what: Annotated[str, ROW_KEY]
    hosts: Annotated[tuple[str, ...], ROW_KEY]
    has: str
    usual: str


@frozen_dataclass
class BetweenHosts:
    """`steps` are all that any of the compared hosts has; `usual` is the median of what hosts take.

    `meet` is whether they meet in collectives: then it is without what they wait there, else up to
    where the markers of steps close.

    `why_not` says why steps are not compared, `why_no_waits` why nobody knows who waits for whom,
    `why_no_clocks` why no clock is known. `reference` is the host whose clock the others are held
    against. `costly` is the collective that is waited in most, `slow_everywhere` are the steps that
    took longer on most hosts.
    """

    hosts: tuple[HostBeside, ...]
    steps: tuple[int, ...]
    meet: bool
    usual: Annotated[float | None, Micros("usual_us")]
    deviation: Annotated[float | None, Micros("deviation_us")]
    slow_everywhere: tuple[int, ...]
    costly: str | None
    reference: str | None
    starts: StartSkews | None
    input_wait: InputSpread | None
    differences: tuple[HostDifference, ...]
    why_not: Annotated[str | None, IF_KNOWN] = None
    why_no_waits: Annotated[str | None, IF_KNOWN] = None
    why_no_clocks: Annotated[str | None, IF_KNOWN] = None
