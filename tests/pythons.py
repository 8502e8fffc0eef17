"""`python tests/pythons.py oldest|newest`: where a Python is that tfprof runs on.

Those in PATH, and those of pyenv: its shims start only the version that is set.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

_OLDEST = (3, 11)
_NAME = re.compile(r"python3\.\d+")
_ASK = "import sys, ensurepip; print(*sys.version_info[:3])"


def version_of(python: Path) -> tuple[int, ...] | None:
    """None if it does not start, or cannot make an environment."""
    ran = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, check=False)
    return None if ran.returncode else tuple(map(int, ran.stdout.split()))


def pythons() -> dict[tuple[int, ...], Path]:
    """By version; the first of two of one version."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = [Path(place) for place in os.environ.get("PATH", "").split(os.pathsep)]
    places += sorted(pyenv.glob("versions/*/bin"))
    named = [
        p for place in places for p in sorted(place.glob("python3.*")) if _NAME.fullmatch(p.name)
    ]
    found: dict[tuple[int, ...], Path] = {}
    for python in [Path(sys.executable), *named]:
        version = version_of(python)
        if version is not None and version >= _OLDEST:
            found.setdefault(version, python)
    return found


if __name__ == "__main__":
    by_age = sorted(pythons().items())
    print(by_age[0 if sys.argv[1] == "oldest" else -1][1])
