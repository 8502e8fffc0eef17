"""Timelines in Chrome's format."""

from __future__ import annotations

import zlib

from tfprof.late_pattern import late_pattern
from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, reader, register

_GZIP = b"\x1f\x8b"
_GZIP_FRAME = 31
_EVENTS = "traceEvents"
_SUFFIXES = (".trace.json", ".trace.json.gz")
_LIKELY = 0.6
_EVENT = late_pattern(rb'\[\s*\{[^{}]*"(ph|ts|pid)"\s*:')


def _score(probe: Probe) -> float:
    head = probe.head
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(_GZIP_FRAME).decompress(head, len(head))
        except zlib.error:
            return _LIKELY if probe.name.endswith(_SUFFIXES) else 0.0
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith((b"{", b"[")):
        return 0.0
    if head.startswith(b"{") and f'"{_EVENTS}"'.encode() in head:
        return 1.0
    if _EVENT.match(head):
        return 1.0
    return _LIKELY if probe.name.endswith(_SUFFIXES) else 0.0


register(Format(
    name="Chrome trace",
    about="a timeline of TensorFlow 1, XProf, JAX, PyTorch or tfprof",
    names="*.trace.json, *.trace.json.gz, timeline*.json",
    recognised_by="keys",
    gives="op time, threads, steps",
    score=_score,
    read=reader("chrome.trace", "read"),
))  # fmt: skip
