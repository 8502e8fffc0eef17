"""Pages as the command writes them, in the Chromium of the system: `make test-browser`."""

import functools
import importlib.util
from pathlib import Path

import pytest
from run_cli import run

if importlib.util.find_spec("playwright") is None:
    collect_ignore_glob = ["*"]

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="session")
def browser():
    from looking import chromium

    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def page_of(tmp_path_factory, samples):
    """`page_of("unet")` is the page of it, made once."""
    folder = tmp_path_factory.mktemp("pages")
    inputs = {
        "unet": [EXAMPLES / "unet"],
        "resnet32": [samples / "resnet32"],
        "slow-cb": [EXAMPLES / "slow_input"],
        "fast-trace-bfc": [samples / "xplane" / "fast-trace-bfc.xplane.pb"],
        "gpu": [samples / "accelerators" / "tf_gpu_new.xplane.pb"],
        "tpu": [samples / "accelerators" / "tpu.xplane.pb"],
        "diff": [
            samples / "xplane" / "slow-cb.xplane.pb",
            "--against",
            samples / "xplane" / "fast-cb.xplane.pb",
        ],
    }

    @functools.cache
    def made(name):
        target = folder / f"{name}.html"
        ran = run("report", *inputs[name], "-o", target)
        assert ran.code == 0, ran.err
        return target

    return made


@pytest.fixture
def opened(browser, page_of):
    """`opened("unet", "ops")` looks at it; at the end nothing went wrong, nobody was asked."""
    from looking import look

    looked = []

    def open_(name, at="", **how):
        file = name if isinstance(name, Path) else page_of(name)
        looked.append(look(browser, file, at, **how))
        return looked[-1]

    yield open_
    for one in looked:
        one.page.context.close()
        assert one.faults == []
        assert one.requests == []
