"""Formats that are told apart and named, and whose readers come with the issue that needs them."""

from __future__ import annotations

import re
import zipfile

from tfprof.sources.probe import Probe
from tfprof.sources.registry import Format, register

_TABLE_FOOTER = bytes.fromhex("57fb808b247547db")
_HDF5 = b"\x89HDF\r\n\x1a\n"
_SHARD = re.compile(r".+\.data-\d{5}-of-\d{5}(\.tempstate\d+)?")


def _zip_holds(probe: Probe, member: str) -> bool:
    if not probe.head.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(probe.path) as archive:
            return member in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _is_state(probe: Probe) -> float:
    return float(probe.is_text and probe.head.lstrip().startswith(b"model_checkpoint_path"))


def _is_event_file(probe: Probe) -> float:
    # every writer starts with this version record
    return float(b"brain.Event:" in probe.head[:64])


register(Format(
    name="checkpoint index",
    about="variables: names, shapes and where their values are",
    names="*.index, model.ckpt",
    recognised_by="magic at its end",
    gives="variable values",
    score=lambda probe: float(probe.tail.endswith(_TABLE_FOOTER)),
    read=None,
))  # fmt: skip
register(Format(
    name="checkpoint data",
    about="the values of a checkpoint's variables",
    names="*.data-00000-of-00001",
    recognised_by="name",
    gives="variable values",
    score=lambda probe: float(_SHARD.fullmatch(probe.name) is not None),
    read=None,
))  # fmt: skip
register(Format(
    name="checkpoint state",
    about="which checkpoint of a folder is the newest",
    names="checkpoint",
    recognised_by="first field",
    gives="the newest checkpoint",
    score=_is_state,
    read=None,
))  # fmt: skip
register(Format(
    name="event file",
    about="TensorBoard's log: summaries, graph, run metadata",
    names="events.out.tfevents.*",
    recognised_by="first record",
    gives="graph, run metadata",
    score=_is_event_file,
    read=None,
))  # fmt: skip
register(Format(
    name="Keras model",
    about="a model saved by Keras 3",
    names="*.keras",
    recognised_by="zip with config.json",
    gives="layers, parameters",
    score=lambda probe: float(_zip_holds(probe, "config.json")),
    read=None,
))  # fmt: skip
register(Format(
    name="HDF5",
    about="a Keras 2 model or weights",
    names="*.h5, *.hdf5",
    recognised_by="magic",
    gives="layers, parameters",
    score=lambda probe: float(probe.head.startswith(_HDF5)),
    read=None,
))  # fmt: skip
register(Format(
    name="XPlane",
    about="a TensorFlow 2 or JAX profile",
    names="*.xplane.pb",
    recognised_by="wire probe",
    gives="op time, steps, input pipeline",
    score=lambda probe: probe.wire_score("XSpace"),
    read=None,
))  # fmt: skip
