"""Captures of accelerators, written here: there is none at hand, and other people's stay theirs.

Each layout is a function that returns the bytes of an XSpace (or of a timeline), and what is true
of it by construction:

    data, truth = tf_gpu_old()      # TensorFlow on GPUs, as in 2020: `level 0`, `annotation`, `shm`
    data, truth = tf_gpu_new()      # TensorFlow on GPUs today: `tf_op`, static and dynamic memory
    data, truth = xla_gpu()         # XLA on a GPU: `hlo_op`, programs in /host:metadata, split-K
    data, truth = tpu()             # four cores: async copies, barriers, times by two clocks
    data, truth = tf1_timeline()    # JSON of TensorFlow 1: every kernel twice, copies twice

A truth has microseconds of the whole capture by `op`, `layer`, `phase`, `category` and `kernel`
(full names), each without copies, `copies`, and what else the layout tells.

    python tests/accelerator_captures.py FOLDER    # writes them all
    python tests/accelerator_captures.py           # those of tests/data, for the documentation
"""

import gzip
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tfprof.wire.schema import message_class

PS_A_MICROSECOND = 1_000_000
_DATA = Path(__file__).parent / "data" / "accelerators"
_BITS = 1 << 64


@dataclass
class Truth:
    op: Counter = field(default_factory=Counter)
    layer: Counter = field(default_factory=Counter)
    phase: Counter = field(default_factory=Counter)
    category: Counter = field(default_factory=Counter)
    kernel: Counter = field(default_factory=Counter)
    source: Counter = field(default_factory=Counter)
    device: Counter = field(default_factory=Counter)
    runs: Counter = field(default_factory=Counter)
    copies: float = 0.0
    facts: dict = field(default_factory=dict)

    def ran(self, micros, **names):
        """A kernel that took so long: its op, layer, phase, ..."""
        for key, name in names.items():
            getattr(self, key)[name] += micros

    @property
    def kernels(self):
        return sum(self.kernel.values())


class PlaneMaker:
    """A plane with names as they are first used; times in microseconds."""

    def __init__(self, space, name, **facts):
        self.plane = space.planes.add(name=name)
        self._stats, self._names, self._lines = {}, {}, {}
        self.base_ns = 1000
        for key, value in facts.items():
            self._set(self.plane.stats.add(metadata_id=self._stat(key)), value)

    def _stat(self, name):
        code = self._stats.setdefault(name, len(self._stats) + 1)
        self.plane.stat_metadata[code].id, self.plane.stat_metadata[code].name = code, name
        return code

    @staticmethod
    def _set(stat, value):
        if isinstance(value, str):
            stat.str_value = value
        elif isinstance(value, bytes):
            stat.bytes_value = value
        elif isinstance(value, float):
            stat.double_value = value
        elif value >= 1 << 63:
            stat.uint64_value = value
        else:
            stat.int64_value = value

    def named(self, name, shown="", **stats):
        """An event name, with stats that all its events share."""
        key = name, shown
        if key not in self._names:
            code = self._names[key] = len(self._names) + 1
            known = self.plane.event_metadata[code]
            known.id, known.name, known.display_name = code, name, shown
            for stat, value in stats.items():
                self._set(known.stats.add(metadata_id=self._stat(stat)), value)
        return self._names[key]

    def line(self, name):
        if name not in self._lines:
            made = self.plane.lines.add(id=len(self._lines) + 1, name=name)
            made.timestamp_ns = self.base_ns
            self._lines[name] = made
        return self._lines[name]

    def event(self, line, name, start, duration, /, *, shown="", **stats):
        event = self.line(line).events.add(metadata_id=self.named(name, shown))
        event.offset_ps = round(start * PS_A_MICROSECOND)
        event.duration_ps = round(duration * PS_A_MICROSECOND)
        for key, value in stats.items():
            self._set(event.stats.add(metadata_id=self._stat(key.replace("__", " "))), value)


# --- TensorFlow on GPUs ---------------------------------------------------------------------------

