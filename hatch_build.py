"""Builds the page into the package, also for an editable install; without it the rest works."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_HOW = (
    "`tfprof report` will say so; everything else works. To get it, install again where npm's "
    "registry can be reached, or run `python web/build.py` in a clone."
)


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    def dependencies(self) -> list[str]:
        """A node of our own, where it is needed and none is installed."""
        page = _builder(self.root)
        return [] if page.is_current() or page.has_node() else [page.BRINGS_NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        page = _builder(self.root)
        try:
            page.build()
        except (page.NotBuilt, OSError) as why:
            self.app.display_warning(f"The page of `tfprof report` is not built: {why}\n{_HOW}")
        else:
            build_data["artifacts"].append(page.TEMPLATE.relative_to(self.root).as_posix())


def _builder(root: str) -> ModuleType:
    found = importlib.util.spec_from_file_location("build_page", Path(root) / "web" / "build.py")
    if found is None or found.loader is None:
        raise ImportError("web/build.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
