"""Servers of our own in place of TensorFlow's: every way in which a reply can be of no use."""

import contextlib
import json
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from run_cli import command, environment, run

import tfprof
from tfprof.errors import NoHostAnswered
from tfprof.remote.addresses import addresses_in
from tfprof.remote.asking import Limits
from tfprof.remote.sampling import Sampling, sample
from tfprof.wire.schema import message_class

grpc = pytest.importorskip("grpc")
from profiler_servers import free_port, reply_with, serving, silent, talking  # noqa: E402

QUICK = "--duration=50ms"


@pytest.fixture
def capture(data):
    return (data / "tiny.xplane.pb").read_bytes()


def _asked(tmp_path, *words):
    """With its exit code and what it says as data."""
    ran = run("capture", *words, QUICK, "--logdir", tmp_path / "logs", "--json")
    return ran.code, json.loads(ran.out)["data"] if ran.out else ran.err


def _files(folder):
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


def _sample(tmp_path, *addresses, grace_s=0.3, max_bytes=1 << 20):
    asked = Sampling(
        addresses_in(addresses), 0.05, Limits(max_bytes, grace_s), tmp_path / "logs", None
    )
    return sample(asked, lambda _: None, lambda _: None)


def _why(tmp_path, address, **limits):
    with pytest.raises(NoHostAnswered) as caught:
        _sample(tmp_path, address, **limits)
    assert not (tmp_path / "logs").exists()
    assert caught.value.exit_code == 3
    return str(caught.value)


def test_a_capture_is_written_as_it_came_and_read_by_every_command(tmp_path, capture):
    with serving(reply_with(capture)) as address:
        code, told = _asked(tmp_path, address)
    assert code == 0
    (folder,) = told["written"]
    name = address.replace(":", "_")
    (host,) = told["hosts"]
    assert (host["host"], host["bytes"]) == (address, len(capture))
    assert "remote_path" not in host
    assert host["path"].endswith(f"/{name}.xplane.pb")
    assert told["left_out"] == []
    (kept,) = (tmp_path / "logs").rglob("*.xplane.pb")
    assert kept.read_bytes() == capture
    assert kept.relative_to(folder).parts[:3] == ("rank-0", "plugins", "profile")
    assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700
    assert tfprof.load(folder).trace.space.event_count == tfprof.load(kept).trace.space.event_count
    assert run("steps", folder).code == 0


def test_the_records_say_what_is_known_and_null_for_the_rest(tmp_path, capture):
    with serving(reply_with(capture)) as address:
        _, told = _asked(tmp_path, address, f"127.0.0.1:{free_port()}")
    (folder,) = (tmp_path / "logs").iterdir()
    whole = json.loads((folder / "run.json").read_text())
    rank = json.loads((folder / "rank-0/run.json").read_text())
    assert (whole["schema"], whole["state"], whole["ranks"]) == (
        "tfprof-run/1",
        "ended",
        ["rank-0"],
    )
    assert whole["left_out"] == told["left_out"]
    assert (whole["program"], rank["program"], rank["steps"], rank["pid"]) == (None,) * 4
    assert (rank["rank"], rank["ranks"], rank["host"]) == (0, 1, address)
    (one,) = rank["captures"]
    assert (folder / "rank-0" / one["folder"]).is_dir()
    assert (one["bytes"], one["seconds"], one["first_step"]) == (len(capture), 0.05, None)
    assert rank["options"]["duration_s"] == 0.05


def test_the_request_asks_for_the_capture_itself(tmp_path, capture):
    heard = []

    def reply(request, _context):
        heard.append(message_class("ProfileRequest").FromString(request))
        return reply_with(capture)

    with serving(reply) as address:
        _asked(tmp_path, address)
    (request,) = heard
    assert request.emit_xspace
    assert (request.duration_ms, request.opts.duration_ms) == (50, 50)
    assert (request.opts.host_tracer_level, request.opts.python_tracer_level) == (2, 0)
    assert request.host_name == address.replace(":", "_")
    assert request.repository_root == "/dev/null/plugins/profile"


