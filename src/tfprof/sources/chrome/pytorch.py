"""Traces of PyTorch's profiler, in the words of a capture: steps, streams, launches by number.

What its ops are is not TensorFlow's to say, so they stay events of threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tfprof.model.xspace import HOST_THREADS
from tfprof.sources.chrome.slices import Event
from tfprof.wire.json_values import Object, as_object, as_text

# what PyTorch writes beside its events
KEYS = frozenset(("schemaVersion", "deviceProperties"))
WARNING = (
    "a trace of PyTorch: steps, kernels and the timeline are shown; its ops have no graph, so "
    "neither shapes nor FLOPs nor layers are"
)
_STEP = re.compile(r"ProfilerStep#(\d{1,18})")
_ON_DEVICE = frozenset(("kernel", "gpu_memcpy", "gpu_memset"))
# drawn once more: around all the work of a stream, and around everything
_AGAIN = frozenset(("gpu_user_annotation", "Trace", "overhead"))
_NUMBER = "correlation"


def as_capture(events: Iterable[Event]) -> list[Event]:
    found = []
    for event in events:
        kind = as_text(event.get("cat"))
        if kind in _AGAIN:
            continue
        if kind in _ON_DEVICE:
            found += _on_device(event)
        elif event.get("ph") == "M":
            found += _named(event)
        else:
            found.append(_on_thread(event))
    return found


def _on_device(event: Event) -> list[Event]:
    args = as_object(event.get("args"))
    device, stream = args.get("device", event.get("pid")), args.get("stream", event.get("tid"))
    pid, line = f"device {device}", f"stream {stream}"
    about: Object = {"name": f"/device:GPU:{device}"}
    return [
        {"ph": "M", "name": "process_name", "pid": pid, "args": about},
        {"ph": "M", "name": "thread_name", "pid": pid, "tid": line,
         "args": {"name": f"Stream #{stream}"}},
        {**event, "pid": pid, "tid": line, "args": _numbered(args)},
    ]  # fmt: skip


def _named(event: Event) -> list[Event]:
    """The processes of devices are named by their events, all others are the host's threads."""
    if event.get("name") != "process_name" or not isinstance(event.get("pid"), int):
        return [event] if event.get("name") == "thread_name" else []
    return [{**event, "args": {"name": HOST_THREADS}}]


def _on_thread(event: Event) -> Event:
    args = _numbered(as_object(event.get("args")))
    name = event.get("name")
    step = _STEP.fullmatch(name) if isinstance(name, str) else None
    if step is not None:
        args = {**args, "step_num": int(step[1]), "_r": 1}
        return {**event, "name": "ProfilerStep", "args": args}
    return {**event, "args": args}


def _numbered(args: Object) -> Object:
    number = args.get(_NUMBER)
    return args if number is None else {**args, "correlation_id": number}
