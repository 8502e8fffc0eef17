"""A model as a graph in scopes, with what each costs: columns, since there may be very many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.metrics import COUNT, OF_BYTES, OF_TIME

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

__all__ = ["COUNT", "OF_BYTES", "OF_TIME", "GraphEdges", "GraphMetric", "ModelGraph"]


@frozen_dataclass
class GraphMetric:
    """`total` of every row, NaN where nothing is known of it; None if `why` nothing is at all.

    `partly` rows have parts inside that are not known: the total is at least so much.
    `whole` is of the whole model, `about` what is counted.
    """

    key: str
    title: str
    unit: str
    about: str
    why: str = ""
    total: Floats | None = None
    partly: npt.NDArray[np.bool_] | None = None

    @property
    def whole(self) -> float | None:
        return None if self.total is None or np.isnan(self.total[0]) else float(self.total[0])

    def columns(self) -> Mapping[str, object]:
        known = {} if self.total is None else {"total": self.total, "partly": self.partly}
        told = {"key": self.key, "title": self.title, "unit": self.unit, "about": self.about}
        return {**told, "why": self.why, **known}


@frozen_dataclass
class GraphEdges:
    """By row of the tree who reads whom; `shape` is a row of `shapes`, 0 where it is not known."""

    source: Ints
    target: Ints
    shape: Ints
    shapes: Sequence[str]

    def __len__(self) -> int:
        return len(self.source)

    def columns(self) -> Mapping[str, object]:
        """By reader; of a source how far it stands before, which repeats from layer to layer."""
        order = np.lexsort((self.source, self.target))
        target, source = self.target[order], self.source[order]
        return {
            "target": np.diff(target, prepend=0).astype(np.uint32),
            "before": (target - source).astype(np.int32),
            "shape": self.shape[order].astype(np.uint32),
            "shapes": list(self.shapes),
        }


@frozen_dataclass
class ModelGraph:
    """Rows are those of a tree in preorder, the root first.

    `kind` is 0 for a node, 1 for a scope, 2 for a group of alike ones. `op` and `device` are rows
    of their tables, 0 where there is none. `of` says what nodes are: "ops" or "layers". `notes` are
    about all of it.
    """

    of: str
    labels: Sequence[str]
    parent: Ints
    kind: npt.NDArray[np.uint8]
    op: Ints
    ops: Sequence[str]
    device: Ints
    devices: Sequence[str]
    metrics: Sequence[GraphMetric]
    data: GraphEdges
    control: GraphEdges
    notes: Sequence[str] = ()
    # the metric that was asked for; None for the first that there is something of
    shown: str | None = None
    # by row, how many nodes a scope stands for that are no rows of their own; None if all are
    inside: Ints | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def nodes(self) -> int:
        more = 0 if self.inside is None else int(self.inside.sum())
        return int((self.kind == 0).sum()) + more

    def metric(self, key: str) -> GraphMetric | None:
        return next((one for one in self.metrics if one.key == key), None)

    def name_of(self, row: int) -> str:
        """With the scopes around it; groups are no part of a name."""
        parts = []
        at = row
        while at > 0:
            if self.kind[at] != 2:
                parts.append(self.labels[at])
            at = int(self.parent[at])
        return "/".join(reversed(parts))

    def columns(self) -> Mapping[str, object]:
        table = dict.fromkeys(self.labels)
        number = {label: at for at, label in enumerate(table)}
        inside = {} if self.inside is None else {"inside": self.inside.astype(np.uint32)}
        return {
            **inside,
            "of": self.of,
            "labels": list(table),
            "label": np.array([number[label] for label in self.labels], np.uint32),
            # how many rows before it its scope stands
            "parent": (np.arange(len(self)) - self.parent).astype(np.uint32),
            "kind": self.kind,
            "op": self.op.astype(np.uint16 if len(self.ops) < 1 << 16 else np.uint32),
            "ops": list(self.ops),
            "device": self.device.astype(np.uint16),
            "devices": list(self.devices),
            "metrics": [one.columns() for one in self.metrics],
            "data": self.data.columns(),
            "control": self.control.columns(),
            "notes": list(self.notes),
        }
