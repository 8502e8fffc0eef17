"""The whole way, from words to what is printed and written, as a user goes it."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fuzz import giving
from fuzz.odd import Chance
from fuzz.output_rules import BadOutput, check, check_coloured
from fuzz.targets import INDEX
from tfprof.cli import main as cli
from tfprof.commands.command import Command
from tfprof.commands.options.option import Option, Takes
from tfprof.commands.registry import commands
from tfprof.errors import InternalFault

# nothing else may a command end with: 5 where its output cannot be written
_FINE = (0, 2, 3, 4, 5, 6)
_SAID = 0.06
_COLOURED = 0.15
# stand for the places of a run
_INPUT, _ROOM = "{input}", "{room}"
_TOO_LONG = "x" * 300
VALUES = (
    "", " ", "0", "1", "-1", "2", "8", "1.5", "nan", "inf", "-inf", "1e400", "-0", "9" * 5000,
    "99999999999999999999", "1..4", "1..", "..", "4..1", "1..99999999999", "1,8", ",", ",,", "1,,2",
    "=", "B=", "B=2", "B=-1", "=2", "B=2,B=3", "x=B,2", "(", "[", "*", "\\", ".*", "(a+)+$", "a|",
    "(?P<n>", "true", "false", "none", "auto", "16GB", "1e9GB", "-1GB", "GB", "micros",
    "params,bytes", "name", "float_ops", "/cpu:0", "/device:GPU:99999999999", "serving_default",
    "train", "v100", "float16", "\udc80", "\x1b[31mred", "a\nb", "\u202eabc", "🙂", "%s{}",
    "a" * 300,
    "stdout:", "file:", "timeline:outfile=", "timeline:outfile=t.json", "none:x", "file:outfile=",
    "pprof:outfile=p.pb.gz", _INPUT, f"file:outfile={_INPUT}", "/dev/full", "/dev/null",
)  # fmt: skip
_TARGETS = (
    "a.txt", "a.csv", "a.md", "a.json", "a.svg", "a.png", "a.html", "a.trace.json", "a.x",
    "a.trace.json.gz",
    "gone/a.txt", "/dev/full", "/dev/null", _INPUT, _ROOM, f"{_TOO_LONG}.txt", "\udc80.txt",
    "\ud800.md", "a\x1b[31m\n.txt", "link.txt", "loop.txt", "", ".", "-", "-.json",
)  # fmt: skip
# of whoever says --open
os.environ.setdefault("BROWSER", "true")
_SUFFIXES = ("txt", "csv", "md", "json", "svg")


@dataclass(frozen=True)
class Call:
    """`way` is one of those to give an input; a prompt reads what `said` has."""

    words: tuple[str, ...]
    way: str = "name"
    said: str = ""
    coloured: bool = False

    @property
    def asked(self) -> str:
        return f"words {self.words[0]}"


def calls(path: Path, chance: Chance) -> Iterator[Call]:
    """One for each command and each picture."""
    for name, command in commands().items():
        if any(one.dest == "paths" for one in _options(command)):
            drawn = [("draw", name)] if command.drawing else []
            for start in ((name,), *drawn):
                yield _call(start, command, path, chance)


def _call(start: tuple[str, ...], command: Command, path: Path, chance: Chance) -> Call:
    words = list(start)
    for option in _options(command):
        if option.dest != "paths" and chance.random() < _SAID:
            words += _said(option, chance)
    if chance.random() < 0.25:
        words += ["-o", chance.choice(_TARGETS)]
    if start[0] not in ("draw", "shell") and chance.random() < 0.3:
        words += chance.choice([["--json"], ["--format", "csv"], ["--format", "md"], ["--force"]])
    way = giving.fits(chance.choice(giving.WAYS), path)
    said = _prompt(chance) if start[0] == "shell" else ""
    return Call(tuple(words), way, said, chance.random() < _COLOURED)


def _options(command: Command) -> list[Option]:
    return [option for section in command.options for option in section.options]


def _said(option: Option, chance: Chance) -> list[str]:
    if option.takes is Takes.FLAG:
        return [option.name]
    if option.takes in (Takes.PATHS, Takes.WORD):
        return []
    value = chance.choice(option.choices if option.choices and chance.random() < 0.5 else VALUES)
    return [f"{option.name}={value}"] if chance.random() < 0.7 else [option.name, value]


def _prompt(chance: Chance) -> str:
    """Lines for a prompt: commands with options, among them some that make no sense."""
    lines = [
        "scope",
        "op -select micros",
        "graph -max_depth 3",
        "set",
        "help",
        "layers",
        "'",
        "\x00",
    ]
    for _ in range(6):
        command = chance.choice(list(commands().values()))
        said = [word for one in _options(command) if chance.random() < 0.1
                for word in _said(one, chance)]  # fmt: skip
        lines.append(" ".join([command.name, *said]).replace("\n", " "))
    chance.shuffle(lines)
    return "\n".join(lines) + "\n"


def run(call: Call, path: Path) -> None:
    """An exit code that there is, text that steers no terminal, inputs as they were."""
    room = path.parent / "room"
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir()
    (room / "link.txt").symlink_to("target.txt")
    (room / "loop.txt").symlink_to("loop.txt")
    before = _contents(path)
    places = {_INPUT: str(path), _ROOM: str(room)}
    words = [_put_in(word, places) for word in call.words]
    out, err = io.StringIO(), io.StringIO()
    with _inside(room, call), giving.given(path, call.way, room) as named:
        # behind the command, and behind what a picture is of
        at = 2 if words[0] == "draw" else 1
        with redirect_stdout(out), redirect_stderr(err):
            code = cli.main([*words[:at], *named, *words[at:]])
    # of a budget that is not kept, 1 is the answer
    if code not in _FINE and (words[0], code) != ("check", 1):
        raise InternalFault(f"exit {code}: {err.getvalue()}")
    _check_printed(call, out.getvalue(), err.getvalue(), code)
    _check_written(room, path, call)
    if not before.items() <= _contents(path).items():
        raise BadOutput("an input was written over")


def _put_in(word: str, places: dict[str, str]) -> str:
    for mark, place in places.items():
        word = word.replace(mark, place)
    return word


@contextmanager
def _inside(room: Path, call: Call) -> Iterator[None]:
    """Files without a folder are written there."""
    usual, stdin = Path.cwd(), sys.stdin
    os.chdir(room)
    sys.stdin = io.StringIO(call.said)
    os.environ["FORCE_COLOR"] = "1" if call.coloured else ""
    try:
        yield
    finally:
        sys.stdin = stdin
        os.environ.pop("FORCE_COLOR", None)
        with suppress(OSError):
            os.chdir(usual)


def _contents(path: Path) -> dict[str, bytes]:
    files = path.rglob("*") if path.is_dir() else [path]
    return {
        str(one): one.read_bytes()
        for one in files
        if one.is_file() and "room" not in one.parts and one.name != INDEX  # which is ours
    }


def _check_printed(call: Call, out: str, err: str, code: int) -> None:
    check(err)
    if call.coloured:
        check_coloured(out)
    elif not out:
        pass
    elif code == 0 and call.words[0] != "shell" and "--json" in call.words:
        check(out, "json")
    elif code == 0 and call.words[0] != "shell" and "csv" in call.words:
        check(out, "csv")
    else:
        check(out)


def _check_written(room: Path, given: Path, call: Call) -> None:
    """The suffix of a target is its format, unless that was said; a link to the input is none."""
    said = "--json" in call.words or "--format" in call.words or "-o" not in call.words
    for path in room.iterdir():
        if path.name.startswith(".tfprof-part-"):
            raise BadOutput(f"{path.name} was left behind")
        if path.is_file() and not path.samefile(given) and path.suffix[1:] in _SUFFIXES:
            check(path.read_text("utf-8"), "txt" if said else path.suffix[1:])


def keep_parser() -> None:
    """It is the same for every call, and takes longer to make than most answers."""
    cli.build_parser = cache(cli.build_parser)
