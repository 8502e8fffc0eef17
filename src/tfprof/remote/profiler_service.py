"""What a profiler server is asked for, and what its reply holds."""

from __future__ import annotations

from typing import Final

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.remote.addresses import Address
from tfprof.wire.schema import message_class

METHOD: Final = "/tensorflow.ProfilerService/Profile"
# as TensorFlow's own client asks
_MOST_EVENTS: Final = 1_000_000
_HOST_LEVEL, _DEVICE_LEVEL, _OPTIONS_VERSION = 2, 1, 1
# a server that cannot send its capture writes it somewhere: not unasked, and never here
NOWHERE: Final = "/dev/null"


@frozen_dataclass
class ProfilerQuestion:
    """`session` names the capture; `remote_logdir` is where a server may write that cannot send."""

    seconds: float
    session: str
    remote_logdir: str | None = None

    def request_to(self, address: Address) -> bytes:
        request = message_class("ProfileRequest")(
            duration_ms=self._milliseconds,
            max_events=_MOST_EVENTS,
            repository_root=self._captures,
            session_id=self.session,
            host_name=address.file_name,
            emit_xspace=True,
        )
        request.opts.version = _OPTIONS_VERSION
        request.opts.duration_ms = self._milliseconds
        request.opts.host_tracer_level = _HOST_LEVEL
        request.opts.device_tracer_level = _DEVICE_LEVEL
        request.opts.enable_hlo_proto = True
        return bytes(request.SerializeToString())

    def remote_path(self, address: Address) -> str:
        """Where such a server writes."""
        return f"{self._captures}/{self.session}/{address.file_name}.xplane.pb"

    @property
    def _captures(self) -> str:
        return f"{(self.remote_logdir or NOWHERE).rstrip('/')}/plugins/profile"

    @property
    def _milliseconds(self) -> int:
        return max(1, round(self.seconds * 1000))


@frozen_dataclass
class ProfilerReply:
    """`capture` is empty where the server kept it to itself."""

    capture: bytes
    nothing_ran: bool


class NoReply(Exception):
    """The bytes of a reply are none."""


def reply_in(data: bytes) -> ProfilerReply:
    from google.protobuf.message import DecodeError

    try:
        reply = message_class("ProfileResponse").FromString(data)
    except DecodeError:
        raise NoReply from None
    return ProfilerReply(reply.xspace, reply.empty_trace)
