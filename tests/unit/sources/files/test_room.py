"""Room for many bytes begins where a large page does."""

import pytest

from tfprof.sources.files.room import room_for

PAGE = 1 << 21


@pytest.mark.parametrize("size", [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 5 * PAGE + 7])
def test_there_is_as_much_room_as_was_asked_for(size):
    room = room_for(size)
    room[:] = 7
    assert len(room) == size
    assert room.flags.c_contiguous
    if size >= PAGE:
        assert room.__array_interface__["data"][0] % PAGE == 0
