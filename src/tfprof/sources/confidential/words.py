"""Texts without what they tell about a machine: names of hosts, paths, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

PATH: Final = "[path]"
# of TensorFlow's names for devices, which begin like paths
_DEVICE = r"(?:job|replica|task|device|host|cpu|gpu|tpu|CPU|GPU|TPU|xla|XLA)\b"
_PART = r"[^\s/\\:;,\"'<>|*?(){}\[\]=\0]+"
_PATHS = re.compile(
    r"(?:\b[a-z][a-z0-9+]{1,9}://[^\s\"'<>]+)"  # gs://bucket/run, grpc://host:2222
    rf"|(?:\b[A-Za-z]:\\(?:{_PART}\\)*{_PART})"
    rf"|(?:(?<![\w.\-/)\]])(?:~|\.\.?)?/(?!{_DEVICE})(?:{_PART}/)+(?:{_PART})?)"
    rf"|(?:(?<![\w.\-/)\]])~/{_PART})"
    r"|(?:\b[\w./-]+\.py[cx]?:\d+)"
    # without a root it may be the name of a node, but for what such a file ends with
    r"|(?:\b[\w.-]+(?:/[\w.-]+)+\.(?:csv|tsv|txt|jsonl?|ya?ml|tfrecords?|records?|parquet|npz?|pkl"
    r"|h5|hdf5|keras|png|jpe?g|gz|zip|tar|pyc?|ckpt|pb|pbtxt|vocab)\b)"
)
_ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b")
# what Python's tracer calls a function: $train.py:12 step
_TRACED = re.compile(r"^\$(?:[^\s:]*):\d+ ")


@dataclass(slots=False)
class Redactor:
    """Hosts are numbered in the order they were met: the same one is the same everywhere."""

    hosts: dict[str, str] = field(default_factory=dict)

    def learn(self, hosts: Iterable[str]) -> None:
        for one in hosts:
            if one and one not in self.hosts and not one.startswith("host_"):
                self.hosts[one] = f"host_{len(self.hosts)}"
                self.__dict__.pop("_names", None)

    @cached_property
    def _names(self) -> re.Pattern[str] | None:
        longest = sorted(self.hosts, key=len, reverse=True)
        return re.compile("|".join(map(_alone, longest))) if longest else None

    def text(self, said: str) -> str:
        """Everything else stays as it is."""
        said = _TRACED.sub("$", said)
        if "/" in said or "\\" in said or ".py" in said:
            said = _PATHS.sub(PATH, said)
        if "." in said:
            said = _ADDRESS.sub("[address]", said)
        return said if self._names is None else self._names.sub(self._numbered, said)

    def data(self, said: bytes) -> bytes:
        """Of bytes that are text."""
        try:
            return self.text(said.decode()).encode()
        except UnicodeDecodeError:
            return said

    def _numbered(self, found: re.Match[str]) -> str:
        return self.hosts[found[0]]


def _alone(host: str) -> str:
    """A host may be called like a scope, `model`: that stays where it is part of a longer name."""
    beside = "A-Za-z0-9/_" if host.isidentifier() else "A-Za-z0-9"
    return rf"(?<![{beside}]){re.escape(host)}(?![{beside}])"
