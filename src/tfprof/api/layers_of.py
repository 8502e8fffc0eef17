"""Layers of whatever was loaded. Only what the input needs is imported: of a run that is little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.errors import UsageError
from tfprof.model.profile import ProfileData

if TYPE_CHECKING:
    from tfprof.analyses.roofline import Device
    from tfprof.reports.shared.question import Question
    from tfprof.views.result import Result


def layers_of(
    data: ProfileData, question: Question, device: Device | None = None, by: str = "layer"
) -> Result:
    """Of a graph, or of a Keras file or a run where there is none."""
    if data.graph is None and data.keras is not None:
        if device is not None or by != "layer":
            raise UsageError(
                "a Keras file has layers, not ops: --device and --by need a graph",
                hint="Export the model, or hand it to tfprof in Python, which traces it.",
            )
        from tfprof.answers.keras_static import keras_layers

        return keras_layers(data, data.keras, question)
    if data.graph is None and data.trace is not None:
        from tfprof.answers.measured_time import check_by, measured_result

        check_by(by, device)
        return measured_result(data, by, device)
    from tfprof.answers.layers import layers

    return layers(data, question, device, by)
