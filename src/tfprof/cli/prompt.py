"""The tfprof prompt: one loaded profile, many questions. Typed, or piped in."""

from __future__ import annotations

import argparse
import difflib
import io
import shlex
import sys
from collections.abc import Callable, Iterable
from typing import NoReturn, TextIO

from tfprof.cli.output import deliver, warn
from tfprof.cli.parser import add_options, values_of
from tfprof.cli.prompt_help import Completion, options_text, overview, sections_of
from tfprof.cli.streams import talk
from tfprof.cli.words import normalised
from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import OptionSection, Values
from tfprof.commands.options.view_options import NAMES, VIEW_OPTIONS, said_over
from tfprof.commands.registry import commands
from tfprof.commands.view_files import files_of, output_of
from tfprof.errors import TfprofError, UsageError
from tfprof.model.options import Options as ViewOptions
from tfprof.model.profile import ProfileData
from tfprof.renderers.text import plain
from tfprof.reports.trees import Prepared, Query, view

_WIDTH = 28
# commands that only the prompt has
_OWN = {
    "set": "keep options of views for what follows",
    "help": "the commands, or the options of one",
    "exit": "leave",
}


def _words(line: str) -> list[str]:
    """Split at blanks outside quotes; a backslash is part of a regular expression."""
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    return list(lexer)


class _LineParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint="`help COMMAND` lists the options.")


def _values(words: list[str], options: Iterable[OptionSection]) -> Values:
    parser = _LineParser(prog="", add_help=False, allow_abbrev=False)
    add_options(parser, options)
    return values_of(parser.parse_args(normalised(words)))


def _questions() -> dict[str, Command]:
    """What of the registry can be asked here, where the profile is loaded already."""
    return {name: one for name, one in commands().items() if one.query is not None}


class Prompt:
    """Answers lines. `set` changes the options for good, other commands for themselves."""

    def __init__(
        self, data: ProfileData, options: ViewOptions, write: Callable[[str], object]
    ) -> None:
        self._data = data
        self._prepared = Prepared(data)
        self._options = options
        self._write = write
        self._questions = _questions()
        # the exit code of the first line that could not be answered
        self.failed = 0

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
            self.failed = self.failed or UsageError.exit_code
        except TfprofError as fault:
            talk(f"E: {fault}" + (f" {fault.hint}" if fault.hint else ""))
            self.failed = self.failed or fault.exit_code
        return True

    def _command(self, command: str, words: list[str]) -> bool:
        if command in ("exit", "quit"):
            return False
        if command == "help":
            self._write(self._help(words[0] if words else "") + "\n")
        elif command == "advise" and self._options.compat:
            self._write(self._advice())
        elif command == "set":
            self._options = said_over(self._options, _values(words, [VIEW_OPTIONS]))
        elif command in self._questions:
            self._ask(self._questions[command], words)
        else:
            raise self._unknown(command)
        return True

    def _unknown(self, command: str) -> UsageError:
        near = difflib.get_close_matches(command, self._names(), 1)
        hint = f"Did you mean {near[0]}?" if near else "`help` lists the commands."
        return UsageError(f"no command is called {command!r}", hint=hint)

    def _help(self, name: str) -> str:
        """Of all commands, or of one with its options."""
        if not name:
            return overview(self._questions)
        if name not in self._names():
            raise self._unknown(name)
        command = self._questions.get(name)
        about = command.help if command is not None else _OWN[name]
        return options_text(name, about, sections_of(name, self._questions))

    def _advice(self) -> str:
        from tfprof.compat.checkers import advice_of

        return advice_of(self._data, compat=True).text()

    def _ask(self, command: Command, words: list[str]) -> None:
        if command.group is HelpGroup.VIEWS:
            self._view(command.name, _values(words, [VIEW_OPTIONS]))
        elif command.query is not None:
            said = sections_of(command.name, self._questions)
            report = command.module()
            answered = report.ask(self._data, command.query(_values(words, said)))
            self._write(plain.render(report.view(answered)))

    def _view(self, name: str, values: Values) -> None:
        """With the options that `set` keeps, and the nodes of the question before."""
        query = Query(name, said_over(self._options, values))
        warn(self._prepared.made_ready(query))
        output = output_of(values)
        if output.is_answer:
            self._write(plain.render(view(self._prepared.ask(query))))
        else:
            deliver(files_of(self._prepared, query, output))

    def _names(self) -> list[str]:
        views = [name for name, one in self._questions.items() if one.group is HelpGroup.VIEWS]
        others = [name for name in self._questions if name not in views]
        return list(dict.fromkeys([*views, *others, "set", "help", "exit"]))

    def completion(self) -> Completion:
        """What Tab offers."""
        return Completion(self._data, self._questions, self._names())


def option_block(options: ViewOptions) -> str:
    """The options in force, a line each, as the original prints them."""
    lines = []
    for name in NAMES:
        value = getattr(options, name)
        if name == "select":
            value = sorted(value)
        if isinstance(value, list | tuple):
            value = ",".join(value)
        if isinstance(value, bool):
            value = str(value).lower()
        lines.append(f"{'-' + name:<{_WIDTH}}{value}")
    elsewhere = {"-viz": "false", "-dump_to_file": "", "-output": "stdout:"}
    lines += [f"{name:<{_WIDTH}}{value}".rstrip() for name, value in elsewhere.items()]
    return "\n".join(lines) + "\n"


def run_lines(prompt: Prompt, lines: Iterable[str]) -> int:
    """Commands from a pipe or a script: all are tried, the first that fails is the exit code."""
    for line in lines:
        if not prompt.answer(line.strip()):
            break
    return prompt.failed


def run_prompt(prompt: Prompt) -> int:
    """The exit code; whoever types has seen what failed."""
    stdin: TextIO | None = sys.stdin
    if stdin is None:  # closed before we began
        return 0
    if not stdin.isatty():
        if isinstance(stdin, io.TextIOWrapper):
            stdin.reconfigure(errors="backslashreplace")
        return run_lines(prompt, stdin)
    from tfprof.cli.line_editor import run_interactive

    run_interactive(prompt)
    return 0
