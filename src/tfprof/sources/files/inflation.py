"""How far packed data may grow: anyone can pack a gigabyte of nothing into a megabyte."""

from __future__ import annotations

from tfprof.model.budget import Budget

# JSON of real traces packs 10 to 30 times
MOST_EXPANSION = 200
_SMALL = 16 << 20
# what is read whole: text becomes objects of thirty times its size, weights stay as they are
MOST_TEXT, MOST_WEIGHTS = 32 << 20, 256 << 20


def inflation_budget(packed: int = 0) -> Budget:
    """Bytes that packed ones may become; those that are met later are added."""
    budget = Budget(_SMALL, MOST_EXPANSION)
    budget.add(packed)
    return budget
