"""Sizes that may hold symbols: exact polynomials over the batch and other open dimensions.

A size is an `int` as long as it can be, else a `Dim`. Symbols stand for whole numbers from 1 on.
What does not divide evenly stays inside a floor, so nothing is ever rounded by guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Union

from tfprof.late_pattern import late_pattern
from tfprof.model import units
from tfprof.model.budget import MOST_ELEMENTS, OverBudget
from tfprof.wire import dtypes

BATCH = "B"
# S for a sequence, H and W of images, D before them, C at the end
_LETTERS = {2: "S", 3: "SC", 4: "HWC", 5: "DHWC"}
# past these a formula tells nobody anything, and grows without end
_MOST_TERMS, _MOST_FLOORS = 1 << 9, 64

# a symbol's name, or a floor that did not come out even
Atom = Union[str, "Floor"]
# what is multiplied in a term, and how often: sorted, powers from 1 on
Monomial = tuple[tuple[Atom, int], ...]


class Floor:
    """A polynomial divided by a whole number, rounded down."""

    __slots__ = ("_text", "by", "floors", "of")

    def __init__(self, of: Dim, by: int) -> None:
        self.of, self.by = of, by
        self._text = ""
        inside = (atom for terms in of.terms for atom, _ in terms if isinstance(atom, Floor))
        self.floors: int = 1 + sum(atom.floors for atom in inside)
        if self.floors > _MOST_FLOORS:
            raise OverBudget("a formula of too many parts")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Floor) and self.by == other.by and self.of == other.of

    def __hash__(self) -> int:
        return hash((self.of, self.by))

    def __str__(self) -> str:
        # terms are sorted by it at every level
        self._text = self._text or f"floor(({self.of})/{self.by})"
        return self._text


class Dim:
    """A polynomial that is no plain number: term to coefficient, none of them 0."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms
        self._hash = hash(frozenset(terms.items()))

    def __reduce__(self) -> tuple[type[Dim], tuple[dict[Monomial, int]]]:
        return Dim, (self.terms,)  # names hash otherwise in another process

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __add__(self, other: Size) -> Size:
        if isinstance(other, int) and not other:
            return self
        terms = dict(self.terms)
        for monomial, count in _terms(other).items():
            terms[monomial] = terms.get(monomial, 0) + count
        return made(terms)

    __radd__ = __add__

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + other * -1

    def __rsub__(self, other: Size) -> Size:
        return self * -1 + other

    def __mul__(self, other: Size) -> Size:
        if isinstance(other, int):
            return self if other == 1 else made({m: c * other for m, c in self.terms.items()})
        if len(self.terms) * len(other.terms) > _MOST_TERMS:
            raise OverBudget("a formula of too many terms")
        terms: dict[Monomial, int] = {}
        for mine, count in self.terms.items():
            for theirs, times in other.terms.items():
                monomial = _product(mine, theirs)
                terms[monomial] = terms.get(monomial, 0) + count * times
        return made(terms)

    __rmul__ = __mul__

    def __floordiv__(self, by: int) -> Size:
        """Rounded down; what divides evenly leaves the floor."""
        if by == 1:
            return self
        even = {m: c // by for m, c in self.terms.items() if c % by == 0}
        rest = made({m: c for m, c in self.terms.items() if c % by})
        if isinstance(rest, int):
            return made(even) + rest // by
        return made({((Floor(rest, by), 1),): 1}) + made(even)

    def __mod__(self, by: int) -> Size:
        return self - (self // by) * by

    def __str__(self) -> str:
        return " + ".join(_term(m, c) for m, c in self.sorted_terms()).replace("+ -", "- ")

    __repr__ = __str__

    def sorted_terms(self) -> list[tuple[Monomial, int]]:
        """Highest powers first, plain numbers last."""
        return sorted(
            self.terms.items(), key=lambda t: (-sum(p for _, p in t[0]), [str(a) for a, _ in t[0]])
        )

    def symbols(self) -> set[str]:
        found: set[str] = set()
        for monomial in self.terms:
            for atom, _ in monomial:
                found |= {atom} if isinstance(atom, str) else atom.of.symbols()
        return found

    def at(self, known: Mapping[str, Size]) -> Size:
        """With some symbols replaced by what they are."""
        total: Size = 0
        for monomial, count in self.terms.items():
            part: Size = count
            for atom, power in monomial:
                if isinstance(atom, str):
                    value = known.get(atom)
                    base = symbol(atom) if value is None else value
                else:
                    base = at(atom.of, known) // atom.by
                for _ in range(power):
                    part = part * base
            total = total + part
        return total


# no names in quotes: results are described by their types, in other modules
Size = int | Dim
Shape = tuple[Size | None, ...]  # None: a dimension nothing is known of
Open = Shape | None  # None: not even the rank is known


def symbol(name: str) -> Dim:
    return Dim({((name, 1),): 1})


def letters_of(rank: int) -> list[str]:
    """What open dimensions of an input are called: B the first, then by place."""
    letters = BATCH + _LETTERS.get(rank, "")
    return [letters[at] if at < len(letters) else f"D{at}" for at in range(rank)]


def at(size: Size, known: Mapping[str, Size]) -> Size:
    """A size with some symbols replaced."""
    return size if isinstance(size, int) else size.at(known)


def symbols(size: Size) -> set[str]:
    return set() if isinstance(size, int) else size.symbols()


def divided(size: Size, by: Size) -> Size | None:
    """The quotient where it is exact, as a polynomial; None where it is not."""
    if isinstance(by, int):
        if by == 0:
            return None
        if isinstance(size, int):
            return size // by if size % by == 0 else None
        return size // by if all(c % by == 0 for c in size.terms.values()) else None
    if isinstance(size, int):
        return 0 if size == 0 else None
    return _long_division(size, by)


def ratio(size: Size, by: Size) -> float | None:
    """How many times the other it is, whatever the symbols are; None where that hangs on them."""
    mine, theirs = _terms(size), _terms(by)
    if by == 0 or (size != 0 and mine.keys() != theirs.keys()):
        return None
    shares = {count / theirs[monomial] for monomial, count in mine.items() if count}
    return shares.pop() if len(shares) == 1 else 0.0 if not shares else None


def terms_in(size: Size) -> int:
    """How long its formula is; a number has one term."""
    return 1 if isinstance(size, int) else len(size.terms)


def rough(size: Size, each: int = 64) -> float:
    """A number to sort formulas by: with every symbol so large."""
    found = at(size, dict.fromkeys(symbols(size), each))
    return float(found) if isinstance(found, int) else 0.0


def ceil_div(size: Size, by: int) -> Size:
    return (size + (by - 1)) // by


def is_positive(size: Size) -> bool:
    """Surely 1 or more, whatever the symbols are."""
    if isinstance(size, int):
        return size > 0
    # symbols are 1 or more, so each term with a symbol is at least its coefficient
    floors = [a for m in size.terms for a, _ in m if isinstance(a, Floor)]
    if floors:
        counts = all(is_positive(one.of) for one in floors)  # and none is below 0
        return counts and all(c > 0 for c in size.terms.values()) and () in size.terms
    negative = [c for m, c in size.terms.items() if c < 0 and m]
    return not negative and sum(size.terms.values()) > 0


def product(sizes: Shape) -> Size | None:
    """How many elements a shape has; None if a dimension is unknown."""
    whole = 1
    result: Size = 1
    for size in sizes:
        if size is None:
            return None
        if isinstance(size, int):
            whole *= size
        else:
            result = result * size
    return result * whole


# of most shapes a model has many tensors
@lru_cache(maxsize=1 << 14)
def elements(shape: Open) -> Size | None:
    return None if shape is None else product(shape)


def packed(count: Size | None, dtype: int) -> Size | None:
    """The bytes of so many elements, of which several may share one; None if nobody can tell."""
    bits = dtypes.bits(dtype)
    if count is None or bits is None:
        return None
    return ceil_div(count * bits, 8) if bits % 8 else count * (bits // 8)


def same(one: Size | None, other: Size | None) -> bool:
    return one is not None and one == other


def formula(size: Size) -> str:
    """As people write it: `7.72 G·B + 3.1 M`."""
    if isinstance(size, int):
        return units.count(size)
    parts = []
    for monomial, count in size.sorted_terms():
        factors = "·".join(factor(atom, power) for atom, power in monomial)
        number = units.count(abs(count))
        text = number if not factors else factors if number == "1" else f"{number}·{factors}"
        parts.append(("- " if count < 0 else "+ ") + text)
    text = " ".join(parts).removeprefix("+ ")
    return f"-{text[2:]}" if text.startswith("- ") else text


def term_list(size: Size) -> list[dict[str, object]]:
    """The terms as JSON: a coefficient and the powers of its symbols."""
    if isinstance(size, int):
        return [{"coefficient": size, "powers": {}}]
    return [
        {"coefficient": count, "powers": {str(atom): power for atom, power in monomial}}
        for monomial, count in size.sorted_terms()
    ]


_NAME = late_pattern(r"[A-Za-z]\w*")
# a size has no more digits; and what Python calls numbers that no size can be
_MOST_DIGITS = 40
_NO_SIZES = frozenset({"nan", "inf", "infinity"})


def parsed(text: str) -> Size:
    """`128` or the name of a symbol; a word for a number that is none is no name."""
    if text.isdecimal():
        if len(text) > _MOST_DIGITS or int(text) > MOST_ELEMENTS:
            raise ValueError(f"no tensor has {text[:_MOST_DIGITS]} elements")
        return int(text)
    if text.lower() in _NO_SIZES:
        raise ValueError(f"{text!r} is no size")
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is neither a number nor a name")
    return symbol(text)


def _terms(size: Size) -> Mapping[Monomial, int]:
    return {(): size} if isinstance(size, int) else size.terms


def made(terms: dict[Monomial, int]) -> Size:
    kept = {m: c for m, c in terms.items() if c}
    if not kept:
        return 0
    if len(kept) == 1 and () in kept:
        return kept[()]
    return Dim(kept)


def _product(one: Monomial, other: Monomial) -> Monomial:
    if not one or not other:
        return one or other
    powers = dict(one)
    for atom, power in other:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=lambda pair: str(pair[0])))


def _long_division(size: Dim, by: Dim) -> Size | None:
    """Term by term from the highest on; None as soon as something is left."""
    (lead, factor), *_ = by.sorted_terms()
    quotient: Size = 0
    rest: Size = size
    for _ in range(len(size.terms) * 2):
        if isinstance(rest, int):
            break
        (monomial, count), *_ = rest.sorted_terms()
        part = _quotient(monomial, lead)
        if part is None or count % factor:
            return None
        step = made({part: count // factor})
        quotient, rest = quotient + step, rest - by * step
    return quotient if rest == 0 else None


def _quotient(one: Monomial, by: Monomial) -> Monomial | None:
    powers = dict(one)
    for atom, power in by:
        left = powers.get(atom, 0) - power
        if left < 0:
            return None
        powers[atom] = left
    return tuple((atom, power) for atom, power in powers.items() if power)


def _term(monomial: Monomial, count: int) -> str:
    factors = "*".join(factor(atom, power) for atom, power in monomial)
    if not factors:
        return str(count)
    return factors if count == 1 else f"-{factors}" if count == -1 else f"{count}*{factors}"


def factor(atom: Atom, power: int) -> str:
    return str(atom) if power == 1 else f"{atom}^{power}"
