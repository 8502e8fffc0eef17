"""Facts and notes broken into lines."""

from __future__ import annotations

import textwrap

from tfprof.views.shapes import Facts, Notes

SCREEN_WIDTH = 80
SCREEN_LINES = 25
GAP = 2
_NARROWEST = 12


def fact_lines(facts: Facts, width: int) -> list[tuple[str, str]]:
    """Label column and text of each line; a label stands only where it is new."""
    label_width = max((len(label) for label, _ in facts.rows), default=0) + GAP
    lines = []
    previous = None
    for label, text in facts.rows:
        shown = "" if label == previous else label
        for line in textwrap.wrap(text, max(_NARROWEST, width - label_width)) or [""]:
            lines.append((shown.ljust(label_width), line))
            shown = ""
        previous = label
    return lines


def note_lines(notes: Notes, width: int) -> list[str]:
    """Each note behind a dot, its other lines behind blanks."""
    lines = []
    for note in notes.lines[: notes.show]:
        for number, line in enumerate(textwrap.wrap(note, width - GAP)):
            lines.append(("  " if number else "· ") + line)
    return lines
