"""The template that the package was built with, and a profile inside it."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from tfprof.errors import ExtraMissing, UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.printable import printable
from tfprof.renderers.page.pack import packed
from tfprof.results.page import Absent, Page, Section

TEMPLATE = Path(__file__).with_name("template.html")
_TITLE, _DATA = "<!--tfprof-title-->", "<!--tfprof-data-->"
_BUILD = (
    "Install it again where npm's registry can be reached: `pip install --force-reinstall tfprof`, "
    "in a clone `pip install .`; node is brought along."
)
# what of the file is for the head and for names of sections
_HEAD_ROOM = 20_000
_BLOCK = '<script type="application/octet-stream" id="tfprof-{}">'
_END = b"</script>\n"


@frozen_dataclass
class PageFile:
    """A page within its bytes: what each section takes, and which ones had no room."""

    chunks: Sequence[bytes]
    sizes: dict[str, int]
    left_out: tuple[Absent, ...]


@cache
def template() -> str:
    try:
        return TEMPLATE.read_text()
    except OSError:
        raise ExtraMissing("the page was not built with this package", hint=_BUILD) from None


def page_file(page: Page, max_bytes: int) -> PageFile:
    """Sections in the order of the page; one that no longer fits is left out, and that is said."""
    left = max_bytes - len(template().encode()) - _HEAD_ROOM
    blocks: dict[str, bytes] = {}
    left_out: list[Absent] = []
    for section in page.sections:
        block = _block(section)
        if len(block) <= left:
            blocks[section.kind] = block
            left -= len(block)
        else:
            left_out.append(_no_room(section.kind, len(block), max_bytes))
    if page.sections and not blocks:
        size = units.size(max_bytes)
        raise UsageError(f"{size} are no room for any section", hint="--max-size 20MB")
    chunks = [*_chunks(page, blocks, tuple(left_out))]
    return PageFile(chunks, {kind: len(one) for kind, one in blocks.items()}, tuple(left_out))


def _no_room(kind: str, size: int, max_bytes: int) -> Absent:
    why = f"it takes {units.size(size)}, which a file of {units.size(max_bytes)} has no room for"
    return Absent(kind, f"{why}: give more with --max-size")


def _block(section: Section) -> bytes:
    """Base64 in a block that no browser runs."""
    return _BLOCK.format(section.kind).encode() + base64.b64encode(packed(section.data)) + _END


def _chunks(page: Page, blocks: dict[str, bytes], left_out: tuple[Absent, ...]) -> Iterator[bytes]:
    before, _, rest = template().partition(_TITLE)
    between, _, after = rest.partition(_DATA)
    yield before.encode()
    yield html.escape(printable(f"{page.title} · tfprof")).encode()
    yield between.encode()
    yield _head(page, [*blocks], (*page.absent, *left_out))
    yield from blocks.values()
    yield after.encode()


def _head(page: Page, kinds: Sequence[str], absent: Sequence[Absent]) -> bytes:
    head = {
        "schema": "tfprof-page/1",
        "title": page.title,
        "subtitle": page.subtitle,
        "version": page.version,
        "sections": kinds,
        "absent": [{"kind": one.kind, "why": one.why} for one in absent],
        "notes": page.notes,
    }
    # an end tag inside of a string would end the block
    text = json.dumps(head).replace("<", "\\u003c")
    return f'<script type="application/json" id="tfprof-head">{text}</script>\n'.encode()
