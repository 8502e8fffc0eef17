"""Chrome's trace format, which Perfetto reads, too: JSON in pieces, a line an event.

A capture has millions of events and few names: what a name comes to is written once, and a
block of events is one `%` of a repeated template, which is one call into C.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from tfprof.model.units import PS_A_MICROSECOND, PS_A_NANOSECOND
from tfprof.printable import printable_json
from tfprof.views.tracks import (
    ArgValue,
    CounterPoints,
    FlowEnds,
    Piece,
    Process,
    SliceName,
    Slices,
    Thread,
    TraceHead,
)

Ints = npt.NDArray[np.int64]

# how many events are written together: their cells should stay in the processor's cache
_BLOCK = 1 << 13
_GZIP = 31  # zlib's number for a gzip frame
# few names repeat in every line: a higher level takes longer and gains little
_LEVEL = 3
_FLUSH_AT = 1 << 20


def render(head: TraceHead, pieces: Iterable[Piece]) -> Iterator[bytes]:
    """The file, piece by piece."""
    facts = _json(dict(head.facts))
    yield f'{{"displayTimeUnit":"ms","otherData":{facts},"traceEvents":[\n'.encode()
    first = True
    for piece in pieces:
        for text in _written(piece):
            if text:
                yield (text if first else ",\n" + text).encode("utf-8", "replace")
                first = False
    yield b"\n]}\n"


def gzipped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in a gzip frame that names no time: equal input, equal file."""
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    waiting: list[bytes] = []
    size = 0
    for chunk in chunks:
        waiting.append(deflate.compress(chunk))
        size += len(waiting[-1])
        if size >= _FLUSH_AT:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join([*waiting, deflate.flush()])


def _written(piece: Piece) -> Iterator[str]:
    match piece:
        case Process():
            yield _metadata("process_name", piece.pid, 0, {"name": piece.name, **piece.facts})
            yield _metadata("process_sort_index", piece.pid, 0, {"sort_index": piece.pid})
        case Thread():
            about = {"name": piece.name, **piece.facts}
            yield _metadata("thread_name", piece.pid, piece.tid, about)
            yield _metadata("thread_sort_index", piece.pid, piece.tid, {"sort_index": piece.tid})
        case Slices():
            yield from _slices(piece)
        case FlowEnds():
            yield from _flows(piece)
        case CounterPoints():
            yield from _counter(piece)
        case _:
            assert_never(piece)


def _metadata(name: str, pid: int, tid: int, args: Mapping[str, ArgValue]) -> str:
    return _json({"ph": "M", "pid": pid, "tid": tid, "ts": 0, "name": name, "args": args})


def _slices(piece: Slices) -> Iterator[str]:
    whole, bare = _parts_of_names(piece)
    exact = _exact(piece.start_ps, piece.duration_ps)
    line = (
        f'{{"ph":"X","pid":{piece.pid},"tid":{piece.tid},"ts":{exact.form},"dur":{exact.form}%s}}'
    )
    told = _by_block(piece.args)
    for number, begin in enumerate(range(0, len(piece.name), _BLOCK)):
        block = slice(begin, begin + _BLOCK)
        texts = whole[piece.name[block]]
        for place in told[number]:
            code = int(piece.name[place])
            args = dict(piece.names.names[code].args) | dict(piece.args[place])
            texts[place - begin] = f'{bare[code]},"args":{_json(args)}'
        columns = [
            *exact.columns(piece.start_ps[block]),
            *exact.columns(piece.duration_ps[block]),
            texts,
        ]
        yield _filled(line, columns)


def _by_block(args: Iterable[int]) -> Mapping[int, list[int]]:
    """Which events of a block have arguments of their own."""
    found: Mapping[int, list[int]] = defaultdict(list)
    for place in args:
        found[place // _BLOCK].append(place)
    return found


def _parts_of_names(piece: Slices) -> tuple[npt.NDArray[Any], list[str]]:
    """By name: what follows the times with its arguments, and without."""
    kept = piece.names.written
    if "whole" not in kept:
        bare = [_bare(name) for name in piece.names.names]
        whole = np.empty(len(bare), object)
        whole[:] = [
            f'{text},"args":{_json(dict(name.args))}' if name.args else text
            for text, name in zip(bare, piece.names.names, strict=True)
        ]
        kept["whole"], kept["bare"] = whole, bare
    return kept["whole"], kept["bare"]  # type: ignore[return-value]


def _bare(name: SliceName) -> str:
    return f',"name":{_json(name.name)},"cat":{_json(name.category)}'


class _exact:  # noqa: N801  (reads as a function)
    """Picoseconds as microseconds with all their digits, and no more than there are."""

    def __init__(self, *columns: Ints) -> None:
        whole = all(not (column % PS_A_NANOSECOND).any() for column in columns)
        self.unit = PS_A_NANOSECOND if whole else 1
        self.form = "%d.%03d" if whole else "%d.%06d"

    def columns(self, values: Ints) -> Sequence[Ints]:
        micros, rest = np.divmod(values, PS_A_MICROSECOND)
        return micros, rest // self.unit


def _flows(piece: FlowEnds) -> Iterator[str]:
    category = _json(piece.category)
    exact = _exact(piece.source[2], piece.target[2])
    at = f'"pid":%d,"tid":%d,"ts":{exact.form},"name":{category},"cat":{category},"id":%d'
    line = f'{{"ph":"s",{at}}},\n{{"ph":"f","bp":"e",{at}}}'
    for begin in range(0, len(piece.source[0]), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        number = np.arange(begin, begin + len(piece.source[0][block])) + piece.first_id
        columns: list[Ints] = []
        for pid, tid, time in (piece.source, piece.target):
            columns += [pid[block], tid[block], *exact.columns(time[block]), number]
        yield _filled(line, columns)


def _counter(piece: CounterPoints) -> Iterator[str]:
    exact = _exact(piece.time_ps)
    line = (
        f'{{"ph":"C","pid":{piece.pid},"ts":{exact.form},"name":{_in_template(piece.name)},'
        f'"args":{{{_in_template(piece.key)}:%d}}}}'
    )
    for begin in range(0, len(piece.time_ps), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        yield _filled(line, [*exact.columns(piece.time_ps[block]), piece.value[block]])


def _in_template(text: str) -> str:
    return _json(text).replace("%", "%%")


def _filled(line: str, columns: Sequence[npt.NDArray[Any]]) -> str:
    """The line for each row of the columns."""
    count = len(columns[0])
    cells = np.empty((count, len(columns)), object)
    for place, column in enumerate(columns):
        cells[:, place] = column
    lines: str = ((line + ",\n") * count)[:-2] % tuple(cells.ravel().tolist())
    return lines


def _json(value: object) -> str:
    return printable_json(_encoded(value))


# made once: `json.dumps` makes another for each value
_encoded = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
