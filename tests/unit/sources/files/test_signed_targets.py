"""What came with the address of a target, a password or a signature, is shown nowhere."""

import fsspec
import pytest
from run_cli import run
from web_server import serving

import tfprof
from tfprof.errors import TfprofError
from tfprof.printable import place
from tfprof.sources.files import opener

_SIGNED = "http://me:pa55@127.0.0.1:9/out{suffix}?sig=5ecret"
_IN_A_BUCKET = "memory://b/out{suffix}?X-Amz-Signature=5ecret#5ecret"


@pytest.fixture(autouse=True)
def _fresh_stores():
    """A command is a process, and knows nothing of the last one."""
    yield
    for scheme in ("memory", "http"):
        if scheme in opener._OPENERS:
            opener.unplug(scheme)
    fsspec.filesystem("memory").store.clear()


@pytest.fixture
def capture(samples):
    return samples / "stories" / "float16"


def _shows_none(done) -> bool:
    return not any(secret in done.out + done.err for secret in ("5ecret", "pa55"))


@pytest.mark.parametrize("address", [_SIGNED, _IN_A_BUCKET])
@pytest.mark.parametrize(
    "words", ["steps", "report", "draw steps", "save", "timeline", "check", "diff", "log", "doctor"]
)
def test_a_suffix_that_names_nothing_shows_no_secret(words, address, capture):
    done = run(*words.split(), capture, "-o", address.format(suffix=".odd"))
    assert done.code == 2
    assert _shows_none(done)
    assert "out.odd" in done.err


@pytest.mark.parametrize(
    ("words", "suffix"),
    [
        ("steps", ".csv"),
        ("report", ".html"),
        ("draw steps", ".svg"),
        ("save", ".tfprof"),
        ("timeline", ".trace.json.gz"),
        ("check --max-nodes 10M", ".xml"),
    ],
)
def test_a_signed_place_can_be_written_to(words, suffix, capture, tmp_path):
    query = "X-Amz-Signature=5ecret&X-Amz-Credential=who"
    with serving(tmp_path, wanted_query=query) as server:
        host = server.address.removeprefix("http://")
        target = f"http://me:pa55@{host}/out{suffix}?{query}#top"
        done = run(*words.split(), capture, "-o", target)
    assert done.code == 0, done.err
    assert _shows_none(done)
    assert f"Wrote http://{host}/out{suffix}" in done.err
    here = tmp_path / f"here{suffix}"
    assert run(*words.split(), capture, "-o", here).code == 0
    sent = (tmp_path / f"out{suffix}").read_bytes()
    assert sent[:4] == here.read_bytes()[:4]


def test_a_refused_signature_is_not_told(capture, tmp_path):
    with serving(tmp_path, wanted_query="sig=right") as server:
        done = run("steps", capture, "-o", f"{server.address}/out.csv?sig=5ecret", "--force")
    assert done.code == 5
    assert _shows_none(done)


def test_an_input_with_a_signature_is_not_written_over(capture):
    """Also where the target is named with another signature."""
    files = fsspec.filesystem("memory")
    saved = tfprof.load(capture).save("memory://b/in.tfprof?sig=5ecret")
    assert place(saved) == "memory://b/in.tfprof"
    before = files.cat_file("/b/in.tfprof")
    source, target = "memory://b/in.tfprof?sig=5ecret", "memory://b/in.tfprof?sig=5ecret2"
    done = run("steps", source, "-o", target, "--format", "csv", "--force")
    assert done.code == 5
    assert "never written over" in done.err
    assert _shows_none(done)
    assert files.cat_file("/b/in.tfprof") == before


def test_python_shows_none_either(capture):
    profile = tfprof.load(capture)
    for write in (profile.report, profile.timeline().write):
        with pytest.raises(TfprofError, match=r"out\.odd") as told:
            write(_SIGNED.format(suffix=".odd"))
        assert "5ecret" not in str(told.value)
        assert "pa55" not in str(told.value)
    written = profile.report("memory://b/page.html?sig=5ecret")
    assert "5ecret" not in str(written)
    assert fsspec.filesystem("memory").exists("/b/page.html")


def test_sides_are_called_without_their_signatures(capture):
    """A picture has the ends of their names."""
    files = fsspec.filesystem("memory")
    tfprof.load(capture).save("memory://b/a.tfprof")
    files.copy("/b/a.tfprof", "/b/b.tfprof")
    sides = [f"memory://b/{one}.tfprof?code=5ecret" for one in "ab"]
    for words in (["diff", *sides, "--json"], ["diff", *sides], ["draw", "diff", *sides]):
        done = run(*words)
        assert done.code == 0, done.err
        assert _shows_none(done)
        assert "b.tfprof" in done.out


def test_all_of_a_user_is_masked():
    assert place("http://me:p@55@host/x?sig=1") == "http://***@host/x?sig=***"
