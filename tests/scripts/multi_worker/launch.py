"""Two workers on this machine, each a process of its own with a TF_CONFIG of its own."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("localhost", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def main():
    cluster = {"worker": [f"localhost:{port}" for port in free_ports(2)]}
    workers = []
    for index in range(2):
        config = {"cluster": cluster, "task": {"type": "worker", "index": index}}
        environment = {**os.environ, "TF_CONFIG": json.dumps(config)}
        command = [sys.executable, str(Path(__file__).with_name("worker.py"))]
        workers.append(
            subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        )
    said = [worker.communicate(timeout=120)[0] for worker in workers]
    print("".join(said), end="")
    return max(worker.returncode for worker in workers)


if __name__ == "__main__":
    sys.exit(main())
