"""Room for many bytes, in large pages: of those the system has fewer to make."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# of the processors and systems we know; elsewhere what is aligned to it is no worse
_LARGE_PAGE = 1 << 21


def room_for(size: int) -> npt.NDArray[np.uint8]:
    """Bytes that nobody has set. Of what holds no large page the beginning is of no matter.

    Numpy asks the system for large pages, but only what begins at one can be made of them.
    """
    import numpy as np

    if size < _LARGE_PAGE:
        return np.empty(size, np.uint8)
    whole = np.empty(size + _LARGE_PAGE, np.uint8)
    before = -whole.__array_interface__["data"][0] % _LARGE_PAGE
    return whole[before : before + size]
