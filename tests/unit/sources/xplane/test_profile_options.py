"""How much a capture was told to record, beside what protobuf makes of the same bytes."""

from pathlib import Path

import pytest

from tfprof.errors import CorruptFile
from tfprof.model.xspace import ProfileOptions
from tfprof.sources.xplane.profile_options import PackedOptions
from tfprof.wire.schema import message_class

ALL = {
    "include_dataset_ops": True,
    "host_tracer_level": 3,
    "device_tracer_level": 1,
    "python_tracer_level": 1,
    "repository_path": "/tmp/logs",  # noqa: S108 - nobody opens it
}


def _read(data):
    return PackedOptions(data, Path("vm.xplane.pb"))()


@pytest.mark.parametrize("said", [{}, {"host_tracer_level": (1 << 32) - 1}, ALL], ids=len)
def test_levels_are_those_that_protobuf_reads(said):
    message = message_class("ProfileOptions")(**said)
    levels = message.host_tracer_level, message.device_tracer_level, message.python_tracer_level
    assert _read(message.SerializeToString()) == ProfileOptions(*levels)


def test_of_a_level_that_is_said_twice_the_last_holds():
    assert _read(b"\x10\x01\x10\x02").host_tracer_level == 2


def test_a_damaged_level_has_no_more_bits_than_it_can_have():
    data = b"\x10" + b"\xff" * 9 + b"\x01"
    held = message_class("ProfileOptions").FromString(data).host_tracer_level
    assert _read(data).host_tracer_level == held == (1 << 32) - 1


def test_options_that_are_cut_off_are_a_fault_of_the_file():
    with pytest.raises(CorruptFile, match="damaged"):
        _read(b"\x52\x09short")
