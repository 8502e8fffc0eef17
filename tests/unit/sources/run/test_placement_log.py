"""The lines of log_device_placement, as several versions of TensorFlow write them."""

import time
from pathlib import Path

import pytest

from tfprof.errors import EmptyFile, PathNotFound, WrongKind
from tfprof.sources.run.placement_log import read_placement_log

LOGS = Path(__file__).parents[3] / "logs"
CPU = "/job:localhost/replica:0/task:0/device:CPU:"


def test_a_session_logs_each_node():
    log = read_placement_log(LOGS / "two_cpus.log")
    lines = [
        line for line in (LOGS / "two_cpus.log").read_text().splitlines() if "placer.cc" in line
    ]
    assert len(log.placed) == len(lines) > 100
    assert log.placed["first/matmul"] == (CPU + "0",)
    assert log.placed["second/matmul"] == (CPU + "1",)
    assert log.placed["loss/Tanh"] == (CPU + "0",)
    assert not log.executed


def test_tensorflow_2_logs_functions_and_single_ops():
    log = read_placement_log(LOGS / "two_cpus_function.log")
    assert log.placed["matmul"] == (CPU + "1",)
    assert log.placed["Relu"] == (CPU + "0",)
    assert log.executed["VarHandleOp", CPU + "0"] == 1
    assert log.runs_on(CPU + "0") == sum(log.executed.values()) > 3


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("MatMul: (MatMul): {}", "MatMul"),
        ("I tensorflow/core/common_runtime/simple_placer.cc:872] b: (Const){}", "b"),
        ("layer/mul: {}", "layer/mul"),
    ],
)
def test_early_lines(tmp_path, line, name):
    device = "/job:localhost/replica:0/task:0/gpu:0"
    line = line.format(device)
    path = tmp_path / "train.log"
    path.write_text(f"step 1: loss 0.3\n{line}\n{line}\nDevice mapping: no known devices.\n")
    assert dict(read_placement_log(path).placed) == {name: (device,)}


def test_placing_and_executing_single_ops(tmp_path):
    path = tmp_path / "train.log"
    path.write_text(f"Executing op Mul in device {CPU}0\nPlacing op Mul on device {CPU}0\n" * 2)
    assert dict(read_placement_log(path).executed) == {("Mul", CPU + "0"): 4}


def test_a_log_of_something_else_is_refused(tmp_path):
    path = tmp_path / "train.log"
    with pytest.raises(PathNotFound):
        read_placement_log(path)
    path.write_bytes(b"")
    with pytest.raises(EmptyFile):
        read_placement_log(path)
    path.write_text("step 1: loss 0.3\n")
    with pytest.raises(WrongKind, match="no line of it"):
        read_placement_log(path)


def test_sessions_of_one_log_are_not_mixed(tmp_path):
    """As a program that trains and then predicts writes them: two graphs with nodes of one name."""
    path = tmp_path / "train.log"
    first = f"x: (Placeholder): {CPU}0\nmatmul: (MatMul): {CPU}1\nloss: (Sum): {CPU}1\n"
    second = f"x: (Placeholder): {CPU}0\nmatmul: (MatMul): {CPU}0\n"
    mapping = "direct_session.cc:382] Device mapping: no known devices.\n"
    path.write_text(mapping + first + mapping + second)
    log = read_placement_log(path)
    assert dict(log.placed) == {"x": (CPU + "0",), "matmul": (CPU + "0",)}
    assert (log.sessions, log.left_out) == (2, 1)


def test_a_session_that_is_logged_twice_is_one(tmp_path):
    """On stdout and in the log, one after the other."""
    path = tmp_path / "train.log"
    path.write_text(f"Device mapping:\nx: (Placeholder): {CPU}0\n" * 2)
    log = read_placement_log(path)
    assert (log.sessions, log.left_out) == (1, 0)


LETTERS = 300_000


@pytest.mark.alone
@pytest.mark.parametrize(
    "line",
    [
        "a" * LETTERS,
        "a: " * (LETTERS // 3),
        "a: (" + "b" * LETTERS,
        "a: (b)" + " " * LETTERS + "c",
        f"a: {CPU}" + "0" * LETTERS + " b",
        f"a: {CPU}0" + " " * LETTERS + "b",
        "Executing op " * (LETTERS // 13),
        "Executing op " + "a" * LETTERS,
        "Executing op a in device " + CPU * (LETTERS // len(CPU)),
    ],
    ids=range(9),
)
def test_a_long_line_takes_time_in_proportion(line, tmp_path):
    """In proportion to its square, one of these takes minutes."""
    path = tmp_path / "placed.log"
    path.write_text(f"{line}\nmul: (Mul): {CPU}0\n")
    before = time.process_time()
    log = read_placement_log(path)
    assert time.process_time() - before < 3
    assert log.placed["mul"] == (CPU + "0",)
