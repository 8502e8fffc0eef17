"""Inputs that failed once: a folder each in `found`, asked again by a test.

A folder is called after its target and the fault, and holds the files and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from fuzz.cases import Case

FOUND = Path(__file__).parent / "found"


def keep(case: Case, what: str) -> Path:
    """A fault that was found before keeps the first of its inputs."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", f"{case.target} {what}").strip("-")[:80]
    mark = hashlib.sha256(what.encode()).hexdigest()[:6]
    folder = FOUND / f"{words}-{mark}"
    if not folder.exists():
        case.write(folder)
    return folder


def kept() -> list[Path]:
    return sorted(path for path in FOUND.iterdir() if path.is_dir())


def case_in(folder: Path) -> Case:
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return Case(folder.name, files)
