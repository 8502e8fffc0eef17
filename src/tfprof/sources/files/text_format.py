"""Text-format files become the bytes of the same message, so one reader reads both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tfprof.errors import CorruptText

if TYPE_CHECKING:
    from tfprof.wire.text import TextFault


class Spelt(NamedTuple):
    """The message a text spells, as wire bytes; `cut` if the text ends early."""

    data: bytes
    cut: bool


def text_to_wire(
    text: bytes, message: str, path: Path, warnings: list[str], first_line: int = 1
) -> Spelt:
    """The message a text file spells; of one that ends early the whole part, with a warning."""
    from tfprof.wire.text import TextFault, to_wire_clipped  # most files are binary

    try:
        data, cut = to_wire_clipped(text, message, first_line=first_line)
    except TextFault as fault:
        raise corrupt_text(fault, path) from None
    if cut is not None:
        if not data:
            raise corrupt_text(cut, path)
        warnings.append(f"{path} ends early, in line {cut.line:,}; what comes before was read")
    return Spelt(data, cut is not None)


def corrupt_text(fault: TextFault, path: Path) -> CorruptText:
    return CorruptText(
        f"the text is damaged: {fault.what}",
        line=fault.line,
        where=str(path),
        hint="Look at that line; the format is protobuf's text format.",
    )
