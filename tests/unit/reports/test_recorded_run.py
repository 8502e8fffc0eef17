"""What the record of a run adds to the answers: what ran, how it ended, tracing, epochs, batch."""

import json
import socket

import pytest
from made_runs import (
    CAPTURE,
    LATER,
    capture,
    made_run,
    put,
    put_capture,
    rank_record,
    whole_record,
    write,
)
from run_cli import run

EPOCHS = [
    {"epoch": n, "seconds": 3.0, "data_s": 1.0, "step_s": 1.5, "callbacks_s": 0.1}
    for n in (1, 2)
]  # fmt: skip


def _data(*words):
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    return answer["data"], answer["warnings"]


def _text(*words):
    ran = run(*words)
    assert ran.code == 0, ran.err
    return " ".join(ran.out.split())


def test_the_summary_says_what_ran(tmp_path):
    folder = made_run(tmp_path / "run", 2, strategy="MultiWorkerMirroredStrategy")
    text = _text("summary", folder)
    assert "Run train.py --epochs 3 · TensorFlow 2.21.0, Keras 3.15.1" in text
    assert "2 processes, 1 CPU, MultiWorkerMirroredStrategy" in text
    assert "steps 3 to 7 of 120 captured" in text
    said = _data("summary", folder)[0]["recorded"]
    assert said["program"] == "train.py"
    assert said["arguments"] == ["--epochs", "3"]
    assert (said["first_step"], said["last_step"], said["steps"]) == (3, 7, 120)
    assert said["state"] == "ended"
    assert said["started"] == "2026-11-17T18:45:02.123456Z"


@pytest.mark.parametrize(
    ("changes", "said", "state"),
    [
        ({"state": "failed", "exit_code": 3, "ended_by": "exit"}, "failed with exit code 3", None),
        ({"state": "failed", "exit_code": None, "ended_by": "exception"},
         "failed after an exception", None),
        ({"state": "failed", "exit_code": -15, "ended_by": "signal 15"},
         "ended by signal 15", None),
        ({"state": "running", "exit_code": None, "ended": None, "ended_by": None,
          "host": socket.gethostname(), "pid": 1 << 22},
         "ended without a word (killed?)", "killed"),
        ({"state": "running", "exit_code": None, "ended": None, "ended_by": None, "host": "x"},
         "still running, as far as its record tells", "running"),
    ],
)  # fmt: skip
def test_how_it_ended(tmp_path, changes, said, state):
    folder = made_run(tmp_path / "run", **changes)
    top = {key: changes[key] for key in ("state", "exit_code", "ended_by")}
    write(folder / "run.json", whole_record(**top))
    assert said in _text("summary", folder)
    assert said in _text("doctor", folder)
    if state is not None:
        assert _data("summary", folder)[0]["recorded"]["state"] == state


def test_a_killed_parent_does_not_make_an_ended_run_a_running_one(tmp_path):
    folder = made_run(tmp_path / "run")
    write(folder / "run.json", whole_record(state="running", exit_code=None, ended_by=None))
    assert _data("summary", folder)[0]["recorded"]["state"] == "ended"


def test_what_tracing_cost(tmp_path):
    folder = made_run(tmp_path / "run")
    found = _data("steps", folder)[0]["overhead"]
    assert found["traced_us"] == 10_550
    assert found["untraced_us"] == 10_000
    assert found["share"] == pytest.approx(0.055)
    assert found["share_kind"] == "estimated"
    assert (found["traced_steps"], found["untraced_steps"]) == (4, 5)
    assert "Tracing ~5.5% longer than untraced steps" in _text("steps", folder)


@pytest.mark.parametrize("untraced", [[], [10_000.0], [0.0, 0.0, 0.0], None])
def test_without_enough_steps_nothing_is_said_of_tracing(tmp_path, untraced):
    steps = {**rank_record()["steps"], "untraced_us": untraced}
    folder = made_run(tmp_path / "run", steps=steps)
    assert "overhead" not in _data("steps", folder)[0]


