"""Sessions of many hosts: in one process, on the cores here, and on a cluster.

    SCALE=1 python benchmarks/many_hosts.py      1,000 hosts of 3 MB, and 64 of 76 MB

Without SCALE, 40 hosts of 3 MB. The captures are a real one, with its events repeated; most hosts
are links to one of nine files. How XProf reads eight hosts is a row of `bench.py`.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import _processes
import _session

HERE = Path(__file__).parent
CAPTURE = HERE.parent / "tests/data/xplane/slow-cb.xplane.pb.gz"
# of 0.5 MB each
SMALL, LARGE = 6, 150
QUESTIONS = (["steps"], ["layers", "--by", "op"], ["summary"])


def main() -> None:
    jobs = [(1000, SMALL), (64, LARGE)] if os.environ.get("SCALE") == "1" else [(40, SMALL)]
    with tempfile.TemporaryDirectory() as name:
        for hosts, rounds in jobs:
            session = Path(name, f"hosts-{hosts}")
            _make(session, hosts, rounds)
            _measured(session, hosts)
            shutil.rmtree(session)


def _make(session: Path, hosts: int, rounds: int) -> None:
    """In processes of their own: the peak of a child is no less than that of its parent."""
    with tempfile.TemporaryDirectory() as name:
        small, large = Path(name, "small.xplane.pb"), Path(name, "large.xplane.pb")
        small.write_bytes(gzip.decompress(CAPTURE.read_bytes()))
        for script, *words in (
            ("_xplane.py", small, large, rounds),
            ("_session.py", large, session, hosts),
        ):
            subprocess.run(list(map(str, [sys.executable, HERE / script, *words])), check=True)


def _size(session: Path) -> int:
    return sum(path.stat().st_size for path in session.iterdir())


def _measured(session: Path, hosts: int) -> None:
    size = _size(session)
    print(f"\n{hosts:,} hosts, {size / 1e9:.2f} GB: seconds, of CPU, MB a CPU second, MB of memory")
    for words in QUESTIONS:
        answers = {}
        for how, cores in (("one process", 1), ("all cores", len(os.sched_getaffinity(0)))):
            answers[how], *used = _command([*words, str(session)], cores)
            _row(words, how, size, *used)
        for workers in (1, 2) if words == ["steps"] else ():
            how = f"{workers} of Dask"
            answers[how], *used = _on_cluster([*words, str(session)], workers)
            _row(words, how, size, *used)
        assert len(set(answers.values())) == 1, "the answers differ"
        if words == ["steps"]:
            _named(json.loads(answers["one process"]), hosts)


def _row(words: list[str], how: str, size: int, wall: float, cpu: float, memory: float) -> None:
    rate = size / 1e6 / cpu
    print(f"{' '.join(words):16} {how:12} {wall:8.1f} {cpu:8.1f} {rate:8.1f} {memory:8.0f}")


def _named(answer: dict[str, Any], hosts: int) -> None:
    """Whom the answer has to tell of."""
    slow, missing, cut = _session.special(hosts)
    left_out = {one["host"]: one["why"] for one in answer["data"]["left_out"]}
    behind = {one["name"] for one in answer["data"]["stragglers"] if one["kind"] == "host"}
    assert behind == set(map(_session.name, slow)), behind
    assert set(left_out) == {_session.name(missing), _session.name(cut)}, left_out
    print(f"slow: {', '.join(sorted(behind))}")
    for host, why in left_out.items():
        print(f"left out: {host}: {why}")


def _command(words: list[str], cores: int) -> tuple[str, float, float, float]:
    """Its answer, seconds, those of the processor, and what all processes of it took together."""
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        running = subprocess.Popen([sys.executable, "-m", "tfprof", *words, "--json"], stdout=said)
        # long before it asks how many cores there are
        os.sched_setaffinity(running.pid, allowed)
        most = _processes.most_together(running)
        wall = time.perf_counter() - began
        assert not running.wait()
        said.seek(0)
        answer = said.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return answer, wall, cpu, most / 1e6


def _on_cluster(words: list[str], workers: int) -> tuple[str, float, float, float]:
    """The same; processor and memory are those of the workers."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        before = sum(map(_cpu, pids))
        answer, wall, _, _ = _command([*words, "--scheduler", cluster.scheduler_address], 2)
        cpu = sum(map(_cpu, pids)) - before
        return answer, wall, cpu, max(map(_processes.peak, pids)) / 1e6


def _cpu(pid: int) -> float:
    fields = _processes.cpu_fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
