"""Loops without tf.function: gradients that an optimizer applies are the end of a step.

Without an optimizer, trained variables are assigned once a tape has told their gradients.
"""

from __future__ import annotations

import sys
from typing import Final

from tfprof.live.live_objects import Live
from tfprof.live.run.hooks_functions import Functions, runs_eagerly
from tfprof.live.run.loop import Loop
from tfprof.live.run.transparent import listen

_ASSIGNS: Final = ("assign", "assign_add", "assign_sub")


class EagerSteps:
    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._watch = functions.watch

    def listen_to(self, module: Live) -> None:
        """A module with an optimizer of Keras 3 or of Keras 2."""
        if hasattr(module, "BaseOptimizer"):
            listen(module.BaseOptimizer, "apply", self._begins, self._ended)
        elif hasattr(module, "Optimizer"):
            listen(module.Optimizer, "apply_gradients", self._begins, self._ended)
        else:
            listen(module.OptimizerV2, "apply_gradients", self._begins, self._ended)

    def _begins(self, optimizer: Live, _args: tuple[Live, ...]) -> object:
        here = self._functions.here
        here.depth += 1  # an optimizer may call functions of its own
        if here.depth > 1 or self._watch.is_off or not runs_eagerly():
            return None
        if self._functions.is_elsewhere(sys._getframe(2)):  # noqa: SLF001  (who calls)
            return None
        loop = self._functions.loop()
        self._watch.guarded(loop.update_begins, id(optimizer), "eager", type(optimizer).__name__)
        return loop

    def _ended(self, optimizer: Live, told: object, fault: BaseException | None) -> None:
        here = self._functions.here
        here.depth -= 1
        here.has_gradients = False  # they are used up
        if isinstance(told, Loop):
            self._watch.guarded(told.update_ends, id(optimizer), fault is not None)

    def listen_to_tapes(self, module: Live) -> None:
        listen(module.GradientTape, "gradient", _nothing, self._has_gradients)

    def _has_gradients(self, _tape: Live, _told: object, _fault: BaseException | None) -> None:
        here = self._functions.here
        here.has_gradients = here.depth == 0 and not self._watch.is_off and runs_eagerly()

    def listen_to_variables(self, module: Live) -> None:
        for name in _ASSIGNS:
            listen(module.BaseResourceVariable, name, self._assign_begins, self._assign_ended)

    def _assign_begins(self, variable: Live, _args: tuple[Live, ...]) -> object:
        here = self._functions.here
        if not here.has_gradients or here.depth or self._watch.is_off:
            return None
        if not getattr(variable, "trainable", False) or not runs_eagerly():
            return None
        if self._functions.is_elsewhere(sys._getframe(2)):  # noqa: SLF001  (who calls)
            return None
        loop = self._functions.loop()
        self._watch.guarded(loop.update_begins, id(variable), "eager", "gradients")
        return loop

    def _assign_ended(self, variable: Live, told: object, fault: BaseException | None) -> None:
        if isinstance(told, Loop):
            self._watch.guarded(told.update_ends, id(variable), fault is not None)


def _nothing(_tape: Live, _args: tuple[Live, ...]) -> None:
    """What follows is told by the end."""
