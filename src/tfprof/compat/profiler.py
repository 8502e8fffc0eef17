"""The original's calls: `profile`, `print_model_analysis`, `Profiler`, `write_op_log`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from tfprof.commands.writing import target_of, write_file
from tfprof.compat import checkers
from tfprof.compat.builder import TRAINABLE_VARS_PARAMS_STAT_OPTIONS, ProfileOptionBuilder
from tfprof.compat.handed import Live, Message, Proto
from tfprof.compat.inputs import Run, build, read_log, read_run
from tfprof.compat.options import ReportOutput, as_options, is_compat
from tfprof.compat.protos import AdviceProto
from tfprof.compat.saved import profile_proto
from tfprof.compat.show import COMMANDS, Result, show
from tfprof.errors import OutputNotWritable, UsageError
from tfprof.live.objects import default_graph, tf_graph_of
from tfprof.live.op_log import default_log
from tfprof.model.oplog import TRAINABLE
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.wire.schema import message_class

OptionsLike = Mapping[str, object] | Options | ProfileOptionBuilder
LOG_NAME = "tfprof_log"


def profile(
    graph: Live = None,
    run_meta: Live = None,
    op_log: Live = None,
    cmd: str = "scope",
    options: OptionsLike | None = None,
    compat: str | None = None,
) -> Message:
    """What a model costs, by scope, graph, op or code; prints or writes it and returns it.

    `graph` is a tf.Graph, a ConcreteFunction, a tf.function, a tf.Module, a Keras model or layer, a
    GraphDef (message or bytes) or a path; `options` a dict of ProfileOptionBuilder, by default the
    trained variables' parameters. `compat="original"` repeats the original's report from
    `Profile:` on to the byte, its faults included.
    """
    if options is None:
        options = ProfileOptionBuilder.trainable_variables_parameter()
    set_, output = as_options(options, compat=is_compat(compat))
    return _profiled(graph, run_meta, op_log, _known(cmd), set_, output)


def print_model_analysis(
    graph: Live,
    run_meta: Live = None,
    op_log: Live = None,
    tfprof_cmd: str = "scope",
    tfprof_options: OptionsLike = TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
) -> Message:
    """The early call: as `profile`, in the early tool's style."""
    set_, output = as_options(tfprof_options, style="early")
    return _profiled(graph, run_meta, op_log, _known(tfprof_cmd), set_, output)


def _known(command: str) -> str:
    if command not in COMMANDS:
        raise UsageError(f"unknown cmd: {command}", hint=f"One of {', '.join(COMMANDS)}.")
    return command


def _profiled(
    graph: Live,
    run_meta: Live,
    op_log: Live,
    command: str,
    options: Options,
    output: ReportOutput,
) -> Result:
    run = read_run(run_meta, 0)
    runs = [run] if run is not None else []
    data = build(graph, runs, op_log, add_trace=command == "code", compat=options.compat)
    return show(data, command, options, output)


