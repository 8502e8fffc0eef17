"""`tfprof --help`: the commands by what people ask, an example each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfprof.commands.command import Command, HelpGroup

_NAME_WIDTH = 11
_BY_ITSELF = ("nothing",)
_HEAD = """\
usage: tfprof COMMAND PATH... [options]

What a TensorFlow model costs, and what to do about it.
"""
_FOOT = """
tfprof PATH... means tfprof summary PATH...
`tfprof COMMAND --help` lists the options of a command, `--version` the version."""


def overview(commands: Iterable[Command]) -> str:
    listed = list(commands)
    lines = [_HEAD]
    for group in HelpGroup:
        lines += [f"{group.value}:", *_of_group(group, listed), ""]
    return "\n".join(lines).rstrip("\n") + "\n" + _FOOT + "\n"


def epilog(command: Command) -> str:
    """Below the options of a command."""
    needs = "" if command.needs in _BY_ITSELF else f"Needs: {command.needs}. "
    return f"{needs}Example: {command.example}"


def _of_group(group: HelpGroup, commands: Iterable[Command]) -> Iterator[str]:
    for command in commands:
        if command.group is group:
            yield f"  {command.name:<{_NAME_WIDTH}}{command.help}"
            yield f"  {'':<{_NAME_WIDTH}}  {command.example}"
