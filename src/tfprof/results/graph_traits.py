"""What advice asks of a graph: found once, in numbers, so that rules look at no graph."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Size


@frozen_dataclass
class Norms:
    """Batch norms: `unfused` are built of small ops, by the scope that each is in.

    `nodes` are the ops of the unfused ones that go over whole activations. `passes` is how often
    these read or write an activation, `fused_passes` how often the fused op would, both summed up.
    `under_cond` are fused ones of which a condition chooses one of two, `zeros` the ops that make
    the gradients of the branch that is not taken.
    """

    unfused: tuple[str, ...] = ()
    nodes: frozenset[str] = frozenset()
    passes: int = 0
    fused_passes: int = 0
    trained: bool = False
    fused: int = 0
    under_cond: tuple[str, ...] = ()
    zeros: frozenset[str] = frozenset()


@frozen_dataclass
class Constant:
    """A constant of the graph and how many others hold the same bytes."""

    name: str
    bytes: int
    copies: int = 1


@frozen_dataclass
class LoopBody:
    """A loop whose body multiplies matrices a round: a recurrent cell run step by step."""

    name: str
    rounds: Size | None
    ops: int
    cell: str


@frozen_dataclass
class OpenTensor:
    name: str
    shape: str


@frozen_dataclass
class Embedding:
    variable: str
    bytes: int


@frozen_dataclass
class GraphTraits:
    """`trains`: it updates variables. `serves`: it was stored to predict (a signature or frozen).

    `open_batch` are inputs whose first size is not known, `open_sizes` those with others.
    `xla` are the functions that have to be compiled, `xla_dynamic` the ops in them whose shapes
    hang on values. `nhwc_on_gpu` are ops that name a GPU and keep channels last.
    """

    nodes: int
    trains: bool
    serves: bool
    norms: Norms = Norms()
    constants: tuple[Constant, ...] = ()
    constant_bytes: int = 0
    frozen: bool = False
    variables_read: int = 0
    open_batch: tuple[OpenTensor, ...] = ()
    open_sizes: tuple[OpenTensor, ...] = ()
    xla: tuple[str, ...] = ()
    xla_dynamic: tuple[str, ...] = ()
    nhwc_on_gpu: tuple[str, ...] = ()
    loops: tuple[LoopBody, ...] = ()
    training_ops: Mapping[str, tuple[str, ...]] | None = None
    embeddings: tuple[Embedding, ...] = ()
    placeholders: tuple[str, ...] = ()
    fed_by_queue: bool = False
    quantised: bool = False
