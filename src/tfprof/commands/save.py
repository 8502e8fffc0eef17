"""`tfprof save PATH...`: the files of a profile as one, which every command reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Files, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.writing import check_free
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.sources.find.load import ProgressOf

SUFFIX = ".tfprof"
_HINT = "tfprof save PATH -o model.tfprof"
_SAVE = OptionSection(
    "save (-o FILE.tfprof; without it, called after the model, in this folder)",
    (
        Option("--values", "with the values of a checkpoint's tensors", Takes.FLAG),
        Option("--confidential", "without paths, names of hosts, arguments and source lines",
               Takes.FLAG),
    ),
)  # fmt: skip


def _answer(values: Values, progress: ProgressOf | None) -> Files:
    from tfprof import __version__
    from tfprof.reports.save import saved_to
    from tfprof.sources.find.load import choose, only_one
    from tfprof.sources.find.reading import read
    from tfprof.sources.find.saving import to_save

    request, force = request_of(values, "save"), values.flag("force")
    target = _target(values)
    choice = choose(request)
    selection = only_one(request, choice)
    target = target or Path(_name(selection.title) + SUFFIX)
    check_free(target, force=force, inputs=[one.path for one in selection.used])
    data = read(selection, progress)
    saved = to_save(
        data,
        __version__,
        values=values.flag("values"),
        confidential=values.flag("confidential"),
        found=choice.warnings,
        progress=progress,
    )
    return Files(
        {target: saved.chunks()},
        force,
        f"; `tfprof {target}` reads it",
        saved.notes,
        saved.inputs,
        lambda: saved_to(target, saved),
    )


def _target(values: Values) -> Path | None:
    output = values.text("output_file")
    if output is None:
        return None
    if not output.lower().endswith(SUFFIX):
        raise UsageError(f"{output!r} does not end with {SUFFIX}", hint=_HINT)
    return Path(output)


def _name(title: str) -> str:
    """After the model: the name of its folder, or of its file without what tells the format."""
    path = Path(title)
    name = path.name if path.is_dir() else path.name.partition(".")[0]
    return name or path.absolute().name or "profile"


COMMAND = Command(
    "save",
    HelpGroup.MORE,
    "one file that every command reads, to keep and to compare with",
    "tfprof save examples/unet -o unet.tfprof",
    "anything",
    (*INPUTS, _SAVE),
    "save",
    _answer,
    suffixes=(SUFFIX,),
)
