"""A recording without TensorFlow: steps are counted, nothing raises, the record is right."""

import json
import subprocess
import sys
import threading
import time

import pytest

from tfprof.live.recording.plan import Plan
from tfprof.live.recording.recorder import Recorder
from tfprof.live.recording.run_folder import About


@pytest.fixture
def recorder(tmp_path):
    made = Recorder(tmp_path, Plan(enabled=False), About())
    yield made
    made.close("exit")


def _record(recorder):
    return json.loads((recorder.folder / "run.json").read_text())


def test_steps_are_counted_over_the_whole_program(recorder):
    for _ in range(5):
        with recorder.step("function", "train"):
            pass
    with recorder.step("fit", count=4):
        pass
    recorder.close("exit", 0)
    told = _record(recorder)
    assert told["steps"]["count"] == 9
    assert (told["steps"]["kind"], told["steps"]["name"]) == ("function", "train")
    assert len(told["steps"]["untraced_us"]) == 3  # of five, two warm up; the last has no period
    assert (told["state"], told["exit_code"], told["captures"]) == ("ended", 0, [])


def test_the_work_of_a_step_is_that_of_all_threads(recorder):
    def work():
        until = time.thread_time_ns() + 20_000_000
        while time.thread_time_ns() < until:
            pass

    for _ in range(6):
        with recorder.step("function", "train"):
            beside = threading.Thread(target=work)
            beside.start()
            work()
            beside.join()
    recorder.close("exit", 0)
    told = _record(recorder)["steps"]
    assert len(told["untraced_cpu_us"]) == len(told["untraced_us"]) == 3
    assert all(one >= 40_000 for one in told["untraced_cpu_us"])


def test_a_step_in_a_step_is_none(recorder):
    with recorder.step("fit"), recorder.step("function"), recorder.step("session"):
        pass
    assert recorder.count == 1


def test_evaluation_is_no_training(recorder):
    for kind in ("evaluate", "predict", "fit", "evaluate"):
        with recorder.step(kind):
            pass
    assert recorder.count == 1


def test_a_soft_step_gives_way_to_the_steps_inside(recorder):
    token = recorder.begin("marked", "main", soft=True)
    for _ in range(3):
        with recorder.step("fit"):
            pass
    recorder.end(token)
    assert recorder.count == 3
    recorder.end(recorder.begin("marked", "train", soft=True))
    assert recorder.count == 4
    recorder.close("exit")
    assert _record(recorder)["steps"]["kind"] == "fit"


def test_a_step_without_data_is_taken_back(recorder):
    recorder.end(recorder.begin("fit"))
    recorder.cancel(recorder.begin("fit"))
    recorder.end(recorder.begin("fit"))
    assert recorder.count == 2


def test_steps_of_many_threads_all_count(recorder):
    def loop():
        for _ in range(200):
            with recorder.step("function"):
                pass

    threads = [threading.Thread(target=loop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recorder.count == 800


def test_an_exception_in_a_step_is_the_programs_own(recorder):
    with pytest.raises(ZeroDivisionError), recorder.step("function"):
        raise ZeroDivisionError
    with recorder.step("function"):
        pass
    assert recorder.count == 2


def test_a_fault_of_ours_ends_the_recording_not_the_program(recorder, monkeypatch, capsys):
    def broken(*_):
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(recorder._schedule, "plan", None)
    monkeypatch.setattr(type(recorder._schedule), "begins", broken)
    for _ in range(3):
        with recorder.step("function"):
            pass
    assert recorder.is_off
    told = capsys.readouterr().err
    assert told.count("tfprof: the recording has ended, training goes on") == 1
    assert "a fault of ours" in told


def test_a_folder_that_is_gone_is_told_once(tmp_path, capsys):
    recorder = Recorder(tmp_path / "rank-0", Plan(enabled=False), About())
    (tmp_path / "rank-0").rename(tmp_path / "elsewhere")
    recorder.warn("once")
    recorder.warn("once")
    recorder.close("exit")
    recorder.close("exit")
    told = capsys.readouterr().err
    assert told.count("tfprof: once") == 1
    assert told.count("run.json cannot be written") == 1


def test_without_tensorflow_a_capture_fails_and_steps_go_on(tmp_path):
    """In a process of its own, where nobody has loaded TensorFlow."""
    script = (
        "import sys, pathlib\n"
        "from tfprof.live.recording.plan import Plan\n"
        "from tfprof.live.recording.recorder import Recorder\n"
        "from tfprof.live.recording.run_folder import About\n"
        "recorder = Recorder(pathlib.Path(sys.argv[1]), Plan(every=2), About())\n"
        "for _ in range(20):\n"
        "    with recorder.step('function'): pass\n"
        "recorder.close('exit', 0)\n"
        "light = {'numpy', 'google.protobuf', 'tensorflow', 'keras'} & set(sys.modules)\n"
        "print(recorder.count, sorted(light))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["20", "[]"]
    assert done.stderr.count("no capture at step") == 3
    assert "3 captures in a row failed; no more are tried" in done.stderr


def test_numbers_go_on_after_a_restart(tmp_path):
    plan = Plan(every=1000)
    for expected in (7, 14):
        recorder = Recorder(tmp_path, plan, About())
        # as if it were another process
        for _ in range(7):
            with recorder.step("function"):
                pass
        assert recorder.count == expected
        recorder.close("exit")
    again = Recorder(tmp_path, plan, About(), first_step=11)
    assert again.count == 10
    again.close("exit")
    afresh = Recorder(tmp_path, Plan(), About())
    assert afresh.count == 0
    afresh.close("exit")


def test_where_tensorflow_is_not_installed_nothing_is_made(tmp_path):
    """In a process of its own, in which it cannot be found."""
    script = (
        "import sys, importlib.util\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda n, *_: None if n == 'tensorflow' else found(n)\n"
        "import tfprof\n"
        "try:\n"
        "    with tfprof.capture(sys.argv[1]): pass\n"
        "except tfprof.TfprofError as fault:\n"
        "    print(type(fault).__name__, fault.exit_code, fault)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "logs")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "ExtraMissing 6 a capture needs tensorflow\n"
    assert not (tmp_path / "logs").exists()
