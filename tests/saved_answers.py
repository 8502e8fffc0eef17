"""What every command says about some files, and about the same files saved: without their paths."""

import json
import re
from pathlib import Path

from tfprof import __version__
from tfprof.api.profile import Profile
from tfprof.commands.writing import write_chunks
from tfprof.errors import TfprofError
from tfprof.renderers.data.encode import encoded
from tfprof.reports.doctor import ask_paths
from tfprof.sources.find.load import Request, choose, read
from tfprof.sources.find.saving import to_save

QUESTIONS = (
    "summary", "layers", "memory", "steps", "input", "timeline", "placement",
    "scope", "graph", "op", "code",
)  # fmt: skip


def save(paths, target, **how):
    """As `tfprof save` does, in this process; returns the selection it was made from."""
    choice = choose(Request([Path(path) for path in paths]))
    data = read(choice.selections[0])
    saved = to_save(data, __version__, found=choice.warnings, **how)
    write_chunks(target, saved.chunks(), force=True)
    return Profile(data)


def loaded(path):
    return Profile(read(choose(Request([path])).selections[0]))


def answers(profile, paths, questions=QUESTIONS, *, mask=()):
    """By question: the data and the warnings, or the error; `mask` are paths that are not told."""
    told = {name: _answer(profile, name, mask) for name in questions}
    return told | {"doctor": _masked(encoded(ask_paths(Request([*map(Path, paths)]))), mask)}


def paths_of(profile, paths):
    """What may be named in an answer."""
    found = [str(one.path) for one in profile.data.inputs]
    prefixes = [one.removesuffix(".index") for one in found]
    folders = [str(path.parent) for path in map(Path, found)]
    return {*found, *prefixes, *folders, *map(str, paths)}


def _answer(profile, name, mask):
    try:
        return _masked(getattr(profile, name)().to_dict(), mask)
    except TfprofError as fault:
        return _masked({"data": str(fault), "warnings": type(fault).__name__}, mask)


def _masked(answer, mask):
    if isinstance(answer["data"], dict) and "found" in answer["data"]:
        found = [one for one in answer["data"]["found"] if one["format"] != "saved profile"]
        answer["data"]["found"] = found
    text = json.dumps({"data": answer["data"], "warnings": answer["warnings"]}, indent=0)
    for place in sorted(mask, key=len, reverse=True):
        text = text.replace(place, "@")
    return re.sub("@(/@)*", "@", text)
