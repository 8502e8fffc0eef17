"""Which files of a folder make up a profile, and why the others do not."""

import os
import shutil
from dataclasses import replace

import pytest

from tfprof.errors import (
    EmptyFile,
    InputsDisagree,
    NothingRecognised,
    NotReadYet,
    PathNotFound,
    UsageError,
    WrongKind,
)
from tfprof.sources.find.load import Request, choose, read


@pytest.fixture
def put(samples, unet, tmp_path):
    """`put("name", "sample", age)` copies a sample to a name; a higher age is older."""

    def copy(name, sample, age=0):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(
            unet / sample[5:] if sample.startswith("unet:") else samples / sample, target
        )
        os.utime(target, (1e9 - age, 1e9 - age))
        return target

    return copy


GRAPH, TEXT, META = (
    "keras_mlp_train.graph.pb",
    "keras_mlp_train.graph.pbtxt",
    "resnet50_infer_b1.meta",
)
RUN, VARS, LOG = (
    "keras_mlp_train_b8_default.runmeta.pb",
    "keras_mlp_train_vars.json",
    "resnet32/tfprof_log",
)


def chosen(*paths, **named):
    return choose(Request(list(paths), named)).selections


def one(*paths, **named):
    (selection,) = chosen(*paths, **named)
    return selection


def used(selection):
    return [file.path.name for file in selection.used]


def reasons(selection):
    left = selection.passed_over + selection.elsewhere
    return {file.path.name: why for file, why in left}


def test_a_log_directory_is_one_run(samples):
    selection = one(samples / "resnet32")
    assert sorted(used(selection)) == [
        "checkpoint",
        "graph.pb",
        "model.ckpt.index",
        "model.ckpt.meta",
        "run_meta",
        "tfprof_log",
    ]
    assert used(selection)[0] == "graph.pb"
    assert selection.title == str(samples / "resnet32")
    data = read(selection)
    assert {i.format for i in data.inputs if i.used} >= {
        "GraphDef",
        "MetaGraphDef",
        "RunMetadata",
        "OpLog",
    }
    assert {i.path.name for i in data.inputs} == set(used(selection))
    assert all(i.used or i.why for i in data.inputs)
    assert data.graph is not None
    assert data.trace is not None
    assert data.oplog is not None
    assert data.declared.variables


def test_the_newest_meta_is_the_one_of_the_highest_step(put, tmp_path):
    put("model.ckpt-9.meta", META, age=0)
    put("model.ckpt-100.meta", META, age=500)
    selection = one(tmp_path)
    assert used(selection) == ["model.ckpt-100.meta"]
    assert "older" in reasons(selection)["model.ckpt-9.meta"]


def test_a_binary_graph_is_read_before_a_text_one(put, tmp_path):
    put("graph.pbtxt", TEXT)
    put("graph.pb", GRAPH, age=500)
    selection = one(tmp_path)
    assert used(selection) == ["graph.pb"]
    assert "graph.pb" in reasons(selection)["graph.pbtxt"]


def test_a_meta_file_beside_a_graph_declares_only(put, tmp_path):
    put("graph.pb", "unet:graph.pb")
    put("model.ckpt-5.meta", META)
    put("model.ckpt-2.meta", META)
    selection = one(tmp_path)
    assert used(selection) == ["graph.pb", "model.ckpt-5.meta"]
    data = read(selection)
    assert data.graph.find("train/Adam") is not None  # of graph.pb
    assert data.declared.tensorflow_version


def test_numbered_runs_are_steps_in_their_order(put, tmp_path):
    put("graph.pb", GRAPH)
    for number in (10, 2, 1):
        put(f"run_meta_{number}", RUN, age=number)
    selection = one(tmp_path)
    assert used(selection) == ["graph.pb", "run_meta_1", "run_meta_2", "run_meta_10"]
    assert read(selection).trace.steps == (0, 1, 2)


