"""Device time by op, layer, phase, category, kernel and all the rest adds up to the same."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_traces import capture, spaces

from tfprof.analyses.runtime.host_times import OpTimesQuery, op_times_of
from tfprof.analyses.runtime.kernels import of_space
from tfprof.analyses.runtime.op_events import op_events
from tfprof.analyses.runtime.step_average import step_average
from tfprof.model.hosts import Hosts
from tfprof.model.kernel_lines import lines_that_count
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.sources.xplane.ops import executions

QUICKLY = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
BY = ("op", "node", "scope", "layer", "device", "thread", "phase", "category", "source")
# annotations of all times: today's, those before, and what is no op
ANNOTATIONS = st.sampled_from(
    [
        {},
        {"tf_op": "model/dense/MatMul:MatMul"},
        {"tf_op": "XlaModule:", "hlo_op": "fusion.1", "hlo_module": "jit_f"},
        {"level 0": "replica_1/model/dense/MatMul:MatMul"},
        {"annotation": "gradient_tape/model/dense/MatMul:MatMul#shape=()#"},
        {"level 0": "MakeTensorFromProto"},
        {"tf_op": "jit(f)/transpose(jvp(Model))/Dense_0/dot_general:dot_general"},
    ]
)
KERNELS = st.sampled_from(
    ["gemm", "MemcpyH2D", "MemcpyD2H", "Memset", "ncclDevKernel_AllReduce", "void k<a<b>>(int)"]
)
EVENTS = st.lists(
    st.tuples(KERNELS, st.integers(0, 50), st.integers(0, 20), ANNOTATIONS), max_size=12
)
LINES = st.sampled_from(["Stream #1(Compute)", "Stream #2", "TensorFlow Ops", "Steps"])
DEVICES = st.dictionaries(
    st.sampled_from(["/device:GPU:0", "/device:GPU:1"]),
    st.dictionaries(LINES, EVENTS, min_size=1, max_size=3),
)


def profile(space):
    rows, threads = executions(space)
    trace = Trace(rows, (), threads=threads, space=space)
    return ProfileData("made", (), hosts=Hosts.of(trace)), trace


def recorded(space):
    """What stands on the lines that tell each kernel once, where nothing encloses anything."""
    found = 0
    for plane in space.devices:
        for line, counts in enumerate(lines_that_count(plane).tolist()):
            if counts:
                found += int(plane.events.duration_ps[plane.rows_of_line(line)].sum())
    return found


def adds_up(space):
    data, trace = profile(space)
    runs = op_events(trace)
    whole = int(runs.self_ps[runs.on_device].sum())
    for by in BY:
        rows = op_times_of(data, OpTimesQuery(by)).rows
        assert sum(row.side(on_device=True).self_ps for row in rows) == whole, by
        host = int(runs.self_ps[~runs.on_device].sum())
        assert sum(row.side(on_device=False).self_ps for row in rows) == host, by
    assert sum(row.total_ps for row in of_space(space).rows) == whole
    return whole


@QUICKLY
@given(DEVICES)
def test_every_cut_of_a_device_adds_up(devices):
    space = capture({"/host:CPU": {"python": [("train", 0, 99)]}, **devices})
    whole = adds_up(space)
    # kernels that lie inside others of their stream count once
    assert whole <= recorded(space)
    average = step_average(profile(space)[1])
    assert round(sum(average.phases.values()), 6) == round(average.op_us, 6)
    assert average.device_us in (None, average.op_us)


@QUICKLY
@given(spaces(hosts=1))
def test_every_cut_of_any_capture_adds_up(space):
    adds_up(space)
