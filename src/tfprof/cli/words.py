"""The words of a call before argparse sees them: old spellings, and the command that is meant."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence

from tfprof.commands.registry import command_called, commands
from tfprof.errors import UsageError
from tfprof.late_pattern import late_pattern

# files named by their kind and no command: what the original answered with its prompt
INPUT_FLAGS = ("--graph-path", "--run-meta-path", "--op-log-path", "--profile-path")
# what stands before the name of a module that is run
MODULE = "-m"
_RUN = "run"
# what paths alone ask for
_NO_COMMAND = "summary"
_PIPED = "-"
_PLAIN_WORD = late_pattern(r"[^/\\.:]+")
_LONG_OPTION = late_pattern(r"--?([A-Za-z][\w-]+)(=.*)?", re.DOTALL)


def normalised(argv: Sequence[str]) -> list[str]:
    """`-max_depth 3`, `--max_depth=3` and `--max-depth 3` are one option."""
    words: list[str] = []
    for position, word in enumerate(argv):
        if word == "--":
            return words + list(argv[position:])
        match = _LONG_OPTION.fullmatch(word)
        words.append(f"--{match[1].replace('_', '-')}{match[2] or ''}" if match else word)
    return words


def is_option(word: str) -> bool:
    """A hyphen alone is a path: what is piped in."""
    return word.startswith("-") and word != _PIPED


def divided(argv: Sequence[str], valued: Collection[str]) -> tuple[list[str], list[str]]:
    """The words for us, and from the script on the words for it, which are not looked at."""
    words, is_run, value_follows = list(argv), False, False
    for position, word in enumerate(words):
        if value_follows:
            value_follows = False
        elif is_run and word == MODULE:
            return words[:position], words[position:]
        elif word == "--":
            return (words[:position], words[position + 1 :]) if is_run else (words, [])
        elif is_option(word):
            value_follows = normalised([word])[0] in valued
        elif is_run:
            return words[:position], words[position:]
        elif word != _RUN:
            return words, []
        else:
            is_run = True
    return words, []


def meant_by(first: str) -> str | None:
    """The command that the first word alone decides about; an option decides nothing."""
    if command_called(first) is not None:
        return first
    return None if is_option(first) or _is_no_path(first) else _NO_COMMAND


def with_command(words: list[str], valued: Collection[str]) -> list[str]:
    """The command in front. Without one, paths mean `summary`."""
    first_path = ""
    value_follows = False
    for position, word in enumerate(words):
        if value_follows:
            value_follows = False
        elif is_option(word):
            value_follows = word in valued
        elif not first_path and command_called(word) is not None:
            return [word, *words[:position], *words[position + 1 :]]
        else:
            first_path = first_path or word
    if _is_no_path(first_path):
        raise _unknown_command(first_path)
    by_kind = any(word.partition("=")[0] in INPUT_FLAGS for word in words)
    return ["shell" if by_kind and not first_path else _NO_COMMAND, *words]


def _is_no_path(word: str) -> bool:
    """A word with a slash or a dot is meant for a path; any other only where there is one.

    A checkpoint is named by the beginning that its files share.
    """
    if word in ("", _PIPED) or not _PLAIN_WORD.fullmatch(word) or os.path.exists(word):  # noqa: PTH110
        return False  # (pathlib fails where a name is too long)
    from pathlib import Path

    return not any(Path().glob(f"{word}.*"))


def _unknown_command(word: str) -> UsageError:
    import difflib  # where something is misspelt

    near = difflib.get_close_matches(word.lower(), commands(), 1)
    hint = f"Did you mean `tfprof {near[0]}`?" if near else "`tfprof --help` lists the commands."
    return UsageError(f"no command and no file is called {word!r}", hint=hint)


def paths_together(words: list[str], takers: Collection[str]) -> list[str]:
    """Command, paths, options: argparse takes paths only where they stand in one row."""
    if "--" in words:
        return words
    paths: list[str] = []
    options: list[str] = []
    value_may_follow = False
    for word in words:
        is_path = not is_option(word) and not value_may_follow
        (paths if is_path else options).append(word)
        value_may_follow = word in takers
    return paths + options
