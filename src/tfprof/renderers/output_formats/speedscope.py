"""speedscope: a flame graph of costs by scope, graph or line of code."""

from tfprof.errors import UsageError
from tfprof.renderers.registry import Shown
from tfprof.renderers.trace import speedscope
from tfprof.results.trees import CostTreeResult


def render(answer: Shown, _width: int) -> str:
    found = answer.result.data
    if not isinstance(found, CostTreeResult):
        raise UsageError(
            f"there is no flame graph of {answer.result.command}",
            hint="`tfprof scope`, `graph` and `code` have one; speedscope also opens the "
            ".trace.json of `tfprof timeline`.",
        )
    return speedscope.render(answer.result.subject.title, found)
