"""What every report says the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tfprof.model.profile import Input, ProfileData

FRAGMENT = "The capture is a fragment: {}. What it tells is of that part."
_NAMED = 4
NO_STEPS = "steps are not known: times are of the whole capture"


def recognised(data: ProfileData) -> str:
    """What was read and what wrote it, in one line: GraphDef graph.pb · RunMetadata run_meta."""
    version = data.declared.tensorflow_version
    written_by = f" · written by TensorFlow {version}" if version else ""
    return _formats(data.inputs) + written_by


def _formats(inputs: Iterable[Input]) -> str:
    """Of many files of a format, only how many."""
    used = [one for one in inputs if one.used and not one.why]
    count = Counter(one.format for one in used)
    read = Counter(
        one.format if count[one.format] > _NAMED else f"{one.format} {one.path.name}"
        for one in used
    )
    return " · ".join(f"{count} x {one}" if count > 1 else one for one, count in read.items())


def shell_path(path: str | Path) -> str:
    """A path that can be pasted into a shell."""
    import shlex

    return shlex.quote(str(path))


def of_host(host: str | None, text: str) -> str:
    """With the host in front, where it has to be named."""
    return f"{host}: {text}" if host and text else text
