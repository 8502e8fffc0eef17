"""Whether a capture that TensorFlow wrote is whole, and what it says was dropped."""

import pytest

from tfprof.live.recording.run_folder import RankFolder
from tfprof.live.recording.tracer import CaptureFailed, Tracer, _checked, _dropped
from tfprof.wire.schema import message_class

# as TensorFlow's tracer of GPUs says it
DROPPED = (
    "Detected GPU events dropped on vm: Profiler has collected 2097152 driver events and 1048576 "
    "device events. 1,234 events dropped because of total device(GPU) events reaches maximum; 66 "
    "events dropped because of activity buffers;"
)


@pytest.fixture
def capture(tmp_path):
    """A file as TensorFlow writes it, planes first."""
    space = message_class("XSpace")()
    for number in range(3):
        space.planes.add(name=f"/host:CPU {number}" * 40)
    path = tmp_path / "vm.xplane.pb"
    # fields 2 and 3 are errors and warnings
    told = b"".join(
        bytes([tag, *_length(len(text))]) + text.encode()
        for tag, text in ((0x12, "CUPTI is not there"), (0x1A, DROPPED))
    )
    path.write_bytes(space.SerializeToString() + told)
    return path


def _length(size):
    return [size] if size < 128 else [size % 128 + 128, size // 128]


def test_what_the_tracers_dropped_is_told(capture):
    told = _checked(capture)
    assert told == ["CUPTI is not there", DROPPED]
    assert _dropped(told) == 1234 + 66
    assert _dropped(told[:1]) is None


@pytest.mark.parametrize("kept", [1, 50, 300, -1, -200])
def test_a_file_that_ends_early_is_no_capture(capture, kept):
    capture.write_bytes(capture.read_bytes()[:kept])
    with pytest.raises(CaptureFailed, match="cut short"):
        _checked(capture)


def test_an_empty_file_is_one_over_two_gigabytes(capture):
    capture.write_bytes(b"")
    with pytest.raises(CaptureFailed, match="over 2 GB"):
        _checked(capture)


def test_something_else_is_no_capture(capture):
    capture.write_bytes(b"\x08\x01")
    with pytest.raises(CaptureFailed, match="not what TensorFlow writes"):
        _checked(capture)


def test_nothing_is_stopped_that_was_not_started(tmp_path):
    folder = RankFolder.opened(tmp_path)
    tracer = Tracer(folder, max_bytes=1)
    with pytest.raises(CaptureFailed):
        tracer.stop()
    tracer.discard()
    folder.release()
