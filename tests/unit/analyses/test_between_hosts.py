"""Hosts beside each other: clocks, who waits for whom, who is slow, who is unlike the others."""

import pickle
import random
from dataclasses import replace

import pytest
from many_hosts_captures import EXCHANGE, WORK, job
from random_traces import capture

from tfprof.analyses.between_hosts.comparison import between_hosts
from tfprof.analyses.between_hosts.slow_hosts import straggling_hosts
from tfprof.analyses.overlap.host_steps import host_steps
from tfprof.analyses.overlap.meetings import host_meetings
from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.reports.steps.brief import brief
from tfprof.sources.xplane.xplane import read

US = 1_000_000
A_STEP = {"step_num": 0, "_r": 1}
NCCL = "ncclDevKernel_AllReduce_Sum_f16_RING_LL"


@pytest.fixture
def hosts_of(tmp_path):
    """What each host of a job tells, and the truth."""

    def made(files, truth):
        found = []
        for rank, (name, data) in enumerate(sorted(files.items())):
            path = tmp_path / name
            path.write_bytes(data)
            (one,) = breakdowns(read(path, 0, None).trace.space)
            found.append(brief(host_steps(one, rank)))
        return found, truth

    return lambda **how: made(*job(**how))


def clocks(count, seed=1):
    rng = random.Random(seed)  # noqa: S311  (a chance that can be repeated)
    return [rng.choice([1e3, 5e4, 2e6]) * rng.uniform(-1, 1) for _ in range(count)]


def true_waits(truth, host):
    """How long all others waited for a host, a step."""
    at = [step for step, last in enumerate(truth.last) if last == host]
    return sum(waited[step] for waited in truth.waited.values() for step in at) / len(truth.last)


@pytest.mark.parametrize("count", [2, 4, 8, 200])
@pytest.mark.parametrize("kind", ["gpu", "cpu"])
def test_clocks_are_known_as_well_as_is_said(hosts_of, count, kind):
    if (count, kind) == (200, "cpu"):
        pytest.skip("as with GPUs")
    hosts, truth = hosts_of(
        hosts=count, steps=9, clocks_us=clocks(count), late={count - 1: 150.0}, jitter=0.9,
        skew=40.0, noise=60.0, kind=kind,
    )  # fmt: skip
    found = between_hosts(hosts)
    zero = truth.clocks[found.reference]
    for one in found.hosts:
        off = abs(one.clock.offset.value - (truth.clocks[one.host] - zero))
        assert off <= one.clock.within / US + 1e-3
        # and that is not much: an exchange, and how far its ends are apart
        assert one.clock.within / US <= 2 * EXCHANGE
    assert sum(one.clock.within == 0 for one in found.hosts) == 1
    starts = {one.step: one.skew / US for one in found.starts.steps}
    for step, skew in enumerate(truth.skews):
        assert starts[step] == pytest.approx(skew, abs=2 * found.starts.within / US)


@pytest.mark.parametrize("count", [2, 4, 8, 200])
def test_the_late_one_is_named_and_the_waiting_is_its(hosts_of, count):
    late = f"worker-{1:03d}" if count > 10 else "worker-1"
    hosts, truth = hosts_of(
        hosts=count, steps=6, clocks_us=clocks(count), late={1: 300.0}, noise=40.0
    )
    (named,) = straggling_hosts(hosts)
    assert (named.name, named.steps, named.of_steps) == (late, 6, 6)
    assert named.behind / US == pytest.approx(300, abs=45)
    found = {one.host: one for one in between_hosts(hosts).hosts}
    assert found[late].last_steps == 6
    assert found[late].caused / US == pytest.approx(true_waits(truth, late))
    for name, one in found.items():
        assert one.waited / US == pytest.approx(sum(truth.waited[name]) / 6)
        if name != late:
            assert one.waits_for == late
            assert (one.caused, one.last_steps, one.gain, one.slow_steps) == (0, 0, 0, 0)
    gained = [sorted(waited)[1] for waited in zip(*truth.waited.values(), strict=True)]
    assert found[late].gain / US == pytest.approx(sum(gained) / 6)


