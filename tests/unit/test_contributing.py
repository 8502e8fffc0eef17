"""The examples in CONTRIBUTING.md: each is one more file in the package, and nothing else.

A new example is a block that begins with the name of its file, and its calls here.
"""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from run_cli import SOURCES, environment, spawn

ROOT = SOURCES.parent
_BLOCK = re.compile(r"^```python\n# (src/tfprof/\S+\.py)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLES = dict(_BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))

# what the calls are about
INPUTS = {
    "list.shapes": "# shapes\ndense/kernel,784x10\ndense/bias,10\n",
    "cut.shapes": "# shapes\ndense/kernel,784x10\ndense/bi",
    "dense.pbtxt": """
        node { name: "x" op: "Placeholder"
          attr { key: "dtype" value { type: DT_FLOAT } }
          attr { key: "shape" value { shape { dim { size: 32 } dim { size: 784 } } } } }
        node { name: "dense/kernel" op: "VariableV2"
          attr { key: "dtype" value { type: DT_FLOAT } }
          attr { key: "shape" value { shape { dim { size: 784 } dim { size: 10 } } } } }
        node { name: "dense/bias" op: "VariableV2"
          attr { key: "dtype" value { type: DT_FLOAT } }
          attr { key: "shape" value { shape { dim { size: 10 } } } } }
        node { name: "dense/out" op: "AcmeDenseGelu"
          input: "x" input: "dense/kernel" input: "dense/bias"
          attr { key: "T" value { type: DT_FLOAT } } }
    """,
}
# a model of one layer, as Keras describes it
LOW_RANK = {
    "module": "keras", "class_name": "Sequential",
    "config": {"name": "thin", "layers": [
        {"module": "keras.layers", "class_name": "InputLayer",
         "config": {"batch_shape": [None, 784], "dtype": "float32", "name": "x"}},
        {"module": "acme.layers", "class_name": "AcmeLowRank",
         "config": {"name": "low", "rank": 2, "units": 10, "activation": "relu"}},
    ]},
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """`tfprof` with some words, and what is then on the screen, or in the file behind `-o`."""

    words: str
    shows: str
    typed: str = ""
    code: int = 0


# the first call of each is one that cannot be answered without the file
CALLS = {
    "src/tfprof/sources/formats/shape_list.py": [
        Call("list.shapes", "Parameters  7,850 in all"),
        Call("layers list.shapes --json", '{"path": "list.shapes", "format": "shape list"}'),
        Call("doctor .", "list.shapes  shape list"),
        Call("formats", "shape list         *.shapes"),
        Call("cut.shapes", "cut.shapes: no name and sizes in line 3", code=4),
    ],
    "src/tfprof/ops/acme.py": [
        Call("layers dense.pbtxt", "dense  32x10    7,850  250.9 k  504.6 k"),
        Call("layers dense.pbtxt --by op --json", '"macs": 250880'),
        Call("dense.pbtxt", "Computes    250.9 kMACs; 504.6 kFLOPs"),
        Call("memory dense.pbtxt", "1.280 KB"),
        Call("rules ops", "acme                1  AcmeDenseGelu"),
    ],
    "src/tfprof/keras_layers/acme.py": [
        Call("layers low_rank.keras", "low    AcmeLowRank  Bx10     1,598  1.588 k"),
        Call("low_rank.keras", "Parameters  1,598 trainable"),
        Call("layers low_rank.keras --train --batch 1 --json", '"macs": 3196'),
        Call("memory low_rank.keras --batch 32 --json", '"peak_bytes": 1536'),
    ],
    "src/tfprof/commands/census.py": [
        Call("census dense.pbtxt", "op type        nodes\nVariableV2         2\n"),
        Call("census dense.pbtxt --json", '"VariableV2": 2,'),
        Call("census dense.pbtxt --format csv", "op,nodes\nVariableV2,2\n"),
        Call("census list.keras", "no such file", code=3),
        Call("--help", "  census     how many nodes of each op type the graph has\n"),
        Call("census --help", "Needs: graph. Example: tfprof census examples/unet"),
        Call("shell dense.pbtxt", "\nVariableV2         2\n", typed="census\n"),
        Call("shell dense.pbtxt", "\ncensus                      how many", typed="help\n"),
    ],
    "src/tfprof/renderers/output_formats/tsv.py": [
        Call("dense.pbtxt --format tsv", "name\tshape\trole\tparams\tshare\ndense/kernel\t"),
        Call("dense.pbtxt -o out.tsv", "\ndense/kernel\t[784, 10]\t\t7840\t"),
        Call("op dense.pbtxt --format tsv", "op\tself_params\ttotal_params\n"),
        Call("summary --help", "{csv,json,md,parquet,tsv,txt}"),
        Call(
            "dense.pbtxt -o out.doc", "Use one of .txt, .md, .csv, .json, .parquet, .tsv,", code=2
        ),
    ],
}
_IMPORTED = "import sys; from tfprof.cli.main import main; main(['--help']); print(*sys.modules)"


@pytest.fixture
def folder(tmp_path, request) -> Path:
    for name, text in INPUTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    if "keras" in request.node.name:
        # a model beside the others would be the one that a folder is asked about
        with zipfile.ZipFile(tmp_path / "low_rank.keras", "w") as archive:
            archive.writestr("config.json", json.dumps(LOW_RANK))
    return tmp_path


@pytest.fixture
def sources(tmp_path_factory) -> Path:
    """A copy of the package."""
    copied = tmp_path_factory.mktemp("package") / "src"
    shutil.copytree(SOURCES / "tfprof", copied / "tfprof")
    return copied


def _shown(call: Call, folder: Path, package: Path) -> str:
    ran = spawn(*call.words.split(), cwd=folder, stdin=call.typed, PYTHONPATH=package)
    assert ran.code == call.code, ran.err
    written = (path.read_text(encoding="utf-8") for path in folder.glob("out.*"))
    return "".join([ran.out, ran.err, *written])


def test_every_example_is_called():
    assert list(EXAMPLES) == list(CALLS)


@pytest.mark.parametrize("file", CALLS)
def test_an_example_needs_no_other_file(file, folder, sources):
    (sources.parent / file).write_text(EXAMPLES[file], encoding="utf-8")
    for call in CALLS[file]:
        assert call.shows in _shown(call, folder, sources), call.words


@pytest.mark.parametrize("file", CALLS)
def test_what_an_example_adds_is_not_there_without_it(file, folder):
    call = CALLS[file][0]
    ran = spawn(*call.words.split(), cwd=folder)
    assert call.shows not in ran.out


@pytest.mark.parametrize("file", CALLS)
def test_help_stays_quick_with_an_example(file, sources):
    (sources.parent / file).write_text(EXAMPLES[file], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED],
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=sources),
        check=True,
    )
    assert "numpy" not in done.stdout.split()
