"""What the tensors of a checkpoint are for, from their keys: there is no graph to ask."""

from __future__ import annotations

import re

from tfprof.analyses.graph.roles import Role, role_by_name
from tfprof.model.checkpoint import OBJECT_GRAPH_KEY, Checkpoint, StoredTensor
from tfprof.wire import dtypes

_OPTIMIZER_PATH = re.compile(r"(?:^|/)_?optimizer(?:/|$)|\.OPTIMIZER_SLOT(?:/|$)")
# an optimizer also leads to the variables it trains
_TRAINED_BY_IT = re.compile(r"/_trainable_variables/")
_COUNTERS = re.compile(r"(^|.*/)(global_step|save_counter|iterations?)(/.*|$)")


def stored_role(checkpoint: Checkpoint, tensor: StoredTensor) -> Role | None:
    """Optimizer state and bookkeeping are told by name; the rest is the model's: None."""
    if tensor.key == OBJECT_GRAPH_KEY:
        return Role.OTHER
    by_path = _OPTIMIZER_PATH.search(tensor.key) and not _TRAINED_BY_IT.search(tensor.key)
    if tensor.key in checkpoint.slots or by_path:
        return Role.OPTIMIZER
    by_name = role_by_name(tensor.key, checkpoint.tensors)
    if by_name is not None:
        return by_name
    counts = not dtypes.is_floating(tensor.dtype) and tensor.elements <= 1
    return Role.OTHER if counts or _COUNTERS.match(tensor.key) else None
