"""Fixtures for all tests: the data folder, and golden files with an accept step."""

import difflib
import functools
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings
from referees import needs, say_what_was_skipped, skip_where_missing
from unpack_samples import unpack_data
from workers import common_folder, made_once, turn

# before anything imports TensorFlow: no chatter, and the same kernels everywhere
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
# where a processor has AVX-512, TensorFlow takes oneDNN's, which ask for other memory
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

# on a busy machine any example may take its time
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

TESTS = Path(__file__).parent
EXAMPLES = TESTS.parent / "examples"

Golden = Callable[[str, str], None]
_OBJECTS_BEFORE_A_SEARCH = 50_000


@pytest.fixture(autouse=True)
def _garbage_is_collected() -> Generator[None]:
    """A command ends before cycles matter, and has them left alone; a process of many tests not."""
    yield
    gc.set_threshold(_OBJECTS_BEFORE_A_SEARCH, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept", action="store_true", help="rewrite the golden files with what the tests produce"
    )


def pytest_configure() -> None:
    skip_where_missing()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A skipped file is told by its name: xdist takes two of one place and reason for one."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple):
        report.longrepr = (str(collector.path), *report.longrepr[1:])
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    say_what_was_skipped(terminalreporter)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Waiting for a turn is no part of a test's time."""
    alone = item.get_closest_marker("alone") is not None
    with turn(common_folder(item.config._tmp_path_factory), alone=alone):
        return (yield)


@pytest.fixture
def data() -> Path:
    return TESTS / "data"


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the data folder with everything unpacked; not to be changed."""
    folder = tmp_path_factory.mktemp("samples")
    unpack_data(folder)
    return folder


@pytest.fixture(scope="session")
def unet() -> Path:
    """The bundled capture: a U-Net's training graph and one traced step."""
    return EXAMPLES / "unet"


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """`made("mlp_saved_model")` is the folder that the function of this name filled, once."""
    import made_by_tensorflow

    @functools.cache
    def make(name: str) -> Path:
        return made_once(tmp_path_factory, name, getattr(made_by_tensorflow, name))

    return make


@pytest.fixture(scope="session")
def unet_profile(unet: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Graph, op log and two steps of the U-Net in one file, saved by the original's engine."""
    import made_by_tensorflow

    graph, run = (unet / "graph.pb").read_bytes(), (unet / "run_meta").read_bytes()
    flops = [("train/Adam/beta1", 5), ("model/left0/conv0/conv2d/Conv2D", 1_000_000)]
    log = made_by_tensorflow.op_log(graph, flops)
    path = tmp_path_factory.mktemp("profile") / "profile_0"
    path.write_bytes(made_by_tensorflow.profile_proto(graph, {3: run, 8: run}, log))
    return path


@pytest.fixture(scope="session")
def step_captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that TensorFlow made just now, one folder each, with the truth about it in truth.json.

    tests/steps_captures.py says what they are.
    """
    needs("tensorflow")

    def make(folder: Path) -> None:
        folder.mkdir()
        command = [sys.executable, str(TESTS / "steps_captures.py"), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "steps", make)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(name, text)` fails unless `text` is what tests/golden/`name` holds."""
    accept: bool = request.config.getoption("--accept")

    def compare(name: str, text: str) -> None:
        __tracebackhide__ = True
        path = TESTS / "golden" / name
        # bytes, since line ends are part of an output
        if accept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        elif not path.exists():
            pytest.fail(f"there is no golden file {name}; this would be it:\n{text}", pytrace=False)
        elif (accepted := path.read_bytes().decode()) != text:
            pytest.fail(_difference(name, accepted, text), pytrace=False)

    return compare


def _difference(name: str, accepted: str, text: str) -> str:
    lines = list(
        difflib.unified_diff(
            accepted.splitlines(), text.splitlines(), "accepted", "now", lineterm=""
        )
    )
    if not lines:
        ends = f"accepted ends with {accepted[-10:]!r}, now with {text[-10:]!r}"
        lines = ["the lines are the same, their ends are not", ends]
    return "\n".join([f"{name} differs; --accept rewrites it if this is meant", *lines])
