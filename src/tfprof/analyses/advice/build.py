"""The build of TensorFlow and the machine it runs on, where a log or a capture tells."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import finding, rule
from tfprof.model import units
from tfprof.results.advice import Confidence, Finding, Severity

_NOT_MEASURED = "not measured: it takes the other build"


@rule("build-without-instructions", "a log of TensorFlow (--log)")
def _instructions(known: Known) -> Iterator[Finding]:
    """TensorFlow was built without instructions that the machine has.

    What: the log says that the binary does not use some instructions of this CPU.

    Why: wider vectors do more products a cycle.

    Example:
        To enable the following instructions: AVX2 AVX512F FMA, in other operations, rebuild
        TensorFlow with the appropriate compiler flags.

    Fix:
        bazel build --config=opt --copt=-march=native //tensorflow/tools/pip_package:wheel

    Gain: not measured: it takes the other build.
    """
    log = known.log
    if log is None or not log.instructions:
        return
    names = ", ".join(log.instructions)
    yield finding(
        "build-without-instructions",
        f"the CPU has {names}, which this build of TensorFlow does not use everywhere",
        {"instructions": names, "count": len(log.instructions)},
        "the kernels of oneDNN choose by themselves; for the others build TensorFlow for this CPU.",
        code="bazel build --config=opt --copt=-march=native //tensorflow/tools/pip_package:wheel",
        gain=_NOT_MEASURED,
        confidence=Confidence.LOW,
    )


@rule("cuda-older-than-build", "a log of TensorFlow (--log)")
def _older(known: Known) -> Iterator[Finding]:
    """CUDA or cuDNN is older than TensorFlow expects.

    What: the log names a version that was loaded and a newer one that TensorFlow was built with.

    Why: kernels are missing or chosen badly, and with another major version the GPU is not used.

    Example:
        Loaded runtime CuDNN library: 8.0.4 but source was compiled with: 8.6.0.

    Fix:
        pip install tensorflow[and-cuda]          # the libraries that belong to the build

    Gain: not measured: it takes the other library.
    """
    for one in known.log.older if known.log is not None else ():
        yield finding(
            "cuda-older-than-build",
            f"{one.library} {one.loaded} was loaded, and TensorFlow was built with "
            f"{one.built_with}",
            {"library": one.library, "loaded": one.loaded, "built_with": one.built_with},
            "install the version that belongs to the build.",
            code="pip install tensorflow[and-cuda]",
            gain="not measured: it takes the other library",
            severity=Severity.PROBLEM,
            confidence=Confidence.HIGH,
        )


@rule("gpu-not-used", "a log of TensorFlow (--log), or a capture with an idle device")
def _no_gpu(known: Known) -> Iterator[Finding]:
    """There is a GPU, and TensorFlow does not use it.

    What: the log says that GPUs are skipped or libraries are missing; or a capture has GPUs of
    which none did anything.

    Why: a build without CUDA, a missing library or a variable hides the GPU, and everything runs on
    the CPU without a word.

    Example:
        Cannot dlopen some GPU libraries. Skipping registering GPU devices...

    Fix:
        pip install tensorflow[and-cuda]

    Gain: not measured: nobody here has the device.
    """
    log, capture = known.log, known.capture
    if log is not None and log.no_gpu:
        yield finding(
            "gpu-not-used",
            f"the log says that the GPU is not used: {log.no_gpu}",
            {"line": log.no_gpu},
            "install the build with CUDA and its libraries; look at CUDA_VISIBLE_DEVICES.",
            code="pip install tensorflow[and-cuda]",
            gain="not measured: nobody here has the device",
            severity=Severity.PROBLEM,
        )
        return
    devices = capture.devices if capture is not None else ()
    idle = sum(one.count for one in devices)
    if idle and not any(one.working for one in devices) and known.run is not None:
        yield finding(
            "gpu-not-used",
            f"{units.plural(idle, 'device')} in the capture, and none did anything",
            {"devices": idle},
            "see where ops are placed: `tfprof placement`.",
            gain="not measured: nobody here has the device",
            severity=Severity.PROBLEM,
        )
