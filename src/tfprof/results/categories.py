"""What the time of a step can go to, what wins where several happen at once."""

from __future__ import annotations

from enum import Enum


class Category(Enum):
    """In the order of precedence: an instant counts for the first of them that is going on.

    The values are the keys of JSON. What the devices do comes before what the host does meanwhile,
    and waiting for input before the work that goes on elsewhere.
    """

    DEVICE_COMPUTE_16 = "device_compute_16"
    DEVICE_COMPUTE_32 = "device_compute_32"
    OUTPUT = "output"
    DEVICE_TO_DEVICE = "device_to_device"
    INPUT = "input"
    COLLECTIVES = "collectives"
    HOST_TO_DEVICE = "host_to_device"
    KERNEL_LAUNCH = "kernel_launch"
    COMPILATION = "compilation"
    HOST_MODEL = "host_model"
    HOST_TF_DATA = "host_tf_data"
    HOST_PYTHON = "host_python"
    OTHER = "other"
    IDLE = "idle"

    @property
    def label(self) -> str:
        return _LABELS[self]

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_LABELS = {
    Category.DEVICE_COMPUTE_16: "16-bit device compute",
    Category.DEVICE_COMPUTE_32: "32-bit device compute",
    Category.OUTPUT: "copies to the host",
    Category.DEVICE_TO_DEVICE: "copies between devices",
    Category.INPUT: "waiting for input",
    Category.COLLECTIVES: "collectives",
    Category.HOST_TO_DEVICE: "copies to devices",
    Category.KERNEL_LAUNCH: "kernel launch",
    Category.COMPILATION: "compilation",
    Category.HOST_MODEL: "ops on the CPU",
    Category.HOST_TF_DATA: "tf.data in the background",
    Category.HOST_PYTHON: "Python and runtime",
    Category.OTHER: "in the step, not recorded",
    Category.IDLE: "nothing recorded",
}

_MEANINGS = {
    Category.DEVICE_COMPUTE_16: "a kernel of half precision runs on a device",
    Category.DEVICE_COMPUTE_32: "any other kernel runs on a device",
    Category.OUTPUT: "a device copies to the host",
    Category.DEVICE_TO_DEVICE: "a device copies to itself or to another one",
    Category.INPUT: "the model waits for the next element of its dataset or queue",
    Category.COLLECTIVES: "devices exchange gradients, and compute nothing meanwhile",
    Category.HOST_TO_DEVICE: "the host copies to a device",
    Category.KERNEL_LAUNCH: "the host launches work for a device that does nothing",
    Category.COMPILATION: "a function is traced or compiled",
    Category.HOST_MODEL: "ops of the model run on the CPU",
    Category.HOST_TF_DATA: "only the input pipeline works, and nobody waits for it",
    Category.HOST_PYTHON: "only Python or TensorFlow's runtime is at work",
    Category.OTHER: "the step is open, and nothing within it was recorded",
    Category.IDLE: "no thread and no device recorded anything",
}
