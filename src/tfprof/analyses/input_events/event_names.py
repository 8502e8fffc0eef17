"""What the names of events say about the input pipeline."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tfprof.late_pattern import late_pattern
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]

SEPARATOR = "::"
_ITERATOR = "Iterator::"
# A loop over a dataset within a function is a stage itself, called Scan, and what it reads from
# follows; so that the model is in the middle of the path.
_LOOP = late_pattern(r"ReduceIterator::(\w+::)*?Scan::(?P<below>.+)")
_ROUND = late_pattern(r"ReduceIterator::((?!Scan::)\w+::)*Scan")
_LOOP_OP = "ReduceDatasetOp::"
_LOOP_FRAME = late_pattern(r"ReduceIterator(::(?!Scan)\w+)*")
# functions of the user that a stage calls; the part behind tells how
_CAPTURED = "InstantiatedCapturedFunction::"
_PRODUCE = "Produce"
_GET_NEXT = ("IteratorGetNextOp::", "IteratorGetNextAsOptionalOp::")
_GET_NEXT_OPS = ("IteratorGetNext", "IteratorGetNextAsOptional", "IteratorGetNextSync")
# of TensorFlow 1: what takes an element from a queue or a staging area, and what puts one in
_DEQUEUE = late_pattern(r"\w*Queue\w*Dequeue\w*|(OrderedMap|Map)?Unstage\w*")
_ENQUEUE = late_pattern(r"\w*Queue\w*Enqueue\w*|(OrderedMap|Map)?Stage")
_MAKE_OP = "MakeIterator"
_EAGER = "EagerLocalExecute: "
_INPUT_OP = late_pattern(r": (\w*Iterator\w*|\w+Dataset(V\d+)?)$")
_REMOTE_CALL = "RemoteCallOp"
# what feeds a device from a pipeline of the host
_DEVICE_SIDE = "Iterator::Prefetch::Generator"


def rows_where(plane: Plane, holds: Callable[[str], bool]) -> Ints:
    """The events whose names pass a test, which is asked once a name."""
    known = enumerate(plane.event_names.name)
    return plane.rows_called([row for row, name in known if holds(name)])


def together(plane: Plane, *rows: Ints) -> Ints:
    """The events of several selections, each once, in the order of the plane."""
    chosen = np.zeros(len(plane.events), bool)
    for some in rows:
        chosen[some] = True
    return np.flatnonzero(chosen)


def is_iterator(event: str) -> bool:
    """A stage that works for a model; of a loop that is a stage, only what is below it."""
    return event.startswith(_ITERATOR) or _LOOP.fullmatch(event) is not None


def is_root(event: str) -> bool:
    """The iterator that a model asks: a path of one part, from where the model is."""
    return is_loop_request(event) or (is_iterator(event) and event.count(SEPARATOR) == 1)


def is_loop_request(event: str) -> bool:
    loop = _LOOP.fullmatch(event)
    return loop is not None and SEPARATOR not in loop["below"]


def is_round(event: str) -> bool:
    """One round of a loop over a dataset: it fetches an element and calls the body."""
    return _ROUND.fullmatch(event) is not None


def is_loop_frame(event: str) -> bool:
    """The loop itself, which waits for its rounds."""
    return event.startswith(_LOOP_OP) or _LOOP_FRAME.fullmatch(event) is not None


def is_device_side(event: str) -> bool:
    return event.startswith(_DEVICE_SIDE)


def is_captured_function(event: str) -> bool:
    return event.startswith(_CAPTURED)


def is_remote_call(event: str) -> bool:
    """A function called on another device."""
    return event == _REMOTE_CALL


def is_produce(event: str) -> bool:
    """What the thread of an asynchronous stage does for one element: `PrefetchProduce`."""
    return event.endswith(_PRODUCE) and event.isidentifier()


def is_tf_data(event: str) -> bool:
    return is_iterator(event) or is_captured_function(event)


def is_get_next(event: str) -> bool:
    """The kernel that fetches an element for a model, or what a loop over a dataset calls."""
    return event.startswith(_GET_NEXT) or is_loop_request(event)


def is_dequeue(op: str) -> bool:
    """By its type."""
    return _DEQUEUE.fullmatch(op) is not None


def is_enqueue(op: str) -> bool:
    """By its type."""
    return _ENQUEUE.fullmatch(op) is not None


def is_eager_input(event: str) -> bool:
    """Python makes a dataset or an iterator, or asks it for an element."""
    return event.startswith(_EAGER) and _INPUT_OP.search(event) is not None


def is_eager_get_next(event: str) -> bool:
    return event.startswith(_EAGER) and event.removeprefix(_EAGER) in _GET_NEXT_OPS


def is_get_next_op(event: str) -> bool:
    return _op_type(event) in _GET_NEXT_OPS


def is_make_iterator(event: str) -> bool:
    """The op that makes a root iterator of a dataset, or Python's call of it."""
    return event == f"{_EAGER}{_MAKE_OP}" or (_MAKE_OP in event and _op_type(event) == _MAKE_OP)


def _op_type(event: str) -> str | None:
    op = op_name(event)
    return op.type if op is not None and op.kind is OpKind.TENSORFLOW else None