def test_where_epochs_went(tmp_path):
    folder = made_run(tmp_path / "run", epochs=EPOCHS)
    first = _data("steps", folder)[0]["epochs"][0]
    assert first["time_us"] == 3_000_000
    assert first["data_us"] == 1_000_000
    assert first["other_us"] == pytest.approx(400_000)
    assert "validation_us" not in first
    text = _text("steps", folder)
    assert "epoch time data steps callbacks other" in text
    assert "1 3.000 s 1.000 s 1.500 s 100.0 ms 400.0 ms" in text


@pytest.mark.parametrize("command", ["summary", "steps", "layers", "timeline", "doctor"])
def test_dropped_events_are_warned_of(tmp_path, command):
    folder = made_run(tmp_path / "run", captures=[capture(CAPTURE, events_dropped=4_000)])
    said = "the tracer dropped 4,000 events"
    assert any(said in one for one in _data(command, folder)[1])


def test_what_the_recorder_warned_of_is_said_again(tmp_path):
    folder = made_run(tmp_path / "run", warnings=["the disk was full"])
    assert "while it ran: the disk was full" in _text("summary", folder)
    assert "while it ran: the disk was full" in _text("doctor", folder)


@pytest.fixture
def open_batch(tmp_path):
    """The graph leaves the batch open; the run had 32."""
    folder = made_run(tmp_path / "run")
    put("keras_mlp_train.graph.pb", folder / "rank-0" / "graph.pb")
    put("keras_mlp_train_vars.json", folder / "rank-0" / "graph_vars.json")
    return folder


def test_an_open_batch_is_that_of_the_run(open_batch):
    files = [open_batch / "rank-0" / name for name in ("graph.pb", "graph_vars.json")]
    said = "the batch is 32, as in the run"
    for command, key in (("summary", "flops_all"), ("layers", "rows"), ("memory", "batches")):
        found, warnings = _data(command, open_batch)
        assert any(said in one for one in warnings), command
        alone = _data(command, *files, "--batch", "32")[0]
        if command == "layers":
            totals = [[row["flops"] for row in one[key]] for one in (found, alone)]
            assert sum(filter(None, totals[0])) == sum(filter(None, totals[1]))
        else:
            assert found[key] == alone[key]
        asked, warnings = _data(command, open_batch, "--batch", "8")
        assert not any(said in one for one in warnings)
    assert found["batches"][0]["batch"] == 32
    assert asked["batches"][0]["batch"] == 8


def test_a_batch_that_is_fixed_stays_as_it_is(tmp_path):
    folder = made_run(tmp_path / "run")
    for command in ("summary", "layers", "memory"):
        assert not any("as in the run" in one for one in _data(command, folder)[1])


def test_hostile_texts_do_not_reach_the_screen(tmp_path):
    program = {"script": "\x1b[31mx\n.py", "module": None, "arguments": ["\u202e", "x" * 5000]}
    folder = made_run(tmp_path / "run", program=program, warnings=["\x1b[2J"])
    write(folder / "run.json", whole_record(program=program))
    for command in ("summary", "doctor"):
        out = run(command, folder).out
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_layers_are_called_as_the_program_called_them(tmp_path):
    rows = [("conv", "Conv2D", "small_1/first_1"), ("pool", "MaxPooling2D", "small_1/pool_1"),
            ("last", "Dense", "small_1/last_9"), ("gone", "Dense", "small_1/gone_1")]  # fmt: skip
    layers = [{"name": name, "class": kind, "scope": scope} for name, kind, scope in rows]
    folder = made_run(tmp_path / "run", model={"name": "small", "layers": layers})
    found = {row["layer"]: row for row in _data("layers", folder)[0]["rows"]}
    assert {"conv", "pool", "last", "flat_1"} <= found.keys()
    assert found["conv"]["class"] == "Conv2D"
    assert found["last"]["class"] == "Dense"
    alone = [folder / "rank-0" / name for name in ("graph.pb", "graph_vars.json", "plugins")]
    before = {row["layer"]: row for row in _data("layers", *alone)[0]["rows"]}
    assert found["conv"]["time_us"] == before["first_1"]["time_us"]
    assert found["last"]["params"] == before["last_1"]["params"]
    text = _text("layers", folder)
    assert "first_1" not in text
    assert "first_1" in _text("layers", folder, "--by", "scope")


