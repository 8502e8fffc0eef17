"""Of a Keras file: its layers as its configuration has them."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.analyses.keras.keras_costs import CallCost
from tfprof.model.dims import BATCH, Size, at, symbols
from tfprof.model.keras_model import KerasModel
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.reports.layers.at_peak import ONE_SAMPLE, peak_of_layers
from tfprof.reports.layers.nulls import nulls
from tfprof.reports.layers.of_run import NO_RUN
from tfprof.reports.shared.keras_costs import computed_by_layers, costs_of_layers, missing
from tfprof.reports.shared.question import Question
from tfprof.results.answered import Answered, answered
from tfprof.results.layers import CallOfLayer, LayersResult, LayersRow, RowCost

_SIZES_NOTE = "The table is of one sample, B = 1. For other sizes: --batch 32."


def of_keras(data: ProfileData, model: KerasModel, question: Question) -> Answered[LayersResult]:
    """A row a call of a layer."""
    costs, sizes = costs_of_layers(model, question), question.sizes
    warnings = [*data.warnings, *costs.differs, *missing(costs)]
    is_open = BATCH in symbols(costs.total("macs").known) - set(sizes)
    names = {_name(call) for call in costs.calls}
    peak = peak_of_layers(model, question, names)
    rows = tuple(_call(call, sizes, peak.of(_name(call))) for call in costs.calls)
    result = LayersResult(rows, "layer", computed_by_layers(costs, sizes))
    notes = [*warnings, *([_SIZES_NOTE] if is_open else [])]
    lost = [*nulls(rows, ""), *([ONE_SAMPLE] if is_open else [])]
    return answered("layers", data, result, [*warnings, *lost], notes)


def cost_of(call: CallCost, sizes: Mapping[str, int]) -> RowCost:
    """Without the peak of the step, which takes longest to tell."""
    return _call(call, sizes, Quantity.unknown("not asked for")).cost


def _name(call: CallCost) -> str:
    """As its ops begin."""
    return f"{call.layer} (call {call.call + 1})" if call.call else call.layer


def _call(call: CallCost, sizes: Mapping[str, int], peak: Quantity) -> LayersRow:
    output = call.outputs[0] if call.outputs else None

    def known(size: Size | None) -> Quantity:
        if size is None:
            return Quantity.unknown(call.reason)
        return Quantity.derived(at(size, sizes))

    flops = None if call.macs is None else call.macs * 2
    told = RowCost(
        call.class_name,
        None if output is None else tuple(at(size, sizes) for size in output),
        known(call.params),
        known(call.macs),
        known(flops),
        known(None if flops is None or call.work is None else flops + call.work),
        known(call.activation_bytes),
        peak,
        Quantity.unknown(NO_RUN),
    )
    beside = CallOfLayer(call.call, call.reason or None)
    return LayersRow({"layer": call.layer}, call.layer, told, beside)
