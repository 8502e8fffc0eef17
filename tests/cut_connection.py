"""A connection that can be cut: whoever connects here is passed on, until it is not."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Passage:
    """`address` leads to `target`, which sent `received` bytes; `cut` ends all connections."""

    def __init__(self, target: str) -> None:
        host, port = target.removeprefix("tcp://").split(":")
        self._target = host, int(port)
        self.received = 0
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._ear = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._ear.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):  # until it is closed
            while True:
                here, _ = self._ear.accept()
                there = socket.create_connection(self._target)
                self._open += [here, there]
                for ends in ((here, there), (there, here)):
                    self._threads.append(threading.Thread(target=self._pass, args=ends))
                    self._threads[-1].start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                self.received += len(data) if one.getpeername() == self._target else 0
                other.sendall(data)
        with suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
        one.close()

    def cut(self) -> None:
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def close(self) -> None:
        with suppress(OSError):
            self._ear.shutdown(socket.SHUT_RDWR)
        self._ear.close()
        self.cut()
        for one in self._threads:
            one.join()
