"""Python imports this before a script that `tfprof run` starts; then the one it would have found.

Afterwards this folder is in no path, and whether there is a module `sitecustomize` is what it would
have been without.
"""
# ruff: noqa: INP001  (a folder to look for modules in, no package)

import importlib.machinery
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  (pathlib loads much)
_PACKAGE = os.path.abspath(os.path.join(_HERE, "..", "..", ".."))  # noqa: PTH100, PTH118


def _start() -> None:
    """The tfprof that started the script, whatever else is called so."""
    try:
        if "tfprof" not in sys.modules:
            folder = os.path.dirname(_PACKAGE)  # noqa: PTH120
            spec = importlib.machinery.PathFinder.find_spec("tfprof", [folder])
            _load("tfprof", spec)
        from tfprof.live.run.start import start

        start()
    except Exception as fault:  # noqa: BLE001  (the script runs, whatever is wrong with us)
        sys.stderr.write(f"tfprof: nothing is recorded: {type(fault).__name__}: {fault}\n")


def _load(name: str, spec: importlib.machinery.ModuleSpec | None) -> None:
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    from importlib.util import module_from_spec

    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _HERE]  # noqa: PTH100
_start()
# where there is no other, this one was not there either: `site` takes the error for that
_load("sitecustomize", importlib.machinery.PathFinder.find_spec("sitecustomize"))
