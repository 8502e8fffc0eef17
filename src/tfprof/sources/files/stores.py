"""Files in a bucket, on a web server, or wherever else fsspec can read: `s3://bucket/run/graph.pb`.

The only place that knows fsspec. It finds credentials by the rules of each store's own library, and
so do we: none is asked for, and none is kept. A file is read where it is looked at, in blocks that
are kept for a while; a server that cannot do that sends it whole, once.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from tfprof.errors import ExtraMissing, OutputNotWritable, StoreNotReached
from tfprof.printable import place
from tfprof.sources.files import gzip_data
from tfprof.sources.files.below import ListedBelow, ListedFile
from tfprof.sources.files.kept import MAPPED_FROM, Kept, stream_of
from tfprof.sources.files.moments import moment_ns
from tfprof.sources.files.opener import FileFacts, is_packed, opener_for
from tfprof.sources.files.store_listing import found_below
from tfprof.wire.mapped import Mapped

# which of our extras brings the library of a store; all others come with fsspec itself
_EXTRAS = {
    "s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs",
    "az": "azure", "abfs": "azure", "abfss": "azure", "adl": "azure",
}  # fmt: skip
_CREDENTIALS = {
    "s3": "Credentials are those of AWS: AWS_PROFILE, AWS_ACCESS_KEY_ID, ~/.aws; AWS_ENDPOINT_URL "
    "names another server.",
    "gcs": "Credentials are those of Google Cloud: `gcloud auth application-default login`, or "
    "GOOGLE_APPLICATION_CREDENTIALS.",
    "azure": "Credentials are those of Azure: AZURE_STORAGE_CONNECTION_STRING, or "
    "AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY.",
}
_LIBRARIES = ("adlfs", "azure", "fsspec", "gcsfs", "google", "s3fs")
_WEB = ("http", "https")
# all that may stand behind a file in a bucket: any other query would be a part of its name there
_VERSION = "versionid="
_OF_THIS_PROCESS = "memory"
_GONE = (404, 410)
# of S3 and web servers, Azure and Google
_TAGS = ("ETag", "etag", "md5Hash")
_BLOCK, _AT_ONCE = 1 << 20, 1 << 23
# of each file, and of all files
_BLOCKS_KEPT, _FILES_KEPT = 16, 64


def store_of(scheme: str) -> RemoteFiles:
    """Who opens the files of a scheme; an error that says what to install, if nobody can."""
    try:
        import fsspec
    except ImportError:
        extra = _EXTRAS.get(scheme, "remote")
        raise _not_installed(scheme, extra) from None
    try:
        made = fsspec.filesystem(scheme, skip_instance_cache=True)
    except ImportError:
        raise _not_installed(scheme, _EXTRAS.get(scheme, "remote")) from None
    except Exception as fault:  # noqa: BLE001  (every library has errors of its own)
        raise _not_reached(scheme, f"{scheme}://", fault) from None
    for library in _LIBRARIES:  # what goes wrong is told by us, once
        logging.getLogger(library).addHandler(logging.NullHandler())
    return RemoteFiles(scheme, made)


def _not_installed(scheme: str, extra: str) -> ExtraMissing:
    return ExtraMissing(f"{scheme}:// needs a library", hint=f"pip install 'tfprof[{extra}]'")


def _not_reached(scheme: str, where: str, fault: BaseException) -> StoreNotReached:
    why = fault.__cause__ or fault  # of a file that is said to be missing, what was really wrong
    said = " ".join(str(why).split())[:300] or type(why).__name__
    hint = _CREDENTIALS.get(_EXTRAS.get(scheme, ""), "Is the address right, and the network there?")
    return StoreNotReached(f"the store does not give it: {said}", where=where, hint=hint)


class RemoteFiles:
    """An `Opener`. Paths are as `Path` has them, which takes one slash of `s3://` away."""

    def __init__(self, scheme: str, files: Any) -> None:  # noqa: ANN401  (fsspec has no types)
        self.scheme = scheme
        self._fs = files
        self._facts: dict[Path, tuple[FileFacts, dict[str, Any]]] = {}
        self._kept: dict[Path, Kept] = {}
        self._open: OrderedDict[Path, Any] = OrderedDict()
        self._lock = threading.RLock()
        # what came with an address and opens doors: in no path, so that nobody can show it
        self._users: dict[str, str] = {}
        self._signatures: dict[Path, str] = {}

    def admitted(self, path: Path) -> Path:
        """The path without user and signature, which hold for all that lies below it, too."""
        scheme, _, rest = str(path).partition(":/")
        if self.scheme in _WEB:
            rest, _, _ = rest.partition("#")  # a place on a page, which no server is told
        rest, _, query = rest.partition("?")
        server, slash, inside = rest.partition("/")
        user, at, server = server.rpartition("@")
        found = Path(f"{scheme}:/{server}{slash}{inside}")
        if at and self.scheme in _WEB:
            self._users[server] = user
        elif at:
            found = Path(f"{scheme}:/{user}@{server}{slash}{inside}")  # a container, for Azure
        if self.scheme in _WEB or query.lower().startswith(_VERSION):
            self._signatures[found] = query
        return found

    def _url(self, path: Path) -> str:
        """A path has one slash after the scheme, an address two."""
        scheme, _, rest = str(path).partition(":/")
        server, _, _ = rest.partition("/")
        user = f"{self._users[server]}@" if server in self._users else ""
        signed = (self._signatures.get(one) for one in (path, *path.parents))
        query = next((f"?{one}" for one in signed if one), "")
        return f"{scheme}://{user}{rest}{query}"

    def is_reached_elsewhere(self, path: Path) -> bool:
        """Not with what came with its address, which is given to nobody."""
        if self.scheme == _OF_THIS_PROCESS:
            return False
        scheme, _, rest = str(path).partition(":/")
        return self._url(path) == f"{scheme}://{rest}"

    def absolute(self, path: Path, _folder: Path) -> Path:
        return path

    def exists(self, path: Path) -> bool:
        try:
            self._looked_up(path)
        except IsADirectoryError:
            return True
        except FileNotFoundError:
            return False
        return True

    def is_folder(self, path: Path) -> bool:
        if self.scheme in _WEB:
            return self._is_page(path)
        with self._told(path):
            return bool(self._fs.isdir(self._url(path)))

    def real(self, path: Path) -> Path:
        return path

    def facts(self, path: Path) -> FileFacts:
        found, _ = self._looked_up(path)
        kept = self._kept_of(path)
        return found if kept is None else FileFacts(kept.size, found.modified_ns)

    def listed(self, folder: Path) -> tuple[list[str], list[str]]:
        folders, files = list[str](), list[str]()
        with self._told(folder):
            slash = "/" if self.scheme in _WEB else ""
            place_, mark, query = self._url(folder).partition("?")
            asked = f"{place_}{slash}{mark}{query}"
            for entry in self._fs.ls(asked, detail=True):
                # a link on a page with a signature is put behind that
                whole = str(entry["name"]).replace(f"{asked}/", f"{place_}{slash}", bool(mark))
                whole = whole.partition("?")[0].rstrip("/")
                name = whole.rpartition("/")[2]
                if whole == place_.rstrip("/"):
                    continue  # a page that links to itself
                if not name or (name == folder.name and entry.get("size") == 0):
                    continue  # the mark of a folder that somebody made by hand
                (folders if entry.get("type") == "directory" else files).append(name)
        return sorted(set(folders)), sorted(set(files))

    def below(self, folder: Path, most: int) -> ListedBelow | None:
        """Many files in one go; a web server has no such list, only pages with links."""
        if self.scheme in _WEB:
            return None
        with self._told(folder), self._lock:
            found = found_below(self.scheme, self._fs, self._url(folder), most + 1)
        begin = self._fs._strip_protocol(self._url(folder)).rstrip("/")  # noqa: SLF001
        files = (
            _listed(folder / str(name).removeprefix(begin).lstrip("/"), info)
            for name, info in sorted(found.items())
            if str(name).startswith(f"{begin}/") and info.get("type") != "directory"
        )
        return ListedBelow(files, is_whole=len(found) <= most)

    def stamped(self, path: Path) -> ListedFile:
        return _listed(path, self._looked_up(path)[1])

    def forget(self, folder: Path) -> None:
        """What is kept of the files of a folder: of many runs, each is read but once."""
        with self._lock:
            for kept in (self._kept, self._open):
                for path in [one for one in kept if one.is_relative_to(folder)]:
                    kept.pop(path)

    def read(self, path: Path) -> bytes:
        return self.read_at(path, 0, self.facts(path).size)

    def read_at(self, path: Path, offset: int, size: int) -> bytes:
        kept = self._kept_of(path)
        if kept is None:
            there = max(0, min(size, self._looked_up(path)[0].size - offset))
            found = self._part(path, offset, there) if there else b""
            if len(found) == there:
                return found
            kept = self._brought(path)  # its server gives no parts
        return kept.read_at(offset, size)

    def _part(self, path: Path, offset: int, size: int) -> bytes:
        """Small ones from blocks that are kept, large ones in one go."""
        with self._told(path), self._lock:
            try:
                if size > _AT_ONCE:
                    return cast("bytes", self._fs.cat_file(self._url(path), offset, offset + size))
                file = self._blocks_of(path)
                file.seek(offset)
                return cast("bytes", file.read(size))
            except ValueError:  # how fsspec says that a server gives no parts
                return b""

    def stream(self, path: Path) -> BinaryIO:
        return stream_of(partial(self.read_at, path), self.facts(path).size)

    def mapped(self, path: Path) -> Mapped | None:
        """What is too large for memory is brought here, once."""
        if self._looked_up(path)[0].size < MAPPED_FROM:
            return None
        return self._brought(path).mapped(place(path))

    def write(self, path: Path, local: Path) -> None:
        """A file of this machine, whole: nobody sees a part of it."""
        with self._told(path):
            self._fs.put_file(str(local), self._url(path))
            self._facts.pop(path, None)
            self._open.pop(path, None)
            self._fs.invalidate_cache()

    def _is_page(self, path: Path) -> bool:
        """A web server has pages with links for folders; no file is read to look for some."""
        try:
            _, info = self._looked_up(path)
        except FileNotFoundError:
            return False
        return str(info.get("mimetype", "")).startswith("text/html")

    def _looked_up(self, path: Path) -> tuple[FileFacts, dict[str, Any]]:
        """Once a process: a run that is being written is read as it was when it was looked at."""
        if path not in self._facts:
            with self._told(path):
                info = self._fs.info(self._url(path))
            if info.get("type") == "directory":
                raise IsADirectoryError(f"{place(path)} is a folder")
            self._facts[path] = FileFacts(int(info.get("size") or 0), moment_ns(info)), info
        return self._facts[path]

    def _kept_of(self, path: Path) -> Kept | None:
        """A file that is packed, or that its server did not give in parts."""
        if path not in self._kept and is_packed(path):
            return self._brought(path, unpacked=True)
        return self._kept.get(path)

    def _brought(self, path: Path, *, unpacked: bool = False) -> Kept:
        if path not in self._kept:
            # a block of nothing is a stream, which needs no server that gives parts
            block = 0 if self.scheme in _WEB else _AT_ONCE
            with self._told(path), self._fs.open(self._url(path), "rb", block_size=block) as file:
                chunks: Iterator[bytes] = iter(lambda: file.read(_AT_ONCE), b"")
                if unpacked:
                    chunks = gzip_data.unpacked(chunks, place(path))
                self._kept[path] = Kept(chunks)
        return self._kept[path]

    def _blocks_of(self, path: Path) -> Any:  # noqa: ANN401
        """An open file, with the blocks that were read of it last."""
        if path not in self._open:
            self._open[path] = self._fs.open(
                self._url(path),
                "rb",
                block_size=_BLOCK,
                cache_type="blockcache",
                cache_options={"maxblocks": _BLOCKS_KEPT},
            )
        self._open.move_to_end(path)
        while len(self._open) > _FILES_KEPT:
            self._open.popitem(last=False)[1].close()
        return self._open[path]

    @contextmanager
    def _told(self, path: Path) -> Iterator[None]:
        """What is not there, or may not be read, is as on a disk; all else is the store's fault."""
        try:
            yield
        except (IsADirectoryError, NotADirectoryError, StoreNotReached):
            raise
        except Exception as fault:  # noqa: BLE001  (as above)
            if _is_missing(fault):
                raise FileNotFoundError(place(path)) from None
            raise _not_reached(self.scheme, place(path), fault) from None


