"""Scripts that let a shell complete commands, options and their words, made from the registry."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tfprof.cli.draw import subjects_of_pictures
from tfprof.cli.streams import to_stdout
from tfprof.commands.command import Command
from tfprof.commands.options.option import Option, Takes
from tfprof.commands.registry import commands
from tfprof.renderers.registry import output_formats

if TYPE_CHECKING:
    from tfprof.sources.find.load import ProgressOf

_FILE = Option("--output-file", "write there; the suffix picks the format")
_FORCE = Option("--force", "replace an existing file", Takes.FLAG)
_HELP = Option("--help", "what may be said", Takes.FLAG)
_NO_OPTIONS = (Takes.PATHS, Takes.WORD)
_DRAW, _CONFIG, _OWN = "draw", "config", "completion"


def run(args: argparse.Namespace, _progress: ProgressOf | None) -> Callable[[], int]:
    script = _SHELLS[args.shell]()

    def written() -> int:
        to_stdout(script)
        return 0

    return written


def options_of(command: Command) -> list[Option]:
    """All that are told in help; of pictures, those of any."""
    sections = list(command.options)
    if command.name == _DRAW:
        drawings = [one.drawing for one in subjects_of_pictures().values()]
        sections = [section for one in drawings if one is not None for section in one.options]
    said = {one.name: one for section in sections for one in section.options if one.help}
    own = [one for one in said.values() if one.takes not in _NO_OPTIONS]
    return [*own, *_outputs(command)]


def _outputs(command: Command) -> list[Option]:
    if command.name == _OWN:
        return [_HELP]
    if command.name == _DRAW:
        return [_FILE, _FORCE, _HELP]
    formats = tuple(sorted(output_formats(command.formats)))
    return [
        Option("--json", "the answer as JSON", Takes.FLAG),
        _FILE,
        Option("--format", "the format, whatever the suffix", choices=formats),
        _FORCE,
        _HELP,
    ]


def _words_of(command: Command) -> list[str]:
    """Words that stand without an option: of a few."""
    if command.name == _DRAW:
        return [*subjects_of_pictures()]
    if command.name == _CONFIG:
        return [*commands()]
    every = (one for section in command.options for one in section.options)
    return [word for one in every if one.takes is Takes.WORD for word in one.choices]


def _bash() -> str:
    names = " ".join(commands())
    cases = "\n".join(_bash_case(command) for command in commands().values())
    return f"""\
# tfprof completion bash: put `source <(tfprof completion bash)` into ~/.bashrc
_tfprof() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} word command=
    local names={shlex.quote(names)} words= options=
    COMPREPLY=()
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case " $names " in *" $word "*) command=$word; break ;; esac
    done
    case $command:$before in
{cases}
    esac
    if [[ -n $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    elif [[ -z $command ]]; then
        COMPREPLY=($(compgen -W "$names" -- "$cur"))
    fi
}}
complete -o default -F _tfprof tfprof
"""


def _bash_case(command: Command) -> str:
    options = options_of(command)
    lines = [
        f"        {command.name}:{one.name}) words={shlex.quote(' '.join(one.choices))} ;;"
        for one in options
        if one.choices
    ]
    own = _words_of(command)
    if own:
        said = shlex.quote(" ".join(own))
        lines.append(f"        {command.name}:{command.name}) words={said} ;;")
    names = shlex.quote(" ".join(one.name for one in options))
    lines.append(f"        {command.name}:*) options={names} ;;")
    return "\n".join(lines)


def _zsh() -> str:
    names = "\n".join(
        f"        {shlex.quote(f'{one.name}:{one.help}')}" for one in commands().values()
    )
    cases = "\n".join(_zsh_case(command) for command in commands().values())
    return f"""\
#compdef tfprof
# tfprof completion zsh: put `source <(tfprof completion zsh)` into ~/.zshrc, after compinit
_tfprof() {{
    local -a names
    names=(
{names}
    )
    local word command=
    for word in ${{words[2,CURRENT-1]}}; do
        (( ${{names[(I)$word:*]}} )) && {{ command=$word; break }}
    done
    case $command in
{cases}
        *) _describe command names; _files ;;
    esac
}}
compdef _tfprof tfprof
"""


def _zsh_case(command: Command) -> str:
    told = [_zsh_option(one) for one in options_of(command)]
    own = _words_of(command)
    rest = f"'*:word:({' '.join(own)})'" if own else "'*:file:_files'"
    if command.name == _DRAW:  # the command is the first word, the subject the second
        rest = f"'1: :' '2:subject:({' '.join(own)})' '*:file:_files'"
    return f"        {command.name}) _arguments -S {' '.join(told)} {rest} ;;"


def _zsh_option(option: Option) -> str:
    said = option.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    told = f"{option.name}[{said}]"
    if option.takes is not Takes.FLAG:
        told += f":value:({' '.join(option.choices)})" if option.choices else ":value:_files"
    return shlex.quote(told.replace("::", ":"))


def _fish() -> str:
    lines = ["# tfprof completion fish > ~/.config/fish/completions/tfprof.fish"]
    for command in commands().values():
        lines.append(
            f"complete -c tfprof -n __fish_use_subcommand -a {command.name} "
            f"-d {shlex.quote(command.help)}"
        )
        lines += _fish_options(command)
    return "\n".join(lines) + "\n"


def _fish_options(command: Command) -> Iterator[str]:
    here = f"complete -c tfprof -n '__fish_seen_subcommand_from {command.name}'"
    takes_files = command.name == _DRAW
    for word in _words_of(command):
        yield f"{here} {'' if takes_files else '-f '}-a {word}"
    for one in options_of(command):
        values = f" -xa {shlex.quote(' '.join(one.choices))}" if one.choices else " -r"
        told = f"{here} -l {one.name.lstrip('-')} -d {shlex.quote(one.help)}"
        yield told + ("" if one.takes is Takes.FLAG else values)


_SHELLS: dict[str, Callable[[], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
