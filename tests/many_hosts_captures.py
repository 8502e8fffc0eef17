"""Hosts that train together, with clocks that do not agree: captures of which the truth is known.

    files, truth = job(hosts=8, late={3: 400.0}, clocks_us=[0, 5e3, -2e6, ...])

All begin a step together but for `skew`, work, and meet in an all-reduce, which ends everywhere
`EXCHANGE` after the last one came (up to `jitter` of that later, each host as chance has it). A
host writes the times of its own clock. Microseconds.

    python tests/many_hosts_captures.py           # those of tests/data, for the documentation
"""

import gzip
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path

from accelerator_captures import V100, PlaneMaker

from tfprof.wire.schema import message_class

WORK, EXCHANGE, PAUSE, LONGER = 700.0, 60.0, 40.0, 1500.0
ORIGIN_NS = 1_700_000_000_000_000_000
_GEMM = "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"
_NCCL = "ncclDevKernel_AllReduce_Sum_f16_RING_LL"
_DATA = Path(__file__).parent / "data" / "many_hosts"


@dataclass
class JobTruth:
    """By the name of the host: its clock, what it worked and waited a step; and of each step."""

    clocks: dict = field(default_factory=dict)
    worked: dict = field(default_factory=dict)
    waited: dict = field(default_factory=dict)
    last: list = field(default_factory=list)
    skews: list = field(default_factory=list)
    exchange: float = EXCHANGE


def job(hosts=4, steps=12, *, clocks_us=None, late=None, sometimes=None, jitter=0.0, skew=0.0,
        noise=0.0, collectives=1, local=0, gpus=1, kind="gpu", versions=None, devices=None,
        waits=None, first=None, ring=None, seed=0):  # fmt: skip
    """Files by name, and what is true of them.

    `late` has microseconds more by rank in every step, `sometimes` in every third. `kind` is gpu,
    cpu (an op on a thread), async (begins and ends in two events) or none. `versions`, `devices`,
    `waits` (for input) and `first` (the step that the capture begins with) are by rank. Of the
    `collectives` of a step the first one waits; `local` ones before are among a host's own devices.
    `ring` has microseconds by rank that the all-reduce of CPUs ends later there, in every step; a
    second one, which takes longer, then ends together.
    """
    rng = random.Random(seed)  # noqa: S311  (a chance that can be repeated)
    truth = JobTruth()
    names = [f"worker-{rank:03d}" if hosts > 10 else f"worker-{rank}" for rank in range(hosts)]
    clocks = clocks_us if clocks_us is not None else [777.0 * rank for rank in range(hosts)]
    written = [_Host(name, kind, gpus, (devices or {}).get(rank), (versions or {}).get(rank),
                     round(clocks[rank] * 1000)) for rank, name in enumerate(names)]  # fmt: skip
    truth.clocks = dict(zip(names, clocks, strict=True))
    truth.worked = {name: [] for name in names}
    truth.waited = {name: [] for name in names}
    at = 1000.0
    for step in range(steps):
        begin = [at + rng.uniform(0, skew) for _ in names]
        truth.skews.append(max(begin) - min(begin))
        work = [
            WORK + rng.uniform(0, noise) + (late or {}).get(rank, 0.0)
            + ((sometimes or {}).get(rank, 0.0) if step % 3 == 0 else 0.0)
            for rank in range(hosts)
        ]  # fmt: skip
        came = [one + took for one, took in zip(begin, work, strict=True)]
        end = max(came) + EXCHANGE
        truth.last.append(names[came.index(max(came))])
        for rank, host in enumerate(written):
            ended = end + rng.uniform(0, jitter * EXCHANGE)
            truth.worked[host.name].append(work[rank])
            truth.waited[host.name].append(max(came) - came[rank])
            if step >= (first or {}).get(rank, 0):
                last = ended + (ring or {}).get(rank, 0.0)
                host.step(step, begin[rank], came[rank], last, (waits or {}).get(rank, 0.0),
                          collectives, local)  # fmt: skip
                if ring is not None:
                    host.second(last, end + LONGER)
        at = end + EXCHANGE * jitter + PAUSE + (LONGER if ring is not None else 0.0)
    return {f"{one.name}.xplane.pb": one.space.SerializeToString() for one in written}, truth


