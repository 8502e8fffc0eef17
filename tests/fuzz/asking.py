"""Every command of the registry, asked about one input, in this process."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from page_template import small_template

from fuzz import by_words
from fuzz.odd import Chance
from fuzz.output_rules import NOTEBOOK, check, check_page
from fuzz.targets import INDEX, REPLY
from tfprof import __version__
from tfprof.api.answer import Answer
from tfprof.commands.command import Command, Files
from tfprof.commands.options.inputs import INPUTS
from tfprof.commands.options.option import Option, Takes, Values
from tfprof.commands.registry import commands
from tfprof.errors import InternalFault, NoHostAnswered, TfprofError
from tfprof.remote.addresses import Address
from tfprof.remote.asking import Heard, Limits
from tfprof.remote.sampling import Sampling, sampled
from tfprof.renderers.picture import to_svg
from tfprof.renderers.registry import output_formats, rendered
from tfprof.reports.capture import captured
from tfprof.reports.log import Query as LogQuery
from tfprof.reports.log import history
from tfprof.results.log import IndexUse
from tfprof.sources.find.load import Request, read_one
from tfprof.sources.history.index_file import decoded, encoded

# how often an option is said, and how often the whole way from argv to stdout is gone
_SAID = 0.12
_WHOLE_WAY = 0.03
_DRAWN = 0.15
_OTHERWISE = 0.5
_WIDTHS = (40, 80, 120)
_REPLY = "reply"
_INDEX = "index"
_ASKED = Address("localhost", 6009)
# options that name files of the user
_PLACES = {option.dest for section in INPUTS for option in section.options} | {
    "output", "dump_to_file", "placement_log", "against", "calibrate", "baseline",
}  # fmt: skip
# some of them thrice: most words that nobody can mean are refused early
_WORDS = (*by_words.VALUES, *("1", "8", "1,8", "B=2", ".*", "micros", "params,bytes", "auto") * 3)


class TooSlow(BaseException):
    """No `except Exception` of a command may take it for an answer."""


@dataclass(frozen=True)
class Failure:
    """`what` is the same for the same fault: the exception, and where in our code it came from.

    `said` are the options, by their keys.
    """

    asked: str
    what: str
    told: str
    said: Mapping[str, object] = field(default_factory=dict)


def ask_all(path: Path, chance: Chance) -> Iterator[Failure | None]:
    """One for each command that was asked: what went wrong, or None."""
    if chance.random() < _WHOLE_WAY:
        for call in by_words.calls(path, chance):
            yield _tried(call.asked, partial(by_words.run, call, path), asdict(call))
        return
    for reply in replies_in(path):
        yield _tried(_REPLY, partial(_heard, reply))
    for index in indexes_in(path):
        yield _tried(_INDEX, partial(_believed, index))
    loaded = _Loaded(path)
    yield _tried("load", loaded.read)
    for command in commands().values():
        if command.answer is None or not _reads(command):
            continue
        values = _values(command, path, {})
        if command.query is None or command.name == "summary":  # they look at folders themselves
            said = _said(command, chance) if chance.random() < _OTHERWISE else {}
            values = _values(command, path, said)
            yield _tried(command.name, partial(_from_paths, command, values, chance), said)
        elif loaded.data is not None:
            # what was read answers more than once: as it is, and with options
            for said in ({}, _said(command, chance), _said(command, chance)):
                values = _values(command, path, said)
                ask = partial(_asked, command, loaded.data, values, chance)
                yield _tried(command.name, ask, said)
        if command.drawing is not None and chance.random() < _DRAWN:
            yield _tried(f"draw {command.name}", partial(_draw, command, values), said)


def ask_again(path: Path, asked: str, said: Mapping[str, object]) -> Iterator[Failure | None]:
    """The question that failed once, in every format."""
    if "words" in said:
        call = by_words.Call(**{**said, "words": tuple(said["words"])})
        yield _tried(asked, partial(by_words.run, call, path), said)
        return
    if asked == _REPLY:
        for reply in replies_in(path):
            yield _tried(asked, partial(_heard, reply))
        return
    if asked == _INDEX:
        for index in indexes_in(path):
            yield _tried(asked, partial(_believed, index))
        return
    drawn, _, name = asked.rpartition(" ")
    command = commands().get(name)
    if command is None or command.answer is None:
        return
    values = _values(command, path, said)
    if drawn:
        yield _tried(asked, partial(_draw, command, values), said)
        return
    for form in output_formats(command.formats):
        yield _tried(asked, partial(_answer_as, command, values, form), said)
    yield _tried(asked, partial(_in_a_notebook, command, values), said)


def _in_a_notebook(command: Command, values: Values) -> None:
    check(Answer(_told(command.answer(values, None)))._repr_html_(), NOTEBOOK)


def _answer_as(command: Command, values: Values, form: str) -> None:
    with small_template():
        check(rendered(Answer(_told(command.answer(values, None))), form, 80), form)


def _told(answered: object) -> object:
    """Of an answer that goes into files: what is in them is made, and what is said about them."""
    if not isinstance(answered, Files):
        return answered
    for path, chunks in answered.contents.items():
        content = b"".join(chunks)
        if path.suffix == ".html":
            check_page(content)
    return answered.told() if answered.told is not None else None


class _Loaded:
    """What the commands share: read once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.data = None

    def read(self) -> None:
        self.data = read_one(Request([self._path]))


