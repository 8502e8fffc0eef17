"""The messages of an op log, under the name that TensorFlow's generated module has."""

from __future__ import annotations

from tfprof.wire.schema import message_class

__all__ = ["OpLog", "OpLogEntry", "OpLogProto"]

OpLogProto = message_class("OpLogProto")
OpLogEntry = message_class("OpLogEntry")
# its early name
OpLog = OpLogProto