def test_ranks_are_in_the_order_of_the_addresses_whoever_is_first(tmp_path, capture):
    def late(_request, _context):
        time.sleep(0.5)
        return reply_with(capture)

    with serving(late) as slow, serving(reply_with(capture)) as quick:
        started = time.monotonic()
        code, told = _asked(tmp_path, f"{slow},{quick}")
        took = time.monotonic() - started
    assert (code, [one["host"] for one in told["hosts"]]) == (0, [slow, quick])
    assert [f"rank-{rank}" in one["path"] for rank, one in enumerate(told["hosts"])] == [True, True]
    assert took < 30


def test_processes_are_asked_at_the_same_time(tmp_path, capture):
    import threading

    both = threading.Barrier(2)

    def meet(_request, _context):
        both.wait(20)
        return reply_with(capture)

    with serving(meet) as one, serving(meet) as other:
        code, told = _asked(tmp_path, one, other)
    assert (code, len(told["hosts"])) == (0, 2)


def test_who_cannot_be_reached_is_named_and_the_others_are_kept(tmp_path, capture):
    gone = f"127.0.0.1:{free_port()}"
    with serving(reply_with(capture)) as address, serving(reply_with(empty=True)) as idle:
        code, told = _asked(tmp_path, gone, idle, address, "no-such-host.invalid:1")
    assert code == 0
    assert [one["host"] for one in told["hosts"]] == [address]
    assert "/rank-0/" in told["hosts"][0]["path"]
    why = {one["host"]: one["why"] for one in told["left_out"]}
    assert list(why) == [gone, idle, "no-such-host.invalid:1"]
    assert "refused" in why[gone]
    assert "empty" in why[idle]
    assert "name" in why["no-such-host.invalid:1"]


