"""Sessions of several hosts: read together, one by one and by other processes they say the same."""

import gc
import gzip
import json
import pickle
import subprocess
import sys
import weakref

import pytest
from conftest import TESTS
from many_hosts import capture, session
from run_cli import run

import tfprof
from tfprof.sources.find import many_hosts
from tfprof.sources.find.trace_files import TraceFile
from tfprof.workers import local

QUESTIONS = (
    ("steps",),
    ("steps", "--step", "3"),
    ("steps", "--gaps"),
    ("layers",),
    ("layers", "--by", "op"),
    ("layers", "--by", "thread"),
    ("summary",),
    ("memory",),
    ("timeline",),
    ("input",),
    ("advise", "--all"),
)


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """Of eight hosts one is slow, one is missing, and of one there is only the beginning."""
    folder = tmp_path_factory.mktemp("hosts") / "job"
    return session(folder, 8, name="fast-trace-bfc", slow={2}, missing={3}, cut={5})


@pytest.fixture
def one_by_one(monkeypatch):
    monkeypatch.setattr(many_hosts, "KEPT_UP_TO", 0)


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
def test_hosts_read_one_by_one_say_what_hosts_read_together_say(job, words, monkeypatch):
    together = run(*words, str(job), "--json")
    assert together.code == 0
    monkeypatch.setattr(many_hosts, "KEPT_UP_TO", 0)
    assert run(*words, str(job), "--json").out == together.out


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("one_by_one")
def test_so_do_hosts_read_by_other_processes(job, monkeypatch):
    alone = run("steps", str(job), "--json").out
    asked = []
    monkeypatch.setattr(local, "_POOL_FROM", 0)
    pooled = local._pooled
    monkeypatch.setattr(local, "_pooled", lambda *words: asked.append(1) or pooled(*words))
    monkeypatch.setattr(local, "cores", lambda: 2)
    assert run("steps", str(job), "--json").out == alone
    assert asked


@pytest.mark.parametrize(
    "words",
    [("steps",), ("layers", "--by", "op"), ("summary",), ("memory",), ("input",), ("advise",)],
)
@pytest.mark.usefixtures("one_by_one")
def test_each_host_is_read_once_and_none_beside_another(job, monkeypatch, words):
    """Memory over time needs the time of all, and is asked a second time."""
    held, most, reads = [], [], []
    read = many_hosts._AskHost.__call__

    def counted(self, one):
        reads.append(one.name)
        held.append(one.name)
        most.append(len(held))
        try:
            return read(self, one)
        finally:
            held.pop()

    monkeypatch.setattr(many_hosts._AskHost, "__call__", counted)
    monkeypatch.setattr("tfprof.reports.advise.answer._MANY_EVENTS", 0)
    assert run(*words, str(job), "--json").code == 0
    assert max(most) == 1
    assert len(reads) == 7 * (2 if words == ("memory",) else 1)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    """Hosts that wait for their input."""
    return session(tmp_path_factory.mktemp("hosts") / "waiting", 3, name="slow-cb")


@pytest.fixture(scope="module")
def placed_graph(tmp_path_factory):
    """A graph that names devices."""
    path = tmp_path_factory.mktemp("graph") / "graph.pb"
    packed = TESTS / "data" / "two_cpus" / "graph.pb.gz"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


@pytest.mark.parametrize("graph", [False, True], ids=["alone", "with a graph"])
@pytest.mark.parametrize("words", [("summary",), ("advise", "--all"), ("memory",), ("input",)])
def test_what_is_asked_of_hosts_is_asked_where_they_are_read(
    waiting, placed_graph, words, graph, monkeypatch
):
    """Whatever a graph adds to the question, and however small they are: none is read here."""
    paths = [waiting, placed_graph] if graph else [waiting]
    together = run(*words, *paths)
    assert words != ("summary",) or "Advice" in together.out
    again, trace = [], TraceFile.trace
    monkeypatch.setattr(TraceFile, "trace", lambda one: again.append(one.host) or trace(one))
    monkeypatch.setattr(many_hosts, "KEPT_UP_TO", 0)
    assert run(*words, *paths).out == together.out
    assert not again