def _listed(path: Path, info: dict[str, Any]) -> ListedFile:
    """The tag says it best; without one the time does, where the store has that."""
    modified = moment_ns(info)
    tag = next((str(info[key]) for key in _TAGS if info.get(key)), "")
    stamp = tag.strip('"') or (str(modified) if modified else "")
    return ListedFile(path, int(info.get("size") or 0), stamp, modified)


def _is_missing(fault: Exception) -> bool:
    """A web server that does not answer is said to have no such file, too: the cause tells."""
    if not isinstance(fault, FileNotFoundError):
        return False
    because = fault.__cause__ or fault.__context__
    if because is None:
        return True
    return getattr(because, "status", _GONE[0]) in _GONE and not _no_link(because)


def _no_link(fault: BaseException) -> bool:
    return isinstance(fault, ConnectionError | TimeoutError) or "Connect" in type(fault).__name__


def send(local: Path, target: Path) -> None:
    """A file of this machine to a store; what goes wrong is about an output."""
    opener = opener_for(target)
    if not isinstance(opener, RemoteFiles):
        raise OutputNotWritable("nothing can be written there", where=place(target))
    try:
        opener.write(target, local)
    except (OSError, StoreNotReached) as fault:
        why, hint = (fault.what, fault.hint) if isinstance(fault, StoreNotReached) else (fault, "")
        raise OutputNotWritable(
            f"cannot be written: {why}", where=place(target), hint=hint
        ) from None
