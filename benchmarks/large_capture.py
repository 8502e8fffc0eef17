"""A capture of 2.5 GB, as eight GPUs make it: seconds and memory of `steps` and `layers`.

    python benchmarks/large_capture.py [GIGABYTES]

XProf is not asked: one message cannot be over 2 GB there. `make bench-each` takes a tenth of it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tfprof.wire.schema import message_class

GPUS, STREAMS, EVENTS = 8, 8, 20_000
STEP_US, KERNEL_US = 1_000, 8
QUESTIONS = (["steps"], ["layers", "--by", "op"], ["summary"])


def main():
    gigabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 0.25
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "host.xplane.pb"
        events = write(path, int(gigabytes * 1e9))
        print(f"{path.stat().st_size / 1e9:.2f} GB, {events:,} events")
        for words in QUESTIONS:
            seconds, megabytes = measured([*words, str(path)])
            print(f"tfprof {' '.join(words):14} {seconds:7.1f} s of CPU {megabytes:8,.0f} MB")


def write(path, size):
    """Lines of kernels like those of a real capture: some 130 bytes each, names shared."""
    line = _line()
    lines = max(1, size // (GPUS * len(line)))
    with path.open("wb") as file:
        for gpu in range(GPUS):
            head = _head(gpu)
            body = len(head) + lines * (len(line) + len(_prefix(b"\x1a", len(line))))
            file.write(_prefix(b"\x0a", body))
            file.write(head)
            for _ in range(lines):
                file.write(_prefix(b"\x1a", len(line)))
                file.write(line)
    return GPUS * lines * EVENTS


def _line():
    line = message_class("XLine")()
    line.name = "Stream #1(Compute)"
    line.timestamp_ns = 10**9
    for number in range(EVENTS):
        event = line.events.add(metadata_id=1 + number % 50)
        step, place = divmod(number, STEP_US // (2 * KERNEL_US))
        event.offset_ps = (step * STEP_US + place * 2 * KERNEL_US) * 10**6
        event.duration_ps = KERNEL_US * 10**6
        for stat, value in ((1, number), (2, 1 + number % 50), (3, 7)):
            event.stats.add(metadata_id=stat, uint64_value=value)
        event.stats.add(
            metadata_id=4, str_value="regs:32 static_shared:0 grid:64,1,1 block:256,1,1 occ_pct:50"
        )
        event.stats.add(metadata_id=5, ref_value=100 + number % 50)
    return line.SerializeToString()


def _head(gpu):
    plane = message_class("XPlane")()
    plane.name = f"/device:GPU:{gpu}"
    names = ["correlation_id", "scope_range_id", "context_id", "kernel_details", "tf_op"]
    for number, name in enumerate(names, 1):
        _named(plane.stat_metadata, number, name)
    for number in range(50):
        _named(plane.stat_metadata, 100 + number, f"model/layer_{number}/dense/MatMul:MatMul")
        _named(plane.event_metadata, 1 + number, f"ampere_sgemm_{number}")
    return plane.SerializeToString()


def _named(table, number, name):
    table[number].id = number
    table[number].name = name


def _prefix(tag, size):
    out = bytearray(tag)
    while size > 127:
        out.append(size & 127 | 128)
        size >>= 7
    return bytes([*out, size])


def measured(words):
    """Of a process of its own, the largest of those that were asked before included."""
    program = (
        "import resource, sys\n"
        "from tfprof.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(code, used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=True
    )
    code, seconds, kilobytes = ran.stderr.split()[-3:]
    assert code == "0", ran.stderr
    return float(seconds), float(kilobytes) * 1024 / 1e6


if __name__ == "__main__":
    main()
