"""Runs of one program: where the files of their models are the same, so are the models.

What is found of a model is then found once (`model/remembered.py`).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from tfprof.model.profile import Input, ProfileData
from tfprof.sources.files.opener import opener_for
from tfprof.sources.find.choose import CAPTURE
from tfprof.sources.formats.run_record import KIND as RECORD

# files that say nothing about the model itself
_OF_A_RUN = (CAPTURE, RECORD)
# in bytes: larger ones may have to be fetched again to be compared
_LARGEST = 16 << 20
_KEPT = 8


class SameModels:
    """The models of the runs that were read last, by what their files hold."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, ProfileData] = OrderedDict()

    def shared(self, data: ProfileData) -> ProfileData:
        """With the model of an earlier run, if that is the same."""
        held = _held(data)
        if held is None:
            return data
        known = self._known.setdefault(held, _model_of(data))
        self._known.move_to_end(held)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return replace(data, graph=known.graph, declared=known.declared, oplog=known.oplog)


def _model_of(data: ProfileData) -> ProfileData:
    """Nothing of the run is kept for the next."""
    return ProfileData("", graph=data.graph, declared=data.declared, oplog=data.oplog)


def _held(data: ProfileData) -> bytes | None:
    """What the files of the model hold, in short; None where there is more to it than them."""
    others = (data.keras, data.checkpoint, data.recorded)
    if data.graph is None or data.is_executed or any(one is not None for one in others):
        return None
    files = [one for one in data.inputs if one.used and one.format not in _OF_A_RUN]
    try:
        return _digest(files)
    except OSError:  # it is gone by now
        return None


def _digest(files: Sequence[Input]) -> bytes | None:
    openers = [opener_for(one.path) for one in files]
    sizes = [opener.facts(one.path).size for opener, one in zip(openers, files, strict=True)]
    if not files or sum(sizes) > _LARGEST:
        return None
    made = hashlib.blake2b()
    for opener, one in zip(openers, files, strict=True):
        content = opener.read(one.path)
        made.update(f"{one.format}\0{len(content)}\0".encode())
        made.update(content)
    return made.digest()
