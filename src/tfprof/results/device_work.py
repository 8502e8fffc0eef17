"""What the time of devices can be cut by: phases of training, and kinds of work."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """The values are the keys of JSON."""

    FORWARD = "forward"
    BACKWARD = "backward"
    UPDATE = "update"
    OTHER = "other"


class Activity(Enum):
    """What a device does while an event lasts; all that is not told apart here is computing."""

    COMPUTE = "compute"
    TO_DEVICE = "copy to the device"
    TO_HOST = "copy to the host"
    ON_DEVICE = "copy on the device"
    BETWEEN = "copy between devices"
    MEMSET = "memset"
    COLLECTIVE = "collective"
    WAITING = "waiting"
    INPUT = "infeed"
    OUTPUT = "outfeed"

    @property
    def is_copy(self) -> bool:
        """By engines beside those that compute, a memory being filled included."""
        return self in _COPIES


_COPIES = frozenset(
    (Activity.TO_DEVICE, Activity.TO_HOST, Activity.ON_DEVICE, Activity.BETWEEN, Activity.MEMSET)
)


class Kind(Enum):
    """The rows of a table by category: kinds of computing, and what is none."""

    MATMUL = "matmul"
    CONVOLUTION = "convolution"
    ATTENTION = "attention"
    ELEMENTWISE = "element-wise"
    REDUCTION = "reduction"
    NORMALISATION = "normalisation"
    POOLING = "pooling"
    RECURRENT = "recurrent"
    RANDOM = "random"
    DATA = "data movement"
    UPDATE = "variables"
    COPY = "copy"
    MEMSET = "memset"
    COLLECTIVE = "collective"
    WAITING = "waiting"
    FEED = "infeed and outfeed"
    OTHER = "other"
