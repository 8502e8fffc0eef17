"""A regular expression that is compiled when it is first used.

Compiling takes 0.1 ms each, and most of those that a command loads look at names it never meets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr


class _LatePattern:
    """Has what `re.Pattern` has; what was used once is found at once from then on."""

    def __init__(self, text: Any, flags: int) -> None:  # noqa: ANN401
        self._said = text, flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name == "_said":  # it is being copied, and has nothing yet
            raise AttributeError(name)
        found = self.__dict__[name] = getattr(re.compile(*self._said), name)
        return found

    def __reduce__(self) -> tuple[type[_LatePattern], tuple[Any, int]]:
        return _LatePattern, self._said


if TYPE_CHECKING:

    def late_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]: ...

else:

    def late_pattern(text: str | bytes, flags: int = 0) -> _LatePattern:
        return _LatePattern(text, flags)
