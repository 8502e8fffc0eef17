"""An answer that is longer than the screen goes to the pager, where the user has named one."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import TextIO

# of less, unless told otherwise: colours as they are, and the screen is left alone
_LESS = "FRX"


def paged(write: Callable[[TextIO], object]) -> bool:
    """Whether somebody has shown it; without a terminal or PAGER, nobody does."""
    words = _pager()
    if not words:
        return False
    import shutil
    import subprocess  # load much, and few have a pager

    shown = io.StringIO()
    write(shown)
    text = shown.getvalue()
    if text.count("\n") < shutil.get_terminal_size((80, 24)).lines:
        return False
    told = {"LESS": _LESS, **os.environ}
    try:
        subprocess.run(  # noqa: S603  (what the user says is his pager)
            words, input=text, encoding="utf-8", errors="backslashreplace", env=told, check=False
        )
    except OSError:  # there is none of this name
        return False
    return True


def _pager() -> list[str]:
    if sys.stdout is None or not sys.stdout.isatty():
        return []
    import shlex

    try:
        return shlex.split(os.environ.get("PAGER", ""))
    except ValueError:  # a quote is missing
        return []