def test_of_runs_that_are_no_series_the_newest_is_taken(put, tmp_path):
    put("graph.pb", GRAPH)
    put("run_meta", RUN, age=500)
    put("sub/run_metadata", RUN, age=0)
    put("plugins/run_meta", RUN, age=100)
    selection = one(tmp_path)
    assert selection.used[-1].path == tmp_path / "plugins/run_meta"
    left = selection.passed_over + selection.elsewhere
    assert len(left) == 2
    assert all(why for _, why in left)


def test_files_that_share_a_name_are_one_model(put, tmp_path):
    put("mlp.graph.pb", GRAPH)
    put("mlp_b8.runmeta.pb", RUN)
    put("mlp_vars.json", VARS)
    put("resnet.meta", META)
    mlp, resnet = sorted(chosen(tmp_path), key=lambda s: s.title)
    assert sorted(used(mlp)) == ["mlp.graph.pb", "mlp_b8.runmeta.pb", "mlp_vars.json"]
    assert used(resnet) == ["resnet.meta"]
    assert mlp.title == str(tmp_path / "mlp")


def test_models_in_subfolders_are_found(put, tmp_path):
    put("one/graph.pb", GRAPH)
    put("one/run_meta", RUN)
    put("two/model.ckpt-1.meta", META)
    one_, two = sorted(chosen(tmp_path), key=lambda s: s.title)
    assert (one_.title, two.title) == (str(tmp_path / "one"), str(tmp_path / "two"))
    assert used(one_) == ["graph.pb", "run_meta"]


def test_a_model_here_goes_before_models_below(put, tmp_path):
    put("graph.pb", GRAPH)
    put("old/graph.pb", GRAPH)
    selection = one(tmp_path)
    assert [f.path for f in selection.used] == [tmp_path / "graph.pb"]
    ((file, why),) = selection.elsewhere
    assert file.path == tmp_path / "old/graph.pb"
    assert selection.other_runs == 1
    assert "another model" in why


def test_parts_of_a_run_may_lie_in_folders_of_their_own(put, tmp_path):
    put("graph.pb", GRAPH)
    put("train/run_meta", RUN)
    put("plugins/profile/2020/vm.xplane.pb", "tiny.xplane.pb")
    selection = one(tmp_path)
    assert set(used(selection)) == {"graph.pb", "run_meta", "vm.xplane.pb"}


def test_a_run_alone_is_a_profile(put, tmp_path):
    put("run_meta", RUN)
    data = read(one(tmp_path))
    assert data.graph is None
    assert len(data.trace.executions) == 189


def test_files_of_no_format_are_passed_over_with_what_they_are(put, tmp_path):
    put("graph.pb", GRAPH)
    (tmp_path / "train.py").write_text("import tensorflow as tf\n", encoding="utf-8")
    (tmp_path / "tfprof_log").touch()
    (tmp_path / ".hidden").write_text("x", encoding="utf-8")
    why = reasons(one(tmp_path))
    # a script is a file of its own name, an empty op log belongs to the run
    assert "empty" in why["tfprof_log"]
    assert "Python" in why["train.py"]
    assert ".hidden" not in why


def test_folders_that_hold_no_captures_are_not_walked(put, tmp_path):
    put("graph.pb", GRAPH)
    put("__pycache__/graph.pb", GRAPH)
    put("node_modules/a/graph.pb", GRAPH)
    put(".git/graph.pb", GRAPH)
    selection = one(tmp_path)
    assert used(selection) == ["graph.pb"]
    assert selection.passed_over == []


def test_several_files_named_are_one_profile(put):
    graph, run, table = put("a.pb", GRAPH), put("b", RUN), put("c.json", VARS)
    data = read(one(graph, run, table))
    assert data.graph is not None
    assert data.trace is not None
    assert len(data.declared.variables) == 15


def test_a_folder_and_a_file_are_one_profile(put, tmp_path):
    put("log/graph.pb", GRAPH)
    run = put("run", RUN)
    data = read(one(tmp_path / "log", run))
    assert [i.path.name for i in data.inputs] == ["graph.pb", "run"]