class _Host:
    def __init__(self, name, kind, gpus, device, version, clock_ns):
        self.name, self.kind = name, kind
        self.space = message_class("XSpace")(hostnames=[name])
        facts = {"tensorflow_version": version} if version else {}
        self.threads = PlaneMaker(self.space, "/host:CPU", **facts)
        about = {**V100, **({"gpu_device_name": device} if device else {})}
        self.gpus = [
            PlaneMaker(self.space, f"/device:GPU:{number}", **about)
            for number in range(gpus if kind in ("gpu", "async") else 0)
        ]
        for plane in (self.threads, *self.gpus):
            plane.base_ns = ORIGIN_NS + clock_ns

    def step(self, number, begin, came, ended, waits, collectives, local):
        self.threads.event("python/1", "train", begin, ended - begin, step_num=number, _r=1)
        if waits:
            self.threads.event("python/1", "IteratorGetNextOp::DoCompute", begin, waits)
        self.threads.event("tf_Compute/2", "model/dense/MatMul:MatMul", begin + waits,
                           came - begin - waits if self.kind == "cpu" else 5)  # fmt: skip
        if self.kind == "cpu":
            self.threads.event("collective_ops/3", "CollectiveReduceV2:CollectiveReduceV2", came,
                               ended - came)  # fmt: skip
        for plane in self.gpus:
            stats = {"tf_op": "model/layer_0/dense/MatMul:MatMul"}
            plane.event("Stream #1(Compute)", _GEMM, begin + waits, came - begin - waits, **stats)
            self._exchange(plane, came, ended, collectives, local)

    def second(self, came, ended):
        self.threads.event("collective_ops/3", "loss/CollectiveReduceV2:CollectiveReduceV2", came,
                           ended - came)  # fmt: skip

    def _exchange(self, plane, came, ended, collectives, local):
        if self.kind == "async":
            plane.event("Stream #3(Compute)", "all-reduce-start.1", came - 200, 1)
            plane.event("Stream #3(Compute)", "all-reduce-done.1", came, ended - came)
            return
        stats = {"tf_op": "Adam/CollectiveReduceV2:CollectiveReduceV2"}
        for turn in range(local):
            plane.event("Stream #3(Compute)", _NCCL, came - 0.1 * (local - turn), 0.05, **stats)
        # the first one waits, the others are over at once
        first = ended - 0.1 * (collectives - 1)
        plane.event("Stream #3(Compute)", _NCCL, came, first - came, **stats)
        for turn in range(collectives - 1):
            plane.event("Stream #3(Compute)", _NCCL, first + 0.1 * turn, 0.1, **stats)


def put_job(folder, **how):
    """A folder as the workers leave it."""
    files, truth = job(**how)
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder, truth


def shown():
    """The job of the documentation: eight hosts, one late, one late now and then, one odd."""
    return job(
        hosts=8, steps=24, clocks_us=[0, 1310, -870, 42_000, 260, -3_900, 640, 2_050],
        late={5: 180.0}, sometimes={2: 260.0}, jitter=0.5, skew=30.0, noise=25.0, gpus=2,
        versions={rank: "2.18.0" if rank == 6 else "2.21.0" for rank in range(8)},
        waits={rank: 160.0 if rank == 5 else 20.0 for rank in range(8)}, seed=7,
    )  # fmt: skip


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else _DATA
    target.mkdir(parents=True, exist_ok=True)
    for name, data in shown()[0].items():
        (target / f"{name}.gz").write_bytes(gzip.compress(data, mtime=0))
