"""What holds for every output, whatever was read: it steers no terminal and is well-formed."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree as ET

from page_data import head_of, section_of

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_STEERS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")

_PARQUET = b"PAR1"
# an answer as a notebook shows it, and what it is made of
NOTEBOOK = "notebook"
_TAGS = {"div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "details",
         "summary", "ul", "li", "pre", "svg", "rect", "polygon"}  # fmt: skip


class BadOutput(AssertionError):
    """It was answered, but not as it has to be."""


def check(text: str | bytes, form: str = "txt") -> None:
    """`form` is a suffix; of one that is not known here, only that it is text."""
    if isinstance(text, bytes):
        if not (text.startswith(_PARQUET) and text.endswith(_PARQUET)):
            raise BadOutput(f"{form} is no Parquet file")
        return
    found = _STEERS.search(text)
    if found:
        around = text[max(0, found.start() - 60) : found.end() + 20]
        raise BadOutput(f"{form} has {found[0]!r} in {around!r}")
    if form in ("json", "speedscope"):
        json.loads(text, parse_constant=_refuse)
    elif form == "csv":
        _check_cells(text)
    elif form in ("svg", "junit"):
        ET.fromstring(text)  # noqa: S314  (our own)
    elif form == NOTEBOOK:
        _check_tags(text)


def _check_tags(text: str) -> None:
    """Only what we write, whatever names there are; ours is XML as well."""
    for one in ET.fromstring(text).iter():  # noqa: S314
        if one.tag not in _TAGS or any(key.startswith("on") for key in one.attrib):
            raise BadOutput(f"a notebook would be shown {one.tag} {dict(one.items())}")


def check_page(content: bytes) -> None:
    """One that a browser can take apart: nothing in it is markup of others."""
    text = content.decode()
    if not text.isprintable() and (found := _STEERS.search(text.replace("\n", ""))):
        raise BadOutput(f"html has {found[0]!r}")
    head = head_of(text)
    if text.count("<script") != 1 + len(head["sections"]) or text.count("<!--"):
        raise BadOutput("html has markup that is not ours")
    for kind in head["sections"]:
        section_of(text, kind)


def check_coloured(text: str) -> None:
    check(_COLOURS.sub("", text))


def _refuse(text: str) -> None:
    raise BadOutput(f"{text} is no JSON number")


def _check_cells(text: str) -> None:
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            if cell.startswith(_FORMULAS) and not _is_number(cell):
                raise BadOutput(f"csv has a formula: {cell!r}")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