# op, type, kernel, microseconds, phase, layer, category
_GEMM = "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"
_EIGEN = (
    "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<"
    "Eigen::TensorMap<Eigen::Tensor<Eigen::half, 1, 1, int>, 16>, const Eigen::TensorCwiseBinaryOp<"
    "Eigen::internal::scalar_product_op<Eigen::half, Eigen::half>, const int>>, int>(int)"
)
_APPLY = "void ApplyAdamKernel<float>(int)"
_STEP = [
    ("model/layer_0/dense/MatMul", "MatMul", _GEMM, 40, "forward", "layer_0", "matmul"),
    ("model/layer_0/act/Mul", "Mul", _EIGEN, 10, "forward", "layer_0", "element-wise"),
    ("model/layer_1/dense/MatMul", "MatMul", _GEMM, 44, "forward", "layer_1", "matmul"),
    ("model/layer_1/act/Mul", "Mul", _EIGEN, 10, "forward", "layer_1", "element-wise"),
    ("gradient_tape/model/layer_1/MatMul", "MatMul", _GEMM, 80, "backward", "layer_1", "matmul"),
    ("gradient_tape/model/layer_0/MatMul", "MatMul", _GEMM, 70, "backward", "layer_0", "matmul"),
    ("Adam/Adam/update/ResourceApplyAdam", "ResourceApplyAdam", _APPLY, 6, "update", "Adam",
     "variables"),
]  # fmt: skip
V100 = {
    "clock_rate": 1_530_000, "core_count": 80, "memory_bandwidth": 898_048_000_000,
    "memory_size": 16_945_512_448, "compute_cap_major": 7, "compute_cap_minor": 0,
}  # fmt: skip


def tf_gpu_old(steps=3, devices=2):
    """Two replicas; the second is slower, and waits for the first in its all-reduce.

    With the lines that XProf adds, launches that carry the names of kernels, and a label that is
    no op.
    """
    truth, space = Truth(), message_class("XSpace")(hostnames=["worker-0"])
    host = PlaneMaker(space, "/host:CPU")
    planes = [PlaneMaker(space, f"/device:GPU:{number}", **V100) for number in range(devices)]
    for step in range(steps):
        for number, plane in enumerate(planes):
            _old_step(truth, host, plane, number, step)
    truth.facts = {"steps": steps, "devices": devices, "idle_us": 0.0}
    return space.SerializeToString(), truth


def _old_step(truth, host, plane, number, step):
    at = 1000.0 * step + 7 * number
    device, prefix = f"/gpu:{number}", f"replica_{number}/" if number else ""
    copy = {
        "level__0": "MakeTensorFromProto", "annotation": "MakeTensorFromProto", "group_id": step,
        "memcpy_details": "size:4 dest:4 async:1", "correlation_id": 1000 * step,
    }  # fmt: skip
    plane.event("Stream #135(MemcpyH2D)", "MemcpyH2D", at, 3, **copy)
    truth.copies += 3
    truth.device[device] += 3
    at += 5
    for count, (node, op, kernel, micros, phase, layer, category) in enumerate(_STEP):
        name = f"{prefix}{node}:{op}" if not node.startswith("gradient") else f"{node}:{op}"
        took = micros + number
        stats = {
            "level__0": name, "annotation": f"{name}#shape=(half[8,8])#", "group_id": step,
            "kernel_details": "regs:38 shm:16 grid:160,1,1 block:1024,1,1", "context_id": "$$5",
            "correlation_id": 100 * step + count,
        }  # fmt: skip
        plane.event("Stream #134(Compute)", kernel, at, took, **stats)
        plane.event("TensorFlow Ops", name, at, took, shown=op, group_id=step)
        host.event(f"tf_gpu_private_{number}/7", name, at - 4, 3)
        host.event(
            f"tf_gpu_private_{number}/7", kernel, at - 3, 1, correlation_id=100 * step + count
        )
        truth.ran(took, op=op, layer=layer, phase=phase, category=category, kernel=kernel,
                  device=device)  # fmt: skip
        truth.ran(1, runs=op)
        at += took
    plane.event("Steps", str(step), 1000.0 * step + 7 * number, at - 1000.0 * step, group_id=step)


