"""TensorFlow's own C++ engine of the original tool, and our answer to the same question."""

import ctypes
import os
import tempfile

from tensorflow.core.profiler import tfprof_options_pb2
from tensorflow.python.util import _pywrap_tfprof as engine

from tfprof.model.hosts import Hosts
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.renderers.text.cost_views import op_text, tree_text
from tfprof.reports.trees import Prepared, shape_of
from tfprof.sources.graph.graphdef import FileBytes, read_graph
from tfprof.sources.run.op_log import log_piece
from tfprof.sources.run.run_metadata import run_piece
from tfprof.wire.fields import whole

_END = "\n======================End of Report"


def engine_text(command, graph, runs, log, options):
    """What the engine prints from `Profile:` on. It prints to C's stdout."""
    proto = tfprof_options_pb2.OptionsProto(**options, output="stdout").SerializeToString()

    def ask():
        engine.NewProfiler(graph, log)
        for step, run in runs:
            engine.AddStep(step, graph, run, log)
        engine.Profile(command.encode(), proto)
        engine.DeleteProfiler()

    return _captured(ask).split("Profile:\n", 1)[-1].split(_END)[0]


def _captured(ask):
    c = ctypes.CDLL(None)
    with tempfile.TemporaryFile() as file:
        c.fflush(None)
        kept = os.dup(1), os.dup(2)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(file.fileno(), 1)
        os.dup2(silence, 2)
        try:
            ask()
        finally:
            c.fflush(None)
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
            for handle in (*kept, silence):
                os.close(handle)
        file.seek(0)
        return file.read().decode()


def profile_of(graph, runs, log, path="memory"):
    """The same protos as our model."""
    trace = [run_piece(run, path, step, []).trace for step, run in runs]
    return ProfileData(
        "test",
        (),
        read_graph(FileBytes(graph, path), whole(graph)),
        hosts=Hosts.of(Trace.joined(trace) if trace else None),
        oplog=log_piece(log, path, []).oplog if log else None,
    )


def our_view(command, data, options):
    prepared = Prepared(data)
    return shape_of(prepared.ops(options) if command == "op" else prepared.tree(command, options))


def our_text(command, graph, runs, log, options):
    given = {key: tuple(v) if isinstance(v, list) else v for key, v in options.items()}
    view = our_view(command, profile_of(graph, runs, log), Options(compat=True, **given))
    return op_text(view) if command == "op" else tree_text(view)
