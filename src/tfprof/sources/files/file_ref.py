"""A file as a pickle has it: where it lies, and what it must still look like to be the same."""

from __future__ import annotations

from pathlib import Path

from tfprof.errors import AccessDenied, FileChanged, PathNotFound
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.opener import FileFacts, here, opener_for


@frozen_dataclass
class FileRef:
    path: Path
    facts: FileFacts

    @classmethod
    def of(cls, path: Path) -> FileRef:
        # a pickle may be opened in another folder
        return cls(opener_for(path).absolute(path, here()), _facts(path))

    def check(self) -> None:
        """An error unless the file is there and, as far as its size and time tell, the same."""
        now = _facts(self.path)
        if now.size != self.facts.size:
            was = f"it has {now.size:,} bytes and had {self.facts.size:,}"
        elif now.modified_ns != self.facts.modified_ns:
            was = "it was written again"
        else:
            return
        raise FileChanged(f"the file changed since the profile was loaded: {was}",
                          where=str(self.path))  # fmt: skip


def _facts(path: Path) -> FileFacts:
    try:
        return opener_for(path).facts(path)
    except FileNotFoundError:
        raise PathNotFound("no such file", where=str(path)) from None
    except OSError as fault:
        raise AccessDenied.because(fault, str(path)) from None