def test_who_is_slow_missing_or_cut_off_is_named(job):
    answer = json.loads(run("steps", str(job), "--json").out)
    data = answer["data"]
    assert [one["host"] for one in data["hosts"]] == [f"worker-{at}" for at in (0, 1, 2, 4, 6, 7)]
    assert [one["name"] for one in data["stragglers"]] == ["worker-2"]
    assert data["left_out"] == [
        {"host": "worker-3", "why": "no capture of it, though there are worker-0 to worker-7"},
        {"host": "worker-5", "why": "its file ends early: 8 of 8 steps are missing"},
    ]
    assert any(one.startswith("worker-5 is left out") for one in answer["warnings"])
    text = run("steps", str(job)).out
    assert "worker-3  no capture of it" in text
    assert "7 x XPlane" in text


_MISSING = "worker-3 is left out: no capture of it, though there are worker-0 to worker-7"
_CUT = "worker-5 is left out: its file ends early: 8 of 8 steps are missing"


_OF_STEPS = _CUT.replace("is left out", "is left out of what is told of steps")


@pytest.mark.parametrize("words", [("input",), ("advise",), ("layers",), ("summary",), ("steps",)])
def test_what_is_told_of_steps_is_told_without_who_was_cut_off(job, words):
    assert _CUT in json.loads(run(*words, str(job), "--json").out)["warnings"]
    assert words == ("steps",) or _CUT in " ".join(run(*words, str(job)).out.split())


def test_who_was_cut_off_waits_for_no_input(tmp_path):
    """A part of its steps would tell how long it waits in no more than these."""
    folder = session(tmp_path / "job", 3, name="fast-trace-bfc", cut={1})
    hosts = [
        one["host"]
        for one in json.loads(run("input", str(folder), "--json").out)["data"]["pipelines"]
    ]
    assert {*hosts} == {"worker-0", "worker-2"}


@pytest.mark.parametrize("words", [("memory",), ("timeline",), ("check", "--max-step-time", "1s")])
def test_what_is_told_of_all_that_was_read_names_who_is_missing_elsewhere(job, words):
    said = json.loads(run(*words, str(job), "--json").out)["warnings"]
    assert _OF_STEPS in said
    assert _OF_STEPS in " ".join(run(*words, str(job)).out.split())


def test_a_timeline_says_of_which_events_nothing_tells_the_name(tmp_path):
    folder = session(tmp_path / "job", 2, cut={1})
    said = run("timeline", str(folder)).out
    assert "└(no name)" in said
    assert not any(line.split() == ["└"] for line in said.splitlines())


@pytest.mark.parametrize("columns", ["80", "120"])
def test_a_lane_stands_below_its_host(tmp_path, monkeypatch, columns):
    folder = session(tmp_path / "job", 3)
    for at in range(3):
        name = folder / f"worker-{at}.xplane.pb"
        name.rename(folder / f"a-training-job-with-a-long-name-worker-{at}.xplane.pb")
    monkeypatch.setenv("COLUMNS", columns)
    lines = run("timeline", str(folder)).out.splitlines()
    for at in range(3):
        below = lines[lines.index(f"a-training-job-with-a-long-name-worker-{at}") + 1]
        assert below.startswith("  ")
        assert below.endswith("%")
    assert "/host:" not in "".join(lines)


def test_a_page_names_who_was_cut_off(job, tmp_path):
    made = run("report", str(job), "-o", str(tmp_path / "page.html"))
    assert made.code == 0
    assert _OF_STEPS in (tmp_path / "page.html").read_text()


def test_the_doctor_tells_how_far_a_file_was_used(job, monkeypatch):
    """Also of a folder that is named from where one is."""
    monkeypatch.chdir(job.parent)
    rows = json.loads(run("doctor", job.name, "--json").out)["data"]["found"]
    why = {one["path"].rpartition("/")[2]: one["why"] for one in rows}
    told = "up to its end, not for steps"
    assert why.pop("worker-5.xplane.pb") == told
    assert {*why.values()} == {None}
    assert f"used, {told}" in " ".join(run("doctor", str(job)).out.split())


def test_a_history_names_the_hosts_that_a_run_is_told_without(job):
    found = json.loads(run("log", str(job), "--json").out)
    assert f"{job}: {_MISSING}; {_CUT}" in found["warnings"]
    assert found["data"]["index"]["read"] == 1
    again = json.loads(run("log", str(job), "--json").out)
    assert again["data"]["index"]["known"] == 1
    assert again["warnings"] == found["warnings"]
    assert "worker-5 is left out" in " ".join(run("log", str(job)).out.split())


