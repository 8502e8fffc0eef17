"""A model in whatever form it is at hand, as one profile: for the calls that ask one question."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfprof.api.profile import Profile
from tfprof.live.objects import live_graph
from tfprof.live.profile import data_of_live
from tfprof.model.hosts import Hosts
from tfprof.model.profile import ProfileData
from tfprof.sources.files.probe import HEAD_BYTES, Probe
from tfprof.sources.find.load import Request, read_one
from tfprof.sources.run.run_metadata import run_piece

# what errors call what is no file
_RUN = Path("run metadata")


def data_of(model: Any) -> ProfileData:  # noqa: ANN401
    """From a path, a Profile, a GraphDef, run metadata, a tf.Graph, a tf.function or a Keras model.

    A GraphDef and run metadata may be messages or their bytes.
    """
    if isinstance(model, Profile):
        return model.data
    if isinstance(model, ProfileData):
        return model
    if isinstance(model, str | os.PathLike):
        return read_one(Request([Path(model)]))
    run = _run_bytes(model)
    return data_of_live(live_graph(model)) if run is None else _data_of_run(run)


def _run_bytes(thing: Any) -> bytes | None:  # noqa: ANN401
    """The bytes of run metadata; None for anything else."""
    if isinstance(thing, bytes):
        probe = Probe(_RUN, len(thing), thing[:HEAD_BYTES])
        return thing if probe.wire_score("RunMetadata") > probe.wire_score("GraphDef") else None
    kind = getattr(getattr(thing, "DESCRIPTOR", None), "name", "")
    return bytes(thing.SerializeToString()) if kind == "RunMetadata" else None


def _data_of_run(data: bytes) -> ProfileData:
    warnings: list[str] = []
    piece = run_piece(data, _RUN, 0, warnings)
    return ProfileData(str(_RUN), hosts=Hosts.of(piece.trace), warnings=tuple(warnings))
