"""What TensorFlow wrote to stderr while it started, as far as advice asks for it."""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass


@frozen_dataclass
class OlderLibrary:
    """A library that was loaded, and the version that TensorFlow was built with."""

    library: str
    loaded: str
    built_with: str


@frozen_dataclass
class RunLog:
    """`instructions` are those that the machine has and the build does not use.

    `no_gpu` is the line that says why a GPU is not used.
    """

    path: str
    instructions: tuple[str, ...] = ()
    older: tuple[OlderLibrary, ...] = ()
    no_gpu: str | None = None
