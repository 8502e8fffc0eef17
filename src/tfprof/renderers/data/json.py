"""JSON: the envelope of every answer, numbers in base units, unknown as null.

Keys stand on lines of their own, and so does every entry of a list: a row a line, to be read, cut
and compared. Entries are written by the C encoder, which has no such layout.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from tfprof.printable import printable_json
from tfprof.renderers.data.encode import encoded
from tfprof.results.answered import Answered

_STEP = "  "


def render(answered: Answered[object]) -> str:
    return laid_out(encoded(answered))


def laid_out(value: Any) -> str:  # noqa: ANN401
    return printable_json(_laid_out(value, "")) + "\n"


def _laid_out(value: Any, indent: str) -> str:  # noqa: ANN401
    deeper = indent + _STEP
    if isinstance(value, Mapping) and value:
        lines = [f"{_compact(key)}: {_laid_out(part, deeper)}" for key, part in value.items()]
        return _block("{", lines, "}", indent)
    if isinstance(value, list | tuple) and any(
        isinstance(v, Mapping | list | tuple) for v in value
    ):
        return _block("[", [_compact(part) for part in value], "]", indent)
    return _compact(value)


def _block(first: str, lines: list[str], last: str, indent: str) -> str:
    between = f",\n{indent}{_STEP}"
    return f"{first}\n{indent}{_STEP}{between.join(lines)}\n{indent}{last}"


def _compact(value: Any) -> str:  # noqa: ANN401
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(finite(value), ensure_ascii=False)


def finite(value: Any) -> Any:  # noqa: ANN401
    """JSON has no infinity and no NaN: they are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value
