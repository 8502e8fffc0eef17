"""The weights of a Keras file, which another process reads."""

from __future__ import annotations

from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO

from tfprof.errors import ExtraMissing
from tfprof.sources.files.opener import is_plain
from tfprof.sources.files.stretch import Stretch
from tfprof.sources.keras.hdf5 import Row, StoredWeights
from tfprof.sources.keras.in_a_child import in_a_child
from tfprof.wire.json_values import Json, Object, as_list, as_object, as_text

_READER = "tfprof.sources.keras.hdf5"


def read_weights(place: Stretch | bytes, where: str) -> StoredWeights:
    """What HDF5 holds, in a stretch of a file or unpacked from one."""
    try:
        import h5py  # noqa: F401
    except ImportError:
        raise ExtraMissing(
            "weights in HDF5 need h5py", where=where, hint="pip install 'tfprof[keras]'"
        ) from None
    given: Object = {}
    if isinstance(place, Stretch) and is_plain(place.path):
        given = {"path": str(place.path), "start": place.start, "size": place.size}
    with TemporaryFile() as stdin:
        if not given:
            _copy(place, stdin)
        return _stored(in_a_child(_READER, given, stdin, where))


def _copy(place: Stretch | bytes, target: IO[bytes]) -> None:
    """What only we can see: unpacked, from a pipe, of another store."""
    if isinstance(place, bytes):
        target.write(place)
    else:
        with place.stream() as source:
            copyfileobj(source, target)
    target.seek(0)


def _stored(found: Object) -> StoredWeights:
    return StoredWeights(
        {path: _rows(rows) for path, rows in as_object(found["layers"]).items()},
        _rows(found["optimizer"]),
        {key: as_text(text) for key, text in as_object(found["attributes"]).items()},
        {path: as_text(kind) for path, kind in as_object(found["kinds"]).items()},
    )


def _rows(stored: Json) -> list[Row]:
    return [
        (as_text(name), tuple(size for size in as_list(shape) if isinstance(size, int)), dtype)
        for name, shape, dtype in map(as_list, as_list(stored))
        if isinstance(dtype, int)
    ]
