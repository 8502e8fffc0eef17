"""Recordings ask for messages from several threads at once: all get the same classes."""

import subprocess
import sys

CODE = """
import sys, threading
sys.setswitchinterval(1e-6)
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tfprof.wire.schema import message_class, schema
schema()
names = ["OpLogEntry", "OpLogProto", "GraphDef", "NodeDef"]
ready, found = threading.Barrier(8), []

def ask(at):
    ready.wait()
    found.append(tuple(message_class(name) for name in names[at % 4:] + names[:at % 4]))

threads = [threading.Thread(target=ask, args=(at,)) for at in range(8)]
for one in threads:
    one.start()
for one in threads:
    one.join()
kinds = {id(kind) for row in found for kind in row}
print(len(found), len(kinds))
pools = {id(kind.DESCRIPTOR.file.pool) for row in found for kind in row}
print(len(pools))
"""


def test_all_threads_get_the_same_classes():
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["8", "4", "1"]
