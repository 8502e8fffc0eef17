"""Sessions of many hosts: in one process, on the cores here, on a cluster; and beside XProf.

    SCALE=1 python benchmarks/many_hosts.py      1,000 hosts of 3 MB, and 64 of 76 MB

Without SCALE, only eight hosts are read, by us and by XProf. The captures are a real one, with its
events repeated; most hosts are links to one of nine files. XProf gets copies: it writes caches.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import _session

HERE = Path(__file__).parent
CAPTURE = HERE.parent / "tests/data/xplane/slow-cb.xplane.pb.gz"
# of 0.5 MB each
SMALL, LARGE = 6, 150
QUESTIONS = (["steps"], ["layers", "--by", "op"], ["summary"])
TIMES_FASTER, MEMORY_SHARE = 8, 1 / 5
# seconds: of processes that are there at once, the peaks are added up
_LOOK_AGAIN = 0.02
_XPROF = """
import json, resource, sys, time
from xprof.convert import raw_to_tool_data
began, cpu = time.perf_counter(), time.process_time()
data, _ = raw_to_tool_data.xspace_to_tool_data(sys.argv[1:], "overview_page", {})
assert data
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.perf_counter() - began, time.process_time() - cpu, used]))
"""


def main() -> None:
    scale = os.environ.get("SCALE") == "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _beside_xprof(folder / "eight", LARGE if scale else SMALL)
        if not scale:
            print("SCALE=1 reads 1,000 hosts of 3 MB and 64 of 76 MB, too")
            return
        for hosts, rounds in ((1000, SMALL), (64, LARGE)):
            session = folder / f"hosts-{hosts}"
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
        most = 0.0
        while running.poll() is None:
            most = max(most, sum(map(_peak, _with_children(running.pid))))
            time.sleep(_LOOK_AGAIN)
        wall = time.perf_counter() - began
        assert not running.returncode
        said.seek(0)
        answer = said.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return answer, wall, cpu, most


def _with_children(pid: int) -> list[int]:
    """A process and those that it started; none of it where it has just ended."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(one for child in children for one in _with_children(int(child)))]


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
        return answer, wall, cpu, max(map(_peak, pids))


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(pid: int) -> float:
    """The most that a process took so far, in megabytes; 0 of one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(one.split()[1]) / 1024 for one in lines if one.startswith("VmHWM")), 0.0)


def _beside_xprof(session: Path, rounds: int) -> None:
    """Eight hosts, all of them whole: the overview of XProf, and ours, both without imports."""
    _make(session, 11, rounds)
    slow, _, cut = _session.special(11)
    for at in (*slow, cut):
        (session / f"{_session.name(at)}.xplane.pb").unlink(missing_ok=True)
    for at in (20, 21):
        os.link(next(session.glob("*.pb")), session / f"{_session.name(at)}.xplane.pb")
    files = sorted(session.iterdir())
    print(f"{len(files)} hosts, {_size(session) / 1e6:.0f} MB: seconds, of CPU, MB of memory")
    _, wall, cpu, memory = _command(["summary", str(session)], len(os.sched_getaffinity(0)))
    print(f"tfprof summary   {wall:8.1f} {cpu:8.1f} {memory:8.0f}")
    with _copies(files) as copies:
        ran = subprocess.run(
            [sys.executable, "-c", _XPROF, *map(str, copies)],
            capture_output=True, text=True, check=False,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )  # fmt: skip
    if ran.returncode:
        print(f"XProf could not be measured: {(ran.stderr.strip().splitlines() or ['?'])[-1]}")
        return
    theirs = json.loads(ran.stdout.splitlines()[-1])
    print("XProf overview   {:8.1f} {:8.1f} {:8.0f}".format(*theirs))
    for what, ratio, goal in (
        ("as fast", theirs[0] / wall, TIMES_FASTER),
        ("less memory", theirs[2] / memory, 1 / MEMORY_SHARE),
    ):
        print(f"{ratio:.1f} times {what}; the goal is {goal:.0f}")


@contextmanager
def _copies(files: list[Path]) -> Iterator[list[Path]]:
    with tempfile.TemporaryDirectory() as name:
        yield [Path(shutil.copy(path, name)) for path in files]


if __name__ == "__main__":
    main()
