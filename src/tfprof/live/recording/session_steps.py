"""Runs of a session as steps: captured, then one of them traced in full.

A run is a step if it trains: if what it fetches reaches an update of variables by an optimizer. The
run after a capture is traced: run metadata with the graphs that ran, which a capture has not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tfprof.live.live_objects import Live
from tfprof.live.recording.run_folder import RUN_METADATA, write_bytes, write_json
from tfprof.live.sessions import SessionRun

if TYPE_CHECKING:
    from tfprof.live.recording.recorder import Recorder

# Adam and its like; what initializers and counters do is no training
_UPDATES: Final = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]\w*")
_GRAPH: Final = "graph.pb"
_VARIABLES: Final = "graph_vars.json"


class SessionSteps:
    """Asked for every run of every session of the program."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._trains: dict[Any, bool] = {}
        self._captures = 0
        self._graph: Live = None
        self._written = False
        self._trace_next = False

    def run(self, recorder: Recorder, call: SessionRun) -> Live:
        """The result of the call, and its exceptions."""
        traces_itself = call.traces_itself
        if traces_itself:
            recorder.give_way()
        if recorder.is_off or not self._is_training(recorder, call):
            return call.as_called()
        if self._trace_next and not recorder.capturing and not traces_itself:
            return self._traced_run(recorder, call)
        if self._graph is not call.graph:
            self._graph = call.graph
            recorder.guarded(lambda: recorder.record.saw_devices(devices_of(call.session)))
        captures = recorder.captured
        token = recorder.begin("session", "Session.run", capture=not traces_itself)
        failed = True
        try:
            result = call.as_called()
            failed = False
        finally:
            recorder.end(token, failed=failed)
        self._trace_next = self._trace_next or recorder.captured > captures
        return result

    def _traced_run(self, recorder: Recorder, call: SessionRun) -> Live:
        """A step that takes longer: it counts, and its time does not."""
        self._trace_next = False
        token = recorder.begin("session", "Session.run")
        failed = True
        try:
            result, run_meta = call.traced(partition_graphs=True)
            failed = False
        finally:
            recorder.end(token, failed=failed)
            recorder.pause()
        number = recorder.count
        recorder.guarded(lambda: self._keep(recorder, number, run_meta))
        return result

    def export(self, warn: Callable[[str], None]) -> dict[str, Any] | None:
        """Graph, variables and op log of the session; a row for run.json."""
        if self._graph is None:
            return None
        if not self._written:
            self._written = True
            self._write_graph(warn)
        return {
            "name": "Session.run", "graph": _GRAPH, "variables": _VARIABLES, "role": "step",
            "calls": None, "traces": None,
        }  # fmt: skip

    def _is_training(self, recorder: Recorder, call: SessionRun) -> bool:
        """Looked at once for each set of fetches."""
        key = _key(call)
        known = self._trains.get(key)
        if known is None:
            known = bool(recorder.guarded(lambda: trains(call)))
            self._trains[key] = known
        return known

    def _keep(self, recorder: Recorder, number: int, run_meta: Live) -> None:
        path = self._folder / f"{RUN_METADATA}{number}"
        try:
            write_bytes(path, run_meta.SerializeToString())
        except OSError as fault:
            recorder.warn(f"{path.name} cannot be written: {fault.strerror or fault}")
            return
        recorder.saw_run_metadata(path.name)

    def _write_graph(self, warn: Callable[[str], None]) -> None:
        from tfprof.live.objects import live_graph
        from tfprof.live.recording.function_log import graph_log
        from tfprof.live.recording.functions import variable_table

        try:
            live = live_graph(self._graph)
            write_bytes(self._folder / _GRAPH, live.data)
            write_json(self._folder / _VARIABLES, variable_table(live.variables))
            write_bytes(self._folder / "tfprof_log", graph_log([self._graph]))
        except OSError as fault:
            warn(f"the graph cannot be written: {fault.strerror or fault}")


def devices_of(session: Live) -> list[dict[str, str | None]]:
    return [
        {"name": str(device.name), "kind": str(device.device_type), "model": None}
        for device in session.list_devices()
    ]


def _key(call: SessionRun) -> Any:  # noqa: ANN401  (whatever tells one set of fetches from another)
    """Cheap, and the same for the same fetches: the objects of a graph live as long as it does."""
    fetches = call.fetches
    if isinstance(fetches, list | tuple):
        parts = tuple(one if isinstance(one, str) else id(one) for one in fetches)
    elif isinstance(fetches, dict):
        parts = tuple(one if isinstance(one, str) else id(one) for one in fetches.values())
    else:
        parts = (fetches if isinstance(fetches, str) else id(fetches),)
    return id(call.graph), parts


def trains(call: SessionRun) -> bool:
    """Whether the run updates variables as an optimizer does."""
    graph = call.graph
    with graph.as_default():
        fetched = [graph.as_graph_element(name) for name in call.fetched()]
    waiting = [getattr(one, "op", one) for one in fetched]
    seen = set()
    while waiting:
        operation = waiting.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if _UPDATES.fullmatch(operation.type):
            return True
        waiting += [tensor.op for tensor in operation.inputs]
        waiting += operation.control_inputs
    return False
