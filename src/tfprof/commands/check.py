"""`tfprof check PATH...`: budgets, and an exit code for whoever breaks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.repeats import RUN_NOISE, loaded, noise_share, repeats
from tfprof.commands.options.sizes import DIMENSIONS, question_of
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import replace

if TYPE_CHECKING:
    from tfprof.model.profile import ProfileData
    from tfprof.reports.check import Query
    from tfprof.results.answered import Answered
    from tfprof.results.check import CheckResult
    from tfprof.sources.find.load import ProgressOf

# of [tool.tfprof.budget], beside the limits
_SWITCHES = ("allow_unknown", "strict")
_BASELINE, _NOISE = "baseline", "run_noise"
_WORDS = (*_SWITCHES, _BASELINE, _NOISE)
# name, an example, what it limits; the report has the same
_LIMITS = (
    ("params", "5M", "parameters, of the optimizer as well"),
    ("trainable-params", "5M", "parameters that are trained"),
    ("flops", "8.2G", "FLOPs of what is computed"),
    ("macs", "4.1G", "multiply-adds of what is computed"),
    ("nodes", "2k", "nodes of the graph"),
    ("unknown", "0", "ops whose FLOPs nobody knows"),
    ("peak-memory", "2GB", "transient peak of one step"),
    ("step-time", "120ms", "median of the steps of a run"),
    ("input-share", "20%", "share of the steps that waits for input"),
)
_BUDGETS = OptionSection(
    "budgets (also as [tool.tfprof.budget] in pyproject.toml); +5% is relative to the baseline",
    tuple(Option(f"--max-{name}", text, metavar=example) for name, example, text in _LIMITS),
)
_OWN = OptionSection(
    "",
    (
        Option("--baseline", "what relative limits are relative to: any profile, or repeats of a "
               "run, `b1,b2,b3`", metavar="PATH"),
        RUN_NOISE,
        Option("--allow-unknown", "a quantity that nobody knows breaks no budget", Takes.FLAG),
        Option("--strict", "too few samples to tell break a budget", Takes.FLAG),
    ),
)  # fmt: skip


def query_of(values: Values, progress: ProgressOf | None = None) -> Query:
    """What was said here wins over what the project says."""
    from tfprof.reports.check import Query, limits_of

    project = words_of(values.said.get("budget"))
    said = {f"max_{name.replace('-', '_')}" for name, _, _ in _LIMITS}
    here = {key: text for key in said if (text := values.text(key)) is not None}
    limits = {key: value for key, value in project.items() if key not in _WORDS}
    baseline = values.text("baseline") or project.get(_BASELINE)
    read: tuple[ProfileData, ...] = ()
    asked = limits_of({**limits, **{key: here[key] for key in sorted(here)}})
    if baseline is not None:
        if not isinstance(baseline, str) or not baseline:
            raise UsageError("baseline of [tool.tfprof.budget] is no path", hint="--baseline PATH")
        read = tuple(loaded(baseline, progress))
    unknown, strict = (values.flag(key) or project.get(key) is True for key in _SWITCHES)
    query = Query(asked, read, question_of(values), unknown, strict)
    noise = values.text(_NOISE) or project.get(_NOISE)
    return query if noise is None else replace(query, run_noise=noise_share(str(noise)))


def words_of(said: object) -> dict[str, object]:
    """Of [tool.tfprof.budget], as options are called; words with `-` and with `_` are the same."""
    found = said if isinstance(said, Mapping) else {}
    made = {str(key).replace("-", "_"): value for key, value in found.items()}
    for key in _SWITCHES:
        if not isinstance(made.get(key, False), bool):
            raise UsageError(f"{key} of [tool.tfprof.budget] is true or false")
    return {
        key if key in _WORDS else f"max_{key.removeprefix('max_')}": value
        for key, value in made.items()
    }


def _answer(values: Values, progress: ProgressOf | None) -> Answered[CheckResult]:
    from tfprof.reports.check import ask
    from tfprof.sources.find.load import read_one

    first, *others = _repeats(values)
    query = query_of(values, progress)
    data = read_one(request_of(first, "check"), progress)
    more = tuple(read_one(request_of(one, "check"), progress) for one in others)
    return ask(data, replace(query, repeats=more))


def _repeats(values: Values) -> list[Values]:
    """`a1,a2,a3` are runs of one program, as for diff."""
    paths = values.texts("paths")
    runs = repeats(paths[0]) if len(paths) == 1 else []
    return [values.but(paths=[run]) for run in runs] if len(runs) > 1 else [values]


def exit_code(answered: Answered[object]) -> int:
    """1 for a budget that is broken."""
    from tfprof.results.check import CheckResult

    return int(isinstance(answered.data, CheckResult) and not answered.data.ok)


COMMAND = Command(
    "check",
    HelpGroup.MORE,
    "budgets for params, FLOPs, memory, time: exit code 1 if broken",
    "tfprof check examples/unet --max-params 100M",
    "as the budgets ask",
    (*INPUTS, _BUDGETS, _OWN, *DIMENSIONS),
    "check",
    _answer,
    formats=("junit",),
    exit_code=exit_code,
)
