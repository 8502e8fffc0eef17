"""Modules that are waited for, imported in every way, in a Python of their own."""

import pytest
from run_scripts import plain, written

_HOOKS = """
    import sys
    from tfprof.live.run.import_hooks import ImportHooks

    def heard(module):
        print("heard", module.__name__, sorted(vars(module).get("made", [])))
        module.changed = True

    hooks = ImportHooks({name: heard for name in ("pack.inner", "pack", "later", "broken", "json")})
    hooks.install()
"""


@pytest.fixture
def place(tmp_path):
    written(tmp_path, "made = ['pack']", "pack/__init__.py")
    written(tmp_path, "made = ['inner']", "pack/inner.py")
    written(tmp_path, "made = ['later']", "later.py")
    written(tmp_path, "1 / 0", "broken.py")
    return tmp_path


def _says(place, text):
    written(place, _HOOKS + text)
    ran = plain(place, "train.py")
    assert ran.err == ""
    return ran.out.splitlines()


def test_each_is_heard_of_once_when_it_is_whole(place):
    text = """
    import pack.inner, later, importlib
    from pack import inner
    print(pack.changed, inner.changed, later.changed)
    importlib.reload(later)
    print(hasattr(json, "changed") if "json" in sys.modules else "not loaded")
    """
    assert _says(place, text.replace("hasattr(json", "hasattr(sys.modules['json']")) == [
        "heard pack ['pack']",
        "heard pack.inner ['inner']",
        "heard later ['later']",
        "True True True",
        "not loaded",
    ]


def test_what_is_loaded_already_is_heard_of_at_once(place):
    written(place, "import json\n" + _HOOKS.replace("\n    ", "\n"))
    assert plain(place, "train.py").out == "heard json []\n"


def test_nothing_of_it_shows(place):
    text = """
    import inspect, later, pack
    print(later.__spec__.loader is later.__loader__, vars(later.__loader__).keys())
    print(inspect.getsource(later).strip(), type(later.__loader__).__name__, pack.__path__ != [])
    """
    assert _says(place, text)[2:] == [
        "True dict_keys(['name', 'path'])",
        "made = ['later'] SourceFileLoader True",
    ]


def test_an_error_of_the_module_is_as_it_was(place):
    text = """
    import traceback
    def show():
        try:
            import broken
        except ZeroDivisionError:
            return traceback.format_exc()
    first = show()
    print("tfprof" in first, "broken" in sys.modules)
    sys.meta_path.remove(hooks)
    print(first == show())
    """
    assert _says(place, text) == ["False False", "True"]


def test_what_is_not_there_is_not_there(place):
    text = """
    sys.path[:] = []
    try:
        import later
    except ModuleNotFoundError as fault:
        print(fault)
    """
    assert _says(place, text) == ["No module named 'later'"]