def test_who_is_slow_in_a_third_of_its_steps_is_named(hosts_of):
    hosts, _ = hosts_of(hosts=8, steps=24, sometimes={2: 260.0}, noise=25.0)
    (named,) = straggling_hosts(hosts)
    assert (named.name, named.steps, named.of_steps) == ("worker-2", 8, 24)
    rows = {one.host: one.slow_steps for one in between_hosts(hosts).hosts}
    assert rows == {f"worker-{rank}": 8 * (rank == 2) for rank in range(8)}


def test_slow_now_and_then_as_all_are_is_no_straggler(hosts_of):
    """Each in another step: who is slow once or twice is not named."""
    hosts, _ = hosts_of(hosts=6, steps=12, noise=20.0)
    slow = [(2 * at, 2 * at + 1) for at in range(6)]
    odd = [
        replace(one, exposed=tuple(
            time - (200 * US if step in mine else 0) for step, time in enumerate(one.exposed)
        ))
        for one, mine in zip(hosts, slow, strict=True)
    ]  # fmt: skip
    assert not straggling_hosts(odd)


def test_steps_that_are_slow_everywhere_blame_nobody(hosts_of):
    hosts, _ = hosts_of(hosts=4, steps=12, sometimes=dict.fromkeys(range(4), 400.0))
    assert not straggling_hosts(hosts)
    # in a third of the steps it is still not the usual
    assert between_hosts(hosts).slow_everywhere == (0, 3, 6, 9)


def test_without_collectives_nothing_is_made_up(hosts_of):
    hosts, _ = hosts_of(hosts=4, kind="none", clocks_us=[0, 1e6, 2e6, -3e6])
    found = between_hosts(hosts)
    assert (found.reference, found.starts, found.costly, found.meet) == (None, None, None, False)
    assert "no collective" in found.why_no_clocks
    assert "no collective" in found.why_no_waits
    for one in found.hosts:
        assert (one.clock.offset.value, one.clock.within) == (None, None)
        assert (one.waited, one.caused, one.last_steps, one.waits_for) == (None,) * 4
        assert one.starts_after is None


def test_hosts_that_do_not_train_together_have_no_common_clock(hosts_of):
    """Two jobs of the same program: their collectives have the same names."""
    one, _ = hosts_of(hosts=2, steps=20, noise=400.0, seed=1)
    other, _ = hosts_of(hosts=2, steps=20, noise=400.0, seed=2)
    mixed = [one[0], replace(other[1], rank=1)]
    found = between_hosts(mixed)
    assert found.reference is None
    assert "did not end together" in found.why_no_clocks


def test_one_that_shares_too_little_is_said_not_to_be_known(hosts_of):
    hosts, _ = hosts_of(hosts=4, steps=12, first={3: 10})
    found = between_hosts(hosts)
    late = found.hosts[3]
    assert late.clock.offset.value is None
    assert "only 2 collectives" in late.clock.reason
    assert all(one.clock.offset.known for one in found.hosts[:3])
    assert late.own_by_step[:10] == (None,) * 10


def test_a_host_that_was_captured_later_is_compared_by_the_numbers_of_steps(hosts_of):
    hosts, truth = hosts_of(hosts=3, steps=12, first={1: 4}, late={0: 200.0}, noise=30.0)
    found = between_hosts(hosts)
    zero = truth.clocks[found.reference]
    for one in found.hosts:
        expected = truth.clocks[one.host] - zero
        assert one.clock.offset.value == pytest.approx(expected, abs=one.clock.within / US + 1e-3)
    assert [one.name for one in straggling_hosts(hosts)] == ["worker-0"]


def test_steps_that_hosts_count_themselves_need_clocks_that_about_agree(hosts_of):
    hosts, _ = hosts_of(hosts=3, clocks_us=[0, 100.0, 5000.0])
    own = [replace(one, steps=replace(one.steps, rule="function")) for one in hosts]
    found = between_hosts(own)
    reasons = [one.clock.reason or "" for one in found.hosts]
    assert [bool(one) for one in reasons] == [False, False, True]
    assert "count their steps themselves" in reasons[2]


