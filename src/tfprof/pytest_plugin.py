"""Budgets in a test suite: the fixture `tfprof_budget`, and a marker with the limits of a test.

Nothing of tfprof is loaded before a test asks for the fixture.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tfprof.api.answer import Answer
    from tfprof.api.profile import Profile

Budget = Callable[..., "Answer"]
_MARK = "tfprof_budget"
_SWITCHES = ("baseline", "repeats", "run_noise", "allow_unknown", "strict", "batch", "mode")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f'{_MARK}(**limits): limits for the fixture, such as max_params="5M"'
    )


@pytest.fixture
def tfprof_budget(request: pytest.FixtureRequest) -> Budget:
    """Called with a path, a profile or several paths, and limits: fails where one is broken.

    Limits of the call win over those of the marker, these over [tool.tfprof.budget].
    """
    marked: dict[str, Any] = {}
    for mark in reversed([*request.node.iter_markers(_MARK)]):
        marked |= mark.kwargs

    def budget(*what: str | os.PathLike[str] | Profile, **said: Any) -> Answer:  # noqa: ANN401
        __tracebackhide__ = True
        from tfprof.errors import UsageError

        if not what:
            raise UsageError("nothing to check", hint='tfprof_budget("model.pb", max_params="5M")')
        limits = {**_of_project(request.config.rootpath), **_spelt(marked), **_spelt(said)}
        answer = _profile(what).check(**limits)
        if not answer.to_dict()["data"]["ok"]:
            pytest.fail(f"a budget is broken\n{answer}", pytrace=False)
        return answer

    return budget


def _profile(what: tuple[str | os.PathLike[str] | Profile, ...]) -> Profile:
    from tfprof.api.profile import Profile, load

    first = what[0]
    if isinstance(first, Profile):
        return first
    return load(*(one for one in what if not isinstance(one, Profile)))


def _of_project(root: Path) -> dict[str, Any]:
    from tfprof.cli.config import budget_of, project_file

    return _spelt(dict(budget_of(project_file(root))))


def _spelt(said: dict[str, Any]) -> dict[str, Any]:
    """`max-params`, `max_params` and `params` are the same word."""
    made = {key.replace("-", "_"): value for key, value in said.items()}
    return {
        key if key in _SWITCHES else f"max_{key.removeprefix('max_')}": value
        for key, value in made.items()
    }
