"""The lines that `log_device_placement` writes, among whatever else a log holds."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tfprof.errors import WrongKind
from tfprof.model.placement_log import PlacementLog
from tfprof.sources.files.reader import read_bytes

_DEVICE = r"(?P<device>/(?:job|device|cpu|gpu|replica|task)[^\s,;]++)"
# `MatMul: (MatMul): /job:...`; early versions have no colon, or no type, before the device
# a name begins where none goes on: from every letter of a long one, the rest would be looked at
_NAME = r"(?<![^\s:()\[\]])(?P<name>[^\s:()\[\]]++)"
_PLACED = re.compile(rf"{_NAME}: (?:\((?P<op>[\w>]++)\):?\s*+)?{_DEVICE}\s*+$")
# `Executing op MatMul in device /job:...` of TensorFlow 2
_EXECUTED = re.compile(rf"(?:Executing|Placing) op (?P<op>\S++) (?:in|on) device:? {_DEVICE}")
# what comes before the nodes of a session
_SESSION = "Device mapping:"


def read_placement_log(path: Path) -> PlacementLog:
    """A line is often there twice, on stdout and in the log: a node is counted once a device.

    A session begins with the devices it has. Nodes of several are not mixed: two graphs have nodes
    of one name, and a device may have been there for one of them only.
    """
    sessions: list[dict[str, dict[str, None]]] = [{}]
    executed: Counter[tuple[str, str]] = Counter()
    for line in read_bytes(path).decode(errors="replace").splitlines():
        if match := _EXECUTED.search(line):
            executed[match["op"], match["device"].rstrip(".")] += 1
        elif match := _PLACED.search(line):
            sessions[-1].setdefault(match["name"], {})[match["device"]] = None
        elif _SESSION in line and sessions[-1]:
            sessions.append({})
    told = [one for at, one in enumerate(sessions) if one and one not in sessions[:at]]
    if not told and not executed:
        raise WrongKind(
            "no line of it tells where an op was placed",
            where=str(path),
            hint="Log with log_device_placement=True, or tf.debugging.set_log_device_placement.",
        )
    placed = told[-1] if told else {}
    left_out = {name for one in told for name in one if name not in placed}
    return PlacementLog(
        str(path),
        {name: tuple(devices) for name, devices in placed.items()},
        dict(executed),
        max(1, len(told)),
        len(left_out),
    )
