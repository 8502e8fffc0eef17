"""What a Keras file computes, from its configuration: layers, and the cost in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfprof.analyses.keras_costs import CallCost, KerasCosts, Total, keras_costs
from tfprof.answers.common import used_inputs
from tfprof.answers.layers import shape_text, shown
from tfprof.answers.static import size_data, size_text
from tfprof.model.dims import BATCH, Size, at, symbols
from tfprof.model.keras_model import KerasModel
from tfprof.model.profile import ProfileData
from tfprof.reports.shared.question import Question
from tfprof.views.result import Result
from tfprof.views.shapes import Column, Facts, Notes, Report, Table, Unit, Value, without_empty

_COLUMNS = (
    Column("layer", "layer"),
    Column("class", "class"),
    Column("output_shape", "output"),
    Column("params", "params", Unit.COUNT),
    Column("macs", "MACs", Unit.SCALED),
    Column("activation_bytes", "activations", Unit.BYTES),
)


def keras_layers(data: ProfileData, model: KerasModel, question: Question) -> Result:
    """A row a call of a layer."""
    costs = keras_costs(model)
    sizes = question.sizes
    warnings = [*data.warnings, *costs.differs, *missing(costs)]
    facts = Facts([("Computes", in_words(costs, question))])
    rows = [_row(call, sizes) for call in costs.calls]
    open_ = sorted(symbols(costs.total("macs").known) - set(sizes))
    note = "The table is of one sample, B = 1. For other sizes: --batch 32."
    notes = [*warnings, *([note] if BATCH in open_ else [])]
    return Result(
        "layers",
        used_inputs(data),
        warnings,
        {"rows": [_data(call, sizes) for call in costs.calls]},
        Report(data.title, "", without_empty([facts, Table(_COLUMNS, rows), Notes(notes)])),
    )


def in_words(costs: KerasCosts, question: Question) -> str:
    """One prediction, as the configuration has it."""
    macs, work = costs.total("macs"), costs.total("work")
    known = at(macs.known, question.sizes)
    whole = at(macs.known * 2 + work.known, question.sizes)
    least = "at least " if macs.missing or work.missing else ""
    words = f"{size_text(known, 'MAC')}; {size_text(whole, 'FLOP')} with element-wise ops"
    return f"{least}{words} (one prediction, by its layers)"


def missing(costs: KerasCosts) -> list[str]:
    """What is not in the numbers, once for each cause."""
    if costs.missing:
        return [costs.missing]
    reasons: dict[str, int] = {}
    for call in costs.calls:
        if call.reason:
            reasons[call.reason] = reasons.get(call.reason, 0) + 1
    return [f"{count} of {len(costs.calls)} layers: {why}" for why, count in reasons.items()][:5]


def data_of(costs: KerasCosts, question: Question) -> dict[str, Any]:
    """The JSON keys of a cost; null where a layer is not known."""
    macs, work = costs.total("macs"), costs.total("work")
    flops_all = None
    if macs.value is not None and work.value is not None:
        flops_all = macs.value * 2 + work.value
    flops = None if macs.value is None else macs.value * 2
    found: dict[str, Any] = {}
    for key, size in (("macs", macs.value), ("flops", flops), ("flops_all", flops_all)):
        found |= size_data(key, _at(size, question.sizes))
    found["uncounted_ops"] = [
        {"op": name, "count": 1, "reason": "no rule for this layer class"}
        for name in costs.unknown_classes
    ]
    return found | {"computed": "one prediction, by its layers"}


def flops_of(model: KerasModel, question: Question) -> Total:
    """Two for each MAC."""
    macs = keras_costs(model).total("macs")
    return Total(at(macs.known * 2, question.sizes), macs.missing, macs.reason)


def _at(size: Size | None, sizes: Mapping[str, int]) -> Size | None:
    return None if size is None else at(size, sizes)


def _row(call: CallCost, sizes: Mapping[str, int]) -> list[Value]:
    outputs = call.outputs
    shape = tuple(at(size, sizes) for size in outputs[0]) if outputs else None
    return [
        call.layer + (f" (call {call.call + 1})" if call.call else ""),
        call.class_name,
        shape_text(shape),
        call.params if not call.call else 0,
        shown(_at(call.macs, sizes)),
        shown(_at(call.activation_bytes, sizes)),
    ]


def _data(call: CallCost, sizes: Mapping[str, int]) -> dict[str, Any]:
    outputs = call.outputs
    macs = _at(call.macs, sizes)
    return {
        "layer": call.layer,
        "class": call.class_name,
        "call": call.call,
        "output_shape": None
        if not outputs
        else [size if isinstance(size, int) else str(size) for size in outputs[0]],
        "params": call.params,
        **size_data("macs", macs),
        **size_data("flops", None if macs is None else macs * 2),
        **size_data("activation_bytes", _at(call.activation_bytes, sizes)),
        "reason": call.reason or None,
        "peak_bytes": None,
        "time_us": None,
    }
