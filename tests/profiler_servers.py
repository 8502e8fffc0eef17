"""Servers in place of the profiler of a running TensorFlow, on loopback.

A reply is bytes, or a function of the request and the context of the call.
"""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import grpc

from tfprof.wire.schema import message_class

_SERVICE = "tensorflow.ProfilerService"


@contextmanager
def serving(reply, *, service=_SERVICE, compression=None) -> Iterator[str]:
    """The address of a server; it is gone when the block ends."""

    def profile(request, context):
        return reply(request, context) if callable(reply) else reply

    handler = grpc.unary_unary_rpc_method_handler(profile)
    server = grpc.server(
        ThreadPoolExecutor(4), compression=compression,
        options=[("grpc.max_send_message_length", -1)],
    )  # fmt: skip
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(service, {"Profile": handler})]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def reply_with(capture: bytes = b"", *, empty: bool = False) -> bytes:
    return message_class("ProfileResponse")(xspace=capture, empty_trace=empty).SerializeToString()


@contextmanager
def silent() -> Iterator[str]:
    """A server that takes the request and never answers."""
    over = threading.Event()

    def wait(_request, context):
        context.add_callback(over.set)
        over.wait(60)
        return b""

    with serving(wait) as address:
        try:
            yield address
        finally:
            over.set()


@contextmanager
def talking(words: bytes) -> Iterator[str]:
    """Whoever connects hears these bytes, which are no gRPC."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.sendall(words)

        threading.Thread(target=answer, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
