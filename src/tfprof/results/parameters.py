"""How many numbers a model is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import INSIDE


@frozen_dataclass
class ParamCounts:
    """By what they are for; `bytes` by dtype.

    `bytes_by_role` has the roles that any variable has. `frozen`: the weights are constants.
    """

    trainable: Quantity
    non_trainable: Quantity
    optimizer: Quantity
    other: Quantity
    total: Quantity
    bytes: Mapping[str, int]
    bytes_by_role: Annotated[Mapping[str, float], INSIDE]
    variables: Annotated[int, INSIDE]
    frozen: Annotated[bool, INSIDE]
