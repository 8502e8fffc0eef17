"""Text in pieces, each with the name of its style: what layouts make and terminals colour."""

from __future__ import annotations

# text and the name of its style; "" is plain
Segment = tuple[str, str]
Line = list[Segment]
