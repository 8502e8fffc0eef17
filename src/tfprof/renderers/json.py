"""JSON: the envelope of every answer, numbers in base units, unknown as null."""

from __future__ import annotations

import json
import math
from typing import Any

from tfprof.views.result import Result


def render(result: Result) -> str:
    return (
        json.dumps(_finite(result.envelope()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    )


def _finite(value: Any) -> Any:  # noqa: ANN401
    """JSON has no infinity and no NaN: they are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value
