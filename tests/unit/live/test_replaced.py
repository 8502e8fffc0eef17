"""What is replaced for a while is put back, and nobody else's work is undone."""

import types

from tfprof.live.recording.replaced import Replaced


class Thing:
    def act(self):
        return "own"

    def __setattr__(self, name, value):
        raise AssertionError("past what the class does with attributes")


def test_objects_classes_and_modules_are_as_before():
    thing, module, kind = Thing(), types.ModuleType("some"), type("Kind", (), {"act": 1})
    module.act = 2
    replaced = Replaced()
    replaced.set(thing, "act", lambda: "ours")
    replaced.set_on_class(module, "act", "ours")
    replaced.set_on_class(kind, "act", "ours")
    replaced.set_on_class(kind, "added", "ours")
    assert (thing.act(), module.act, kind.act, kind.added) == ("ours",) * 4
    replaced.undo()
    assert (thing.act(), module.act, kind.act) == ("own", 2, 1)
    assert not hasattr(kind, "added")
    assert vars(thing) == {}
    replaced.undo()


def test_what_somebody_else_replaced_since_stays():
    module = types.ModuleType("some")
    module.act = "own"
    replaced = Replaced()
    replaced.set_on_class(module, "act", "ours")
    module.act = "theirs"
    replaced.undo()
    assert module.act == "theirs"