@pytest.mark.parametrize("kind", ["gpu", "async"])
def test_collectives_in_two_events_are_one(hosts_of, kind):
    hosts, truth = hosts_of(hosts=3, kind=kind, late={1: 250.0})
    found = {one.host: one for one in between_hosts(hosts).hosts}
    assert found["worker-1"].caused / US == pytest.approx(true_waits(truth, "worker-1"))
    # what goes on beside other work tells less of the clocks, and says so
    widest = max(one.clock.within for one in found.values()) / US
    assert widest == pytest.approx(EXCHANGE + (200 if kind == "async" else 0))


def test_many_collectives_a_step_are_kept_as_few_numbers(hosts_of):
    few, truth = hosts_of(hosts=4, steps=20, late={2: 300.0}, clocks_us=[0, 9e3, -4e3, 100])
    many, _ = hosts_of(
        hosts=4, steps=20, late={2: 300.0}, clocks_us=[0, 9e3, -4e3, 100], collectives=300
    )
    assert max(len(step.end) for step in many[0].meetings.steps) <= 16
    kept = len(pickle.dumps(many[0].meetings)) / 20
    assert kept < 600
    ours, theirs = between_hosts(many), between_hosts(few)
    for one, other in zip(ours.hosts, theirs.hosts, strict=True):
        assert one.caused == pytest.approx(other.caused, rel=0.01)
        zero = truth.clocks[ours.reference]
        off = one.clock.offset.value - (truth.clocks[one.host] - zero)
        assert abs(off) <= one.clock.within / US + 1e-3


def test_collectives_of_each_host_alone_make_clocks_less_certain_not_wrong(hosts_of):
    hosts, truth = hosts_of(
        hosts=4, steps=12, late={2: 300.0}, clocks_us=[0, 9e3, -4e3, 100], local=5
    )
    found = between_hosts(hosts)
    zero = truth.clocks[found.reference]
    for one in found.hosts:
        off = one.clock.offset.value - (truth.clocks[one.host] - zero)
        assert abs(off) <= one.clock.within / US + 1e-3


def test_collectives_that_end_apart_in_every_step_make_clocks_less_certain_not_wrong(hosts_of):
    """As the rings of TensorFlow on CPUs do: each host hands on, and is done, in its turn."""
    hosts, truth = hosts_of(
        hosts=3, steps=12, kind="cpu", clocks_us=[0, 900, -400], jitter=0.5, noise=50.0,
        ring={0: 0.0, 1: 700.0, 2: 350.0},
    )  # fmt: skip
    found = between_hosts(hosts)
    zero = truth.clocks[found.reference]
    for one in found.hosts:
        off = one.clock.offset.value - (truth.clocks[one.host] - zero)
        assert abs(off) <= one.clock.within / US + 1e-3
        assert one.clock.within / US < 700


def test_a_version_or_device_that_is_not_like_the_others_is_named(hosts_of):
    versions = {rank: "2.18.0" if rank == 3 else "2.21.0" for rank in range(5)}
    hosts, _ = hosts_of(hosts=5, versions=versions, devices={1: "Tesla T4"})
    found = {one.what: one for one in between_hosts(hosts).differences}
    version = found.pop("tensorflow_version")
    assert (version.hosts, version.has, version.usual) == (("worker-3",), "2.18.0", "2.21.0")
    device = found.pop("devices")
    assert (device.hosts, device.has) == (("worker-1",), "1 Tesla T4")
    assert not found