def tf_gpu_new(steps=4):
    """One GPU; a product of two kernels, NCCL that is partly hidden, and copies both ways."""
    truth, space = Truth(), message_class("XSpace")(hostnames=["vm"])
    host = PlaneMaker(space, "/host:CPU")
    facts = {**V100, "gpu_device_name": "Tesla V100-SXM2-16GB", "device_vendor": "Nvidia"}
    gpu = PlaneMaker(space, "/device:GPU:0", **facts)
    for step in range(steps):
        at = 1000.0 * step
        host.event("python/1", "train", at, 900, step_num=step, _r=1)
        details = "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"
        gpu.event("Stream #2(MemcpyH2D)", "MemcpyH2D", at, 8, memcpy_details=details)
        truth.copies += 8
        at += 10
        for node, op, kernel, micros, phase, layer, category in _STEP:
            parts = [(kernel, micros - 2), ("splitKreduce_kernel", 2)] if op == "MatMul" else [
                (kernel, micros)
            ]  # fmt: skip
            host.event("tf_Compute/2", f"{node}:{op}", at - 6, 4)
            for name, took in parts:
                gpu.event("Stream #1(Compute)", name, at, took, tf_op=f"{node}:{op}",
                          kernel_details="regs:128 static_shared:0 dynamic_shared:49152 "
                          "grid:64,1,1 block:128,1,1 occ_pct:50")  # fmt: skip
                truth.ran(took, op=op, layer=layer, phase=phase, category=category, kernel=name,
                          device="/gpu:0")  # fmt: skip
                at += took
            truth.ran(1, runs=op)
        gpu.event("Stream #3(Compute)", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", at - 20, 50,
                  tf_op="Adam/CollectiveReduceV2:CollectiveReduceV2")  # fmt: skip
        truth.ran(50, op="CollectiveReduceV2", layer="Adam", phase="update", category="collective",
                  kernel="ncclDevKernel_AllReduce_Sum_f16_RING_LL", device="/gpu:0")  # fmt: skip
        truth.ran(1, runs="CollectiveReduceV2")
        details = "kind_src:device kind_dst:pinned size:64 dest:0 async:1"
        gpu.event("Stream #4(MemcpyD2H)", "MemcpyD2H", at + 40, 5, memcpy_details=details)
        truth.copies += 5
        truth.device["/gpu:0"] += 13
    truth.facts = {"steps": steps, "exposed_us": 30.0 * steps}
    return space.SerializeToString(), truth


def gpu_hosts(hosts=4, late=2, gpus=2, steps=6, slow_us=200):
    """Hosts that train together, a capture each; one computes longer, all wait for it at the end.

    Their clocks do not agree. What the early ones wait is in their all-reduce, which ends at once
    on all of them. Of a step of 1000: 400 of products (on the late host more), 300 of an all-reduce
    (less by as much), 300 idle.
    """
    truth, files = Truth(), {}
    for rank in range(hosts):
        name = f"worker-{rank}"
        space = message_class("XSpace")(hostnames=[name])
        threads = PlaneMaker(space, "/host:CPU")
        more = slow_us if rank == late else 0
        devices = [PlaneMaker(space, f"/device:GPU:{number}", **V100) for number in range(gpus)]
        for plane in (threads, *devices):
            plane.base_ns = 1000 + 777_000 * rank
        for step in range(steps):
            begin = 1000.0 * step
            threads.event("python/1", "train", begin, 900, step_num=step, _r=1)
            for number, plane in enumerate(devices):
                work = 400 + more + number
                plane.event("Stream #1(Compute)", _GEMM, begin + 10, work,
                            tf_op="model/layer_0/dense/MatMul:MatMul")  # fmt: skip
                plane.event("Stream #3(Compute)", "ncclDevKernel_AllReduce_Sum_f16_RING_LL",
                            begin + 10 + work, 300 - more - number,
                            tf_op="Adam/CollectiveReduceV2:CollectiveReduceV2")  # fmt: skip
                truth.ran(work, op="MatMul", kernel=_GEMM, layer="layer_0", phase="forward",
                          category="matmul")  # fmt: skip
                truth.ran(300 - more - number, op="CollectiveReduceV2", layer="Adam",
                          phase="update", category="collective",
                          kernel="ncclDevKernel_AllReduce_Sum_f16_RING_LL")  # fmt: skip
        files[f"{name}.xplane.pb"] = space.SerializeToString()
    truth.facts = {
        "late": f"worker-{late}", "behind_us": float(slow_us), "steps": steps, "period_us": 1000.0,
        "step_us": 700.0 * gpus, "hosts": hosts,
    }  # fmt: skip
    return files, truth


