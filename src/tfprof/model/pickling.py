"""What goes into a pickle, and what does not."""

from __future__ import annotations

from functools import cached_property


class PicklesWithoutCaches:
    """What was worked out from the fields is left out of a pickle: it is worked out again."""

    def __getstate__(self) -> dict[str, object]:
        kind = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }
