"""Names of files and folders without those of hosts and users; what tells the format stays."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from tfprof.sources.confidential.words import Redactor

_TOLD_BY_TENSORFLOW: Final = re.compile(
    r"plugins|profile|variables|assets|functions|train|validation|eval|checkpoints?|ckpt"
    r"|rank-\d+|\d{4}(_\d\d){5}|\d+|\.\."
)


def neutral_name(name: str, redactor: Redactor, folders: dict[str, str]) -> str:
    """`folders` are those that were met before."""
    path = PurePosixPath(name)
    parts = [_folder(part, folders) for part in path.parts[:-1]]
    return str(PurePosixPath(*parts, redactor.text(path.name).replace("/", "_")))


def _folder(part: str, folders: dict[str, str]) -> str:
    if _TOLD_BY_TENSORFLOW.fullmatch(part):
        return part
    return folders.setdefault(part, f"folder_{len(folders) + 1}")