def test_a_screen_names_the_hosts_of_some_runs_of_a_history(tmp_path):
    for at in range(5):
        session(tmp_path / f"job{at}", 5, name="tiny-htl1", missing={2})
    words = ("log", *(str(tmp_path / f"job{at}") for at in range(5)), "--no-index")
    assert run(*words).out.count("worker-2 is left out") == 3
    assert "2 more runs without all hosts" in " ".join(run(*words).out.split())
    warnings = json.loads(run(*words, "--json").out)["warnings"]
    assert sum("worker-2 is left out" in one for one in warnings) == 5


def test_a_comparison_names_the_hosts_that_a_side_is_told_without(job, waiting):
    said = " ".join(run("diff", str(waiting), str(job)).out.split())
    assert f"{job}: {_MISSING}" in said
    assert f"{job}: {_CUT}" in said
    assert f"{job}: steps are those of worker-0, the first of 6 hosts" in said


def test_a_host_that_cannot_be_read_is_left_out(tmp_path):
    folder = session(tmp_path / "job", 3)
    whole = json.loads(run("summary", str(folder), "--json").out)["data"]
    (folder / "worker-3.xplane.pb").write_bytes(b"\x0a\x05\x12\x7fabc" * 9)
    found = json.loads(run("steps", str(folder), "--json").out)
    assert [one["host"] for one in found["data"]["hosts"]] == ["worker-0", "worker-1", "worker-2"]
    (left,) = found["data"]["left_out"]
    assert left["host"] == "worker-3"
    assert [one["path"] for one in found["inputs"]] == [
        str(folder / f"worker-{at}.xplane.pb") for at in range(3)
    ]
    again = json.loads(run("summary", str(folder), "--json").out)["data"]
    assert again["time"] == whole["time"]
    assert again["capture"]["left_out"] == [left]


def test_hosts_of_which_none_can_be_read_are_an_error(tmp_path):
    for at in range(2):
        (tmp_path / f"w{at}.xplane.pb").write_bytes(b"\x0a\x05\x12\x7fabc" * 9)
    assert run("steps", str(tmp_path / "w0.xplane.pb"), str(tmp_path / "w1.xplane.pb")).code in (
        3,
        4,
    )


def test_a_host_cut_off_behind_its_steps_counts(tmp_path):
    folder = session(tmp_path / "job", 3)
    data = capture("slow-cb", 1)
    (folder / "worker-1.xplane.pb").write_bytes(data + b"\x0a\x7f")
    found = json.loads(run("steps", str(folder), "--json").out)
    assert len(found["data"]["hosts"]) == 3
    assert found["data"]["left_out"] == []
    assert any("ends early" in one for one in found["warnings"])


def test_what_many_say_is_said_once(tmp_path):
    for at in range(6):
        (tmp_path / f"w{at}.xplane.pb").write_bytes(capture("tiny-htl1", at))
    warnings = json.loads(run("timeline", str(tmp_path), "--json").out)["warnings"]
    assert sum("has no TensorFlow ops" in one for one in warnings) == 1
    assert any(one.endswith("5 more hosts say the like") for one in warnings)


def test_nothing_of_dask_is_loaded_without_a_scheduler(job):
    program = (
        "import sys\nfrom tfprof.cli.main import main\nmain(sys.argv[1:])\n"
        "assert not {'dask', 'distributed', 'concurrent.futures.process'} & sys.modules.keys()\n"
    )
    command = [sys.executable, "-c", program, "steps", str(job), "--json"]
    subprocess.run(command, check=True, capture_output=True)


def test_a_scheduler_without_the_extra_names_it(job, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = run("steps", str(job), "--scheduler", "tcp://127.0.0.1:1")
    assert found.code == 6
    assert "tfprof[scale]" in found.err


def test_a_file_of_the_project_names_no_scheduler(job, tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[tool.tfprof]\nscheduler = "tcp://10.0.0.1:8786"\n')
    monkeypatch.chdir(tmp_path)
    found = run("steps", str(job))
    assert found.code == 2
    assert "where it may not be" in found.err


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (["worker-0", "worker-1", "worker-3", "worker-4", "worker-5"], ["worker-2"]),
        (["w08", "w09", "w11", "w12", "w13"], ["w10"]),
        (["a-3-b", "a-4-b", "a-6-b", "a-7-b", "a-8-b"], ["a-5-b"]),
        # ranks are counted from the beginning: few are enough
        (["worker-0", "worker-2"], ["worker-1"]),
        (["worker-0", "worker-3", "worker-4"], ["worker-1", "worker-2"]),
        (["host_01", "host_04", "host_02"], ["host_03"]),
        # a gap in other two tells nothing, nor do numbers with more gaps than members
        (["node-5", "node-7"], []),
        (["worker-0", "worker-4"], []),
        (["ip-10-0-0-1", "ip-10-0-0-3"], []),
        (["10.0.0.1", "10.0.0.3"], []),
        (["2026-11-1", "2026-11-3"], []),
        (["ip-10-0-0-5", "ip-10-0-0-91", "ip-10-0-0-200"], []),
        (["node-1a2b", "node-77", "vm"], []),
    ],
)
def test_gaps_in_names_are_hosts_that_are_missing(names, missing):
    from tfprof.sources.find.host_names import missing_between

    assert [one.host for one in missing_between(names)] == missing


