"""What the four view commands share: inputs, options, and where the original puts the text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Files, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Values
from tfprof.commands.options.sizes import SIZES, given_of
from tfprof.commands.options.view_options import VIEW_OPTIONS, said_of
from tfprof.commands.options.which_graph import WHICH_GRAPH, as_asked
from tfprof.commands.view_files import files_of, output_of
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.reports.trees import Query
    from tfprof.results.answered import Answered
    from tfprof.sources.find.load import ProgressOf

_NEEDS = "graph; run metadata, op log, checkpoint add columns"


def view_command(name: str, help_: str, example: str, needs: str = _NEEDS) -> Command:
    return Command(
        name,
        HelpGroup.VIEWS,
        help_,
        example,
        needs,
        (*INPUTS, VIEW_OPTIONS, SIZES, WHICH_GRAPH),
        "trees",
        partial(_answer, name),
        query=partial(query_of, name),
        # the original's text has no place for warnings
        tells_warnings=True,
        formats=() if name == "op" else ("speedscope",),
    )


def query_of(name: str, values: Values) -> Query:
    """What is misspelt is said here, before anything is read."""
    from tfprof.model.options import options_from
    from tfprof.reports.trees import Query

    said = said_of(values)
    options_from(said)
    return Query(name, said, given_of(values))


def _answer(name: str, values: Values, progress: ProgressOf | None) -> Answered[object] | Files:
    from tfprof.reports.trees import Prepared
    from tfprof.sources.find.load import read_one

    query, output = query_of(name, values), output_of(values)
    if not output.is_answer and values.text("output_file"):
        raise UsageError("-o and -output each name a place for the answer", hint="Give one.")
    prepared = Prepared(as_asked(read_one(request_of(values, name), progress), values))
    return prepared.ask(query) if output.is_answer else files_of(prepared, query, output)
