"""The command line of every command, made from the registry."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable
from typing import Any, ClassVar, NoReturn

from tfprof.cli.streams import to_stdout
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.errors import UsageError

_BEYOND_ALL = 1e30


class _SameEverywhere(argparse.HelpFormatter):
    """An option as Python 3.13 writes it, `-o, --output-file FILE`, on every Python."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """argparse that raises our errors and suggests the nearest option of any command."""

    known_options: ClassVar[set[str]] = set()

    def __init__(self, **given: Any) -> None:  # noqa: ANN401  (argparse's own)
        super().__init__(formatter_class=_SameEverywhere, **given)

    def error(self, message: str) -> NoReturn:
        hint = f"`{self.prog} --help` lists the options."
        if message.startswith("unrecognized arguments: "):
            word = message.split(": ", 1)[1].split(maxsplit=1)[0].partition("=")[0]
            near = difflib.get_close_matches(word, self.known_options, 1)
            message = f"unknown option {word}"
            hint = f"Did you mean {near[0]}?" if near else hint
        raise UsageError(message, hint=hint)

    def _print_message(self, message: str, _file: object = None) -> None:
        """Help and the version, which argparse would write whether they arrive or not."""
        to_stdout(message)


def add_options(parser: argparse.ArgumentParser, groups: Iterable[OptionSection]) -> None:
    """Under their headings; those without one among the parser's own."""
    for group in groups:
        place = parser.add_argument_group(group.title) if group.title else parser
        for option in group.options:
            _add(place, option)


def _add(place: argparse._ActionsContainer, option: Option) -> None:
    default, metavar = option.default, option.metavar or None
    text = option.help or argparse.SUPPRESS
    match option.takes:
        case Takes.PATHS:
            place.add_argument(option.dest, nargs="*", metavar=metavar, help=text)
        case Takes.WORD:
            place.add_argument(option.dest, choices=option.choices, help=text)
        case Takes.FLAG if option.sets:
            place.add_argument(
                option.name, dest=option.dest, action="store_const", const=option.sets, help=text
            )
        case Takes.FLAG:
            place.add_argument(option.name, dest=option.dest, action="store_true", help=text)
        case Takes.MANY:
            place.add_argument(
                option.name, dest=option.dest, action="append", default=[], metavar=metavar,
                help=text,
            )  # fmt: skip
        case Takes.MAYBE:
            place.add_argument(
                option.name, dest=option.dest, nargs="?", const="true", metavar=metavar, help=text
            )
        case Takes.TEXT:
            place.add_argument(
                option.name, dest=option.dest, metavar=metavar, default=default, help=text,
                choices=option.choices or None,
            )  # fmt: skip
        case Takes.WHOLE | Takes.NUMBER:
            kind = int if option.takes is Takes.WHOLE else _number
            place.add_argument(
                option.name, dest=option.dest, type=kind, metavar=metavar, default=default,
                help=text,
            )  # fmt: skip


def _number(text: str) -> float:
    """Nan and inf are floats, and no sizes, times or shares; nor is 1e300."""
    value = float(text)
    if not abs(value) < _BEYOND_ALL:
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return value


def values_of(args: argparse.Namespace) -> Values:
    return Values(vars(args))
