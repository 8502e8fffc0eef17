"""Inputs that failed once: a folder each in `found`, asked again by a test.

A folder is called after its target and the fault. It holds the files, and in `asked.json` the
question: a command and its options.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from fuzz.asking import Failure
from fuzz.cases import Case

FOUND = Path(__file__).parent / "found"
_QUESTION = "asked.json"
_FILES = "files"


def keep(case: Case, failure: Failure) -> Path:
    """A fault that was found before keeps the first of its inputs."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", f"{case.target} {failure.what}").strip("-")[:80]
    mark = hashlib.sha256(failure.what.encode()).hexdigest()[:6]
    folder = FOUND / f"{words}-{mark}"
    if not folder.exists():
        case.write(folder / _FILES)
        asked = json.dumps({"command": failure.asked, "options": dict(failure.said)})
        (folder / _QUESTION).write_text(asked + "\n")
    return folder


def kept() -> list[Path]:
    return sorted(path for path in FOUND.iterdir() if path.is_dir())


def case_in(folder: Path) -> Case:
    """Its target is the name of the folder: a test that fails tells it."""
    files = folder / _FILES
    found = (path for path in sorted(files.rglob("*")) if path.is_file())
    return Case(folder.name, {p.relative_to(files).as_posix(): p.read_bytes() for p in found})


def question_in(folder: Path) -> tuple[str, dict[str, object]]:
    asked = json.loads((folder / _QUESTION).read_text())
    return asked["command"], asked["options"]
