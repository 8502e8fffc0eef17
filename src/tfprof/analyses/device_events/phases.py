"""The phase of training that an op belongs to, by its name and type."""

from __future__ import annotations

import re
from functools import lru_cache

from tfprof.analyses.graph.layer_names import is_gradient, without_calls
from tfprof.late_pattern import late_pattern
from tfprof.model.device_labels import LABELS
from tfprof.results.device_work import Phase

_TRANSPOSED, _DERIVED = "transpose(jvp(", "jvp("
# ops that change variables by gradients: ApplyMomentum, ResourceApplyAdam, SparseApplyAdagrad
_APPLIES = late_pattern(r"(?:Resource)?(?:Sparse)?Apply[A-Z]\w*")
# the scope that an optimizer opens, by the names of those that TensorFlow, Keras and optax have
_OPTIMIZER = late_pattern(
    r"(?:\w*optimizer\w*|optax|apply_updates|apply_gradients|gradient_?descent|sgd|adam|adamw|nadam"
    r"|adamax|adagrad|adadelta|rmsprop|ftrl|lamb|lars|lion|momentum|adafactor|muon|loss_scale)(?:_\d+)*",
    re.IGNORECASE,
)
_PARTS = late_pattern(r"[/()]")


def phase_of(name: str, op: str) -> Phase:
    """Of an op that is known; time that belongs to none is of no phase."""
    if not name or name in LABELS or _is_instruction(name, op):
        return Phase.OTHER
    path = without_calls(name)
    if _TRANSPOSED in name or (_DERIVED not in name and is_gradient(path)):
        return Phase.UPDATE if _APPLIES.fullmatch(op) else Phase.BACKWARD
    if _APPLIES.fullmatch(op) or (_DERIVED not in name and _is_of_optimizer(path)):
        return Phase.UPDATE
    return Phase.FORWARD


def _is_instruction(name: str, op: str) -> bool:
    """XLA's own, of no op: neither the scopes of an op stand in front, nor is its type one."""
    return "/" not in name and op[:1].islower()


def _is_of_optimizer(path: str) -> bool:
    return any(map(_opens_optimizer, _PARTS.split(path)[:-1]))


@lru_cache(maxsize=1 << 14)
def _opens_optimizer(scope: str) -> bool:
    """The same few scopes stand in most names."""
    return _OPTIMIZER.fullmatch(scope) is not None
