"""The prompt in a terminal: lines that are edited, completed and remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

if TYPE_CHECKING:
    from tfprof.cli.prompt import Prompt

PROMPT = "tfprof> "
_HISTORY = ".tfprof_history"


def run_interactive(prompt: Prompt) -> None:
    """Ctrl-C drops the line, Ctrl-D leaves."""
    session: PromptSession[str] = PromptSession(
        history=_history(),
        completer=_Completer(prompt),
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


class _Completer(Completer):
    def __init__(self, prompt: Prompt) -> None:
        self._completion = prompt.completion()

    def get_completions(self, document: Document, _: CompleteEvent) -> Iterator[Completion]:
        begun, found = self._completion.of(document.text_before_cursor)
        for one in found:
            yield Completion(one, start_position=-len(begun))


def _history() -> History:
    """Of earlier sessions, too, where the home folder takes files."""
    try:
        path = Path.home() / _HISTORY
        with path.open("ab"):
            pass
    except (OSError, RuntimeError):  # no home at all is a RuntimeError
        return InMemoryHistory()
    return FileHistory(str(path))
