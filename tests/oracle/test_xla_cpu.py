"""XLA on a CPU: the time of each op is that of all threads that worked for it.

The referee goes through the messages of TensorFlow one event at a time, second by second on each
thread: who is innermost has the time, and a region belongs to whoever left the record it names.
"""

import gzip
import json
import subprocess
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from run_cli import run
from tensorflow.compiler.xla.service import hlo_pb2
from tensorflow.tsl.profiler.protobuf import xplane_pb2
from workers import made_once

TESTS = Path(__file__).parent.parent
START, STOP = "ThreadpoolListener::StartRegion", "ThreadpoolListener::StopRegion"
RECORD = "ThreadpoolListener::Record"


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """Made once for all workers."""

    def make(folder):
        command = [sys.executable, str(TESTS / "capture_xla_cpu.py"), str(folder)]
        subprocess.run(command, check=True, capture_output=True)

    folder = made_once(tmp_path_factory, "xla_cpu", make)
    (path,) = folder.rglob("*.xplane.pb")
    return path


@pytest.fixture
def recorded(tmp_path):
    """Training that somebody recorded, two convolutions and two dense layers."""
    path = tmp_path / "fast-xla.xplane.pb"
    path.write_bytes(gzip.decompress((TESTS / "data/xplane/fast-xla.xplane.pb.gz").read_bytes()))
    return path


@pytest.fixture
def jax(tmp_path):
    """Training of JAX, as tests/capture_jax_cpu.py records it."""
    path = tmp_path / "jax-cpu.xplane.pb"
    path.write_bytes(gzip.decompress((TESTS / "data/xplane/jax-cpu.xplane.pb.gz").read_bytes()))
    return path


class Threads:
    """Spans of instructions and regions on each line, and what is going on there at a time."""

    def __init__(self, plane):
        self.plane = plane
        self.spans = defaultdict(list)
        self.records = {}
        for line in plane.lines:
            self._read(line)
        for spans in self.spans.values():
            spans.sort(key=lambda one: (one[0], -one[1]))
        self.starts = {line: [one[0] for one in spans] for line, spans in self.spans.items()}

    def _stats(self, event):
        found = {}
        for stat in event.stats:
            name = self.plane.stat_metadata[stat.metadata_id].name
            kind = stat.WhichOneof("value")
            value = getattr(stat, kind)
            if kind == "ref_value":
                value = self.plane.stat_metadata[value].name
            found[name] = value
        return found

    def _read(self, line):
        open_ = []
        for event in sorted(line.events, key=lambda one: (one.offset_ps, -one.duration_ps)):
            name, start = self.plane.event_metadata[event.metadata_id].name, event.offset_ps
            stats = self._stats(event)
            if "hlo_op" in stats:
                self.spans[line.id].append(
                    (start, start + event.duration_ps, stats["hlo_op"], None)
                )
            elif name == RECORD:
                self.records[stats["_p"], stats["_pt"]] = line.id, start
            elif name == START:
                open_.append((start, stats))
            elif name == STOP and open_:
                began, told = open_.pop()
                record = told.get("_c"), told.get("_ct")
                self.spans[line.id].append((began, start, None, record))

    def innermost(self, line, time):
        """The latest to begin of those that are open."""
        spans = self.spans.get(line, [])
        for at in range(bisect_right(self.starts.get(line, []), time) - 1, -1, -1):
            if spans[at][1] > time:
                return spans[at]
        return None

    def owner(self, span):
        """The instruction that a span is for; None of what is for none."""
        for _ in range(1000):
            if span is None or span[2] is not None:
                return None if span is None else span[2]
            if span[3] not in self.records:
                return None
            span = self.innermost(*self.records[span[3]])
        return None

    def time_by_instruction(self):
        took = Counter()
        for line, spans in self.spans.items():
            owners = {span: self.owner(span) for span in spans}
            edges = sorted({edge for one in spans for edge in one[:2]})
            for begin, end in pairwise(edges):
                found = self.innermost(line, begin)
                if found is not None and owners[found] is not None:
                    took[owners[found]] += end - begin
        return took


def compiled_from(instruction, computations):
    """The op it says, else what comes out of what it fuses, else the most frequent there."""
    if instruction.metadata.op_name:
        # of several that were made one, the first
        return instruction.metadata.op_name.partition(";")[0]
    fused = [computations[one] for one in instruction.called_computation_ids]
    parts = [
        (part.metadata.op_name, part.id == one.root_id)
        for one in fused
        for part in one.instructions
    ]
    roots = [name for name, is_root in parts if is_root and name]
    names = Counter(name for name, _ in parts if name).most_common(1)
    return next(iter(roots + [name for name, _ in names] + [instruction.name]))


def truth(path):
    """Picoseconds by node: what an instruction was compiled from, else its name."""
    space = xplane_pb2.XSpace.FromString(path.read_bytes())
    named = {}
    for plane in space.planes:
        for described in plane.event_metadata.values() if plane.name == "/host:metadata" else ():
            for stat in described.stats:
                module = hlo_pb2.HloProto.FromString(stat.bytes_value).hlo_module
                computations = {one.id: one for one in module.computations}
                for computation in module.computations:
                    for one in computation.instructions:
                        named.setdefault(one.name, compiled_from(one, computations))
    (plane,) = (one for one in space.planes if one.name == "/host:CPU")
    found = Counter()
    for instruction, took in Threads(plane).time_by_instruction().items():
        found[named[instruction]] += took
    return found


def ours(path, by):
    ran = run("layers", path, "--by", by, "--json")
    assert ran.code == 0, ran.err
    return {row[by]: row for row in json.loads(ran.out)["data"]["time"]["rows"]}


@pytest.mark.parametrize("which", ["live", "recorded", "jax"])
def test_shares_are_those_of_the_linked_thread_time(request, which):
    path = request.getfixturevalue(which)
    expected = truth(path)
    rows = {name: row["self_us"] for name, row in ours(path, "node").items()}
    whole = sum(expected.values())
    assert whole > 0
    compiled = {name: rows.get(name, 0.0) for name in expected}
    total = sum(compiled.values())
    ranked = sorted(expected, key=lambda name: -expected[name])
    for name in ranked[:25]:
        assert compiled[name] / total == pytest.approx(expected[name] / whole, abs=0.01), name
    assert max(compiled, key=compiled.__getitem__) == ranked[0]


def test_who_waits_for_the_program_is_no_op(live):
    rows = ours(live, "node")
    assert not [name for name in rows if "__inference" in name or "BlockUntilReady" in name]
    layers = {name: row["self_us"] for name, row in ours(live, "layer").items()}
    # the second convolution has sixteen times the work of the first
    assert max(layers, key=layers.__getitem__) == "second_1"
    assert {"first_1", "second_1", "last_1"} <= set(layers)


def test_an_execution_is_one_however_many_threads_helped(live):
    found = [row["runs"] for row in ours(live, "node").values() if row["op"] == "Conv2D"]
    # six steps each
    assert found
    assert all(runs % 6 == 0 for runs in found)
