"""A picture in dots: for what takes no SVG. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Callable

from tfprof.errors import ExtraMissing
from tfprof.renderers.picture import svg

_SHARP = 2  # dots for each unit of the drawing


def converter() -> Callable[[str], bytes]:
    """SVG in, PNG out; refuses at once where something is missing."""
    try:
        import resvg_py
    except ImportError:
        raise ExtraMissing(
            "a PNG needs resvg-py", hint="pip install 'tfprof[plot]', or write .svg"
        ) from None

    def convert(picture: str) -> bytes:
        return bytes(resvg_py.svg_to_bytes(svg_string=picture, zoom=_SHARP))

    # letters that no font can draw are left out without a word
    if convert(svg.document(40, "", [svg.text(9, 30, "M")])) == convert(svg.document(40, "", [])):
        raise ExtraMissing(
            "no usual font on this machine: a PNG would have no words",
            hint="Install DejaVu Sans or Noto Sans, or write .svg.",
        )
    return convert
