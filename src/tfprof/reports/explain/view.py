"""One message in full; of several a line each."""

from __future__ import annotations

from tfprof.results.answered import Answered
from tfprof.results.messages import Message, MessagesResult
from tfprof.views.shapes import Column, Facts, Notes, Report, Table, Unit


def view(answered: Answered[MessagesResult]) -> Report:
    found = answered.data.messages
    if len(found) == 1:
        return Report(*answered.subject.lines, [_in_full(found[0])])
    columns = [
        Column("slug", "message"),
        Column("exit_code", "exit code", Unit.COUNT),
        Column("meaning", "meaning", Unit.PROSE),
    ]
    table = Table(columns, [[one.slug, one.exit_code, one.meaning] for one in found])
    more = f"`tfprof explain {found[0].slug}` shows one in full."
    return Report(*answered.subject.lines, [table, Notes([more])])


def _in_full(one: Message) -> Facts:
    return Facts([
        ("Means", one.meaning),
        ("For example", one.example),
        ("Try", one.advice),
        ("Exit code", str(one.exit_code)),
    ])  # fmt: skip
