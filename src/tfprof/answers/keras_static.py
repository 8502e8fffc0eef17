"""What a Keras file computes, for the summary, which is not rebuilt yet."""

from __future__ import annotations

from typing import Any

from tfprof.analyses.keras_costs import KerasCosts
from tfprof.answers.static import size_data
from tfprof.reports.shared import keras
from tfprof.reports.shared.keras import missing
from tfprof.reports.shared.question import Question


def in_words(costs: KerasCosts, question: Question) -> str:
    return keras.in_words(keras.computed_by_layers(costs, question.sizes))


def data_of(costs: KerasCosts, question: Question) -> dict[str, Any]:
    """The JSON keys of a cost; null where a layer is not known."""
    known = keras.computed_by_layers(costs, question.sizes)
    found: dict[str, Any] = {}
    for key in ("macs", "flops", "flops_all"):
        quantity = getattr(known, key)
        found |= size_data(key, quantity.value if quantity.is_plain else None)
    found["uncounted_ops"] = [
        {"op": one.op, "count": one.count, "reason": one.reason}
        for one in known.uncounted_ops or ()
    ]
    return found | {"computed": known.computed}


__all__ = ["data_of", "in_words", "missing"]
