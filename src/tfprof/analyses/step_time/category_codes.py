"""Categories as small numbers, one an event."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tfprof.model.xspace import Plane
from tfprof.results.categories import Category

Codes = npt.NDArray[np.int8]

CATEGORIES = tuple(Category)
NO_CODE = np.int8(-1)
_CODE = {category: np.int8(code) for code, category in enumerate(CATEGORIES)}


def code_of(category: Category | None) -> np.int8:
    return NO_CODE if category is None else _CODE[category]


def by_name(plane: Plane, rule: Callable[[str], Category | None]) -> Codes:
    """The code of each event; a name is asked once, not once an event."""
    codes = [code_of(rule(name)) for name in plane.event_names.name]
    return plane.by_name(np.array(codes, np.int8))
