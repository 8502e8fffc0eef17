"""The prompt in a terminal: lines that are edited, completed and remembered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

if TYPE_CHECKING:
    from tfprof.cli.prompt import Prompt

PROMPT = "tfprof> "
_HISTORY = ".tfprof_history"


def run_interactive(prompt: Prompt) -> None:
    """Ctrl-C drops the line, Ctrl-D leaves."""
    session: PromptSession[str] = PromptSession(
        history=_history(),
        completer=WordCompleter(prompt.words(), WORD=True),
    )
    while True:
        try:
            line = session.prompt(PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if not prompt.answer(line):
            return


def _history() -> History:
    """Of earlier sessions, too, where the home folder takes files."""
    try:
        path = Path.home() / _HISTORY
        with path.open("ab"):
            pass
    except (OSError, RuntimeError):  # no home at all is a RuntimeError
        return InMemoryHistory()
    return FileHistory(str(path))
