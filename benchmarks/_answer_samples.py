"""The samples of `_same_answers.py`: one folder of files, the same for every commit."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOO_LARGE = 60_000_000
# name in the folder of samples: where they come from
OURS = {
    "data": ROOT / "tests/data",
    "models": ROOT / "tests/models",
    "timelines": ROOT / "tests/timelines",
    "logs": ROOT / "tests/logs",
    "unet": ROOT / "examples/unet",
    "slow_input": ROOT / "examples/slow_input",
}
# the values beside the index that tests/data has
CHECKPOINT = ROOT / "tests/checkpoints/resnet32.data-00000-of-00001.gz"
TALK = ("README.md", "HOW.txt", "expected.json", "fingerprint.pb")
# a part of the name: what is in it; the first that fits counts
KINDS = {
    ".xplane.pb": "capture",
    ".trace.json": "capture",
    "timeline_": "capture",
    "run_meta": "run",
    "runmeta": "run",
    "_vars.json": "variables",
    "vars.json": "variables",
    "tfprof_log": "op log",
    "profile_8": "profile",
    ".ckpt.meta": "graph",
    ".index": "checkpoint",
    ".ckpt": "checkpoint",
    ".keras": "keras",
    ".h5": "keras",
    ".meta": "graph",
    ".pb": "graph",
}


@dataclass(frozen=True)
class Sample:
    """Paths from the folder of samples on, and what is known of them without reading."""

    paths: tuple[str, ...]
    kinds: frozenset[str]
    size: int

    @property
    def hostile(self) -> bool:
        """Made to break readers: a file of 200 bytes may take for ever."""
        return "/hostile" in self.paths[0]

    @property
    def damaged(self) -> bool:
        return self.paths[0].startswith("samples/damaged")

    @property
    def ours(self) -> bool:
        return not self.paths[0].startswith("samples/shared")


def gather(folder: Path, shared: Path | None, *, large: bool) -> list[Sample]:
    """Fills the folder and lists the samples in it."""
    for name, source in OURS.items():
        _copy(source, folder / name, large=large)
    if shared is not None:
        _copy(shared, folder / "shared", large=large)
    _checkpoint(folder)
    _damaged(folder)
    return [*_files(folder), *_folders(folder), *_belonging_together(folder)]


def digest(folder: Path) -> str:
    found = hashlib.sha256()
    for path in _all_files(folder):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        found.update(f"{path.relative_to(folder)} {content}\n".encode())
    return found.hexdigest()[:16]


def _all_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _copy(source: Path, target: Path, *, large: bool) -> None:
    """What tests/data keeps packed is unpacked; a packed trace is a format of its own."""
    for path in _all_files(source):
        if path.stat().st_size > TOO_LARGE and not large:
            print(f"left out, larger than {TOO_LARGE / 1e6:.0f} MB: {path} (--large takes it)")
            continue
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".gz" and not path.name.endswith(".trace.json.gz"):
            copy.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        else:
            shutil.copyfile(path, copy)


def _checkpoint(folder: Path) -> None:
    target = folder / "checkpoint"
    target.mkdir()
    shutil.copyfile(folder / "data/resnet32/model.ckpt.index", target / "model.ckpt.index")
    values = gzip.decompress(CHECKPOINT.read_bytes())
    (target / "model.ckpt.data-00000-of-00001").write_bytes(values)


def _damaged(folder: Path) -> None:
    """The first half of a file of each format, and files with nothing of ours in them."""
    target = folder / "damaged"
    (target / "nothing").mkdir(parents=True)
    (target / "empty.pb").touch()
    (target / "text.txt").write_text("Not a model.\n")
    for name in (
        "data/keras_mlp_fwd.graph.pb",
        "data/keras_mlp_fwd.graph.pbtxt",
        "data/keras_mlp_train_b8_default.runmeta.pb",
        "data/keras_mlp_train_vars.json",
        "data/resnet32/model.ckpt.index",
        "data/tiny.xplane.pb",
        "models/residual.h5",
        "models/residual.keras",
        "models/profile_8",
        "models/tf1_saved_model/saved_model.pb",
        "timelines/xprof.trace.json.gz",
    ):
        content = (folder / name).read_bytes()
        (target / f"half-{Path(name).name}").write_bytes(content[: len(content) // 2])


def _kind(path: Path) -> str:
    return next((kind for part, kind in KINDS.items() if part in path.name), "other")


def _sample(folder: Path, paths: Iterable[Path], inside: Iterable[Path]) -> Sample:
    inside = list(inside)
    return Sample(
        tuple(f"samples/{path.relative_to(folder).as_posix()}" for path in paths),
        frozenset(map(_kind, inside)),
        sum(path.stat().st_size for path in inside),
    )


def _files(folder: Path) -> Iterator[Sample]:
    """Every file once: the samples hold many that the tests hold, too."""
    seen = set()
    for path in _all_files(folder):
        if path.name in TALK or ".data-" in path.name:
            continue
        content = hashlib.sha256(path.read_bytes()).digest()
        if content not in seen:
            seen.add(content)
            yield _sample(folder, [path], [path])


def _folders(folder: Path) -> Iterator[Sample]:
    """Down to where a log directory starts; what is in it belongs together."""
    for pattern in ("*", "data/*", "models/*", "shared/*", "shared/*/*"):
        for path in sorted(folder.glob(pattern)):
            if path.is_dir():
                yield _sample(folder, [path], _all_files(path))


def _belonging_together(folder: Path) -> Iterator[Sample]:
    """A graph with its table of variables, and with a run of it, too."""
    for graph in sorted(folder.rglob("*.graph.pb")):
        stem = graph.name.removesuffix(".graph.pb")
        beside = sorted(path for path in graph.parent.iterdir() if path.name.startswith(stem))
        tables = [path for path in beside if _kind(path) == "variables"][:1]
        runs = [path for path in beside if _kind(path) == "run"][:1]
        for paths in ([graph, *tables], [graph, *tables, *runs]):
            if len(paths) > 1:
                yield _sample(folder, paths, paths)
