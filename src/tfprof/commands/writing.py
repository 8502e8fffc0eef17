"""Files that are never half-written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tfprof.errors import OutputExists, OutputNotWritable


def check_free(path: Path, *, force: bool) -> None:
    """Whether it may be written; an existing file only where that is wanted."""
    if path.is_file() and not force:
        raise OutputExists("the file exists", where=str(path), hint="Use --force to replace it.")


def write_file(path: Path, content: str | bytes, *, force: bool) -> None:
    """A temporary file beside the target, then a rename: the old file or the new, never a part."""
    write_chunks(path, [content.encode() if isinstance(content, str) else content], force=force)


def write_chunks(path: Path, chunks: Iterable[bytes], *, force: bool) -> None:
    """The same for what is too large to be held at once."""
    import tempfile  # loads much, and `tfprof --help` loads this file

    check_free(path, force=force)
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as file:  # a device or a pipe: nothing to replace
            file.writelines(chunks)
        return
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.writelines(chunks)
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp keeps it private; a report is not
        temporary.replace(path)
    except OSError as fault:
        raise OutputNotWritable(
            f"cannot be written: {fault.strerror}",
            where=str(path),
            hint="Give another place with -o.",
        ) from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)  # there only if it did not become the file
