"""The tfprof prompt: one loaded profile, many questions. Typed, or piped in."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tfprof.cli.output import talk
from tfprof.cli.view_options import add_view_options, given_options
from tfprof.cli.words import normalised
from tfprof.errors import TfprofError, UsageError

if TYPE_CHECKING:
    from tfprof.analyses.accounting.nodes import Nodes
    from tfprof.model.options import Options
    from tfprof.model.profile import ProfileData

PROMPT = "tfprof> "
_VIEWS = ("scope", "graph", "op", "code")
_COMMANDS = (*_VIEWS, "advise", "summary", "set", "help", "exit")
_WIDTH = 28
_HELP = """\
scope | graph | op | code   a view; options as in: scope -max_depth 3 -select params
advise                      what stands out: the checkers of the original
summary                     the model on one screen
set                         keep options for what follows: set -order_by micros
help                        this text; an empty line shows the options in force
exit                        leave; Ctrl-D does the same
Options: -max_depth -min_<metric> -step -order_by -account_type_regexes -start_name_regexes
  -trim_name_regexes -show_name_regexes -hide_name_regexes -device_regexes
  -account_displayed_op_only -select -output file:outfile=NAME"""


def _words(line: str) -> list[str]:
    """Split at blanks outside quotes; a backslash is part of a regular expression."""
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    return list(lexer)


class _LineParser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:  # noqa: ANN401
        raise UsageError(message, hint="`help` lists the options.")


class Prompt:
    """Answers lines. `set` changes the options for good, other commands for themselves."""

    def __init__(self, data: ProfileData, options: Options, write: Callable[[str], Any]) -> None:
        self._data = data
        self._options = options
        self._write = write
        self._prepared: dict[tuple[int, bool, bool, bool], Nodes] = {}
        self._parser = _LineParser(prog="", add_help=False, allow_abbrev=False)
        add_view_options(self._parser)

    def answer(self, line: str) -> bool:
        """Whether to go on."""
        try:
            words = _words(line)
            if not words:
                self._write(option_block(self._options))
                return True
            return self._command(words[0], words[1:])
        except ValueError as fault:
            talk(f"E: {fault}")
        except TfprofError as fault:
            talk(f"E: {fault}" + (f" {fault.hint}" if fault.hint else ""))
        return True

    def _command(self, command: str, words: list[str]) -> bool:
        if command in ("exit", "quit"):
            return False
        if command == "help":
            self._write(_HELP + "\n")
        elif command == "summary":
            from tfprof.renderers import plain
            from tfprof.reports.summary import Query, ask, view

            self._write(plain.render(view(ask(self._data, Query()))))
        elif command == "advise":
            self._write(self._advice())
        elif command == "set":
            self._options, _ = self._parsed(words)
        elif command in _VIEWS:
            self._view(command, words)
        else:
            import difflib

            near = difflib.get_close_matches(command, _COMMANDS, 1)
            hint = f"Did you mean {near[0]}?" if near else "`help` lists the commands."
            raise UsageError(f"no command is called {command!r}", hint=hint)
        return True

    def _advice(self) -> str:
        from tfprof.api.original.checkers import advice_of

        return advice_of(self._data, compat=self._options.compat).text()

    def _view(self, command: str, words: list[str]) -> None:
        from tfprof.cli.view_command import write_view

        options, args = self._parsed(words)
        write_view(command, self._data, options, args, self._write, self._nodes(options))

    def _nodes(self, options: Options) -> Nodes:
        """The second question is quick: its nodes are those of the first."""
        from tfprof.analyses.accounting.nodes import build_nodes
        from tfprof.answers.cost_views import preparation, with_what_is_asked
        from tfprof.cli.view_command import warn

        key = preparation(options)
        if key not in self._prepared:
            data = with_what_is_asked(self._data, options)
            warn(data.warnings[len(self._data.warnings) :])
            self._prepared = {key: build_nodes(data, options.step, compat=options.compat)}
        return self._prepared[key]

    def _parsed(self, words: list[str]) -> tuple[Options, argparse.Namespace]:
        args = self._parser.parse_args(normalised(words))
        return given_options(args, self._options), args

    def words(self) -> list[str]:
        """What Tab completes."""
        options = (f"-{option.name}" for option in fields(self._options))
        return [*_COMMANDS, *(o for o in options if o not in ("-style", "-compat"))]


def option_block(options: Options) -> str:
    """The options in force, a line each, as the original prints them."""
    lines = []
    for option in fields(options):
        if option.name in ("style", "compat"):
            continue
        value = getattr(options, option.name)
        if option.name == "select":
            value = sorted(value)
        if isinstance(value, list | tuple):
            value = ",".join(value)
        if isinstance(value, bool):
            value = str(value).lower()
        lines.append(f"{'-' + option.name:<{_WIDTH}}{value}")
    elsewhere = {"-viz": "false", "-dump_to_file": "", "-output": "stdout:"}
    lines += [f"{name:<{_WIDTH}}{value}".rstrip() for name, value in elsewhere.items()]
    return "\n".join(lines) + "\n"


def run_lines(prompt: Prompt, lines: Iterable[str]) -> None:
    """Commands from a pipe or a script."""
    for line in lines:
        if not prompt.answer(line.strip()):
            return


def run_interactive(prompt: Prompt) -> None:
    """Ctrl-C drops the line, Ctrl-D leaves."""
    from pathlib import Path

    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory

    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(Path.home() / ".tfprof_history")),
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


def run_prompt(prompt: Prompt) -> None:
    if sys.stdin.isatty():
        run_interactive(prompt)
    else:
        run_lines(prompt, sys.stdin)