def test_the_screen_names_who_was_left_out_and_what_to_ask_next(tmp_path, capture):
    gone = f"127.0.0.1:{free_port()}"
    with serving(reply_with(capture)) as address:
        ran = run("capture", address, gone, QUICK, "--logdir", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "1 of 2 processes sampled for 50.00 ms" in ran.out
    assert f"{gone} was left out: connection refused" in " ".join(ran.out.split())
    assert "tfprof steps" in ran.out


def test_who_was_left_out_is_told_once(tmp_path, capture):
    gone = f"127.0.0.1:{free_port()}"
    with serving(reply_with(capture)) as one, serving(reply_with(capture)) as other:
        ran = run("capture", one, other, gone, QUICK, "--logdir", tmp_path)
    assert "2 of 3 processes sampled" in ran.out
    assert ran.out.count(gone) == 1


def test_if_nobody_answers_each_is_named_and_nothing_is_left(tmp_path):
    gone = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    code, told = _asked(tmp_path, *gone)
    assert code == 3
    assert all(f"{one}: connection refused" in told for one in gone)
    assert "server.start" in told
    assert "tfprof explain no-host-answered" in told
    assert not (tmp_path / "logs").exists()


def _spaces(data):
    idle = message_class("XSpace")()
    idle.planes.add(name="/host:CPU")
    return {
        "garbage": (b"\xff\xfe garbage \x00" * 9, "no capture"),
        "cut short": (reply_with(b"x" * 99)[:-9], "no capture"),
        "garbage inside": (reply_with(b"\xff\xfe garbage" * 9), "no capture"),
        "text inside": (reply_with(b"<html>hello</html>"), "no capture"),
        "a graph": (reply_with((data / "keras_mlp_fwd.graph.pb").read_bytes()), "no capture"),
        "nothing": (b"", "too old"),
        "nothing ran": (reply_with(empty=True), "empty"),
        "no events": (reply_with(idle.SerializeToString()), "empty"),
        "empty and garbage": (reply_with(b"\xff" * 9, empty=True), "empty"),
    }


@pytest.mark.parametrize(
    "kind",
    [
        "garbage", "cut short", "garbage inside", "text inside", "a graph", "nothing",
        "nothing ran", "no events", "empty and garbage",
    ],
)  # fmt: skip
def test_a_reply_that_is_no_capture_is_told(tmp_path, data, kind):
    reply, why = _spaces(data)[kind]
    with serving(reply) as address:
        assert why in _why(tmp_path, address)


def test_a_reply_has_a_largest_size(tmp_path, capture):
    with serving(reply_with(bytes(3_000_000))) as address:
        assert "larger than 1.049 MB" in _why(tmp_path, address)
    with serving(reply_with(capture)) as address:
        code, told = _asked(tmp_path, address, "--max-size", str(len(capture) // 2))
        assert (code, "--max-size" in told) == (3, True)
        assert _asked(tmp_path, address, "--max-size", "100GB")[0] == 0


def test_a_packed_reply_does_not_swell(tmp_path):
    """200 MB of zeros in some hundred kilobytes."""
    script = (
        "import re, sys; from tfprof.cli.main import main; code = main(sys.argv[1:]);"
        "most = re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())[1];"
        "print(code, int(most) // 1000)"
    )
    with serving(reply_with(bytes(200_000_000)), compression=grpc.Compression.Gzip) as address:
        code, megabytes = map(int, _script(script, address, tmp_path).stdout.split())
    assert code == 3
    assert megabytes < 150
    assert list(tmp_path.iterdir()) == []


def test_who_never_answers_is_not_waited_for_for_ever(tmp_path):
    started = time.monotonic()
    with silent() as address:
        assert "no answer within 350.0 ms" in _why(tmp_path, address)
    assert time.monotonic() - started < 20


def test_who_takes_the_call_and_says_nothing_is_not_either(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        assert "no answer within 350.0 ms" in _why(tmp_path, address)


def test_another_service_is_told_from_a_profiler(tmp_path):
    with serving(b"", service="somebody.Else") as address:
        assert "no profiler" in _why(tmp_path, address)


@pytest.mark.parametrize("words", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-x\r\n", b""])
def test_what_speaks_no_grpc_cannot_be_reached(tmp_path, words):
    with talking(words) as address:
        assert address in _why(tmp_path, address, grace_s=3)


def test_the_words_of_a_refusal_are_shown_and_steer_no_terminal(tmp_path):
    def refuse(_request, context):
        context.abort(grpc.StatusCode.INTERNAL, "Another \x1b[31mprofiling\nsession active." * 99)

    with serving(refuse) as address:
        why = _why(tmp_path, address)
    assert "it refused: Another \\x1b[31mprofiling\\nsession" in why
    assert len(why) < 500


def test_names_in_a_reply_name_no_file(tmp_path, capture):
    evil = message_class("XSpace").FromString(capture)
    evil.hostnames[:] = ["../../../evil", "/etc/evil", "\x1b[31m"]
    with serving(reply_with(evil.SerializeToString())) as address:
        code, told = _asked(tmp_path, address)
    assert code == 0
    assert [one for one in _files(tmp_path) if "evil" in one] == []
    assert len(_files(tmp_path)) == 3
    assert address.replace(":", "_") in told["hosts"][0]["path"]


def _too_old(capture, disk):
    """Writes to its own disk, as TensorFlow did before it could send."""

    def reply(data, context):
        request = message_class("ProfileRequest").FromString(data)
        if request.repository_root.startswith("/dev/null"):
            context.abort(grpc.StatusCode.INTERNAL, "/dev/null is not a directory")
        place = disk / request.repository_root.lstrip("/") / request.session_id
        place.mkdir(parents=True)
        (place / f"{request.host_name}.xplane.pb").write_bytes(capture)
        return reply_with()

    return reply


def test_a_server_too_old_to_send_needs_a_place_of_its_own(tmp_path, capture):
    disk = tmp_path / "disk of the server"
    with serving(_too_old(capture, disk)) as address:
        code, told = _asked(tmp_path, address)
        assert (code, "--remote-logdir" in told) == (3, True)
        assert not disk.exists()
        code, told = _asked(tmp_path, address, "--remote-logdir", "/shared/logs/")
    assert (code, told["written"], told["steps"]) == (0, [], None)
    (host,) = told["hosts"]
    assert (host["bytes"], host["steps"]) == (None, None)
    assert "path" not in host
    assert (disk / host["remote_path"].lstrip("/")).read_bytes() == capture
    assert host["remote_path"].startswith("/shared/logs/plugins/profile/")
    assert not (tmp_path / "logs").exists()


def test_old_and_new_servers_may_be_mixed(tmp_path, capture):
    with serving(_too_old(capture, tmp_path)) as old, serving(reply_with(capture)) as new:
        ran = run("capture", old, new, QUICK, "--logdir", tmp_path / "logs",
                  "--remote-logdir", "/remote")  # fmt: skip
    assert ran.code == 0
    assert f"{old} wrote its capture to its own disk: /remote/plugins/profile/" in " ".join(
        ran.out.split()
    )


@pytest.mark.parametrize("place", ["a file", "a link to nowhere", "a NUL"])
def test_a_place_that_cannot_be_written_is_refused_before_anybody_is_asked(tmp_path, place):
    logdir = {"a file": tmp_path / "file", "a link to nowhere": tmp_path / "link/x"}.get(place)
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("/proc/none")
    asked = []
    with serving(lambda *call: asked.append(call)) as address:
        ran = run("capture", address, QUICK, "--logdir", logdir or "a\0b")
    assert (ran.code, asked) == (5, [])


def test_two_captures_of_one_second_have_two_names(tmp_path, capture):
    with serving(reply_with(capture)) as address:
        folders = {_asked(tmp_path, address)[1]["written"][0] for _ in range(4)}
    assert len(folders) == 4


def test_a_name_that_somebody_takes_meanwhile_is_left_to_them(tmp_path, capture, monkeypatch):
    """Two captures that begin in one second may end at one time."""
    rename, taken = Path.rename, []

    def late(folder, target):
        if not taken and folder.name.startswith("."):
            (target / "rank-0").mkdir(parents=True)
            taken.append(target)
        return rename(folder, target)

    monkeypatch.setattr(Path, "rename", late)
    with serving(reply_with(capture)) as address:
        code, told = _asked(tmp_path, address)
    assert (code, told["written"]) == (0, [f"{taken[0]}-2"])


@pytest.fixture
def started(tmp_path):
    """`tfprof capture` in a process of its own, when its server has been asked."""

    @contextlib.contextmanager
    def start(address):
        words = command("capture", address, "--logdir", tmp_path / "logs")
        process = subprocess.Popen(
            words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            deadline = time.monotonic() + 60
            while not list(tmp_path.glob("logs/.*")) and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.5)
            yield process
        finally:
            process.kill()
            process.communicate()

    return start


def test_an_interrupted_capture_leaves_nothing(tmp_path, started):
    with silent() as address, started(address) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert not (tmp_path / "logs").exists()


def test_a_killed_capture_leaves_nothing_that_is_taken_for_one(tmp_path, started, capture):
    with silent() as address, started(address) as process:
        (hidden,) = (tmp_path / "logs").iterdir()
        with serving(reply_with(capture)) as other:  # of somebody who is at work, nothing is taken
            assert _asked(tmp_path, other)[0] == 0
        assert hidden.exists()
        process.kill()
        process.wait()
    with serving(reply_with(capture)) as other:
        code, told = _asked(tmp_path, other)
    assert (code, hidden.exists()) == (0, False)
    assert told["written"][0] in map(str, (tmp_path / "logs").iterdir())


def test_without_grpc_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "grpc", None)
    ran = run("capture", "127.0.0.1:1", "--logdir", tmp_path / "logs")
    assert ran.code == 6
    assert "tfprof[remote]" in ran.err
    assert not (tmp_path / "logs").exists()


def _script(script, address, logdir):
    words = ["capture", address, QUICK, "--logdir", str(logdir)]
    return subprocess.run(
        [sys.executable, "-c", script, *words], env=environment(), capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip


def test_tensorflow_is_not_loaded(tmp_path, capture):
    script = (
        "import sys; from tfprof.cli.main import main; code = main(sys.argv[1:]);"
        "sys.exit(code or 'tensorflow' in sys.modules)"
    )
    with serving(reply_with(capture)) as address:
        done = _script(script, address, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