def test_a_layer_inside_another_has_both_names(tmp_path):
    rows = [("whole", "Sequential", "small_1"), ("conv", "Conv2D", "small_1/first_1")]
    layers = [{"name": name, "class": kind, "scope": scope} for name, kind, scope in rows]
    folder = made_run(tmp_path / "run", model={"name": "outer", "layers": layers})
    found = {row["layer"]: row for row in _data("layers", folder)[0]["rows"]}
    assert found["whole/conv"]["class"] == "Conv2D"
    assert found["whole"]["class"] == "Sequential"
    assert "last_1" not in found, "it stands in the scope of the one around it"


def test_names_that_would_not_tell_layers_apart_are_left_alone(tmp_path):
    layers = [{"name": "same", "class": "Dense", "scope": f"small_1/{scope}"}
              for scope in ("first_1", "last_1")]  # fmt: skip
    folder = made_run(tmp_path / "run", model={"name": "small", "layers": layers})
    assert "first_1" in {row["layer"] for row in _data("layers", folder)[0]["rows"]}


def test_processes_that_were_sampled_are_called_by_their_addresses(tmp_path):
    """As `tfprof capture` writes them: of the program nothing is known."""
    folder = made_run(tmp_path / "run", 2)
    nothing = dict.fromkeys(("program", "task", "pid", "versions", "devices", "batch", "steps"))
    options = {"duration_s": 2.0}
    for rank in (0, 1):
        host = f"localhost:{6009 + rank}"
        record = rank_record(rank, 2, **nothing, host=host, options=options, model=None)
        write(folder / f"rank-{rank}" / "run.json", record)
    missing = [{"host": "other:6009", "why": "nobody listens there"}]
    top = whole_record("rank-0", "rank-1", program=None, options=options, left_out=missing)
    write(folder / "run.json", top)
    found, warnings = _data("steps", folder)
    names = [one["host"] for one in found["hosts"]]
    assert names == ["rank 0 (localhost:6009)", "rank 1 (localhost:6010)"]
    assert "other:6009 is not in it: nobody listens there" in warnings
    assert "Run 2 processes · sampled for 2.000 s" in _text("summary", folder)
    assert "/host:rank 1 (localhost:6010)/cpu:0" in _data("placement", folder)[0]["devices"]


def test_ops_without_a_scope_are_no_layers_of_a_keras_model(tmp_path):
    """Those of metrics: who recorded the run knows all layers."""
    folder = made_run(tmp_path / "run")
    put("keras_mlp_train.graph.pb", folder / "rank-0" / "graph.pb")
    put("keras_mlp_train_vars.json", folder / "rank-0" / "graph_vars.json")
    known = {row["layer"] for row in _data("layers", folder)[0]["rows"]}
    files = [folder / "rank-0" / name for name in ("graph.pb", "graph_vars.json")]
    guessed = {row["layer"] for row in _data("layers", *files)[0]["rows"]}
    assert known - {"(no layer)"} <= guessed | {"dense"}


def test_the_captures_of_a_long_run_are_listed(tmp_path):
    captures = [capture("2026_11_17_18_40_00"), capture(CAPTURE, kept_as="slowest"),
                capture(LATER, 1000, 1004, step_us=[])]  # fmt: skip
    folder = made_run(tmp_path / "run", captures=captures)
    assert "captures" not in _data("steps", folder)[0]  # the others are deleted
    put_capture(folder / "rank-0", LATER)
    rows = _data("steps", folder)[0]["captures"]
    assert [(one["capture"], one["first_step"], one["read"]) for one in rows] == [
        (CAPTURE, 3, False), (LATER, 1000, True),
    ]  # fmt: skip
    assert (rows[0]["median_us"], rows[0]["kept_as"]) == (10_550, "slowest")
    assert "median_us" not in rows[1]
    text = _text("steps", folder)
    assert f"{CAPTURE} 3 to 7 10.55 ms slowest" in text
    assert f"{LATER} 1,000 to 1,004 ? shown" in text