def put_hosts(folder, **how):
    """A folder as several workers leave it."""
    files, truth = gpu_hosts(**how)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder, truth


# --- XLA ------------------------------------------------------------------------------------------

_F32, _BF16 = 11, 16
_FMHA = "void ck_tile::kentry<ck_tile::gfx950_t, 1, ck_tile::FmhaBwdDQDKDVKernel<int>>(int)"


class ProgramMaker:
    """A compiled module: instructions with shapes, ops and lines of code."""

    def __init__(self, name, number):
        self.proto = message_class("HloProto")()
        self.name, self.number = name, number
        self.module = self.proto.hlo_module
        self.module.name, self.module.id = name, 1
        self.entry = self.module.computations.add(name="main", id=1)
        self._ids = {}

    def source(self, file, line):
        """A place in the table of frames; counted from 1."""
        index = self.module.stack_frame_index
        index.file_names.append(file)
        index.file_locations.add(file_name_id=len(index.file_names), line=line)
        index.stack_frames.add(file_location_id=len(index.file_locations))
        return len(index.stack_frames)

    def add(self, name, opcode, dims, *operands, computation=None, **more):
        held = computation if computation is not None else self.entry
        number = len(self._ids) + 1
        self._ids[name] = number
        one = held.instructions.add(name=name, opcode=opcode, id=number)
        one.shape.element_type = more.pop("dtype", _F32)
        one.shape.dimensions.extend(dims)
        one.operand_ids.extend(self._ids[operand] for operand in operands)
        for key in ("op_name", "op_type", "source_file", "source_line", "stack_frame_id"):
            if key in more:
                setattr(one.metadata, key, more.pop(key))
        one.called_computation_ids.extend(more.pop("calls", ()))
        one.dot_dimension_numbers.lhs_contracting_dimensions.extend(more.pop("contracts", ()))
        for key, value in more.items():
            setattr(one, key, value)
        return one

    def computation(self, name):
        return self.module.computations.add(name=name, id=len(self.module.computations) + 1)

    def put_into(self, space):
        """As the metadata plane has it: a signed number, and an unsigned one behind the name."""
        plane = next((one for one in space.planes if one.name == "/host:metadata"), None)
        plane = plane if plane is not None else space.planes.add(name="/host:metadata")
        plane.stat_metadata[1].id, plane.stat_metadata[1].name = 1, "Hlo Proto"
        signed = self.number - _BITS if self.number >= 1 << 63 else self.number
        held = plane.event_metadata[signed]
        held.id, held.name = signed, f"{self.name}({self.number % _BITS})"
        held.stats.add(metadata_id=1, bytes_value=self.proto.SerializeToString())


def _train_program(number):
    program = ProgramMaker("jit_train", number)
    line = program.source("/home/me/train.py", 12)
    program.add("x", "parameter", (64, 128), op_name="x")
    program.add("kernel", "parameter", (128, 256), op_name="kernel")
    fused = program.computation("fused_dot")
    program.add("p0", "parameter", (64, 128), computation=fused)
    program.add("p1", "parameter", (128, 256), computation=fused)
    program.add("dot.1", "dot", (64, 256), "p0", "p1", computation=fused, contracts=(1,),
                op_name="jit(train)/jvp(Model)/Dense_0/dot_general")  # fmt: skip
    fused.root_id = program._ids["dot.1"]
    program.add("gemm_fusion_dot", "fusion", (64, 256), "x", "kernel", fusion_kind="kCustom",
                calls=(fused.id,), op_name="jit(train)/jvp(Model)/Dense_0/dot_general",
                stack_frame_id=line, dtype=_BF16)  # fmt: skip
    # says nothing of itself: it adds up what the product left in parts
    program.add("loop_reduce_fusion", "fusion", (64, 256), "gemm_fusion_dot", fusion_kind="kLoop")
    program.add("te_attn_backward.1", "custom-call", (64, 256), "gemm_fusion_dot",
                custom_call_target="te_attn_backward", stack_frame_id=line,
                op_name="jit(train)/transpose(jvp(Model))/Attention_0/te_attn_bwd")  # fmt: skip
    program.add("add_fusion", "fusion", (128, 256), "kernel", fusion_kind="kLoop",
                source_file="/opt/optax.py", source_line=7,
                op_name="jit(train)/optax/add")  # fmt: skip
    return program


