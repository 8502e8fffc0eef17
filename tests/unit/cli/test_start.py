"""Starting up: quick, with nothing loaded that is not needed, and never TensorFlow."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from run_cli import SOURCES, command, environment, spawn

import tfprof
from tfprof import compat as original
from tfprof.commands.registry import commands

EXAMPLES = Path(__file__).parents[3] / "examples"
_LOADED = """
import contextlib, io, json, sys
from tfprof.cli.main import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(json.loads(sys.argv[1]))
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""
_WITH_NUMPY = "import json, numpy, sys; print(json.dumps(sorted(sys.modules)))"
_BLOCKED = """
import json, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"tensorflow", "keras", "tensorboard", "h5py", "jax", "torch"}:
            raise AssertionError(name + " was imported")
sys.meta_path.insert(0, Blocker())
from tfprof.cli.main import main
sys.exit(main(json.loads(sys.argv[1])))
"""


def _python(code, words):
    return subprocess.run(
        [sys.executable, "-c", code, json.dumps([str(word) for word in words])],
        capture_output=True,
        text=True,
        env=environment(TFPROF_DEBUG=1),
        check=False,
    )


def _loaded(*words):
    done = _python(_LOADED, words)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("words", [["--help"], ["--version"], [], ["summary", "--help"]], ids=str)
def test_help_loads_no_library(words):
    heavy = {"numpy", "rich", "google", "prompt_toolkit", "tensorflow", "pandas"}
    assert _loaded(*words) & heavy == set()


def test_help_loads_little_of_what_python_has():
    """They are a third of the time that it would take."""
    assert _loaded("--help") & {"dataclasses", "inspect", "difflib"} == set()


def test_an_answer_in_a_pipe_loads_no_terminal_library(unet):
    assert _loaded(unet) & {"rich", "prompt_toolkit", "tensorflow"} == set()


def test_an_answer_about_a_capture_loads_little_beside_numpy():
    """Each of them is loaded for one number, where somebody does not look out."""
    loaded = _loaded("steps", EXAMPLES / "slow_input")
    assert "numpy" in loaded
    by_numpy = json.loads(_python(_WITH_NUMPY, []).stdout)
    heavy = {"google", "hashlib", "statistics", "difflib", "random"}
    # older ones load some themselves
    assert loaded & heavy - set(by_numpy) == set()


_OURS = _LOADED.replace('name.partition(".")[0]', "name")


@pytest.mark.parametrize(
    "words",
    [
        ["steps", EXAMPLES / "slow_input"],
        ["input", EXAMPLES / "slow_input"],
        ["layers", EXAMPLES / "slow_input"],
        ["timeline", EXAMPLES / "unet"],
        ["memory", EXAMPLES / "unet"],
        ["summary", EXAMPLES / "unet"],
    ],
    ids=lambda words: words[0],
)
def test_no_answer_loads_the_masked_arrays_of_numpy(words):
    """Medians and sets of numpy do, for arrays that nobody here has."""
    if _python("import numpy, sys; sys.exit('numpy.ma' in sys.modules)", []).returncode:
        pytest.skip("this numpy loads them itself")
    done = _python(_OURS, words)
    assert done.returncode == 0, done.stderr
    assert "numpy.ma" not in json.loads(done.stdout)


@pytest.fixture
def modules_of(unet):
    """The modules that an answer loads."""

    def loaded(*words):
        done = _python(_OURS, [*words, unet])
        assert done.returncode == 0, done.stderr
        return set(json.loads(done.stdout))

    return loaded


@pytest.mark.parametrize("words", [["steps"], []], ids=["named", "summary without its name"])
def test_a_call_loads_the_one_command_it_names(words, modules_of):
    loaded = modules_of(*words)
    others = {f"tfprof.commands.{name}" for name in commands()} & loaded
    assert others == {f"tfprof.commands.{words[0] if words else 'summary'}"}


def test_an_answer_loads_no_reader_of_files_that_are_not_there(modules_of):
    loaded = modules_of("summary")
    assert "tfprof.sources.run.run_metadata" in loaded
    others = ("checkpoint", "chrome", "confidential", "keras", "saved", "xplane")
    read = {
        name for name in loaded if name.startswith(tuple(f"tfprof.sources.{n}." for n in others))
    }
    # how a checkpoint and a saved profile are told
    assert read == {"tfprof.sources.checkpoint.state", "tfprof.sources.saved.beginning"}
    assert not loaded & {"zipfile", "tempfile", "subprocess", "tfprof.keras_layers.model"}


@pytest.mark.alone
def test_help_is_there_in_150_milliseconds():
    """The quickest of some: what it can do, not what the machine was busy with."""
    quickest = min(_seconds(command("--help")) for _ in range(15))
    assert quickest < 0.150


def _seconds(words):
    started = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, env={"PYTHONPATH": str(SOURCES)}, check=True)
    return time.perf_counter() - started


@pytest.mark.parametrize("words", [["--version"], ["formats"], ["no-such-command"]], ids=str)
def test_the_end_looks_at_nothing_that_was_made(words):
    code = "import atexit, gc\nfrom tfprof.__main__ import run\n"
    code += "atexit.register(lambda: print(len(gc.get_objects()) < 100))\nraise SystemExit(run())"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "True"


@pytest.mark.parametrize("name", ["summary", "doctor", "formats", "explain"])
@pytest.mark.parametrize("form", [[], ["--json"], ["--format", "md"]], ids=str)
def test_no_command_imports_tensorflow(name, form, unet):
    paths = [] if name in ("formats", "explain") else [unet]
    done = _python(_BLOCKED, [name, *paths, *form])
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("name", ["mlp_saved_model", "tf1_saved_model"])
def test_a_saved_model_is_read_without_tensorflow(name, made):
    done = _python(_BLOCKED, [made(name)])
    assert done.returncode == 0, done.stderr


def test_public_names_are_these():
    own = {
        "Answer",
        "Profile",
        "TfprofError",
        "__version__",
        "capture",
        "diff",
        "flops",
        "load",
        "log",
    }
    own |= {"op_rule", "parameter_count", "peak_memory", "profiler_options", "trace"}
    assert set(tfprof.__all__) == own | set(original.__all__)


def test_completion_offers_the_public_names_and_loads_nothing_for_it():
    code = "import tfprof, sys; print(*dir(tfprof)); assert 'tfprof.compat' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert set(done.stdout.split()) == set(tfprof.__all__)


@pytest.mark.parametrize("name", tfprof.__all__)
def test_every_public_name_is_there(name):
    assert getattr(tfprof, name) is not None


def test_a_name_that_is_not_public_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = tfprof.no_such_name


def test_star_import_gives_the_public_names():
    names = {}
    exec("from tfprof import *", names)  # noqa: S102
    assert set(tfprof.__all__) <= set(names)


def test_importing_the_package_loads_nothing_heavy():
    code = "import tfprof, sys; print(sorted({n.partition('.')[0] for n in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert "numpy" not in done.stdout
    assert "google" not in done.stdout


def test_help_is_a_word_too():
    assert spawn("help").out == spawn("--help").out
    assert spawn("help", "scope").out == spawn("scope", "--help").out
