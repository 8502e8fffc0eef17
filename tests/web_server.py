"""A web server over a folder: with and without parts of files, counting what it sends."""

import html
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class WebServer(ThreadingHTTPServer):
    """`parts`: whether it sends parts of files, and says so."""

    daemon_threads = True

    def __init__(self, folder: Path, *, parts: bool, wanted_query: str = "") -> None:
        self.folder, self.parts, self.wanted_query = folder, parts, wanted_query
        self.sent = 0
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: WebServer
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_POST(self) -> None:
        """Takes a file, as buckets do at an address with a signature."""
        name, _, query = self.path.partition("?")
        data = b"".join(self._chunks())
        if query != self.server.wanted_query:
            self._send(403, b"no", "text/plain", body=True)
            return
        (self.server.folder / name.lstrip("/")).write_bytes(data)
        self._send(200, b"", "text/plain", body=True)

    def _chunks(self) -> Iterator[bytes]:
        """What is sent without saying how much it will be."""
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _answer(self, *, body: bool) -> None:
        name, _, query = self.path.partition("?")
        place = self.server.folder / name.lstrip("/")
        if self.server.wanted_query and query != self.server.wanted_query:
            self._send(403, b"no", "text/plain", body=body)
        elif place.is_dir():
            names = [one.name + "/" * one.is_dir() for one in sorted(place.iterdir())]
            links = "".join(f'<a href="{html.escape(one)}">{one}</a>\n' for one in names)
            self._send(200, links.encode(), "text/html", body=body)
        elif place.is_file():
            self._file(place, body=body)
        else:
            self._send(404, b"not here", "text/plain", body=body)

    def _file(self, place: Path, *, body: bool) -> None:
        """A part of a large file is all that is read of it."""
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        facts = place.stat()
        size = facts.st_size
        # as web servers make it; older versions of fsspec do not look at the time
        extra = {"ETag": f'"{facts.st_mtime_ns:x}-{size:x}"'}
        if self.server.parts:
            extra["Accept-Ranges"] = "bytes"
        begin, end = 0, size - 1
        if asked is not None and self.server.parts:
            begin, end = int(asked[1]), min(int(asked[2] or end), end)
            extra["Content-Range"] = f"bytes {begin}-{end}/{size}"
        status = 206 if "Content-Range" in extra else 200
        length = end + 1 - begin
        with place.open("rb") as file:
            file.seek(begin)
            data = file.read(length) if body else b""
        self._send(status, data, "application/octet-stream", extra, length=length, body=body)

    def _send(
        self,
        status: int,
        data: bytes,
        kind: str,
        extra: dict[str, str] | None = None,
        *,
        length: int | None = None,
        body: bool,
    ) -> None:
        self.send_response(status)
        size = len(data) if length is None else length
        for key, value in {"Content-Type": kind, "Content-Length": str(size)}.items():
            self.send_header(key, value)
        self.send_header("Last-Modified", "Wed, 04 Nov 2026 10:00:00 GMT")
        for key, value in (extra or {}).items():
            self.send_header(key, value)
        self.end_headers()
        if body:
            self.server.sent += len(data)
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def serving(folder: Path, *, parts: bool = True, wanted_query: str = ""):
    server = WebServer(folder, parts=parts, wanted_query=wanted_query)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
