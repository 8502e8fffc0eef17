"""What inference comes to: every op that will run, with its tensors and how often it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.model.dims import Open, Shape, Size
from tfprof.ops.rule import Call, Rule, Tensor


class Chosen(StrEnum):
    """How much is chosen where the data chooses.

    Some is half; but nothing in a branch that nobody knows to be taken: most such branches are for
    what should not be there, as Keras' updates of some rows look for those that were divided by 0.
    """

    ALL = "all"
    SOME = "some"
    NONE = "none"


@frozen_dataclass
class Given:
    """What the user says of open dimensions: sizes of symbols, shapes of what is fed.

    `truth` is what a predicate that nothing tells is taken for: `training` mostly, as it is in a
    training step.
    """

    sizes: Mapping[str, Size] = field(default_factory=dict)
    feeds: Mapping[str, Shape] = field(default_factory=dict)
    truth: bool = True
    # sizes that hang on the data are taken as large as they can be
    at_most: bool = False
    # and of what is chosen by the data so much
    chosen: Chosen = Chosen.ALL


@frozen_dataclass
class Called:
    """What a call or a loop comes to: the tensors of its function that are its outputs.

    `carried` is what goes round in a loop, as a round finds it. The ops of the condition and of the
    body stand among the others as well.
    """

    results: Sequence[Tensor]
    carried: Sequence[Tensor] = ()
    trips: Size = 1
    condition: Sequence[Site] = ()
    body: Sequence[Site] = ()


@mutable_dataclass
class Site:
    """An op in the place where it runs: `name` leads through the calls around it.

    `row` is its node in the main graph, or the node of the outermost call it runs in.
    """

    call: Call
    rule: Rule | None
    row: int
    times: Size = 1
    # loops of the early kind around it whose rounds are not in `times` yet
    frame: tuple[str, ...] = ()
    # why not all that it runs is among the sites
    cut: str = ""
    # all loops of the early kind around it
    loops: tuple[str, ...] = ()
    called: Called | None = None
    # in a function, those that it waits for without reading them
    after: tuple[Site, ...] = ()

    @property
    def name(self) -> str:
        return self.call.name

    @property
    def op(self) -> str:
        return self.call.op


@frozen_dataclass
class Inferred:
    """`notes` say what had to be assumed: a branch, how often a loop runs.

    `cut` says so where ops that run are not among the sites: there are too many to go through.
    `is_for_any_batch`: no size hangs on the batch, whatever was said of it.
    """

    sites: list[Site]
    notes: list[str]
    cut: str = ""
    is_for_any_batch: bool = False

    def shapes(self) -> dict[tuple[str, int], Open]:
        """By name and output."""
        return {
            (site.name, port): tensor.shape
            for site in self.sites
            for port, tensor in enumerate(site.call.outputs)
        }
