"""The functions that a program traced, as graphs and variable tables beside the captures.

Nobody has to name them: TensorFlow's own objects are looked for, and a capture names the functions
that ran in it. The largest of those is the step.
"""

from __future__ import annotations

import mmap
import re
import sys
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.live_objects import Live
from tfprof.live.recording.alive import (
    CONCRETE,
    model_of,
    name_of,
    traced_functions,
    traces_of,
)
from tfprof.live.recording.run_folder import write_bytes, write_json

_LISTED: Final = "_list_all_concrete_functions"
_MOST: Final = 50
_LOOKED_INTO: Final = 300
_DEEPEST: Final = 4
_CALLED: Final = re.compile(rb"__inference_[A-Za-z0-9_.\-<>]{1,300}")
_PYTHON: Final = re.compile(r"(?:__(?:inference|forward|backward)_)?(.+?)(?:_\d+)?")
_PRODUCT: Final = re.compile("MatMul|Conv|Einsum")
_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")
GRAPH: Final = "graph.pb"
VARIABLES: Final = "graph_vars.json"
_OTHERS: Final = "functions"


Calls: TypeAlias = dict[str, tuple[int | None, int]]


@frozen_dataclass
class Exported:
    """Rows for run.json, how many functions were left out, what to tell the user."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    left_out: int = 0
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Seen:
    """A function, alive or not, and how often it was called while somebody looked."""

    function: weakref.ReferenceType[Live]
    calls: int = 0
    is_step: bool = False


class SeenFunctions:
    """Weak references: a function that the program lets go is let go.

    Functions are seen on the threads of the program while they are exported on another.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[int, _Seen] = {}
        self._captured: set[str] = set()
        self._step: dict[str, Any] | None = None
        self._step_name = ""
        self.step_ops: list[str] = []
        self._model: weakref.ReferenceType[Live] | None = None

    def saw(self, function: Live, concrete: Live = None, *, is_step: bool = False) -> None:
        """A tf.function, or a plain one that holds some, as Keras has them."""
        del concrete  # found with all others
        known = self._seen.get(id(function))
        if known is None or known.function() is not function:
            try:
                known = self._seen[id(function)] = _Seen(weakref.ref(function))
            except TypeError:  # what cannot be watched would be held
                return
        known.calls += 1
        known.is_step = known.is_step or is_step

    def saw_model(self, model: Live) -> None:
        """A model knows which of its variables are trained; TensorFlow takes more for such."""
        self._model = weakref.ref(model)

    def find_model(self) -> Live | None:
        """Of a loop of the user's own nobody hands a model over: the step's function reads it."""
        if CONCRETE not in sys.modules or not self._captured:
            return None
        step = self._step_of(traced_functions())
        return None if step is None else model_of(step)

    def held(self) -> list[Live]:
        """Those that a program may let go before they are exported; it is there to keep them."""
        if CONCRETE not in sys.modules or self._step is not None:
            return []
        seen = [one.function() for one in self._seen.values()]
        return [one for one in seen if one is not None] or traced_functions()

    def captured(self, folder: Path) -> None:
        """A capture names the functions that ran in it."""
        for path in folder.glob("*.xplane.pb"):
            self._captured |= called_in(path)

    def export(self, *, everything: bool, step_is_known: bool = False) -> Exported:
        """The step's function once it is known; all others when the recording ends.

        With `step_is_known` the step is no function: a session ran it.
        """
        if CONCRETE not in sys.modules:
            return Exported([self._step] if self._step else [])
        if self._step is not None and not everything:
            return Exported([self._step])
        warnings: list[str] = []
        alive = traced_functions()
        calls = self._calls()
        if self._step is None and not step_is_known:
            step = self._step_of(alive)
            if step is not None:
                self._step = self._written(step, GRAPH, VARIABLES, "step", calls, warnings)
                self._step_name = name_of(step)
                self._write_op_log(step, warnings)
        rows = [self._step] if self._step else []
        for row in rows:
            row["calls"], row["traces"] = calls.get(self._step_name, (None, None))
        left_out = 0
        if everything:
            others = [one for one in _outermost(alive) if name_of(one) != self._step_name]
            left_out = max(0, len(others) - _MOST)
            rows += self._write_others(others[:_MOST], calls, warnings)
        return Exported(rows, left_out, warnings)

    def _calls(self) -> Calls:
        """By the name of a trace: calls of its tf.function, and how many traces that has."""
        found: Calls = {}
        for seen in list(self._seen.values()):
            for function in functions_in(seen.function()):
                traces = traces_of(function)
                found |= dict.fromkeys(map(name_of, traces), (seen.calls, len(traces)))
        return found

    def _step_of(self, alive: Sequence[Live]) -> Live | None:
        """The largest of those that ran in a capture, or that somebody said to be the step."""
        named = {
            name_of(one)
            for seen in list(self._seen.values())
            if seen.is_step
            for function in functions_in(seen.function())
            for one in traces_of(function)
        }
        ran = [one for one in alive if name_of(one) in self._captured]
        chosen = [one for one in ran if name_of(one) in named] or ran
        if not chosen and not self._captured and not (self._folder / GRAPH).exists():
            chosen = [one for one in alive if name_of(one) in named]
        step = max(chosen, key=_size, default=None)
        if step is None or _products(step):
            return step
        # gradients were applied by a function of their own, and others computed them
        return max(ran, key=lambda one: (_products(one), _size(one)), default=step)

    def _write_others(
        self, others: Sequence[Live], calls: Calls, warnings: list[str]
    ) -> list[dict[str, Any]]:
        rows = []
        taken: set[str] = set()
        for one in others:
            plain = name = _NAME.sub("_", python_name(name_of(one)))[:80]
            number = 1
            while name in taken:
                number += 1
                name = f"{plain}-{number}"
            taken.add(name)
            row = self._written(
                one, f"{_OTHERS}/{name}.pb", f"{_OTHERS}/{name}_vars.json", "other", calls, warnings
            )
            rows += [row] if row else []
        return rows

    def _written(
        self,
        concrete: Live,
        graph: str,
        variables: str,
        role: str,
        calls: Calls,
        warnings: list[str],
    ) -> dict[str, Any] | None:
        from tfprof.live.objects import live_graph

        name = python_name(name_of(concrete))
        try:
            model = self._model() if self._model is not None else None
            live = live_graph(concrete, model=model)
            (self._folder / graph).parent.mkdir(mode=0o700, exist_ok=True)
            write_bytes(self._folder / graph, live.data)
            table = variable_table(live.variables)
            if table:
                write_json(self._folder / variables, table)
        except Exception as fault:  # noqa: BLE001  (a user's graph; the capture is there without it)
            warnings.append(f"the graph of {name} is not written: {_said(fault)}")
            return None
        count, traces = calls.get(name_of(concrete), (None, None))
        return {
            "name": name, "graph": graph, "variables": variables if table else None,
            "role": role, "calls": count, "traces": traces,
        }  # fmt: skip

    def _write_op_log(self, concrete: Live, warnings: list[str]) -> None:
        from tfprof.live.recording.function_log import function_log, op_names

        try:
            self.step_ops = op_names(concrete)
            write_bytes(self._folder / "tfprof_log", function_log(concrete))
        except Exception as fault:  # noqa: BLE001  (as above)
            warnings.append(f"the op log is not written: {_said(fault)}")


