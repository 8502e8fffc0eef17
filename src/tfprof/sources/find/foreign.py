"""Naming what a file is when it is nothing we read: "this is a Python file" beats "parse error"."""

from __future__ import annotations

import re

from tfprof.late_pattern import late_pattern
from tfprof.sources.files.probe import Probe

_MAGIC = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"%PDF", "a PDF document"),
    (b"\x7fELF", "a compiled program"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"SQLite format 3", "an SQLite database"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
)
_TFLITE = b"TFL3"
_PYTHON = late_pattern(
    rb"^#!.*python|^(?:import|from)\s+[\w.]+|^def\s+\w+\s*\(|^class\s+\w+.*:|^if __name__",
    re.MULTILINE,
)
_BY_SUFFIX = {
    ".py": "a Python file", ".ipynb": "a Jupyter notebook", ".md": "a Markdown document",
    ".csv": "a CSV table", ".yaml": "a YAML file", ".yml": "a YAML file", ".toml": "a TOML file",
    ".sh": "a shell script", ".html": "an HTML page", ".log": "a log", ".txt": "a text file",
}  # fmt: skip


def describe(probe: Probe) -> str:
    """What the file seems to be, to follow "this is"."""
    if probe.head[4:8] == _TFLITE:
        return "a TensorFlow Lite model"
    for magic, what in _MAGIC:
        if probe.head.startswith(magic):
            return what
    if probe.is_mangled:
        return "binary data that a text conversion has destroyed"
    if not probe.is_text:
        return "binary data that matches no format tfprof knows"
    return _BY_SUFFIX.get(probe.path.suffix.lower()) or _kind_of_text(probe.head.lstrip())


def _kind_of_text(head: bytes) -> str:
    if head[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    if b"\n```" in head:
        return "a Markdown document"
    if _PYTHON.search(head):
        return "a Python file"
    return "a JSON file" if head.startswith((b"{", b"[")) else "a text file"