class Profiler:
    """Many steps of one graph. Several profilers may be in use at once."""

    def __init__(
        self,
        graph: Live = None,
        op_log: Live = None,
        compat: str | None = None,
    ) -> None:
        self._compat = is_compat(compat)
        self._graph = graph if graph is not None else default_graph()
        self._op_log = read_log(op_log)
        self._runs: list[Run] = []
        self._built: tuple[tuple[int, int, bool], ProfileData] | None = None

    def add_step(self, step: int, run_meta: Live) -> None:
        """Add a run; two of one step count as one."""
        run = read_run(run_meta, step)
        if run is None:
            sys.stderr.write(f"The run metadata of step {step} has no step stats.\n")
        else:
            self._runs.append(run)

    def profile_python(self, options: OptionsLike) -> Message:
        """By the Python lines that made the nodes."""
        return self._profiled("code", options)

    def profile_operations(self, options: OptionsLike) -> Message:
        """By op type."""
        return self._profiled("op", options)

    def profile_name_scope(self, options: OptionsLike) -> Message:
        """By name scope."""
        return self._profiled("scope", options)

    def profile_graph(self, options: OptionsLike) -> Message:
        """Along the inputs of the nodes."""
        return self._profiled("graph", options)

    def advise(self, options: Mapping[str, object] | None = None) -> AdviceProto:
        """What stands out, by checker; all of them by default."""
        return checkers.advise_on(self._data(with_code=True), options, compat=self._compat)

    def serialize_to_string(self) -> bytes:
        """Graph, op log and steps as the bytes of a ProfileProto."""
        return profile_proto(self._data(with_code=True), compat=self._compat)

    def _write_profile(self, filename: str | os.PathLike[str]) -> None:
        write_file(target_of(filename), self.serialize_to_string(), force=True)

    def _profiled(self, command: str, options: OptionsLike) -> Result:
        set_, output = as_options(options, compat=self._compat)
        return show(self._data(with_code=command == "code"), command, set_, output)

    def _data(self, *, with_code: bool) -> ProfileData:
        """Built once, and again after a step or a change of the graph."""
        now = (len(self._runs), getattr(self._graph, "version", 0), with_code)
        if self._built is None or self._built[0] != now:
            data = build(
                self._graph,
                self._runs,
                self._op_log,
                add_trace=with_code,
                compat=self._compat,
                stepwise=True,
            )
            self._built = now, data
        return self._built[1]


def advise(
    graph: Live = None,
    run_meta: Live = None,
    options: Mapping[str, object] | None = None,
    compat: str | None = None,
) -> AdviceProto:
    """What stands out, by checker; prints and returns it."""
    original = is_compat(compat)
    run = read_run(run_meta, 0)
    data = build(graph, [run] if run else [], None, add_trace=True, compat=original)
    return checkers.advise_on(data, options, compat=original)


def write_op_log(
    graph: Live,
    log_dir: str | os.PathLike[str],
    op_log: Live = None,
    run_meta: Live = None,
    add_trace: bool = True,  # noqa: FBT001, FBT002  (the original's signature)
) -> None:
    """Write `tfprof_log` into a folder: FLOPs, trained variables, stacks, and the user's entries.

    Of a live graph the FLOPs are TensorFlow's own, with those that users registered. Neither the
    graph nor `op_log` is changed.
    """
    run = read_run(run_meta, 0)
    user_log = read_log(op_log)
    found = None if graph is None else tf_graph_of(graph)
    live = default_graph() if graph is None else found and found.graph
    if live is not None:
        message = run.message if run is not None else None
        logged = default_log(live, user_log, message, add_trace=add_trace)
        if logged.without_shapes and run is None:
            sys.stderr.write(
                f"{logged.without_shapes} ops have no FLOPs since their shapes are not known: "
                "run metadata may tell them.\n"
            )
        log = logged.log
    else:
        log = _counted_log(
            build(graph, [run] if run else [], user_log, add_trace=False, compat=False)
        )
    path = Path(log_dir) / LOG_NAME
    try:
        path.write_bytes(log.SerializeToString())
    except OSError as fault:
        raise OutputNotWritable(
            f"cannot be written: {fault.strerror or fault}",
            where=str(path),
            hint="The folder has to exist.",
        ) from None


def _counted_log(data: ProfileData) -> Proto:
    """The log of a graph that is no live object: our counts."""
    log = message_class("OpLogProto")()
    known = data.oplog
    declared = {name for name, v in data.declared.variables.items() if v.trainable}
    if known is None:
        return log
    for name in dict.fromkeys([*known.float_ops, *known.types, *sorted(declared)]):
        types = list(known.types.get(name, ()))
        if name in declared and TRAINABLE not in types:
            types.append(TRAINABLE)
        log.log_entries.add(name=name, float_ops=known.float_ops.get(name, 0), types=types)
    return log