def _from_paths(command: Command, values: Values, chance: Chance) -> None:
    with small_template():
        _show(_told(command.answer(values, None)), chance)


def _asked(command: Command, data: object, values: Values, chance: Chance) -> None:
    _show(command.module().ask(data, command.query(values)), chance)


def _draw(command: Command, values: Values) -> None:
    check(to_svg.render(command.picture(command.drawing.answer(values, None))), "svg")


def _show(answered: object, chance: Chance) -> None:
    """In one of the formats, or in a notebook."""
    name = chance.choice((*output_formats(commands()[answered.command].formats), NOTEBOOK))
    if name == NOTEBOOK:
        check(Answer(answered)._repr_html_(), NOTEBOOK)
    else:
        check(rendered(Answer(answered), name, chance.choice(_WIDTHS)), name)


def replies_in(path: Path) -> list[Path]:
    """What servers said, among the files of an input."""
    return [path] if path.name.endswith(REPLY) else sorted(path.rglob(f"*{REPLY}"))


def _heard(reply: Path) -> None:
    """As `tfprof capture` takes it: into a run that can be asked, or left out with a reason."""
    with TemporaryDirectory() as place:
        try:
            found = sampled(
                Sampling((_ASKED,), 1.0, Limits(1 << 30), Path(place)),
                lambda _question: (one for one in [Heard(_ASKED, reply.read_bytes())]),
                lambda _address: None,
            )
        except NoHostAnswered as fault:
            check(str(fault), "txt")
            return
        answered = captured([(str(a), file) for a, file in found.files], [], [], 1.0, None)
        for form in output_formats():
            check(rendered(Answer(answered), form, 80), form)


def indexes_in(path: Path) -> list[Path]:
    """What was kept of runs, among the files of an input."""
    return [path] if path.name == INDEX else sorted(path.rglob(INDEX))


def _believed(index: Path) -> None:
    """As if no file of its runs had changed: all that is in it is told, in every format."""
    found = decoded(index.read_bytes(), __version__)
    runs = [run for entry in found.entries.values() for run in entry.runs]
    answered = history("runs", runs, LogQuery(), IndexUse(len(runs), 0, ()))
    for form in output_formats():
        check(rendered(Answer(answered), form, 80), form)
    check(Answer(answered)._repr_html_(), NOTEBOOK)
    b"".join(encoded(found.entries, __version__))
    check(to_svg.render(commands()["log"].picture(answered)), "svg")


def _reads(command: Command) -> bool:
    """Whether it is asked about files."""
    return any(option.dest == "paths" for part in command.options for option in part.options)


def _said(command: Command, chance: Chance) -> dict[str, object]:
    """A few of the options, with odd values."""
    options = [option for section in command.options for option in section.options]
    return {
        option.dest: _word(option, chance)
        for option in options
        if option.dest not in _PLACES and chance.random() < _SAID
    }


def _values(command: Command, path: Path, said: Mapping[str, object]) -> Values:
    options = [option for section in command.options for option in section.options]
    usual = {one.dest: [] if one.takes is Takes.MANY else one.default for one in options}
    # what compares is asked about a file and the same file
    often = 2 if command.name == "diff" else 1
    return Values({**usual, **said, "paths": [str(path)] * often})


def _word(option: Option, chance: Chance) -> object:
    """What the parser would hand over."""
    match option.takes:
        case Takes.FLAG:
            return option.sets or True
        case Takes.WHOLE:
            return chance.choice([-1, 0, 1, 2, 3, 10, 1 << 40, -(1 << 70), 10**4000])
        case Takes.NUMBER:
            return chance.choice([0.0, 0.5, 1.0, 3.0, 1e9, -1.0, -0.0, 5e-324, 9.9e29])
        case Takes.MANY:
            return [chance.choice(_WORDS) for _ in range(chance.choice([1, 1, 2]))]
        case Takes.MAYBE:
            return chance.choice(("true", *_WORDS))
        case _:
            return chance.choice(option.choices or _WORDS)


def _tried(
    asked: str, ask: Callable[[], None], said: Mapping[str, object] | None = None
) -> Failure | None:
    try:
        ask()
    except InternalFault as fault:
        return _failure(asked, fault, said or {})
    except TfprofError:
        return None
    except (Exception, TooSlow, SystemExit) as fault:  # noqa: BLE001  (what we look for)
        return _failure(asked, fault, said or {})
    return None


def _failure(asked: str, fault: BaseException, said: Mapping[str, object]) -> Failure:
    ours = [
        frame for frame in traceback.extract_tb(fault.__traceback__) if "/tfprof/" in frame.filename
    ]
    # where time or memory runs out is chance: the command has to be enough
    vague = isinstance(fault, TooSlow | MemoryError | RecursionError)
    place = asked.split(" /", maxsplit=1)[0]
    if ours and not vague:
        place = f"{ours[-1].filename.rpartition('/tfprof/')[2]}:{ours[-1].name}"
    told = "".join(traceback.format_exception(fault, limit=-12))
    return Failure(asked, f"{type(fault).__name__} in {place}", told, said)
