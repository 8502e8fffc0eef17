"""Every file is opened by whoever is plugged in for its path, and nothing goes past it."""

import io
import pickle
import re
from pathlib import Path

import pytest

import tfprof
from tfprof.errors import FileChanged, PathNotFound
from tfprof.sources.files import opener
from tfprof.sources.files.opener import FileFacts, LocalFiles, opener_for

SOURCES = Path(opener.__file__).parents[1]


class InMemory:
    """Files by path; folders are what their paths imply."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = {Path(path): data for path, data in files.items()}
        self.time = 1

    def absolute(self, path: Path, _: Path) -> Path:
        return path

    def exists(self, path: Path) -> bool:
        return path in self.files or self.is_folder(path)

    def is_folder(self, path: Path) -> bool:
        return any(path in file.parents for file in self.files)

    def real(self, path: Path) -> Path:
        return path

    def facts(self, path: Path) -> FileFacts:
        return FileFacts(len(self.read(path)), self.time)

    def listed(self, folder: Path) -> tuple[list[str], list[str]]:
        inside = [file.relative_to(folder) for file in self.files if folder in file.parents]
        folders = {path.parts[0] for path in inside if len(path.parts) > 1}
        return sorted(folders), [path.name for path in inside if len(path.parts) == 1]

    def read(self, path: Path) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    def read_at(self, path: Path, offset: int, size: int) -> bytes:
        return self.read(path)[offset : offset + size]

    def stream(self, path: Path) -> io.BytesIO:
        return io.BytesIO(self.read(path))


@pytest.fixture
def memory(samples):
    resnet = samples / "resnet32"
    files = {f"mem:/run/{path.name}": path.read_bytes() for path in resnet.iterdir()}
    files["mem:/other/deeper/vm.xplane.pb"] = (samples / "tiny.xplane.pb").read_bytes()
    made = InMemory(files)
    opener.plug("mem", made)
    yield made
    opener.unplug("mem")


def test_a_graph_in_memory_is_the_one_on_disk(memory, samples):
    ours = tfprof.load("mem:/run/graph.pb").data.graph
    theirs = tfprof.load(samples / "resnet32" / "graph.pb").data.graph
    assert ours.names.tolist() == theirs.names.tolist()
    assert memory.exists(Path("mem:/run/graph.pb"))


@pytest.mark.usefixtures("memory")
def test_a_folder_in_memory_is_looked_through(samples):
    ours = tfprof.load("mem:/run").data
    theirs = tfprof.load(samples / "resnet32").data
    assert [i.path.name for i in ours.inputs] == [i.path.name for i in theirs.inputs]
    assert ours.checkpoint.tensors == theirs.checkpoint.tensors
    assert len(tfprof.load("mem:/other").trace.executions) > 0


@pytest.mark.usefixtures("memory")
def test_what_is_not_there_is_not_found():
    with pytest.raises(PathNotFound, match="mem:"):
        tfprof.load("mem:/run/grpah.pb")


def test_a_pickle_finds_its_files_through_the_opener(memory):
    packed = pickle.dumps(tfprof.load("mem:/run/graph.pb"))
    assert len(pickle.loads(packed).data.graph) > 10
    memory.time += 1
    with pytest.raises(FileChanged):
        pickle.loads(packed)


def test_a_scheme_has_one_opener(memory):
    with pytest.raises(ValueError, match="already"):
        opener.plug("mem", memory)


def test_other_paths_are_of_this_machine():
    for path in ("graph.pb", "/data/graph.pb", "", "unknown:/graph.pb", "a:b.pb"):
        assert isinstance(opener_for(Path(path)), LocalFiles)


def test_a_listed_link_is_what_it_leads_to(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "out").symlink_to(tmp_path.parent)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    folders, files = LocalFiles().listed(tmp_path)
    assert (sorted(folders), sorted(files)) == (["inside", "out"], ["dangling", "file"])


def test_no_other_module_of_the_sources_opens_files():
    direct = re.compile(
        r"open\(|read_bytes\(\)|\.stat\(\)|iterdir|glob|scandir|\.exists\(\)|is_dir\("
    )
    found = [
        f"{path.name}: {line}"
        for path in SOURCES.glob("*.py")
        if path.name != "opener.py"
        for line in path.read_text().splitlines()
        if direct.search(line)
    ]
    assert found == []