def test_another_program_and_another_place_are_told_apart():
    def space(*cpu, gpu=()):
        planes = {
            "/host:CPU": {
                "python": [("train", 0, 90, A_STEP)],
                "tf_Compute/1": [(name, 1, 2) for name in cpu],
            },
            "/device:GPU:0": {
                "Stream #1(Compute)": [("gemm", 5, 5, {"tf_op": name}) for name in gpu]
            },
        }
        return next(iter(breakdowns(capture(planes))))

    usual = brief(host_steps(space("a:Cast", gpu=("b:MatMul", "c:Conv2D"))))
    moved = brief(host_steps(space("a:Cast", "c:Conv2D", gpu=("b:MatMul",))))
    other = brief(host_steps(space("a:Cast", gpu=("b:MatMul", "c:Conv2D", "d:MatMul"))))
    hosts = [replace(usual, host=f"w{at}") for at in range(3)]
    hosts += [replace(moved, host="moved"), replace(other, host="other")]
    ranked = [replace(one, rank=rank) for rank, one in enumerate(hosts)]
    found = {one.what: one for one in between_hosts(ranked).differences}
    assert found["program"].hosts == ("other",)
    assert found["program"].has == "1 more MatMul"
    assert found["placement"].hosts == ("moved",)
    assert found["placement"].has == "1 more Conv2D on CPU, 1 fewer Conv2D on GPU"


def test_the_spread_of_what_waits_for_input(hosts_of):
    waits = {rank: 300.0 if rank == 2 else 20.0 for rank in range(5)}
    hosts, _ = hosts_of(hosts=5, waits=waits)
    found = between_hosts(hosts).input_wait
    assert (found.unlike, found.highest_host, found.hosts) == (("worker-2",), "worker-2", 5)
    assert found.highest == pytest.approx(300 / (WORK + EXCHANGE + 40), rel=0.02)
    assert found.median == pytest.approx(20 / (WORK + EXCHANGE + 40), rel=0.02)


def test_one_host_is_held_against_nobody(hosts_of):
    hosts, _ = hosts_of(hosts=1)
    assert between_hosts(hosts) is None


# --- which collectives are kept


def met_by(planes):
    (found,) = breakdowns(capture(planes))
    return host_meetings(found.planes, found.steps.windows)


def test_a_kernel_counts_for_the_step_that_launched_it():
    """Devices run behind the host."""
    marks = [("train", 100 * n, 90, {"step_num": n, "_r": 1}) for n in range(3)]
    launches = [("cuLaunchKernel", 100 * n + 5, 2, {"correlation_id": n}) for n in range(3)]
    kernels = [(NCCL, 100 * n + 120, 10, {"correlation_id": n}) for n in range(3)]
    found = met_by({
        "/host:CPU": {"python": marks, "driver": launches},
        "/device:GPU:0": {"Stream #1(Compute)": kernels},
    })  # fmt: skip
    assert [step.begin[0] // US for step in found.steps] == [120, 220, 320]


def test_what_does_not_need_everybody_tells_nothing():
    names = ["ncclDevKernel_Broadcast_RING_LL", "ncclDevKernel_SendRecv", "collective-permute.1"]
    found = met_by({
        "/host:CPU": {"python": [("train", 0, 90, A_STEP)]},
        "/device:GPU:0": {"Stream #1(Compute)": [(name, 9, 5) for name in names]},
    })  # fmt: skip
    assert found.steps == ()


def test_a_host_comes_with_its_last_device():
    found = met_by({
        "/host:CPU": {"python": [("train", 0, 90, A_STEP)]},
        "/device:GPU:0": {"Stream #1(Compute)": [(NCCL, 10, 40)]},
        "/device:GPU:1": {"Stream #1(Compute)": [(NCCL, 35, 16)]},
    })  # fmt: skip
    (step,) = found.steps
    assert (step.begin, step.end, step.blocked) == ((35 * US,), (51 * US,), (16 * US,))


def test_half_a_collective_is_none():
    found = met_by({
        "/host:CPU": {"python": [("train", 0, 90, A_STEP)]},
        "/device:GPU:0": {"Stream #1(Compute)": [
            ("all-reduce-start.1", 10, 1), ("all-gather-start.2", 20, 1),
            ("all-gather-done.2", 60, 5), ("all-reduce-done.7", 70, 5),
        ]},
    })  # fmt: skip
    (step,) = found.steps
    assert found.kinds[step.kind].names == ("all-gather.2",)
    assert (step.begin, step.end, step.blocked) == ((20 * US,), (65 * US,), (6 * US,))
