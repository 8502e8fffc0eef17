"""What is not in an estimate of memory, and what would tell it."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.analyses.cost.op_costs import NO_RULE, opened_by
from tfprof.analyses.memory.program import Program
from tfprof.model import units
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.model_costs import open_sizes

_GRAPH_TELLS = "a graph of the model, such as a SavedModel, tells"
_TABLE_TELLS = "the shapes of variables are missing, --vars FILE tells"
_RULE_TELLS = "tfprof.op_rule() in Python tells"
_MAY_TELL = "--feed NAME=SHAPE may tell"


def missing_sizes(made: Program, layers: Sequence[str] = (), variables: str = "") -> str:
    """A sentence; empty where everything is in the numbers.

    `layers` says which of them are not known, `variables` why the size of some is not.
    """
    if layers:
        return f"not in these numbers are {'; '.join(layers)}; {_GRAPH_TELLS}"
    if made.unknown:
        count = units.plural(len(made.unknown), "tensor")
        more = ", ..." if len(made.unknown) > 1 else ""
        asks = " ".join(open_sizes(made.open))
        cause = "" if asks else opened_by(made.unknown[0], [step.op.site for step in made.steps])
        tells = f"{asks} tells" if asks else _TABLE_TELLS if variables else _MAY_TELL
        if cause.endswith(NO_RULE):
            tells = _RULE_TELLS
        named = "; ".join(one for one in (f"{made.unknown[0]}{more}", cause) if one)
        return f"{count} of unknown size not in these numbers ({named}): {tells}"
    return variables


def bytes_known(size: int, missing: str) -> Quantity:
    """An estimate. Where sizes are missing at least so much; and of nothing, nothing is known."""
    if not missing:
        return Quantity.estimated(size)
    return Quantity.at_least(size, missing) if size else Quantity.unknown(missing)
