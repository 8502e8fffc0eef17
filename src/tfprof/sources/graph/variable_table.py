"""A table of the variables a function's graph captured, as JSON beside the graph.

`{placeholder: [shape, dtype]}` or `[shape, dtype, trainable]`.
"""

from __future__ import annotations

import json
from pathlib import Path

from tfprof.errors import CorruptText, WrongKind
from tfprof.model.graph import Shape
from tfprof.model.profile import Declarations, DeclaredVariable
from tfprof.sources.files import gzip_data
from tfprof.sources.files.inflation import MOST_TEXT
from tfprof.sources.files.opener import opener_for
from tfprof.sources.files.reader import read_bytes
from tfprof.sources.files.registry import FilePiece
from tfprof.wire import dtypes
from tfprof.wire.fields import Progress
from tfprof.wire.json_values import Json, NotBelieved, as_list, as_text, parsed


def read(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    size = opener_for(path).facts(path).size
    if size > MOST_TEXT:
        what = f"no table of variables has {size >> 20:,} MB"
        raise WrongKind(what, where=str(path), hint=_HINT)
    try:
        table = parsed(_unpacked(read_bytes(path, progress), path))
    except json.JSONDecodeError as fault:
        raise CorruptText(f"not JSON ({fault.msg})", line=fault.lineno, where=str(path)) from None
    except NotBelieved as fault:
        what = f"not a JSON table of variables: {fault}"
        raise WrongKind(what, where=str(path), hint=_HINT) from None
    except (UnicodeDecodeError, RecursionError):
        raise WrongKind("not a JSON table of variables", where=str(path), hint=_HINT) from None
    if not isinstance(table, dict):
        raise WrongKind("the JSON is not a table of variables", where=str(path), hint=_HINT)
    variables = {name: _variable(name, row, path) for name, row in table.items()}
    return FilePiece(declared=Declarations(variables=variables))


_HINT = 'A variable table is {"placeholder": [[784, 512], "float32"], ...}.'


def _unpacked(data: bytes, path: Path) -> bytes:
    """`.json.gz` comes as it is: a trace of that name is unpacked bit by bit."""
    if not data.startswith(gzip_data.MAGIC):
        return data
    return b"".join(gzip_data.unpacked([data], str(path)))


def _variable(name: str, row: Json, path: Path) -> DeclaredVariable:
    shape, dtype, trainable = (*as_list(row), None, None, None)[:3]
    dims = _dims(shape)
    number = dtypes.number(as_text(dtype))
    if dims is None or number is None or not isinstance(trainable, bool | None):
        raise WrongKind(
            f"the entry {name!r} is not [shape, dtype] or [shape, dtype, trainable]",
            where=str(path),
            hint=_HINT,
        )
    return DeclaredVariable(name, dims, number, trainable)


def _dims(shape: Json) -> Shape | None:
    """None for what is no list of whole numbers; one that is open may be null or below 0."""
    if not isinstance(shape, list):
        return None
    known = [dim for dim in shape if isinstance(dim, int) and not isinstance(dim, bool)]
    if len(known) + shape.count(None) != len(shape):
        return None
    return tuple(dim if isinstance(dim, int) and dim >= 0 else None for dim in shape)
