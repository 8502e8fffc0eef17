"""Files that are never half-written, and never written over what was read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tfprof.errors import OutputExists, told_if_unwritable

# what is being written; a process that is killed leaves it behind
_PART = ".tfprof-part-"


def target_of(said: str | os.PathLike[str]) -> Path:
    """What `-o` names. Of an address, its store keeps what opens doors; the path has none of it.

    So the suffix is that of the file, and nobody who shows the path can show more.
    """
    path = Path(said)
    if ":" not in str(path):
        return path
    from tfprof.sources.files.opener import spelt

    return spelt(path)


def check_free(path: Path, *, force: bool, inputs: Iterable[Path] = ()) -> None:
    """Whether it may be written; an existing file only where that is wanted, an input never."""
    if _is_remote(path):
        _check_free_there(path, force=force, inputs=inputs)
        return
    with told_if_unwritable(path, "-o"):
        if not path.is_file():
            return
        for read in inputs:
            # of a file in a saved profile, that
            there = next((one for one in (read, *read.parents) if one.exists()), None)
            inside = read.is_dir() and path.resolve().is_relative_to(read.resolve())
            if inside or (there is not None and path.samefile(there)):
                raise OutputExists("this is an input, which is never written over", where=str(path))
        if not force:
            hint = "Use --force to replace it."
            raise OutputExists("the file exists", where=str(path), hint=hint)


def _is_remote(path: Path) -> bool:
    """A name without a scheme needs no reader of files to be loaded."""
    if ":" not in str(path):
        return False
    from tfprof.sources.files.opener import is_remote

    return is_remote(path)


def _check_free_there(path: Path, *, force: bool, inputs: Iterable[Path]) -> None:
    """The same in a bucket."""
    from tfprof.sources.files.opener import opener_for

    if not force and opener_for(path).exists(path):
        raise OutputExists("the file exists", where=str(path), hint="Use --force to replace it.")
    if any(path.is_relative_to(read) for read in inputs) and opener_for(path).exists(path):
        raise OutputExists("this is an input, which is never written over", where=str(path))


def as_bytes(content: str | bytes) -> bytes:
    """Half of a character cannot be encoded, and is spelt out."""
    return content if isinstance(content, bytes) else content.encode(errors="backslashreplace")


def write_file(
    path: Path, content: str | bytes, *, force: bool, inputs: Iterable[Path] = ()
) -> None:
    """A temporary file beside the target, then a rename: the old file or the new, never a part."""
    write_chunks(path, [as_bytes(content)], force=force, inputs=inputs)


def write_chunks(
    path: Path, chunks: Iterable[bytes], *, force: bool, inputs: Iterable[Path] = ()
) -> None:
    """The same for what is too large to be held at once."""
    check_free(path, force=force, inputs=inputs)
    if _is_remote(path):
        _upload(path, chunks)
        return
    with told_if_unwritable(path, "-o"):
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as file:  # a device or a pipe: nothing to replace
                file.writelines(chunks)
        else:
            _replace(Path(os.path.realpath(path)), chunks)


def _upload(path: Path, chunks: Iterable[bytes]) -> None:
    """Made here first, then sent whole."""
    import tempfile

    from tfprof.sources.files.stores import send

    with tempfile.NamedTemporaryFile(prefix=_PART) as file:
        file.writelines(chunks)
        file.flush()
        send(Path(file.name), path)


def _replace(path: Path, chunks: Iterable[bytes]) -> None:
    """`path` is where links lead to. A file keeps its mode; a new one has the usual."""
    _remove_left_behind(path.parent)
    # as tempfile does it, which loads all ways to pack files and to draw random numbers
    temporary = path.parent / f"{_PART}{os.urandom(8).hex()}"
    try:
        with open(temporary, "xb", opener=_private) as file:
            with suppress(OSError):  # not every place has locks
                _lock(file.fileno())
            file.writelines(chunks)
            file.flush()
            temporary.chmod(_mode(path))  # private until now; a report is not
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)  # there only if it did not become the file


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _remove_left_behind(folder: Path) -> None:
    """Parts that nobody is writing any more: whoever writes one holds its lock."""
    for part in folder.glob(f"{_PART}*"):
        try:
            with part.open("rb") as file:
                _lock(file.fileno())
            part.unlink()
        except OSError:
            continue


def _lock(file: int) -> None:
    """An error where another process has it; no lock where the system knows none."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
