"""Addresses as they are typed: HOST:PORT, several with commas between them.

gRPC itself would take more: sockets of this machine, other ways to look up names. None of it gets
through here.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from typing import Final

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_LONGEST_NAME: Final = 253
_PORT: Final = re.compile(r"[0-9]{1,5}")
_LAST_PORT: Final = 65535
# of names that are numbers to whoever looks them up: 10.0.0.7, 10.7, 0x7f.1
_IS_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
_MOST: Final = 512
_HINT: Final = "tfprof capture worker-0:6009,worker-1:6009"


@frozen_dataclass
class Address:
    """`host` is a name in small letters, or a number without brackets."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def target(self) -> str:
        """As gRPC is told; without a scheme it would guess one."""
        if ":" in self.host:
            return f"ipv6:{self}"
        return f"ipv4:{self}" if _IS_NUMBER.fullmatch(self.host) else f"dns:///{self}"

    @property
    def file_name(self) -> str:
        """Safe on every disk: worker-0_6009."""
        return f"{_UNSAFE.sub('-', self.host)}_{self.port}"


def addresses_in(words: Sequence[str]) -> tuple[Address, ...]:
    """All that were named, in order."""
    if not words:
        raise UsageError("no address given", hint=_HINT)
    found: dict[Address, None] = {}
    for part in ",".join(words).split(","):
        address = _address(part)
        if address in found:
            raise UsageError(f"{address} is named twice", hint=_HINT)
        found[address] = None
    if len(found) > _MOST:
        raise UsageError(f"{len(found):,} addresses; at most {_MOST} are asked at once")
    return tuple(found)


def _address(text: str) -> Address:
    host, colon, port = text.rpartition(":")
    if not colon or not host:
        raise _refused(text, "it has no port" if text and not colon else "it is no HOST:PORT")
    if not _PORT.fullmatch(port) or not 1 <= int(port) <= _LAST_PORT:
        raise _refused(text, f"a port is a number from 1 to {_LAST_PORT}")
    return Address(_host(host, text), int(port))


def _host(host: str, text: str) -> str:
    if host.startswith("[") and host.endswith("]"):
        try:
            if "%" not in host:  # the zone of one machine means nothing to gRPC
                return str(ipaddress.IPv6Address(host[1:-1]))
        except ValueError:
            pass
        raise _refused(text, "there is no IPv6 address in the brackets")
    if ":" in host:
        raise _refused(text, "an IPv6 address stands in brackets, and nothing else has two colons")
    if len(host) > _LONGEST_NAME or not _NAME.fullmatch(host):
        raise _refused(text, "no machine can be called so")
    if _IS_NUMBER.fullmatch(host):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise _refused(text, "it is no IPv4 address") from None
    return host.lower()


def _refused(text: str, why: str) -> UsageError:
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    return UsageError(f"{shown!r} cannot be asked: {why}", hint=_HINT)
