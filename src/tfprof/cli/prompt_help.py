"""What may be said at the prompt: its commands, their options with a text each, their values."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.inputs import INPUTS
from tfprof.commands.options.option import Option, OptionSection, Takes
from tfprof.commands.options.view_options import NAMES, VIEW_OPTIONS
from tfprof.commands.options.which_graph import WHICH_GRAPH
from tfprof.model.options import ORDERS, SELECTS
from tfprof.model.profile import ProfileData

# what picks the profile is said before it is loaded
_SAID_BEFORE = (*INPUTS, WHICH_GRAPH)
_WIDTH = 28
_SCREEN = 80
_HELP = """\
scope | graph | op | code   a view; options as in: scope -max_depth 3 -select params
{questions}
set                         keep options of views for what follows: set -order_by micros
help                        this text; help scope has the options of a command
exit                        leave; Ctrl-D does the same
An empty line shows the options in force."""
_PARTS = {"viz": ("true", "false"), "account_displayed_op_only": ("true", "false")}
_OUTPUTS = ("stdout", "none", "file:outfile=", "timeline:outfile=", "pprof:outfile=")


def overview(questions: Mapping[str, Command]) -> str:
    asked = [one for one in questions.values() if one.group is not HelpGroup.VIEWS]
    listed = "\n".join(f"{one.name:<{_WIDTH}}{one.help}" for one in asked)
    return _HELP.format(questions=listed)


def sections_of(name: str, questions: Mapping[str, Command]) -> list[OptionSection]:
    """What may be said with a command; with `set` what all views take."""
    command = questions.get(name)
    if name == "set" or (command is not None and command.group is HelpGroup.VIEWS):
        return [VIEW_OPTIONS]
    return [] if command is None else [g for g in command.options if g not in _SAID_BEFORE]


def options_text(name: str, help_: str, sections: Sequence[OptionSection]) -> str:
    """A line an option, or more where the text is long."""
    lines = [f"{name}: {help_}"]
    for section in sections:
        lines += [f"{section.title}:"] if section.title else []
        lines += [line for one in section.options if one.help for line in _option_lines(one)]
    return "\n".join(lines if len(lines) > 1 else [*lines, "It takes no options."])


def _option_lines(option: Option) -> Iterator[str]:
    values = "|".join(option.choices) or option.metavar
    head = f"  {spelt(option)} {values}".rstrip()
    gap = " " * _WIDTH
    if len(head) >= _WIDTH:
        yield head
        head = ""
    yield from textwrap.wrap(
        option.help, _SCREEN, initial_indent=f"{head:<{_WIDTH}}", subsequent_indent=gap
    )


def spelt(option: Option) -> str:
    """Options of views as the original spells them."""
    return f"-{option.dest}" if option.dest in (*NAMES, "output", "dump_to_file") else option.name


class Completion:
    """What can stand at the end of a line."""

    def __init__(
        self, data: ProfileData, questions: Mapping[str, Command], names: Sequence[str]
    ) -> None:
        self._questions, self._names = questions, names
        self._known: dict[str, Callable[[], Sequence[str]]] = {
            "order_by": lambda: ORDERS,
            "select": lambda: SELECTS,
            "output": lambda: _OUTPUTS,
            "account_type_regexes": lambda: _types(data),
            "device_regexes": lambda: _devices(data),
            "step": lambda: _steps(data),
        }

    def of(self, line: str) -> tuple[str, list[str]]:
        """The beginning that is there, and what it can become."""
        words = line.split()
        begun = "" if not words or line[-1:].isspace() else words.pop()
        if not words:
            return begun, _starting(begun, self._names)
        if words[0] == "help":
            return begun, _starting(begun, self._names) if len(words) == 1 else []
        options = [o for s in sections_of(words[0], self._questions) for o in s.options]
        before = next((one for one in options if _is_called(one, words[-1])), None)
        if len(words) > 1 and before is not None and before.takes is not Takes.FLAG:
            # a list is completed part by part
            begun = begun.rpartition(",")[2]
            return begun, _starting(begun, self._values(before))
        listed = [spelt(one) for one in options if one.takes is not Takes.PATHS and one.help]
        return begun, _starting(begun, listed)

    def _values(self, option: Option) -> Sequence[str]:
        known = self._known.get(option.dest)
        return option.choices or _PARTS.get(option.dest, ()) or (known() if known else ())


def _is_called(option: Option, word: str) -> bool:
    return word.lstrip("-").replace("-", "_") == option.name.lstrip("-").replace("-", "_")


def _starting(begun: str, names: Sequence[str]) -> list[str]:
    """Not what would do something to the line but stand in it."""
    return [name for name in names if name.startswith(begun) and name.isprintable()]


def _types(data: ProfileData) -> list[str]:
    return list(data.graph.ops.counts()) if data.graph is not None else []


def _devices(data: ProfileData) -> list[str]:
    return sorted(filter(None, data.graph.devices.table)) if data.graph is not None else []


def _steps(data: ProfileData) -> list[str]:
    return [str(step) for step in data.trace.steps] if data.trace is not None else []
