"""How much work a file may ask for: some in any case, and more in proportion to its size.

A few bytes can ask for anything: functions that call each other, a list as long as a number says,
data packed a thousand times. Whoever follows them takes its steps from a budget; past it, what is
left is unknown, and the answer says where it was cut.
"""

from __future__ import annotations

from tfprof.frozen_dataclass import mutable_dataclass

# TensorFlow makes no tensor of more dimensions or elements
MOST_DIMENSIONS = 254
MOST_ELEMENTS = (1 << 63) - 1
# more than any op lists: outputs, parts, partitions
MOST_LISTED = 1 << 16


class OverBudget(ArithmeticError):
    """More was asked for than is believed; to a rule, a graph that is damaged like any other."""


@mutable_dataclass
class Budget:
    """`left` steps, of which every unit of the input brings `each` more."""

    left: int
    each: int = 1
    spent: int = 0

    def add(self, units: int) -> None:
        """So much of the input has been met for the first time."""
        self.left += units * self.each

    def take(self, steps: int = 1) -> bool:
        """Whether so many steps may be taken."""
        self.left -= steps
        self.spent += steps
        return self.left >= 0

    @property
    def is_over(self) -> bool:
        return self.left < 0


def believed_count(count: int) -> int:
    """The length of a list that a number in a file asks for."""
    if count > MOST_LISTED:
        raise OverBudget(f"a list of {count:,} is not made")
    return count