def test_flags_name_the_files(put):
    graph, run, log, table = (
        put("a", GRAPH),
        put("b", RUN),
        put("c", LOG),
        put("d", VARS),
    )
    data = read(one(graph_path=[graph], run_meta_path=[run], op_log_path=[log], vars=[table]))
    assert [i.format for i in data.inputs] == ["GraphDef", "RunMetadata", "OpLog", "variable table"]


@pytest.mark.parametrize(
    ("flag", "sample", "is_"),
    [
        ("graph_path", RUN, "RunMetadata"),
        ("run_meta_path", GRAPH, "GraphDef"),
        ("op_log_path", GRAPH, "GraphDef"),
        ("profile_path", META, "MetaGraphDef"),
    ],
)
def test_a_flag_refuses_another_kind_and_names_it(put, flag, sample, is_):
    path = put(sample.rpartition("/")[2], sample)
    with pytest.raises(WrongKind, match=is_) as caught:
        chosen(**{flag: [path]})
    assert flag in str(caught.value)


def test_a_profile_excludes_graph_and_runs(put, unet_profile):
    with pytest.raises(UsageError, match="profile_path"):
        chosen(profile_path=[unet_profile], graph_path=[put("graph.pb", GRAPH)])


def test_two_graphs_disagree(put):
    one_, two = put("a.pb", GRAPH), put("b.pb", "keras_mlp_fwd.graph.pb")
    with pytest.raises(InputsDisagree, match=r"a\.pb.*b\.pb"):
        read(one(one_, two))


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(PathNotFound) as caught:
        chosen(tmp_path / "gone.pb")
    assert str(tmp_path / "gone.pb") in str(caught.value)
    with pytest.raises(PathNotFound):
        chosen(vars=[tmp_path / "gone.json"])


def test_an_empty_folder_and_a_folder_of_strangers(tmp_path):
    with pytest.raises(NothingRecognised, match="empty"):
        chosen(tmp_path)
    (tmp_path / "notes.md").write_text("# notes\n", encoding="utf-8")
    with pytest.raises(NothingRecognised, match="its only file is not one tfprof knows"):
        chosen(tmp_path)


def test_an_empty_file_says_so(tmp_path):
    path = tmp_path / "graph.pb"
    path.touch()
    with pytest.raises(EmptyFile):
        chosen(path)


def test_a_format_without_a_reader_is_named(put):
    selection = one(put("x", "tiny.xplane.pb"))
    (found,) = selection.used
    selection.used = [replace(found, format=replace(found.format, read=None))]
    with pytest.raises(NotReadYet, match="XPlane"):
        read(selection)


def test_a_checkpoint_is_found_by_its_prefix(samples):
    selection = one(samples / "resnet32/model.ckpt")
    assert used(selection) == ["model.ckpt.index"]
    selection = one(
        samples / "resnet32/graph.pb", checkpoint_path=[samples / "resnet32/model.ckpt"]
    )
    assert used(selection) == ["graph.pb", "model.ckpt.index"]


def test_two_folders_of_one_model_each_are_joined(put, tmp_path):
    put("graphs/graph.pb", GRAPH)
    put("runs/run_meta", RUN)
    data = read(one(tmp_path / "graphs", tmp_path / "runs"))
    assert data.graph is not None
    assert data.trace is not None


def test_a_folder_of_several_models_with_something_else_is_not_guessed_at(put, tmp_path):
    put("many/a.pb", GRAPH)
    put("many/b.meta", META)
    run = put("run", RUN)
    with pytest.raises(UsageError, match="2 models"):
        chosen(tmp_path / "many", run)


def test_a_folder_with_endless_links_is_walked_once(put, tmp_path):
    put("graph.pb", GRAPH)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert used(one(tmp_path)) == ["graph.pb"]


def test_a_link_to_nowhere_is_passed_over(put, tmp_path):
    put("graph.pb", GRAPH)
    (tmp_path / "run_meta").symlink_to(tmp_path / "gone")
    selection = one(tmp_path)
    assert used(selection) == ["graph.pb"]
    assert reasons(selection)["run_meta"]
