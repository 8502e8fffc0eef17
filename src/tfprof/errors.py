"""Everything that can go wrong for a user, in one tree.

    TfprofError
    ├── UsageError            exit 2   the words of the call are off
    ├── InputMissing          exit 3   nothing to read
    │   ├── PathNotFound
    │   ├── NothingRecognised
    │   ├── NoHostAnswered
    │   ├── StoreNotReached
    │   ├── ClusterNotReached
    │   └── ValuesNotSaved
    ├── InputUnreadable       exit 4   there, but it cannot be read
    │   ├── EmptyFile
    │   ├── WrongKind
    │   ├── CorruptFile
    │   ├── CorruptText
    │   ├── AccessDenied
    │   ├── FileChanged
    │   ├── NotReadYet
    │   ├── UnsafeFile
    │   └── InputsDisagree
    ├── OutputNotWritable     exit 5   the answer exists, the place for it does not
    │   └── OutputExists
    ├── ExtraMissing          exit 6   an optional dependency is needed
    ├── InternalFault         exit 70  our fault
    └── Interrupted           exit 130 the user pressed Ctrl-C

Each error says what happened, where, and what to try; its slug is a heading in docs/messages.md,
which `tfprof explain SLUG` shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

from tfprof.printable import printable

if TYPE_CHECKING:
    from pathlib import Path


class TfprofError(Exception):
    """The root; never raised itself."""

    slug: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 70

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint
        if hint:
            self.add_note(printable(hint))  # what a traceback or a notebook shows below the message

    def __reduce__(self) -> tuple[Callable[..., TfprofError], tuple[object, ...]]:
        """What a worker fails with has to reach whoever gave it the work."""
        return _again, (type(self), self.args, vars(self))

    def __str__(self) -> str:
        return printable(f"{self.where}: {self.what}" if self.where else self.what)


def _again(
    kind: type[TfprofError], args: tuple[object, ...], state: dict[str, object]
) -> TfprofError:
    made = kind.__new__(kind, *args)
    vars(made).update(state)
    return made


class UsageError(TfprofError):
    slug = "usage"
    exit_code = 2


class InputMissing(TfprofError):
    slug = "input-missing"
    exit_code = 3


class PathNotFound(InputMissing):
    slug = "path-not-found"


class NothingRecognised(InputMissing):
    slug = "nothing-recognised"


class NoHostAnswered(InputMissing):
    """Of the running processes that were asked, none gave a capture."""

    slug = "no-host-answered"


class StoreNotReached(InputMissing):
    """A bucket or a server: not there, or not for us."""

    slug = "store-not-reached"


class ClusterNotReached(InputMissing):
    """The scheduler that was named: not there, or its workers cannot do what is asked."""

    slug = "cluster-not-reached"


class ValuesNotSaved(InputMissing):
    """The values of tensors, which a saved profile was made without."""

    slug = "values-not-saved"


class InputUnreadable(TfprofError):
    slug = "input-unreadable"
    exit_code = 4


class EmptyFile(InputUnreadable):
    slug = "empty-file"

    def __init__(self, where: str) -> None:
        hint = "Its writer probably died first, or the disk was full. Write it again."
        if where.endswith(".xplane.pb"):
            # TensorFlow says nothing of one that is too large: the file does not tell which it was
            hint = "Its process was killed before it wrote it, or the capture had over 2 GB, "
            hint += "which cannot be written. Profile fewer steps then; else capture again."
        super().__init__("the file is empty", where=where, hint=hint)


class WrongKind(InputUnreadable):
    slug = "wrong-kind"


class CorruptFile(InputUnreadable):
    """A binary file whose bytes contradict its format at `offset`."""

    slug = "corrupt-file"

    def __init__(self, what: str, *, offset: int, where: str = "", hint: str = "") -> None:
        super().__init__(f"{what} at byte {offset:,}", where=where, hint=hint)
        self.offset = offset


class CorruptText(InputUnreadable):
    """A text file that does not follow the protobuf text format at `line`."""

    slug = "corrupt-text"

    def __init__(self, what: str, *, line: int, where: str = "", hint: str = "") -> None:
        super().__init__(f"{what} in line {line:,}", where=where, hint=hint)
        self.line = line


class AccessDenied(InputUnreadable):
    slug = "access-denied"

    @classmethod
    def because(cls, fault: OSError, where: str) -> AccessDenied:
        """What the operating system said, in a sentence of ours."""
        return cls(f"cannot be read: {fault.strerror or fault}", where=where)


class FileChanged(InputUnreadable):
    """A file that a profile was read from, and that is another one by now."""

    slug = "file-changed"

    def __init__(self, what: str, *, where: str, hint: str = "") -> None:
        again = "Load the profile again from its files, and pickle it again."
        super().__init__(what, where=where, hint=hint or again)


class NotReadYet(InputUnreadable):
    """Recognised and named, but this version has no reader for it."""

    slug = "not-read-yet"


class UnsafeFile(InputUnreadable):
    """A file made to harm whoever opens it, or that cannot be told from one."""

    slug = "unsafe-file"


class InputsDisagree(InputUnreadable):
    slug = "inputs-disagree"


class OutputNotWritable(TfprofError):
    slug = "output-not-writable"
    exit_code = 5


class OutputExists(OutputNotWritable):
    slug = "output-exists"


class ExtraMissing(TfprofError):
    slug = "extra-missing"
    exit_code = 6


class InternalFault(TfprofError):
    slug = "internal-fault"
    exit_code = 70


class Interrupted(TfprofError):
    slug = "interrupted"
    exit_code = 130


def all_errors(root: type[TfprofError] = TfprofError) -> list[type[TfprofError]]:
    """Every class of the tree below `root`, depth first."""
    found: list[type[TfprofError]] = []
    for child in root.__subclasses__():
        found.append(child)
        found.extend(all_errors(child))
    return found


@contextmanager
def told_if_unwritable(path: Path, option: str) -> Iterator[None]:
    """What the system says of a place that was given with `option` is told as an error of ours."""
    try:
        yield
    except (OSError, ValueError) as fault:  # a name that no system has: a NUL, half a character
        why = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
        hint = f"Give another place with {option}."
        raise OutputNotWritable(f"cannot be written: {why}", where=str(path), hint=hint) from None
