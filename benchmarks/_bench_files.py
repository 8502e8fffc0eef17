"""The files that `bench.py` measures with, each made when a row first asks for it.

    python benchmarks/_bench_files.py WHAT TARGET NUMBER...

Made by processes of their own: the one that measures stays small.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from _bench_turns import Unmeasured

ROOT = Path(__file__).parents[1]
SLOW = ROOT / "tests/data/xplane/slow-cb.xplane.pb.gz"
SMALL_GRAPH = ROOT / "tests/data/keras_mlp_fwd.graph.pb"
SMALL_CAPTURE = ROOT / "examples/slow_input"


@dataclass(frozen=True)
class Sizes:
    """`rounds`: how often the events of a real capture are repeated."""

    nodes: int = 122_000
    records: int = 48_000
    million: int = 1_000_000
    some: int = 15_000
    more: int = 60_000
    rounds: int = 150
    names: int = 10_000
    tensors: int = 50
    elements: int = 1 << 20


QUICK = Sizes(2_000, 800, 4_000, 500, 1_000, 3, 200, 4, 1 << 12)


@dataclass(frozen=True)
class Files:
    folder: Path
    sizes: Sizes = Sizes()

    def graph(self, nodes: int) -> Path:
        return self._made("graph", f"{nodes}.graph.pb", nodes)

    def run(self) -> Path:
        return self._made("run", "run_meta", self.sizes.nodes, self.sizes.records)

    def capture(self) -> Path:
        return self._made("capture", "vm.xplane.pb", self.sizes.rounds)

    def session(self) -> Path:
        """A folder with the captures of eight hosts."""
        return self._made("session", "session", self.capture())

    def small_capture(self) -> Path:
        return next(SMALL_CAPTURE.rglob("*.xplane.pb"))

    def saved(self) -> Path:
        given = self.graph(self.sizes.nodes), self.run()
        return self._made("saved", "saved.tfprof", *given)

    def many(self) -> Path:
        """The prefix of a checkpoint of many small tensors."""
        return self._checkpoint("many", self.sizes.names, 1)

    def large(self) -> Path:
        return self._checkpoint("large", self.sizes.tensors, self.sizes.elements)

    def _checkpoint(self, name: str, tensors: int, elements: int) -> Path:
        self._made("checkpoint", f"{name}.index", tensors, elements)
        return self.folder / name

    def _made(self, what: str, name: str, *given: object) -> Path:
        path = self.folder / name
        if not path.exists():
            words = [sys.executable, __file__, what, path, *given]
            done = subprocess.run(
                list(map(str, words)), capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise Unmeasured(done.stderr.strip().rpartition("\n")[2] or f"no {name}")
        return path


def _graph(target: Path, nodes: str) -> None:
    import _generate

    _generate.save(target, _generate.graph(_generate.nodes(int(nodes))))


def _run(target: Path, nodes: str, records: str) -> None:
    import _generate

    _generate.save(target, _generate.run_metadata(list(_generate.nodes(int(nodes))), int(records)))


def _capture(target: Path, rounds: str) -> None:
    import _xplane

    target.write_bytes(_xplane.grow(gzip.decompress(SLOW.read_bytes()), int(rounds)))


def _session(target: Path, capture: str) -> None:
    import _session

    _session.write_whole(Path(capture), target, _session.CLOCKS)


def _saved(target: Path, *paths: str) -> None:
    import tfprof

    tfprof.load(*paths).save(target)


def _checkpoint(target: Path, tensors: str, elements: str) -> None:
    import checkpoints

    checkpoints.write(str(target).removesuffix(".index"), tensors, elements)


if __name__ == "__main__":
    makers = {
        "graph": _graph, "run": _run, "capture": _capture, "saved": _saved,
        "checkpoint": _checkpoint, "session": _session,
    }  # fmt: skip
    makers[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
