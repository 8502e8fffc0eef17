"""A model in whatever form it is at hand, as one profile: for the calls that ask one question."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfprof.api.profile import Profile
from tfprof.live.calls import Shapes
from tfprof.live.objects import live_graph, live_variables
from tfprof.live.profile import data_of_live
from tfprof.model.hosts import Hosts
from tfprof.model.profile import ProfileData
from tfprof.sources.files.probe import HEAD_BYTES, Probe
from tfprof.sources.find.load import Request, read_one
from tfprof.sources.run.run_metadata import run_piece

# what errors call what is no file
_RUN = Path("run metadata")


def data_of(model: Any, shapes: Shapes | None = None) -> ProfileData:  # noqa: ANN401
    """From a path, a Profile, a GraphDef, run metadata, a tf.Graph, or what TensorFlow can trace.

    That is a tf.function, a tf.Module, a Keras model or layer; `shapes` are those of its inputs. A
    GraphDef and run metadata may be messages or their bytes.
    """
    if isinstance(model, Profile):
        return model.data
    if isinstance(model, ProfileData):
        return model
    if isinstance(model, str | os.PathLike):
        return read_one(Request([Path(model)]))
    run = _run_bytes(model)
    return _data_of_run(run) if run is not None else data_of_live(live_graph(model, shapes=shapes))


def variables_of(model: Any, shapes: Shapes) -> ProfileData:  # noqa: ANN401
    """The same, for who asks for variables alone: a model that has its own needs no inputs."""
    given = shapes.structure is not None or shapes.by_name
    alone = None if given else live_variables(model)
    return data_of(model, shapes) if alone is None else data_of_live(alone)


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