def xla_gpu(steps=5):
    """A run is a product, attention backward in three kernels, an update; and a copy of no op.

    Another instruction adds up what the product left in parts. The number of the program needs 64
    bits.
    """
    truth, space = Truth(), message_class("XSpace")(hostnames=["vm"])
    number = _BITS - 12345
    program = _train_program(number)
    program.put_into(space)
    facts = {
        "device_vendor": "AMD", "clock_rate": 2_400_000, "core_count": 256,
        "memory_bandwidth": 4_096_000_000_000, "compute_cap_major": 9, "compute_cap_minor": 5,
    }  # fmt: skip
    gpu = PlaneMaker(space, "/device:GPU:0", **facts)
    train, optax = "/home/me/train.py:12", "/opt/optax.py:7"
    runs = [
        ("gemm_fusion_dot", "gemm_fusion_dot.kd", 60, "dot_general", "Dense_0", "forward", "matmul",
         train),
        ("loop_reduce_fusion", "loop_reduce_fusion.kd", 10, "dot_general", "Dense_0", "forward",
         "reduction", train),
        ("te_attn_backward.1", "__amd_rocclr_fillBufferAligned.kd", 2, "te_attn_bwd",
         "Attention_0", "backward", "attention", train),
        ("te_attn_backward.1", "__amd_rocclr_fillBufferAligned.kd", 2, "te_attn_bwd",
         "Attention_0", "backward", "attention", train),
        ("te_attn_backward.1", _FMHA, 90, "te_attn_bwd", "Attention_0", "backward",
         "attention", train),
        ("add_fusion", "add_fusion.kd", 8, "add", "optax", "update", "element-wise", optax),
    ]  # fmt: skip
    details = " grid:1,1,1 block:256,1,1 private_mem:0 group_mem:16384 occ_pct:0"
    for step in range(steps):
        at = 1000.0 * step
        for instruction, kernel, took, op, layer, phase, category, source in runs:
            gpu.event("Stream #2", kernel, at, took, tf_op="XlaModule:", hlo_op=instruction,
                      hlo_module="jit_train", program_id=number - _BITS, kernel_details=details,
                      name="jit(train)")  # fmt: skip
            truth.ran(took, op=op, layer=layer, phase=phase, category=category, kernel=kernel,
                      source=source, device="/gpu:0")  # fmt: skip
            at += took
        gpu.event("Stream #2", "__amd_rocclr_copyBuffer.kd", at, 4, kernel_details=details)
        truth.ran(4, op="(not attributed)", layer="(not attributed)", phase="other",
                  category="data movement", kernel="__amd_rocclr_copyBuffer.kd",
                  source="(no source)", device="/gpu:0")  # fmt: skip
    # two instructions make the product, each once a run
    truth.runs.update({"dot_general": 2 * steps, "te_attn_bwd": steps, "add": steps})
    flops = 2 * 64 * 128 * 256 * steps
    truth.facts = {"steps": steps, "dot_flops": flops, "unknown_flops_share": 94 / 176}
    return space.SerializeToString(), truth


# --- TPU ------------------------------------------------------------------------------------------

_LATE_US = 300.0