def _said(fault: Exception) -> str:
    lines = str(fault).splitlines()
    return lines[0] if lines else type(fault).__name__


def called_in(path: Path) -> set[str]:
    """The names of functions in a capture, found as bytes: it may be large."""
    if not path.stat().st_size:
        return set()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return {found.group().decode() for found in _CALLED.finditer(data)}


def variable_table(variables: Any) -> dict[str, list[Any]]:  # noqa: ANN401  (a mapping that numpy's model types)
    """What `--vars` reads: by placeholder its shape, dtype and whether it is trained."""
    from tfprof.wire import dtypes

    table: dict[str, list[Any]] = {}
    for node, variable in variables.items():
        if variable.shape is None:
            continue
        row: list[Any] = [list(variable.shape), dtypes.name(variable.dtype)]
        table[node] = row if variable.trainable is None else [*row, variable.trainable]
    return table


def python_name(name: str) -> str:
    """What the function is called in the program."""
    found = _PYTHON.fullmatch(name)
    return found[1] if found else name


def _size(concrete: Live) -> tuple[int, str]:
    """How many nodes it has, with the functions that it calls; the latest of equals."""
    graph = concrete.graph
    inner = sum(len(one.node_def) for one in graph.as_graph_def().library.function)
    return len(graph.get_operations()) + inner, name_of(concrete)


def _products(concrete: Live) -> int:
    """How many of its ops are products and convolutions."""
    definition = concrete.graph.as_graph_def()
    inner = (node.op for one in definition.library.function for node in one.node_def)
    return sum(_PRODUCT.search(op) is not None for op in [*(n.op for n in definition.node), *inner])


def _outermost(functions: Sequence[Live]) -> list[Live]:
    """Those that no other one calls, the largest first; only some hundred are looked into."""

    def nodes(one: Live) -> int:
        return len(one.graph.get_operations())

    alive = sorted(functions, key=lambda one: (-nodes(one), name_of(one)))
    inside = {
        function.signature.name
        for one in alive[:_LOOKED_INTO]
        for function in one.graph.as_graph_def().library.function
    }
    return [one for one in alive if name_of(one) not in inside]


def functions_in(thing: Live) -> Iterator[Live]:
    """The tf.functions that a plain function closes over or wraps, the outermost first."""
    waiting, seen = [(thing, 0)], set()
    while waiting:
        one, depth = waiting.pop(0)
        if id(one) in seen or depth > _DEEPEST:
            continue
        seen.add(id(one))
        if hasattr(one, _LISTED):
            yield one
        else:
            waiting += [(inner, depth + 1) for inner in _held_by(one)]


def _held_by(function: Live) -> list[Live]:
    wrapped = getattr(function, "__wrapped__", None)
    found = [] if wrapped is None else [wrapped]
    for cell in getattr(function, "__closure__", None) or ():
        try:
            held = cell.cell_contents
        except ValueError:  # not filled yet
            continue
        if callable(held) and (hasattr(held, _LISTED) or hasattr(held, "__code__")):
            found.append(held)
    return found
