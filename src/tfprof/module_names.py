"""The modules of a folder, for registries that look through theirs."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from types import ModuleType


def module_names(folders: Iterable[str]) -> frozenset[str]:
    """As `pkgutil.iter_modules` has them, which loads a tenth of what Python comes with."""
    files = (file for folder in folders for file in os.listdir(folder))  # noqa: PTH208
    names = (file.removesuffix(".py") for file in files if file.endswith(".py"))
    return frozenset(name for name in names if name != "__init__")


def load_all(folder: ModuleType) -> None:
    """So that every file of it registers what it has."""
    for name in sorted(module_names(folder.__path__)):
        importlib.import_module(f"{folder.__name__}.{name}")