_FROM_PYTHON = {
    "summary": lambda profile: profile.summary(),
    "steps": lambda profile: profile.steps(hosts=True),
    "layers": lambda profile: profile.layers(by="op"),
    "input": lambda profile: profile.input(),
    "memory": lambda profile: profile.memory(),
    "timeline": lambda profile: profile.timeline(),
    "advise": lambda profile: profile.advise(all=True),
    "placement": lambda profile: profile.placement(),
    "scope": lambda profile: profile.scope(),
}
# how many hosts are looked at with all their events: the critical path is that of one of them
_LOOKED_AT = {"scope": 7, "timeline": 1}


@pytest.mark.parametrize("question", _FROM_PYTHON)
def test_from_python_hosts_are_asked_one_by_one(job, question, monkeypatch):
    """Whatever is asked after they were loaded; out of a pickle, too."""
    ask = _FROM_PYTHON[question]
    together = ask(tfprof.load(job)).to_json()
    again, trace = [], TraceFile.trace
    monkeypatch.setattr(TraceFile, "trace", lambda one: again.append(one.host) or trace(one))
    monkeypatch.setattr(many_hosts, "KEPT_UP_TO", 0)
    profile = tfprof.load(job)
    assert ask(profile).to_json() == together
    assert ask(pickle.loads(pickle.dumps(profile))).to_json() == together
    assert len({*again}) == _LOOKED_AT.get(question, 0)
    # what was looked at is kept
    seen = len(again)
    assert ask(profile).to_json() == together
    assert len(again) == seen


def test_a_summary_and_the_steps_are_known_when_hosts_are_loaded(job, monkeypatch):
    monkeypatch.setattr(many_hosts, "KEPT_UP_TO", 0)
    monkeypatch.setattr("tfprof.reports.advise.answer._MANY_EVENTS", 0)
    profile = tfprof.load(job)
    read = many_hosts._AskHost.__call__
    asked = []
    monkeypatch.setattr(
        many_hosts._AskHost, "__call__", lambda self, one: asked.append(one) or read(self, one)
    )
    profile.summary()
    profile.steps()
    assert not asked
    profile.input()
    # who was cut off is left out, which is known by then
    assert len(asked) == 6


@pytest.mark.usefixtures("one_by_one")
def test_what_a_graph_adds_to_a_question_is_not_given_to_another(tmp_path):
    """Advice asks for the times of ops alone, a table of ops also for what they compute."""
    packed = TESTS / "data" / "traced_step"
    for at in range(2):
        data = gzip.decompress((packed / "vm.xplane.pb.gz").read_bytes())
        (tmp_path / f"worker-{at}.xplane.pb").write_bytes(data)
    (tmp_path / "graph.pb").write_bytes(gzip.decompress((packed / "graph.pb.gz").read_bytes()))
    paths = sorted(tmp_path.iterdir())
    alone = tfprof.load(*paths).layers(by="op").to_json()
    profile = tfprof.load(*paths)
    profile.advise()
    assert profile.layers(by="op").to_json() == alone


@pytest.mark.usefixtures("one_by_one")
def test_a_host_that_is_asked_again_is_not_kept(waiting, placed_graph, monkeypatch):
    """Advice remembers what it finds, and asks hosts again where a graph is given."""
    held = []
    made = many_hosts.TraceAtHand

    def counted(trace):
        gc.collect()
        held.append(sum(one() is not None for one in seen))
        seen.append(weakref.ref(trace.space.planes[0].events.duration_ps))
        return made(trace)

    seen = []
    monkeypatch.setattr(many_hosts, "TraceAtHand", counted)
    run("advise", waiting, placed_graph)
    assert len(held) > 3
    assert max(held) <= 1


def test_memory_names_the_device_whose_blocks_are_told(job):
    said = " ".join(run("memory", str(job)).out.split())
    assert "Highest /host:worker-0/cpu:0; the lines below are of it" in said
