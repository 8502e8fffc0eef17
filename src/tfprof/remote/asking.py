"""Many servers asked at once, over gRPC: what each said, or why it said nothing."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from typing import Any, Final, TypeAlias

from tfprof.errors import ExtraMissing
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.printable import printable
from tfprof.remote.addresses import Address
from tfprof.remote.profiler_service import METHOD, NOWHERE, ProfilerQuestion

# to collect and to send what was recorded
GRACE_S: Final = 30.0
# gRPC counts in signed 32 bits, and so does protobuf
_LARGEST: Final = (1 << 31) - 1
_TICK_S: Final = 0.1
_LONGEST_WORDS: Final = 200

REFUSED: Final = "connection refused"
TOO_OLD: Final = (
    "its TensorFlow is too old to send a capture: "
    "with --remote-logdir DIR it writes one to its own disk"
)

# gRPC has no types
_Grpc: TypeAlias = Any
_Call: TypeAlias = Any
Ticks = Callable[[float], None]


@frozen_dataclass
class Limits:
    """Of one reply: how large it may be, and how long it may take after the capture."""

    max_bytes: int
    grace_s: float = GRACE_S


@frozen_dataclass
class Heard:
    """The bytes of a reply, or why there are none."""

    address: Address
    reply: bytes = b""
    why_not: str = ""


def needed_grpc() -> _Grpc:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what fails is told here, in words of ours
    try:
        import grpc
    except ImportError:
        raise ExtraMissing(
            "asking a running process needs grpcio", hint="pip install 'tfprof[remote]'"
        ) from None
    return grpc


def ask_all(
    addresses: Sequence[Address], question: ProfilerQuestion, limits: Limits, ticks: Ticks
) -> Generator[Heard]:
    """In the order in which they answer. Whoever stops listening ends all calls."""
    grpc = needed_grpc()
    answers: queue.Queue[tuple[Address, _Call]] = queue.Queue()
    patience = question.seconds + limits.grace_s
    with ExitStack() as channels:
        for address in addresses:
            channel = channels.enter_context(
                grpc.insecure_channel(address.target, options=_options(limits))
            )
            call = channel.unary_unary(METHOD).future(question.request_to(address), patience)
            call.add_done_callback(lambda call, asked=address: answers.put((asked, call)))
        started, waiting = time.monotonic(), len(addresses)
        while waiting:
            ticks(time.monotonic() - started)
            try:
                address, call = answers.get(timeout=_TICK_S)
            except queue.Empty:
                continue
            waiting -= 1
            yield _heard(address, call, grpc, limits, patience)
            del call  # it holds the reply


def _options(limits: Limits) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", min(limits.max_bytes, _LARGEST)),
        # a few packed bytes could become gigabytes before anybody looks at their size
        ("grpc.per_message_decompression", 0),
        # straight to the machine that was named, once, and by no other settings than these
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
        ("grpc.service_config_disable_resolution", 1),
        ("grpc.use_local_subchannel_pool", 1),
    ]


def _heard(address: Address, call: _Call, grpc: _Grpc, limits: Limits, patience: float) -> Heard:
    try:
        return Heard(address, call.result())
    except grpc.RpcError as fault:
        said = printable(str(fault.details() or ""))
        return Heard(address, why_not=_reason(fault.code(), said, grpc, limits, patience))


def _reason(code: _Grpc, said: str, grpc: _Grpc, limits: Limits, patience: float) -> str:
    """The words of gRPC, where they say what happened, in shorter ones."""
    codes = grpc.StatusCode
    if code is codes.DEADLINE_EXCEEDED:
        return f"no answer within {units.duration(patience * units.MICROS_A_SECOND)}"
    if code is codes.RESOURCE_EXHAUSTED and "larger than max" in said:
        most = units.size(limits.max_bytes)
        return f"its capture is larger than {most}: ask for less time, or allow more (--max-size)"
    if code is codes.UNIMPLEMENTED:
        return "something answers there, but it is no profiler"
    if code is codes.INTERNAL and NOWHERE in said:
        return TOO_OLD
    if code is codes.UNAVAILABLE:
        return _unreachable(said)
    return f"it refused: {_cut(said) or code.name.lower()}"


def _unreachable(said: str) -> str:
    lowered = said.lower()
    if "refused" in lowered:
        return f"{REFUSED}: nobody listens there"
    if any(word in lowered for word in ("dns", "domain name", "name or service", "resol")):
        return "no machine of this name is known"
    last = said.rpartition(": ")[2]  # before it stands who called whom
    return f"cannot be reached: {_cut(last) or 'no reason was given'}"


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST_WORDS else f"{words[:_LONGEST_WORDS]}..."
