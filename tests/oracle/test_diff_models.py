"""Models of Keras, saved and traced, compared: what differs is told on one screen, and is true."""

import json

import pytest
from run_cli import run

tf = pytest.importorskip("tensorflow")
keras = pytest.importorskip("keras")

LINES, WIDTH = 24, 80
SHAPE = (32, 32, 3)


def _traced(model, path):
    spec = tf.TensorSpec([None, *model.input_shape[1:]], tf.float32)
    graph = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec).graph
    path.write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString())


def _files(folder, name, model):
    """The same model in both forms."""
    model.save(folder / f"{name}.keras")
    _traced(model, folder / f"{name}.pb")
    return model


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    """A small network, and the same with one thing changed."""
    folder, layers = tmp_path_factory.mktemp("nets"), keras.layers

    def net(*, second="features", width=64, extra=False, skip=False):
        image = keras.Input(SHAPE, name="image")
        stem = layers.Conv2D(64, 3, padding="same", activation="relu", name="stem")(image)
        x = layers.Conv2D(width, 3, padding="same", activation="relu", name=second)(stem)
        if extra:
            x = layers.Conv2D(64, 3, padding="same", activation="relu", name="extra")(x)
        x = layers.Add(name="sum")([x, stem if skip else x])
        x = layers.GlobalAveragePooling2D(name="mean")(x)
        return keras.Model(image, layers.Dense(10, name="head")(x))

    made = {
        "base": net(),
        "added": net(extra=True),
        "renamed": net(second="block_conv"),
        "wider": net(width=96),
        "rewired": net(skip=True),
    }
    return folder, {name: _files(folder, name, model) for name, model in made.items()}


@pytest.fixture(scope="module")
def mobile_nets(tmp_path_factory):
    folder, ready = tmp_path_factory.mktemp("mobile"), keras.applications
    return folder, {
        "v2": _files(folder, "v2", ready.MobileNetV2(weights=None)),
        "v3": _files(folder, "v3", ready.MobileNetV3Small(weights=None)),
    }


def _screen(monkeypatch, folder, *files):
    """What is printed, which fits; as words, too."""
    monkeypatch.chdir(folder)
    ran = run("diff", *files)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    return lines


def _table(lines, title):
    """The rows of a table, by their first word."""
    begin = next(at for at, line in enumerate(lines) if line.startswith(title))
    rows = lines[begin + 1 :]
    rows = rows[: rows.index("")] if "" in rows else rows
    return {line.split()[0]: line.split() for line in rows}


def _data(*files):
    return json.loads(run("diff", *files, "--json").out)["data"]


@pytest.mark.parametrize("form", ["keras", "pb"])
def test_two_architectures(monkeypatch, mobile_nets, form):
    folder, models = mobile_nets
    lines = _screen(monkeypatch, folder, f"v2.{form}", f"v3.{form}")
    before, after = (models[name].count_params() for name in ("v2", "v3"))
    total = _table(lines, "The model")
    assert total["parameters"][1:5] == [f"{before / 1e6:.3f}", "M", f"{after / 1e6:.3f}", "M"]
    assert total["parameters"][-1] == f"{after / before - 1:.1%}"
    # one leaves its image open, and is compared at the size that the other has
    assert any("H = 224, W = 224 taken" in line for line in lines)
    assert total["FLOPs"][-1].endswith("%")
    # the answer is in the first lines
    assert lines[2].startswith("Same work  no: parameters: 3.539 M → 2.555 M; FLOPs: 601.5 M·B →")
    # what is said of layers adds up
    told = _data(f"v2.{form}", f"v3.{form}")["rows"]
    moved = sum(
        row["change"] for row in told if (row["kind"], row["metric"]) == ("layer", "params")
    )
    assert moved == after - before


@pytest.mark.parametrize("form", ["keras", "pb"])
def test_a_layer_added(monkeypatch, nets, form):
    folder, models = nets
    lines = _screen(monkeypatch, folder, f"base.{form}", f"added.{form}")
    title = next(line for line in lines if line.split()[:3] == ["Layers", "what", "is"])
    layers = _table(lines, title)
    new = next(row for name, row in layers.items() if name.startswith("extra"))
    assert new[1:4] == ["new", "Conv2D", "Bx32x32x64"]
    gained = models["added"].count_params() - models["base"].count_params()
    assert new[4:6] == [f"{gained / 1e3:.2f}", "k"]
    reader = next(row for name, row in layers.items() if name.startswith("sum"))
    assert reader[1:3] == ["changed", "reads"]
    assert reader[3].startswith("extra")
    assert "Layers     1 changed, 1 new" in lines


@pytest.mark.parametrize("form", ["keras", "pb"])
def test_a_layer_renamed(monkeypatch, nets, form):
    folder, _ = nets
    lines = _screen(monkeypatch, folder, f"base.{form}", f"renamed.{form}")
    assert lines[2].startswith("Same work  yes: the same parameters, FLOPs")
    assert "Layers     1 renamed" in lines
    (row,) = (line.split() for line in lines if line.startswith("features"))
    assert row[1] == "renamed"
    assert row[2].startswith("block_conv")


@pytest.mark.parametrize("form", ["keras", "pb"])
def test_a_shape_changed(monkeypatch, nets, form):
    folder, _ = nets
    lines = _screen(monkeypatch, folder, f"base.{form}", f"wider.{form}")
    rows = [line for line in lines if line.startswith("features")]
    assert "Bx32x32x64 → Bx32x32x96" in rows[0]


@pytest.mark.parametrize("form", ["keras", "pb"])
def test_other_connections_are_other_work(monkeypatch, nets, form):
    """As many parameters, FLOPs and ops, and no layer of another shape."""
    folder, _ = nets
    lines = _screen(monkeypatch, folder, f"base.{form}", f"rewired.{form}")
    assert "Same work  no: connections:" in lines[2]
    assert any(line.startswith("sum") and "reads" in line and "stem" in line for line in lines)


def test_a_file_of_keras_and_its_graph_are_the_same_layers(monkeypatch, nets):
    folder, _ = nets
    monkeypatch.chdir(folder)
    told = _data("base.keras", "base.pb")
    costs = [row for row in told["rows"] if row["metric"] in ("params", "flops")]
    assert not [row for row in costs if row["significant"]]
    assert not [row for row in told["rows"] if row["metric"] == "name"]
