"""A method that is listened to looks as it did, in tracebacks as well."""

import inspect
import pickle
import traceback

import pytest

from tfprof.live.run.transparent import listen


class Machine:
    """A class of somebody else."""

    def work(self, amount: int, *, fail: bool = False) -> int:
        """Twice as much."""
        if fail:
            raise ValueError("broken")
        return 2 * amount

    def stack(self):
        return [frame.filename for frame in traceback.extract_stack()]


class Special(Machine):
    def work(self, amount: int, *, fail: bool = False) -> int:
        return super().work(amount, fail=fail) + 1


_PLAIN = Machine.work
_heard = []


@pytest.fixture(autouse=True, scope="module")
def _listening():
    plain = {name: Machine.__dict__[name] for name in ("work", "stack")}

    def before(machine, args):
        _heard.append(("before", type(machine), args))
        return len(_heard)

    def after(machine, told, fault):
        _heard.append(("after", type(machine), told, fault))

    for name in plain:
        listen(Machine, name, before, after)
    yield
    for name, method in plain.items():
        setattr(Machine, name, method)


@pytest.fixture(autouse=True)
def _fresh():
    _heard.clear()


def test_both_ends_are_heard():
    assert Machine().work(4) == 8
    assert _heard[0] == ("before", Machine, (4,))
    assert _heard[1:] == [("after", Machine, 1, None)]


def test_overrides_go_through_once():
    assert Special().work(4) == 9
    assert len(_heard) == 2


def test_it_looks_the_same():
    assert inspect.signature(Machine.work) == inspect.signature(_PLAIN)
    assert inspect.getsource(Machine.work) == inspect.getsource(_PLAIN)
    assert Machine.work.__doc__ == "Twice as much."
    assert (Machine.work.__name__, Machine.work.__qualname__) == ("work", "Machine.work")
    assert pickle.loads(pickle.dumps(Machine.work)) is Machine.work
    assert pickle.loads(pickle.dumps(Machine().work))(3) == 6


def test_a_traceback_has_no_frame_of_ours():
    with pytest.raises(ValueError, match="broken") as caught:
        Special().work(1, fail=True)
    entries = traceback.extract_tb(caught.value.__traceback__)
    assert {entry.filename for entry in entries} == {__file__}
    assert [entry.name for entry in entries][-2:] == ["work", "work"]
    assert len(entries) == 3
    assert caught.value.__context__ is None
    assert _heard[-1][-1] is caught.value


def test_while_it_runs_the_stack_names_no_file_of_ours():
    assert not [name for name in Machine().stack() if "live/run" in name and name != __file__]
