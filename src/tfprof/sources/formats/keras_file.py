"""Models and weights that Keras saved."""

from __future__ import annotations

from tfprof.sources.files.opener import opener_for
from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, reader, register

_CONFIG = "config.json"
_HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"


def _is_keras(probe: Probe) -> float:
    if not probe.head.startswith(b"PK\x03\x04"):
        return 0.0
    import zipfile

    try:
        with opener_for(probe.path).stream(probe.path) as file, zipfile.ZipFile(file) as archive:
            return float(_CONFIG in archive.namelist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        # too damaged to list: the name decides whether it was meant to be one
        return 0.6 * probe.name.endswith(".keras")


register(Format(
    name="Keras model",
    about="a model saved by Keras 3",
    names="*.keras",
    recognised_by="zip with config.json",
    gives="layers, parameters",
    score=_is_keras,
    read=reader("keras.file", "read_keras"),
))  # fmt: skip
register(Format(
    name="HDF5",
    about="a Keras 2 model, or weights",
    names="*.h5, *.hdf5",
    recognised_by="magic",
    gives="layers, parameters",
    score=lambda probe: float(probe.head.startswith(_HDF5_MAGIC)),
    read=reader("keras.file", "read_h5"),
))  # fmt: skip
