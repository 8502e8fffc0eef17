"""What TensorFlow says about itself when it starts, among whatever else a log holds."""

from __future__ import annotations

from pathlib import Path

from tfprof.late_pattern import late_pattern
from tfprof.model.run_log import OlderLibrary, RunLog
from tfprof.sources.files.reader import read_bytes

_INSTRUCTIONS = late_pattern(r"following instructions[^:]*: ([A-Z0-9_. ,]+?)(?:,? in other|$)")
_OLD_WORDS = late_pattern(r"compiled to use: ([A-Z0-9_. ,]+?)\s*$")
_VERSION = r"(\d+(?:\.\d+)*)"
_LOADED = late_pattern(
    rf"Loaded runtime (\w+) library: {_VERSION} but source was compiled with: {_VERSION}"
)
_NO_GPU = late_pattern(
    r"(Skipping registering GPU devices|Could not find cuda drivers|Cannot dlopen some GPU "
    r"libraries|not compiled with (?:CUDA|GPU)|Could not load dynamic library 'libcud)"
)
_LONGEST = 200


def read_tensorflow_log(path: Path) -> RunLog:
    """A log that says nothing of this is a log all the same."""
    instructions: dict[str, None] = {}
    older: dict[OlderLibrary, None] = {}
    no_gpu = None
    for line in read_bytes(path).decode(errors="replace").splitlines():
        if match := _INSTRUCTIONS.search(line) or _OLD_WORDS.search(line):
            instructions |= dict.fromkeys(match[1].replace(",", " ").split())
        elif match := _LOADED.search(line):
            loaded, built = match[2], match[3]
            if _numbers(loaded) < _numbers(built):
                older[OlderLibrary(match[1], loaded, built)] = None
        elif no_gpu is None and (match := _NO_GPU.search(line)):
            no_gpu = line[match.start() :][:_LONGEST].strip()
    return RunLog(str(path), tuple(instructions), tuple(older), no_gpu)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in version.split("."))
