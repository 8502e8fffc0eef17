"""What every answer says the same way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tfprof.model import units
from tfprof.model.profile import Input, ProfileData

NO_STEPS = "steps are not known: times are of the whole capture"


def used_inputs(data: ProfileData) -> list[tuple[str, str]]:
    return [(str(i.path), i.format) for i in data.inputs if i.used]


def recognised(inputs: Iterable[Input]) -> str:
    """What was read, in one line: GraphDef graph.pb · RunMetadata run_meta."""
    return " · ".join(f"{i.format} {i.path.name}" for i in inputs if i.used and not i.why)


def written_by(data: ProfileData) -> str:
    version = data.declared.tensorflow_version
    return f" · written by TensorFlow {version}" if version else ""


def shell_path(path: str | Path) -> str:
    """A path that can be pasted into a shell."""
    import shlex

    return shlex.quote(str(path))


def fold(rest: Sequence[float], whole: float) -> str:
    """What a table left out, and its share of the whole."""
    return folded(len(rest), units.share(sum(rest), whole)) if rest else ""


def folded(rows: int, share: str = "") -> str:
    """What a table left out."""
    return f"… {rows:,} more{f' ({share})' if share else ''}"