def tpu(steps=6, cores=4):
    """Steps that wait for copies, an all-reduce, a loop of two rounds, a correction of the clocks.

    Core 2 comes late to the barrier. Of each step, by the device: 30 waiting for a copy, 20 in a
    fusion, a loop of two rounds of 5 each with 1 around, 8 in an all-reduce.
    """
    truth, space = Truth(), message_class("XSpace")(hostnames=["tpu-0"])
    program = ProgramMaker("jit_f", 1 << 63)
    program.add("param", "parameter", (5,), op_name="ws[0]")
    program.add("copy-done.1", "copy-done", (5,), "param")
    program.put_into(space)
    for core in range(cores):
        _core(truth, space, program, core, steps)
    truth.facts = {
        "steps": steps, "period_us": 100.0, "late_core": 2, "late_us": _LATE_US,
        "hbm_bytes_per_second": 20e6 / 20e-6, "copy_bytes": 3_000_000 * steps * cores,
    }  # fmt: skip
    return space.SerializeToString(), truth


def _core(truth, space, program, core, steps):
    plane = PlaneMaker(
        space, f"/device:TPU:{core}", device_type_string="TPU v6 Lite",
        peak_teraflops_per_second=918.0, peak_hbm_bw_gigabytes_per_second=1640.0,
    )  # fmt: skip
    shared = {"program_id": (1 << 63) - _BITS}
    copied = {"bytes_accessed": 3_000_000, **shared}
    path = "jit(f)/jit(main)/"
    known = {
        "copy-start.1": dict(hlo_category="copy-start", flops=0, **copied),
        "copy-done.1": dict(hlo_category="copy-done", flops=0, **copied),
        "add_fusion": dict(hlo_category="loop fusion", flops=10_000, bytes_accessed=20_000_000,
                           tf_op=f"{path}Block_0/add:", source="me.py:29", **shared),
        "while.1": dict(hlo_category="while", flops=0, bytes_accessed=0,
                        tf_op=f"{path}while:", source="me.py:31", **shared),
        "dot.2": dict(hlo_category="convolution fusion", flops=90_000, bytes_accessed=1000,
                      tf_op=f"{path}while/body/Block_1/dot_general:", source="me.py:33", **shared),
        "all-reduce.1": dict(hlo_category="all-reduce", flops=100, bytes_accessed=4000,
                             tf_op=f"{path}psum:", source="me.py:38", **shared),
    }  # fmt: skip
    for name, stats in known.items():
        plane.named(f"%{name} = f32[5]{{0:T(128)}} op(%param)", name, **stats)
    device = f"/tpu:{core}"
    for step in range(steps):
        begin = 100.0 * step + (_LATE_US if core == 2 and step else 0.0)
        plane.event("XLA Modules", f"{program.name}({program.number})", begin, 99, run_id=step)
        if core == 2 and step == 1:
            plane.event("XLA TraceMe", "barrier-cores", begin - _LATE_US, _LATE_US)
        # one correction of the clocks: by the host's an event is 500 us longer than it was
        odd = 500.0 if core == 0 and step == steps - 1 else 0.0
        at = begin
        for name, took, inside in (
            ("copy-start.1", 1, 0), ("add_fusion", 20, 0), ("copy-done.1", 30 + odd, 0),
            ("while.1", 11, 10), ("all-reduce.1", 8, 0),
        ):  # fmt: skip
            _instruction(truth, plane, device, name, (at, took, inside, odd))
            if name == "while.1":
                for turn in range(2):
                    times = (at + 0.5 + 5 * turn, 5, 0, odd)
                    _instruction(truth, plane, device, "dot.2", times)
            at += took
        plane.event("Async XLA Ops", "%copy-start.1 = f32[5]{0:T(128)} op(%param)", begin, 51,
                    shown="async-copy", hlo_op="copy-done.1")  # fmt: skip


_TPU_TRUTH = {
    "copy-start.1": ("copy-start", "(no layer)", "other", "data movement", "(no source)"),
    "copy-done.1": ("copy-done", "(no layer)", "other", "waiting", "(no source)"),
    "add_fusion": ("add", "Block_0", "forward", "element-wise", "me.py:29"),
    "while.1": ("while", "(no layer)", "forward", "other", "me.py:31"),
    "dot.2": ("dot_general", "Block_1", "forward", "matmul", "me.py:33"),
    "all-reduce.1": ("psum", "(no layer)", "forward", "collective", "me.py:38"),
}


