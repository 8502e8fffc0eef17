"""What threads of a host are doing, by the names of their events and the threads they are on."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import holders
from tfprof.analyses.input_events.event_names import (
    is_dequeue,
    is_eager_get_next,
    is_eager_input,
    is_get_next_op,
    rows_where,
)
from tfprof.analyses.input_events.loop_bodies import loop_bodies
from tfprof.analyses.input_events.queue_waits import filling_rows, queue_wait_rows
from tfprof.analyses.input_events.waits import wait_rows
from tfprof.analyses.step_time.category_codes import NO_CODE, Codes, by_name, code_of
from tfprof.late_pattern import late_pattern
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.xspace import Plane
from tfprof.results.categories import Category

Ints = npt.NDArray[np.int64]

_PIPELINE_THREADS = "tf_data_"
_RUNTIME_THREADS = "tf_"
_POOL_RECORDS = "ThreadpoolListener::"
# what only waits until others have done the work: the time is theirs
_WAITS = late_pattern(r"KernelAndDevice(Func|Op)::Run|FunctionRun|.*BlockUntilReady.*|.*::Await.*")
_COMPILES = late_pattern(
    r"Compil(e(?!d|r\b)|ation)|graph_building|HloPass|LLVM|MLIR|Grappler|Optimize(Function)?Graph"
    r"|PartitionFunctionGraph|InstantiateMultiDevice"
)
_EXECUTOR = "ExecutorState::Process"
# Python asks for one op or function; those of functions begin with two underscores
_EAGER, _FUNCTION, _RUN = "EagerLocalExecute: ", "__", "KernelAndDevice"
# the driver's calls that copy, reserve or wait; all others with a number of their own launch
_NO_LAUNCH = late_pattern(r"mem(cpy|set|alloc)|malloc|free|synchronize|query", re.IGNORECASE)
_LAUNCH_NUMBER, _CALL = "correlation_id", "tf_function_call"
_STEP_NUMBER = "step_num"
_TRACED = "traced"
_OF_OPS = {
    OpKind.DATASET: Category.HOST_TF_DATA,
    OpKind.TENSORFLOW: Category.HOST_MODEL,
    OpKind.JAX: Category.HOST_MODEL,
}
_GET_NEXT = late_pattern(r"IteratorGetNext\w*")
# an op on a CPU that is over when all hosts have come
_COLLECTIVE = late_pattern(r"Collective\w+")


def on_threads(
    plane: Plane, markers: Collection[str], compiled: Ints, *, with_devices: bool
) -> Codes:
    """`markers` are the names of the steps themselves, which tell nothing of what goes on.

    Nor do other markers, such as one around several steps. With devices, what the CPU executes of a
    model prepares work for them. `compiled` are the rows of what XLA compiled for the CPU.
    """

    def rule(name: str) -> Category | None:
        if name.startswith(_POOL_RECORDS) or name in markers:
            return None
        if _WAITS.fullmatch(name):
            return Category.OTHER
        if with_devices and name.startswith(_EXECUTOR):
            return Category.KERNEL_LAUNCH
        op = op_name(name)
        if op is not None and op.kind in _OF_OPS:
            if is_get_next_op(name):  # to ask for an element is no work of the model
                return Category.HOST_PYTHON
            # with devices, the op only asks for what a device then does
            meets = not with_devices and _COLLECTIVE.fullmatch(op.type)
            return Category.COLLECTIVES if meets else _OF_OPS[op.kind]
        return Category.COMPILATION if _COMPILES.search(name) else Category.HOST_PYTHON

    code = by_name(plane, rule)
    code[compiled] = code_of(Category.HOST_MODEL)
    _set_launches(code, plane)
    _set_marked_and_traced(code, plane)
    _set_eager_ops(code, plane, with_devices=with_devices)
    _set_pipeline(code, plane)
    _set_queues(code, plane)
    code[wait_rows(plane)] = code_of(Category.INPUT)
    return code


def on_placed_cpu(plane: Plane) -> Codes:
    """Of a session run: ops alone, the wait for input among them."""

    def rule(name: str) -> Category:
        op = op_name(name)
        kind = "" if op is None else op.type
        if _COLLECTIVE.fullmatch(kind):
            return Category.COLLECTIVES
        waits = _GET_NEXT.fullmatch(kind) or is_dequeue(kind)
        return Category.INPUT if waits else Category.HOST_MODEL

    return by_name(plane, rule)


def _set_launches(code: Codes, plane: Plane) -> None:
    if not plane.has_stat(_LAUNCH_NUMBER):
        return
    rows = plane.stat(_LAUNCH_NUMBER).rows
    launches = np.array([not _NO_LAUNCH.search(name) for name in plane.event_names.name], bool)
    code[rows] = np.where(
        launches[plane.events.name[rows]],
        code_of(Category.KERNEL_LAUNCH),
        code_of(Category.HOST_PYTHON),
    )


def _set_marked_and_traced(code: Codes, plane: Plane) -> None:
    """Markers of steps, and calls of functions that had to be traced first.

    What such a call ran is taken off as waiting.
    """
    if not plane.has_stat(_CALL) and not plane.has_stat(_STEP_NUMBER):
        return
    numbered, called = plane.stats_of_rows(_of_users(plane), _STEP_NUMBER, _CALL)
    code[numbered.rows] = NO_CODE
    traced = called.texts().map(lambda text: text.startswith(_TRACED))
    code[called.rows[traced]] = code_of(Category.COMPILATION)


def _set_eager_ops(code: Codes, plane: Plane, *, with_devices: bool) -> None:
    """A single op that Python asks for runs in the call itself, which then waits for nobody.

    That makes datasets and iterators, too; and to ask one for an element is to wait for it.
    """
    rows = rows_where(plane, lambda name: name.startswith((_EAGER, _RUN)))
    start, end = plane.events.start_ps[rows], plane.events.ends(rows)
    holder = holders(plane.line_of(rows), start, end)
    names = plane.event_names.name
    is_run = np.array([name.startswith(_RUN) for name in names], bool)[plane.events.name[rows]]
    is_op = np.array(
        [name.startswith(_EAGER) and not name.startswith(_EAGER + _FUNCTION) for name in names],
        bool,
    )[plane.events.name[rows]]
    inside = np.flatnonzero(is_run & (holder >= 0))
    inside = inside[is_op[holder[inside]]]
    called = plane.events.name[rows[holder[inside]]]
    category = Category.KERNEL_LAUNCH if with_devices else Category.HOST_MODEL
    code[rows[inside]] = np.array([_eager_code(name, category) for name in names], np.int8)[called]


def _eager_code(call: str, model: Category) -> np.int8:
    if is_eager_get_next(call):
        return code_of(Category.OTHER)
    return code_of(Category.HOST_TF_DATA if is_eager_input(call) else model)


def _of_users(plane: Plane) -> Ints:
    """The events of threads that are not TensorFlow's own: only these call functions."""
    spans = [
        plane.rows_of_line(line)
        for line in range(len(plane.lines))
        if not plane.line_name(line).startswith(_RUNTIME_THREADS)
    ]
    return np.concatenate([np.zeros(0, np.int64), *(np.arange(s.start, s.stop) for s in spans)])


def _set_queues(code: Codes, plane: Plane) -> None:
    """What runs do to fill queues is the pipeline's, and to take from one is to wait for it."""
    filling = filling_rows(plane)
    code[filling[code[filling] >= 0]] = code_of(Category.HOST_TF_DATA)
    code[queue_wait_rows(plane)] = code_of(Category.INPUT)


def _set_pipeline(code: Codes, plane: Plane) -> None:
    """All that threads of tf.data do is the pipeline's, the ops of its functions included.

    Not so the body of a loop over a dataset, which they call: that is the model.
    """
    bodies = loop_bodies(plane)
    model = code[bodies.work]
    for line in range(len(plane.lines)):
        if plane.line_name(line).startswith(_PIPELINE_THREADS):
            mine = code[plane.rows_of_line(line)]  # a view: what is set here is set there
            mine[mine >= 0] = code_of(Category.HOST_TF_DATA)
    code[bodies.around] = NO_CODE
    code[bodies.calls] = code_of(Category.OTHER)
    code[bodies.work] = model
