"""The command line of every command, made from the registry."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any, NoReturn

from tfprof import __version__
from tfprof.cli.help import epilog
from tfprof.cli.output import add_outputs, columns
from tfprof.cli.streams import to_stdout
from tfprof.commands.command import Command
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.registry import command_called, commands
from tfprof.errors import UsageError

_BEYOND_ALL = 1e30


class _SameEverywhere(argparse.HelpFormatter):
    """An option as Python 3.13 writes it, `-o, --output-file FILE`, on every Python."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=columns() - 2)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """argparse that raises our errors and suggests the nearest option of any command."""

    def __init__(self, **given: Any) -> None:  # noqa: ANN401  (argparse's own)
        super().__init__(formatter_class=_SameEverywhere, **given)

    def error(self, message: str) -> NoReturn:
        hint = f"`{self.prog} --help` lists the options."
        if message.startswith("unrecognized arguments: "):
            word = message.split(": ", 1)[1].split(maxsplit=1)[0].partition("=")[0]
            message, hint = f"unknown option {word}", _suggested(word) or hint
        raise UsageError(message, hint=hint)

    def _print_message(self, message: str, _file: object = None) -> None:
        """Help and the version, which argparse would write whether they arrive or not."""
        to_stdout(message)


def _suggested(word: str) -> str:
    """The nearest option; of one that other commands have, which these are."""
    takers = _every_option()
    if word in takers:
        named = sorted(takers[word])
        return f"It is an option of {', '.join(f'`{one}`' for one in named)}."
    import difflib  # where something is misspelt

    near = difflib.get_close_matches(word, takers, 1)
    return f"Did you mean {near[0]}?" if near else ""


def build_parser(name: str | None = None) -> tuple[argparse.ArgumentParser, dict[str, bool]]:
    """Of one command or of all, and the options that take a value: whether they have to."""
    parser = Parser(prog="tfprof", usage="tfprof COMMAND PATH... [options]", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"tfprof {__version__}")
    subparsers = parser.add_subparsers(
        dest="command", prog="tfprof", metavar="COMMAND", required=True
    )
    valued: dict[str, bool] = {}
    only = command_called(name) if name is not None else None
    for command in commands().values() if only is None else (only,):
        sub = subparsers.add_parser(
            command.name,
            description=command.help,
            epilog=epilog(command),
            allow_abbrev=False,
            usage=command.usage,
        )
        add_options(sub, command.options)
        for one in (sub, *_add_rest(sub, command)):
            takers = [it for it in one._actions if it.nargs in (None, "?")]  # noqa: SLF001
            valued |= {o: it.nargs is None for it in takers for o in it.option_strings}
    return parser, valued


def _add_rest(parser: Parser, command: Command) -> list[argparse.ArgumentParser]:
    """What is not of the command itself: the parsers of its subjects, or where answers go."""
    if command.name == "draw":
        from tfprof.cli.draw import add_subjects

        return add_subjects(parser)
    if command.name != "completion":
        add_outputs(parser, command)
    return []


def _every_option() -> dict[str, set[str]]:
    """With the commands that take each."""
    parser, _ = build_parser()
    of_commands, seen = [parser], dict[str, set[str]]()
    while of_commands:
        one = of_commands.pop()
        for action in one._actions:  # noqa: SLF001
            for option in action.option_strings:
                seen.setdefault(option, set()).add(one.prog)
            if isinstance(action.choices, dict):
                of_commands += action.choices.values()
    return seen


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
