"""What a recording says of the machine and the program around it. No environment variable."""

from __future__ import annotations

import os
import platform
import socket
import sys
import time
from contextlib import suppress
from typing import Any, Final

_ALLOCATOR: Final = "TF_CPU_ALLOCATOR_USE_BFC"


def host_name() -> str:
    with suppress(OSError):
        return socket.gethostname()
    return ""


def versions() -> dict[str, str | None]:
    """Of what is loaded; nothing is loaded for it."""
    names = ("tensorflow", "keras", "tf_keras", "numpy")
    found = {name: _version(name) for name in names}
    if found["tf_keras"] is None:
        del found["tf_keras"]
    return {"python": platform.python_version(), **found}


def _version(name: str) -> str | None:
    told = getattr(sys.modules.get(name), "__version__", None)
    return told if isinstance(told, str) else None


def clock() -> dict[str, int]:
    """One instant by both clocks, so that two processes of a machine can be laid side by side."""
    return {"unix_ns": time.time_ns(), "monotonic_ns": time.monotonic_ns()}


def devices() -> list[dict[str, str | None]] | None:
    """What TensorFlow runs on; None before it has started, which nobody starts for this."""
    tensorflow = sys.modules.get("tensorflow")
    context = sys.modules.get("tensorflow.python.eager.context")
    if tensorflow is None or context is None or not context.context()._initialized:  # noqa: SLF001
        return None
    found = []
    for device in tensorflow.config.list_logical_devices():
        kind = str(device.device_type)
        found.append({"name": str(device.name), "kind": kind, "model": _model(tensorflow, kind)})
    return found


def _model(tensorflow: Any, kind: str) -> str | None:  # noqa: ANN401  (TensorFlow has no types)
    """What the machine calls such a device, if all of a kind are alike."""
    if kind == "CPU":
        return _processor()
    with suppress(Exception):  # a device that tells nothing of itself
        details = tensorflow.config.experimental.get_device_details
        physical = tensorflow.config.list_physical_devices(kind)
        names = {details(one).get("device_name") for one in physical}
        if len(names) == 1:
            name = names.pop()
            return str(name) if name else None
    return None


def _processor() -> str | None:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() == "model name" and value.strip():
                return value.strip()
    return platform.processor() or None


def strategy() -> str | None:
    """The distribution strategy that is in force here."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or not tensorflow.distribute.has_strategy():
        return None
    return type(tensorflow.distribute.get_strategy()).__name__


def ask_for_memory_events() -> str | None:
    """Lets TensorFlow record what it allocates on a CPU; what to tell if it is too late."""
    if os.environ.get(_ALLOCATOR, "").lower() in ("1", "true"):
        return None
    context = sys.modules.get("tensorflow.python.eager.context")
    started = context is not None and context.context()._initialized  # noqa: SLF001
    if not started:
        os.environ[_ALLOCATOR] = "1"
        return None
    return (
        "memory is not recorded on the CPU: TensorFlow had started before. Set "
        f"{_ALLOCATOR}=1 before the program starts, or ask earlier"
    )


def traced_functions() -> int:
    """How many functions TensorFlow knows: a step after which there are more has traced one."""
    context = sys.modules.get("tensorflow.python.eager.context")
    if context is None or not context.context()._initialized:  # noqa: SLF001
        return 0
    return len(context.context().list_function_names())
