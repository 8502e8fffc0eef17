"""Importing this registers the rules of every family."""

import importlib
import pkgutil
from pathlib import Path

for _module in pkgutil.iter_modules([str(Path(__file__).parent)]):
    if _module.name != "every_family":
        importlib.import_module(f"tfprof.ops.{_module.name}")