def _instruction(truth, plane, device, name, times):
    at, took, inside, odd = times
    true = took - odd if name == "copy-done.1" else took
    shift = odd if name in ("while.1", "dot.2", "all-reduce.1") else 0
    plane.event("XLA Ops", f"%{name} = f32[5]{{0:T(128)}} op(%param)", at, took, shown=name,
                device_offset_ps=round((at - shift) * PS_A_MICROSECOND),
                device_duration_ps=round(true * PS_A_MICROSECOND))  # fmt: skip
    op, layer, phase, category, source = _TPU_TRUTH[name]
    truth.ran(true - inside, op=op, layer=layer, phase=phase, category=category, kernel=name,
              source=source, device=device)  # fmt: skip
    truth.ran(1, runs=op)


# --- TensorFlow 1 ---------------------------------------------------------------------------------


def tf1_timeline():
    """Dispatch with start-up, all streams, the streams again one by one, and copies twice."""
    truth, events = Truth(), []
    job = "/job:localhost/replica:0/task:0"
    processes = {
        1: f"{job}/cpu:0", 3: f"{job}/gpu:0", 5: "/gpu:0/stream:all", 7: "/gpu:0/stream:12",
        9: "/gpu:0/memcpy", 11: "/gpu:0/stream:14",
    }  # fmt: skip
    for pid, name in processes.items():
        said = {"name": f"{name} Compute"}
        events.append({"ph": "M", "name": "process_name", "pid": pid, "args": said})

    def ran(pid, node, op, start, took):
        args = {"name": node, "op": op}
        events.append({"ph": "X", "cat": "Op", "name": op, "pid": pid, "tid": 0,
                       "ts": 1_000_000 + start, "dur": took, "args": args})  # fmt: skip

    kernels = [
        ("layer_1/MatMul", "MatMul", 70, "forward", "layer_1"),
        ("MatMul", "MatMul", 30, "forward", "(no layer)"),
        ("gradients/layer_1/MatMul_grad/MatMul", "MatMul", 80, "backward", "layer_1"),
        ("GradientDescent/update/ApplyGradientDescent", "ApplyGradientDescent", 12, "update",
         "GradientDescent"),
    ]  # fmt: skip
    at = 100_000
    for node, op, took, phase, layer in kernels:
        # the first launch starts the libraries
        ran(3, node, op, at - 90_000 if node == "layer_1/MatMul" else at - 5,
            90_000 if node == "layer_1/MatMul" else 4)  # fmt: skip
        for pid in (5, 7):
            ran(pid, node, op, at, took)
        truth.ran(took, op=op, phase=phase, layer=layer, device="/gpu:0", kernel=op)
        truth.ran(1, runs=op)
        at += took + 3
    for pid in (9, 11):
        ran(pid, "edge_5_MatMul", "MEMCPYDtoH", at, 15)
    truth.copies, truth.device["/gpu:0"] = 15, truth.device["/gpu:0"] + 15
    return json.dumps({"traceEvents": events}).encode(), truth


LAYOUTS = {
    "tf_gpu_old": (tf_gpu_old, "w0.xplane.pb"),
    "tf_gpu_new": (tf_gpu_new, "vm.xplane.pb"),
    "xla_gpu": (xla_gpu, "vm.xplane.pb"),
    "tpu": (tpu, "tpu.xplane.pb"),
    "tf1_timeline": (tf1_timeline, "timeline.json"),
}


def write(folder):
    """A folder each."""
    for name, (made, file) in LAYOUTS.items():
        path = Path(folder) / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made()[0])


def packed(name):
    """The same in tests/data, which the documentation is about."""
    suffix = ".json" if LAYOUTS[name][1].endswith(".json") else ".xplane.pb"
    return _DATA / f"{name}{suffix}.gz"


def pack():
    for name, (made, _) in LAYOUTS.items():
        packed(name).write_bytes(gzip.compress(made()[0], mtime=0))


if __name__ == "__main__":
    write(sys.argv[1]) if len(sys.argv) > 1 else pack()
