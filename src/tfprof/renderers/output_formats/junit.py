"""Budgets as JUnit's XML, which every CI shows: a test each."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from tfprof.errors import UsageError
from tfprof.model.quantity import Quantity
from tfprof.printable import printable
from tfprof.renderers.registry import Shown
from tfprof.results.check import BudgetRow, CheckResult

# what XML cannot hold
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(answer: Shown, _width: int) -> str:
    answered = answer.result
    result = answered.data
    if not isinstance(result, CheckResult):
        raise UsageError("only budgets are written for JUnit", hint="tfprof check PATH -o x.xml")
    broken = sum(not row.ok for row in result.budgets)
    undecided = sum(row.ok and row.undecided for row in result.budgets)
    counts = f'tests="{len(result.budgets)}" failures="{broken}" skipped="{undecided}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f"<testsuite name={_quoted('tfprof check ' + answered.subject.title)} {counts}>",
        *(_case(row, answered.subject.title) for row in result.budgets),
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(row: BudgetRow, title: str) -> str:
    begin = f'<testcase classname={_quoted(title)} name={_quoted("max_" + row.metric)} time="0"'
    said = f"{row.metric}: measured {_number(row.actual)}, limit {_plain(row.limit)} ({row.said})"
    if row.why:
        said += f"; {row.why}"
    if row.ok and row.undecided:
        return f"{begin}><skipped message={_quoted(said)}/></testcase>"
    if row.ok:
        return f"{begin}/>"
    most = "".join(f"\n{_safe(one.name)}: {_plain(one.value)}" for one in row.contributors)
    told = escape(_safe(said) + most)
    return f'{begin}><failure message={_quoted(said)} type="budget">{told}</failure></testcase>'


def _number(actual: Quantity) -> str:
    return actual.kind.mark + (_plain(actual.number) if actual.number is not None else "")


def _plain(value: float | None) -> str:
    return "?" if value is None else f"{value:.6g}" if value % 1 else f"{value:.0f}"


def _quoted(text: str) -> str:
    return quoteattr(_safe(text))


def _safe(text: str) -> str:
    return _NO_XML.sub("\ufffd", printable(text))
